// SPDX-License-Identifier: Apache-2.0
// Pictures of one execution of a chosen line's accesses, and how often the banks conflicted.

const lanes = [...Array(32).keys()];

function activeLanes(worst) {
	return lanes.filter((l) => worst.addresses[l] !== null);
}

function hex(value) {
	return "0x" + value.toString(16);
}

// Banks across, lanes down; a cell holds the number of the wavefront that serves the lane there.
function banksPicture(site) {
	const w = site.worst, banks = site.banks.length, cell = 15, left = 56, top = 22;
	const bankBytes = data.report && data.report.bank_bytes || 4;
	const wide = Math.max(1, site.bytes / bankBytes);
	const marks = [];
	for (const l of activeLanes(w))
		for (let k = 0; k < wide; k++) {
			const x = left + (w.bank[l] + k) % banks * cell, y = top + l * cell;
			marks.push(element("rect", { class: "fill", x: x + 1, y: y + 1, width: cell - 2, height: cell - 2, rx: 2 },
				element("title", null, `Lane ${l}, address ${hex(w.addresses[l])}, bank ${(w.bank[l] + k) % banks}, wavefront ${w.wavefront[l]}`)),
			svgText(x + cell / 2, y + cell - 4, w.wavefront[l], "fill-text"));
		}
	const grid = lanes.flatMap((l) => [...Array(banks).keys()].map((b) => element("rect", { class: "cell",
		x: left + b * cell + 1, y: top + l * cell + 1, width: cell - 2, height: cell - 2, rx: 2 })));
	const labels = [...lanes.map((l) => svgText(left - 6, top + l * cell + 12, "lane " + l, "end")),
		...[...Array(banks).keys()].filter((b) => b % 4 === 0).map((b) =>
			svgText(left + b * cell + cell / 2, 14, b, "middle"))];
	return drawing(left + banks * cell + 4, top + 32 * cell + 4,
		`Banks by lane: ${plural(activeLanes(w).length, "lane")} in ${plural(new Set(activeLanes(w).map((l) => w.bank[l])).size, "bank")}, `
		+ plural(w.cost, "wavefront"), ...grid, ...marks, ...labels);
}

// Sectors down, lanes across; a sector's row says how many of its 32 bytes are used.
function sectorsPicture(site) {
	const w = site.worst, cell = 15, left = 168, top = 22;
	const touched = new Map();
	for (const l of activeLanes(w))
		for (let b = 0; b < site.bytes; b++) {
			const sector = Math.floor((w.addresses[l] + b) / 32);
			if (!touched.has(sector))
				touched.set(sector, { bytes: new Set(), lanes: new Set() });
			touched.get(sector).bytes.add((w.addresses[l] + b) % 32);
			touched.get(sector).lanes.add(l);
		}
	const sectors = [...touched.keys()].sort((a, b) => a - b);
	const parts = lanes.filter((l) => l % 4 === 0).map((l) => svgText(left + l * cell + cell / 2, 14, l, "middle"));
	let y = top, before = null;
	for (const s of sectors) {
		if (before !== null && Math.floor(before / 4) !== Math.floor(s / 4)) {
			y += 5;
			parts.push(element("line", { x1: 0, x2: left + 32 * cell, y1: y - 3, y2: y - 3 }));
		}
		const { bytes, lanes: here } = touched.get(s);
		parts.push(svgText(left - 44, y + 12, hex(s * 32), "end"), svgText(left - 6, y + 12, bytes.size + "/32", "end"));
		for (const l of lanes)
			parts.push(element("rect", { class: here.has(l) ? "fill" : "cell", x: left + l * cell + 1, y: y + 1,
				width: cell - 2, height: cell - 2, rx: 2 }, here.has(l)
				? element("title", null, `Lane ${l}, address ${hex(w.addresses[l])}`) : ""));
		before = s;
		y += cell;
	}
	return drawing(left + 32 * cell + 4, y + 4, `Sectors by lane: ${plural(activeLanes(w).length, "lane")}, `
		+ `${plural(sectors.length, "sector")} in ${plural(new Set(sectors.map((s) => Math.floor(s / 4))).size, "line")} of 128 bytes`,
	...parts);
}

// The same as text, for those who cannot see the picture or want the figures.
function lanesTable(worst) {
	const extra = ["bank", "unit", "wavefront", "transaction", "tag_wavefront"].filter((n) => worst[n]);
	return element("details", null, element("summary", null, "Lane by lane, as a table"),
		element("div", { class: "scroll" }, table([{ title: "Lane", number: true }, { title: "Address", number: true },
			...extra.map((n) => ({ title: n.replace("_", " "), number: true }))],
		activeLanes(worst).map((l) => [l, hex(worst.addresses[l]), ...extra.map((n) => worst[n][l])]))));
}

// Counts as bars, {label, value}, with the figures as a table below.
function bars(title, rows, columnTitle, countTitle) {
	const max = Math.max(...rows.map((r) => r.value), 1), step = 17, height = 110, left = 8, top = 16;
	const parts = rows.flatMap((r, k) => {
		const x = left + k * step, size = r.value ? Math.max(1, height * r.value / max) : 0;
		return [element("rect", { class: "cell", x: x + 2, y: top, width: step - 4, height }),
			element("rect", { class: "fill", x: x + 2, y: top + height - size, width: step - 4, height: size },
				element("title", null, `${columnTitle} ${r.label}: ${number(r.value)}`)),
			k % 4 === 0 || rows.length <= 8 ? svgText(x + step / 2, top + height + 13, r.short || r.label, "middle") : ""];
	});
	const columns = [{ title: columnTitle, number: true }, { title: countTitle, number: true }];
	return element("div", null, element("h3", null, title), element("div", { class: "scroll" },
		drawing(left + rows.length * step + 20, top + height + 20,
			`${title}: ${rows.length} bars, the highest ${number(max)}; the table below has the figures`,
			svgText(left, 11, `${countTitle}, up to ${number(max)}`), ...parts)),
	element("details", null, element("summary", null, title + ", as a table"),
		table(columns, rows.filter((r) => r.value).map((r) => [r.label, number(r.value)]))));
}

function degreeBars(sites, title) {
	const sums = Array(32).fill(0);
	for (const s of sites.filter((s) => s.degrees))
		s.degrees.forEach((n, k) => { sums[k] += n; });
	return bars(title, sums.map((value, k) => ({ label: k === 31 ? "32 or more" : k + 1, short: k + 1, value })),
		"Degree", "Executions");
}

function bankBars(sites) {
	const sums = Array(sites[0].banks.length).fill(0);
	sites.forEach((s) => s.banks.forEach((n, k) => { sums[k] += n; }));
	return bars("Words by bank", sums.map((value, label) => ({ label, value })), "Bank", "Words");
}

// How the lanes of one side were served, where that is known.
function sidePictures(site) {
	const w = site.worst, parts = [];
	if (w.space === "shared")
		parts.push(element("p", { class: "note" }, "Banks across, lanes down; the number is the wavefront that serves the lane."),
			element("div", { class: "scroll" }, banksPicture(site)));
	else if (w.space === "global")
		parts.push(element("p", { class: "note" }, "Lanes across, sectors of 32 bytes down, with how many of their bytes are used; a rule parts lines of 128 bytes."),
			element("div", { class: "scroll" }, sectorsPicture(site)));
	return [...parts, lanesTable(w)];
}

function sitePicture(site) {
	const w = site.worst;
	const parts = [element("h3", null, `Line ${site.line}: `, element("code", null, site.instruction.trim()))];
	if (!w)
		return [...parts, element("p", null, "No lane took part in any execution.")];
	parts.push(element("p", { class: "note" }, `The costliest execution (block ${w.block}, warp ${w.warp}, ${w.space} memory): `
		+ `${plural(w.cost, units[w.space])}, ideal ${w.cost - w.excess}. ${w.cause ? "Why: " + w.cause + ". " : ""}${w.remedy ? w.remedy + "." : ""}`));
	parts.push(...sidePictures(site));
	if (w.other)
		parts.push(element("h4", null, w.other.space === "shared" ? "To shared memory" : "From global memory"),
			...sidePictures({ ...site, worst: w.other }));
	if (site.banks && site.sums.shared_instructions)
		parts.push(element("div", { class: "panels" }, degreeBars([site], "Executions by conflict degree"), bankBars([site])));
	return parts;
}

function showAccesses(launch) {
	const holder = element("div", { "aria-live": "polite" });
	const part = section("accesses", "How a line's accesses were served", holder);
	part.choose = (file, line) => {
		const sites = launch.sites.filter((s) => (s.file === file && s.line === line)
			|| (s.source && s.source.file === file && s.source.line === line));
		holder.replaceChildren(...(sites.length ? sites.flatMap(sitePicture)
			: [element("p", null, "Choose a line with a memory access in the source above.")]));
	};
	const first = launch.sites.slice().sort((a, b) => siteExcess(b) - siteExcess(a))[0];
	part.choose(first && first.file, first && first.line);
	return part;
}

function showDegrees(launch) {
	const shared = launch.sites.filter((s) => s.degrees && s.sums.shared_instructions);
	return section("degrees", "Shared memory", shared.length
		? element("div", { class: "panels" }, degreeBars(shared, "Executions by conflict degree, whole launch"), bankBars(shared))
		: element("p", null, "No access to shared memory."));
}
