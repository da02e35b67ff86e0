// SPDX-License-Identifier: Apache-2.0
// Puts the page together.

function showLaunch(launch) {
	const accesses = () => main.querySelector("#accesses");
	const source = showSource(launch, (file, line) => accesses() && accesses().choose(file, line));
	const findings = showFindings(launch, (file, line, counter) => {
		source.choose(file, line, counter);
		(launch.sites.some((s) => s.file === file && s.line === line) ? accesses() : source).scrollIntoView();
	});
	const sections = document.getElementById("sections");
	const order = [showSummary(launch), findings, source, showAccesses(launch), showDegrees(launch), showTimeline(launch),
		showCounters(launch)];
	sections.replaceChildren(...order.map((s) => [...sections.children].find((a) => a.getAttribute("href") === "#" + s.id)));
	return order;
}

const main = document.getElementById("main");

function show(k) {
	document.getElementById("sections").replaceChildren();
	main.replaceChildren(...(data.kind === "report" ? showLaunch(data.report.launches[k]) : showComparison(k)));
}

function start() {
	const reports = data.kind === "report" ? [data.report] : data.reports;
	const count = Math.min(...reports.map((r) => r.launches.length));
	const title = data.kind === "report" ? `${baseName(data.title)} on ${data.report.arch}` : `${data.names[0]} and ${data.names[1]}`;
	document.title = "ptxsim: " + (count === 1 ? reports[0].launches[0].kernel + " in " : "") + title;
	document.getElementById("title").textContent = title;
	setUpTheme();
	if (!count) {
		main.append(element("section", null, element("p", null, "Nothing was launched.")));
		return;
	}
	const names = reports[0].launches.slice(0, count).map((l, k) => [String(k), `${k + 1}: ${launchName(l)}`]);
	if (count > 1)
		document.getElementById("chooser").append(...labelled("Launch ", choice(names, "0", (k) => show(Number(k)))));
	show(0);
	/* The sections did not exist when the browser looked for the one in the address. */
	const wanted = location.hash && document.getElementById(location.hash.slice(1));
	if (wanted)
		wanted.scrollIntoView();
}

start();
