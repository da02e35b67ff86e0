// SPDX-License-Identifier: Apache-2.0
// How many lanes of each warp were active over its life.

function timelinePicture(launch) {
	const warps = launch.timelines, row = 16, left = 132, width = 640, top = 20;
	const longest = Math.max(...warps.map((t) => t.instructions));
	const parts = [svgText(left, 13, "0"), svgText(left + width, 13, number(longest) + " instructions", "end")];
	warps.forEach((t, k) => {
		const y = top + k * row, average = t.active_lanes.reduce((a, b) => a + b, 0) / t.active_lanes.length;
		const g = element("g", null, element("title", null,
			`Block ${t.block}, warp ${t.warp}: ${plural(t.instructions, "instruction")}, ${number(average)} lanes on average`));
		g.append(element("rect", { class: "cell", x: left, y: y + 1, width, height: row - 2 }));
		t.active_lanes.forEach((active, s) => {
			const from = s * t.slice, to = Math.min(from + t.slice, t.instructions);
			/* One lane of 32 must be seen, too. */
			const height = Math.max(2, (row - 2) * active / 32);
			g.append(element("rect", { class: active < 16 ? "low" : "fill", x: left + width * from / longest,
				y: y + row - 1 - height, width: Math.max(0.2, width * (to - from) / longest), height }));
		});
		g.append(svgText(left - 6, y + 11, `block ${t.block} warp ${t.warp}`, "end"));
		parts.push(g);
	});
	const picture = drawing(left + width + 4, top + warps.length * row + 4,
		`Active lanes of ${plural(warps.length, "warp")} over their instructions; the table below has the figures`, ...parts);
	picture.classList.add("crisp");
	return picture;
}

function showTimeline(launch) {
	if (!launch.timelines.length)
		return section("timeline", "Divergence", element("p", null, "No warp ran."));
	const rows = launch.timelines.map((t) => [`${t.block}`, `${t.warp}`, number(t.instructions),
		number(Math.min(...t.active_lanes)), number(t.active_lanes.reduce((a, b) => a + b, 0) / t.active_lanes.length)]);
	const branches = launch.lines.filter((l) => l.counters && l.counters["branch.divergent"])
		.sort((a, b) => b.counters["branch.divergent"] - a.counters["branch.divergent"]);
	return section("timeline", "Divergence",
		element("p", { class: "note" }, "Each row is a warp from its start to its end, in instructions; the height is the number of active lanes of 32",
			element("span", { class: "key", "aria-hidden": "true" }), "16 or more",
			element("span", { class: "key", "aria-hidden": "true", style: "background: var(--low)" }), "fewer."),
		element("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Active lanes by warp" }, timelinePicture(launch)),
		branches.length ? element("div", null, element("h3", null, "Branches that diverged"), table(
			[{ title: "Line", number: true }, { title: "Diverged", number: true }, { title: "Executed", number: true }],
			branches.slice(0, 10).map((l) => [l.line, number(l.counters["branch.divergent"]), number(l.counters["branch.executed"])]))) : null,
		element("details", null, element("summary", null, "Warp by warp, as a table"), element("div", { class: "scroll" },
			table([{ title: "Block", number: true }, { title: "Warp", number: true }, { title: "Instructions", number: true },
				{ title: "Fewest lanes", number: true }, { title: "Average lanes", number: true }], rows))));
}
