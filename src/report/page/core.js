// SPDX-License-Identifier: Apache-2.0
// What all parts of the page share: the data, making elements, numbers, the choice of launch and theme.

const data = JSON.parse(document.getElementById("data").textContent);
const definitions = new Map(data.counters.map((c) => [c.name, c]));

// An element: attributes that start with "on" are listeners, false and null leave one out.
function element(tag, attributes, ...children) {
	const svg = ["svg", "g", "rect", "text", "line", "title"].includes(tag);
	const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (name.startsWith("on"))
			e.addEventListener(name.slice(2), value);
		else if (value !== false && value !== null && value !== undefined)
			e.setAttribute(name, value === true ? "" : value);
	}
	e.append(...children.flat().filter((c) => c !== null && c !== undefined));
	return e;
}

// 1234567 becomes 1,234,567; fractions get at most two digits.
function number(value) {
	return value.toLocaleString("en-US", { maximumFractionDigits: 2 });
}

function plural(count, word) {
	return number(count) + " " + word + (count === 1 ? "" : "s");
}

function withUnit(name, value) {
	const unit = definitions.has(name) ? definitions.get(name).unit : "";
	return number(value) + (unit === "%" ? " %" : unit && unit !== "ratio" ? " " + unit : "");
}

function baseName(path) {
	return path.slice(path.lastIndexOf("/") + 1);
}

function fileOf(name) {
	return data.sources.find((s) => s.name === name);
}

// A section with its heading; it appears among the links at the top.
function section(id, title, ...children) {
	document.getElementById("sections").append(element("a", { href: "#" + id }, title));
	return element("section", { id, "aria-labelledby": id + "-title" },
		element("h2", { id: id + "-title" }, title), ...children);
}

function labelled(text, control) {
	control.id = control.id || "control-" + text.toLowerCase().replace(/[^a-z]+/g, "-");
	return [element("label", { for: control.id }, text), control];
}

function choice(options, chosen, onchange) {
	const select = element("select", { onchange: () => onchange(select.value) },
		options.map(([value, text]) => element("option", { value, selected: value === chosen }, text)));
	return select;
}

// A table; a column is {title, number}, a cell text or an element.
function table(columns, rows, attributes) {
	const cells = (row) => columns.map((c, k) => element("td", { class: c.number ? "number" : null }, row[k]));
	return element("table", attributes,
		element("thead", null, element("tr", null,
			columns.map((c) => element("th", { scope: "col", class: c.number ? "number" : null }, c.title)))),
		element("tbody", null, rows.map((row) => element("tr", null, cells(row)))));
}

function drawing(width, height, label, ...children) {
	return element("svg", { class: "picture", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
		"aria-label": label }, ...children);
}

function svgText(x, y, text, className) {
	return element("text", { x, y, class: className }, String(text));
}

// Theme: as the system, light, dark, in turn.
function setUpTheme() {
	const button = document.getElementById("theme");
	const names = { "": "as the system", light: "light", dark: "dark" };
	const order = ["", "light", "dark"];
	button.addEventListener("click", () => {
		const root = document.documentElement;
		const next = order[(order.indexOf(root.dataset.theme || "") + 1) % order.length];
		if (next)
			root.dataset.theme = next;
		else
			delete root.dataset.theme;
		button.textContent = "Theme: " + names[next];
	});
}
