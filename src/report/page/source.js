// SPDX-License-Identifier: Apache-2.0
// The source with a counter's value and heat beside each line: PTX, and the source that it was compiled from.

const heatOrder = ["launch.instructions", "launch.idle_lanes", "shared.conflicts", "shared.wavefronts", "global.sectors", "local.sectors"];

// Counters that some line has, those that matter most first.
function lineCounters(launch) {
	const names = new Set();
	for (const line of [...launch.lines, ...launch.source_lines])
		Object.keys(line.counters || {}).forEach((name) => names.add(name));
	const rank = (name) => heatOrder.includes(name) ? heatOrder.indexOf(name) : heatOrder.length;
	return data.counters.map((c) => c.name).filter((name) => names.has(name))
		.sort((a, b) => rank(a) - rank(b));
}

function heatStyle(share) {
	return share > 0 ? `background: rgba(var(--heat), ${(0.08 + 0.62 * share).toFixed(3)})` : null;
}

function listingRow(number_, text, line, value, max, row) {
	const choose = row.sites.length && row.choose;
	const label = choose ? element("button", { type: "button", onclick: row.choose,
		"aria-label": `Line ${number_}: show its accesses` }, String(number_)) : String(number_);
	return element("tr", { class: row.className, "data-line": number_ },
		element("td", { class: "line" }, label),
		element("td", { class: value === 0 ? "number zero" : "number", style: value === null ? null : heatStyle(value / max) },
			value === null ? "" : number(value)),
		element("td", { class: "text" }, text));
}

// One file, from a little before its first line that ran to a little after its last.
function listing(file, lines, counter, state) {
	const byNumber = new Map(lines.map((l) => [l.line, l]));
	const values = lines.map((l) => (l.counters || {})[counter] || 0);
	const max = Math.max(...values, 1e-9);
	const source = fileOf(file);
	const text = source ? source.text.split("\n") : [];
	const last = Math.max(...byNumber.keys());
	const rows = [];
	for (let n = source ? Math.max(1, Math.min(...byNumber.keys()) - 4) : 1; n <= (source ? Math.min(text.length, last + 3) : last); n++) {
		const line = byNumber.get(n);
		if (!source && !line)
			continue;
		const counters = line ? line.counters || line.inlined : null;
		rows.push(listingRow(n, source ? text[n - 1] : "", line, counters ? counters[counter] || 0 : null, max, {
			sites: state.sites(file, n), choose: () => state.choose(file, n),
			className: state.className(file, n, line) }));
	}
	return element("table", { class: "listing code" },
		element("thead", null, element("tr", null, ["Line", counter, "Text"].map((t, k) =>
			element("th", { scope: "col", class: k < 2 ? "number" : null }, t)))),
		element("tbody", null, rows));
}

function filesOf(lines) {
	return [...new Set(lines.map((l) => l.file))];
}

// state: which line is chosen; choosing one calls `chosen(file, line)`.
function showSource(launch, chosen) {
	const names = lineCounters(launch);
	const panels = element("div", { class: "panels" });
	/* What costs most. */
	const worst = (launch.findings || []).map((f) => f.counter).find((n) => names.includes(n));
	let counter = worst || names.find((n) => launch.counters[n]) || names[0], at = null;
	const sourceOf = new Map(launch.lines.filter((l) => l.source).map((l) => [l.file + ":" + l.line, l.source]));
	const state = {
		sites: (file, line) => launch.sites.filter((s) => (s.file === file && s.line === line)
			|| (s.source && s.source.file === file && s.source.line === line)),
		choose: (file, line) => { at = { file, line }; draw(); chosen(file, line); },
		className: (file, line) => {
			if (!at)
				return null;
			if (at.file === file && at.line === line)
				return "chosen same";
			const here = sourceOf.get(file + ":" + line), there = sourceOf.get(at.file + ":" + at.line);
			const same = (here && here.file === at.file && here.line === at.line)
				|| (there && there.file === file && there.line === line);
			return same ? "same" : null;
		},
	};
	function draw() {
		const focused = document.activeElement && document.activeElement.closest("tr");
		const panel = focused && focused.closest(".panel"), line = focused && focused.dataset.line;
		const before = [...panels.querySelectorAll(".tall")].map((e) => e.scrollTop);
		const column = (lines, title, key) => filesOf(lines).map((file) => element("div", null,
			element("h3", null, `${title}: ${file}` + (fileOf(file) ? "" : " (the file was not found)")),
			element("div", { class: "scroll tall panel", tabindex: 0, role: "region", "data-key": key + file,
				"aria-label": title + ": " + file },
			listing(file, lines.filter((l) => l.file === file), counter, state))));
		panels.replaceChildren(
			...(launch.source_lines.length ? [element("div", null, column(launch.source_lines, "Source", "s"))] : []),
			element("div", null, column(launch.lines, "PTX", "p")));
		panels.className = launch.source_lines.length ? "panels" : "panels single";
		[...panels.querySelectorAll(".tall")].forEach((e, k) => { e.scrollTop = before[k] || 0; });
		if (panel && line) {
			const again = panels.querySelector(`[data-key="${CSS.escape(panel.dataset.key)}"] tr[data-line="${line}"] button`);
			if (again)
				again.focus();
		}
	}
	const select = choice(names.map((n) => [n, n]), counter, (value) => { counter = value; explain(); draw(); });
	const meaning = element("p", { class: "note" });
	const explain = () => { meaning.textContent = definitions.get(counter) ? definitions.get(counter).definition : ""; };
	explain();
	draw();
	const part = section("source", "Source", element("div", { class: "tools" }, labelled("Counter", select)), meaning,
		element("p", { class: "note" }, "A line number that is a button shows how the line's accesses were served."),
		panels);
	part.choose = (file, line, wanted) => {
		if (names.includes(wanted)) {
			counter = select.value = wanted;
			explain();
		}
		state.choose(file, line);
		const row = panels.querySelector(`[data-key="p${CSS.escape(file)}"] tr[data-line="${line}"]`);
		if (row)
			row.scrollIntoView({ block: "center" });
	};
	return part;
}
