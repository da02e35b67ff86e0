// SPDX-License-Identifier: Apache-2.0
// The summary, what is wrong, and the list of all counters.

function shape(dimensions) {
	const used = dimensions[2] > 1 ? 3 : dimensions[1] > 1 ? 2 : 1;
	return dimensions.slice(0, used).join(" × ");
}

function launchName(launch) {
	return `${launch.kernel}: grid ${shape(launch.grid)}, block ${shape(launch.block)}`;
}

function card(title, value, more) {
	return element("div", null, element("dt", null, title),
		element("dd", null, value, more ? element("small", null, more) : null));
}

function showSummary(launch) {
	const c = launch.counters, o = launch.occupancy;
	const percent = (name, used) => used ? number(c[name]) + " %" : "none";
	const faults = launch.fault ? [launch.fault, ...(launch.more_faults || [])] : [];
	return section("summary", launchName(launch), ...faults.map((f) => element("pre", { class: "fault code" }, f.message)),
		faults.length ? element("p", { class: "note" }, "The launch failed; counts are those so far.") : "",
		element("dl", { class: "cards" },
		card("Occupancy", number(100 * o.warps / o.warps_most) + " %",
			`${o.warps} of ${o.warps_most} warps an SM, limited by ${o.limited_by}`),
		card("Instructions by warps", number(c["launch.instructions"]),
			`${number(c["launch.active_lanes"])} of 32 lanes active`),
		card("Branch efficiency", percent("branch.efficiency", c["branch.executed"]),
			`${number(c["branch.divergent"])} of ${number(c["branch.executed"])} diverged`),
		card("Shared efficiency", percent("shared.efficiency", c["shared.wavefronts"]),
			`${number(c["shared.wavefronts"])} wavefronts, ideal ${number(c["shared.wavefronts_ideal"])}`),
		card("Global load efficiency", percent("global.load.efficiency", c["global.load.requests"]),
			`${number(c["global.load.sectors"])} sectors in ${plural(c["global.load.requests"], "request")}`),
		card("Global store efficiency", percent("global.store.efficiency", c["global.store.requests"]),
			`${number(c["global.store.sectors"])} sectors in ${plural(c["global.store.requests"], "request")}`)),
	explained(Object.keys(words)));
}

const units = { shared: "wavefront", global: "sector", local: "sector", constant: "request" };

// Excess over the whole launch, in the space of the costliest execution.
function siteExcess(site) {
	if (!site.worst)
		return 0;
	const s = site.sums, of = (name) => s[name] || 0;
	switch (site.worst.space) {
	case "shared":
		return of("shared_wavefronts") + of("shared_load_wavefronts") - of("shared_ideal");
	case "constant":
		return of("const_requests") - of("const_instructions");
	default:
		return of(site.worst.space + "_sectors") - of(site.worst.space + "_ideal_sectors");
	}
}

// What a word of the report means, where it first stands.
const words = {
	wavefront: "a pass of shared memory through its banks: lanes that need different words of one bank need several",
	sector: "32 bytes of global memory, the least that a request moves",
	request: "what an instruction asks of the memory unit, at best once for a whole warp",
};

function explained(names) {
	return element("p", { class: "note" }, names.map((name, k) => [k ? "; " : "",
		element("dfn", null, "A " + name), " is ", words[name]]).flat(), ".");
}

function findingItem(finding, chooseLine) {
	const place = finding.file ? [element("button", { type: "button",
		onclick: () => chooseLine(finding.file, finding.line, finding.counter) }, "Line " + finding.line),
	" ", element("code", null, finding.instruction.trim().replace(/\s+/g, " ")),
	finding.source ? ` (${baseName(finding.source.file)}:${finding.source.line})` : "", ": "] : [];
	return element("li", null, element("p", null, ...place, element("strong", null, finding.text), "."),
		finding.cause ? element("p", null, finding.cause + ".") : null,
		finding.remedy ? element("p", { class: "remedy" }, finding.remedy + ".") : null);
}

function showFindings(launch, chooseLine) {
	const findings = launch.findings || [];
	const used = Object.keys(words).filter((w) => findings.some((f) => (f.text + f.cause).includes(w)));
	const busiest = launch.lines.filter((l) => l.counters && l.counters["launch.instructions"])
		.sort((a, b) => b.counters["launch.instructions"] - a.counters["launch.instructions"])[0];
	return section("findings", "What costs more than it must", ...(findings.length
		? [used.length ? explained(used) : null,
			element("ol", { class: "findings" }, findings.slice(0, 20).map((f) => findingItem(f, chooseLine))),
			findings.length > 20 ? element("p", { class: "note" }, `And ${number(findings.length - 20)} more.`) : null]
		: [element("p", null, "Nothing costs more than it must.")]).filter((e) => e),
	busiest ? element("p", { class: "note" }, "Most often executed: line ", element("button", { type: "button",
		onclick: () => chooseLine(busiest.file, busiest.line, "launch.instructions") }, String(busiest.line)),
	`, ${plural(busiest.counters["launch.instructions"], "warp instruction")}.`) : null);
}

function showCounters(launch) {
	const holder = element("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Counters" });
	const filter = element("input", { type: "search", oninput: fill });
	const zeros = element("input", { type: "checkbox", onchange: fill });
	function fill() {
		const wanted = filter.value.toLowerCase();
		const rows = data.counters.filter((c) => (zeros.checked || launch.counters[c.name])
			&& (c.name + " " + c.aliases + " " + c.definition).toLowerCase().includes(wanted));
		holder.replaceChildren(table([{ title: "Counter" }, { title: "Value", number: true }, { title: "Unit" },
			{ title: "Definition" }], rows.map((c) => [element("code", null, c.name),
			number(launch.counters[c.name] || 0), c.unit, c.definition])));
	}
	fill();
	return section("counters", "All counters",
		element("div", { class: "tools" }, labelled("Find", filter), labelled("With those that are 0", zeros)), holder);
}
