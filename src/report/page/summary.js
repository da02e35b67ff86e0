// SPDX-License-Identifier: Apache-2.0
// The summary, what is wrong, and the list of all counters.

function shape(dimensions) {
	const used = dimensions[2] > 1 ? 3 : dimensions[1] > 1 ? 2 : 1;
	return dimensions.slice(0, used).join(" × ");
}

function launchName(launch) {
	return `${launch.kernel}, grid ${shape(launch.grid)}, block ${shape(launch.block)}`;
}

function card(title, value, more) {
	return element("div", null, element("dt", null, title),
		element("dd", null, value, more ? element("small", null, more) : null));
}

function showSummary(launch) {
	const c = launch.counters, o = launch.occupancy;
	const percent = (name, used) => used ? number(c[name]) + " %" : "none";
	return section("summary", "Summary", element("dl", { class: "cards" },
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
			`${number(c["global.store.sectors"])} sectors in ${plural(c["global.store.requests"], "request")}`)));
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

function showFindings(launch, chooseLine) {
	const wrong = launch.sites.map((site) => ({ site, excess: siteExcess(site) }))
		.filter((f) => f.excess > 0).sort((a, b) => b.excess - a.excess);
	const items = wrong.slice(0, 20).map(({ site, excess }) => element("li", null,
		element("p", null,
			element("button", { type: "button", onclick: () => chooseLine(site.file, site.line, true) },
				"Line " + site.line),
			" ", element("code", null, site.instruction.trim()), ": ",
			element("strong", null, plural(excess, units[site.worst.space])), " more than needed",
			site.source ? ` (${baseName(site.source.file)}:${site.source.line})` : ""),
		element("p", null, `The worst execution takes ${plural(site.worst.cost, units[site.worst.space])} where `
			+ `${site.worst.cost - site.worst.excess} would do: ${site.worst.cause}.`),
		site.worst.remedy ? element("p", { class: "remedy" }, site.worst.remedy + ".") : null));
	return section("findings", "What costs more than it must", wrong.length
		? element("ol", { class: "findings" }, items)
		: element("p", null, "No memory access costs more than it must."));
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
