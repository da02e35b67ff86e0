// SPDX-License-Identifier: Apache-2.0
// Two runs, or one run on two architectures, beside each other.

function change(a, b) {
	if (a === b)
		return "same";
	return a ? `${b > a ? "+" : "−"}${number(Math.abs(100 * (b - a) / a))} %` : "new";
}

// More is better for shares; for everything else that costs, less. Plain counts of what ran are neither, and
// counts by the rules of two architectures are not of one kind.
function judgement(name, a, b) {
	if (data.reports[0].arch !== data.reports[1].arch)
		return null;
	const unit = (definitions.get(name) || {}).unit;
	const costs = ["wavefronts", "conflicts", "sectors", "transactions", "requests"].includes(unit);
	if (a === b || (unit !== "%" && !costs))
		return null;
	return (unit === "%") === (b > a) ? "better" : "worse";
}

function compareCounters(a, b) {
	const holder = element("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Counters" });
	const all = element("input", { type: "checkbox", onchange: fill });
	function fill() {
		const rows = data.counters.filter((c) => c.name in a.counters && c.name in b.counters)
			.map((c) => [c.name, a.counters[c.name], b.counters[c.name]])
			.filter(([, x, y]) => all.checked ? x || y : x !== y);
		holder.replaceChildren(rows.length ? table([{ title: "Counter" }, { title: data.names[0], number: true },
			{ title: data.names[1], number: true }, { title: "Change", number: true }, { title: "" }],
		rows.map(([name, x, y]) => [element("code", null, name), withUnit(name, x), withUnit(name, y), change(x, y),
			judgement(name, x, y) ? element("span", { class: judgement(name, x, y) }, judgement(name, x, y)) : ""]))
			: element("p", null, "All counters are the same."));
	}
	fill();
	return [element("div", { class: "tools" }, labelled("With those that are the same", all)), holder];
}

// Instructions of both runs, matched by function and text in order.
function compareSites(a, b) {
	const seen = new Map(), key = (s, counts) => {
		const k = s.function + "\n" + s.instruction, n = (counts.get(k) || 0) + 1;
		counts.set(k, n);
		return k + "\n" + n;
	};
	const countA = new Map(), countB = new Map();
	a.sites.forEach((s) => seen.set(key(s, countA), [s, null]));
	b.sites.forEach((s) => { const k = key(s, countB); seen.set(k, [seen.has(k) ? seen.get(k)[0] : null, s]); });
	const excess = (s) => s ? siteExcess(s) : 0;
	const rows = [...seen.values()].filter(([x, y]) => excess(x) || excess(y))
		.sort((p, q) => Math.max(excess(q[0]), excess(q[1])) - Math.max(excess(p[0]), excess(p[1])));
	const cell = (s) => s ? number(excess(s)) : "not there";
	return rows.length ? element("div", { class: "scroll" }, table([{ title: "Instruction" }, { title: data.names[0], number: true },
		{ title: data.names[1], number: true }, { title: "Change", number: true }],
	rows.map(([x, y]) => [element("code", null, `line ${(x || y).line}: ${(x || y).instruction.trim()}`), cell(x), cell(y),
		x && y ? change(excess(x), excess(y)) : ""]))) : element("p", null, "No access costs more than it must, in either.");
}

function showComparison(k) {
	const [a, b] = data.reports.map((r) => r.launches[k]);
	return [section("about", "What is compared", table([{ title: "" }, { title: "Report" }, { title: "Architecture" },
		{ title: "Launch" }, { title: "Occupancy" }], [a, b].map((l, n) => ["AB"[n], data.names[n], data.reports[n].arch,
		launchName(l), `${l.occupancy.warps} of ${l.occupancy.warps_most} warps, limited by ${l.occupancy.limited_by}`]))),
	section("excess", "Excess of each memory access", compareSites(a, b)),
	section("counters", "Counters", ...compareCounters(a, b))];
}
