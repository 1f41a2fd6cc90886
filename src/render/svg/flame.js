/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zoom and search for a flame graph in an SVG file of its own. Each frame is a <g class="f"> whose
 * id is "n" and the hash of its path, with the start and length of its time in data-s and data-t;
 * frames come in preorder, so one that contains another is always before it.
 *
 * The state is in the URL: "?s=" is the search, "#/hash" the frame zoomed to. Where the query may
 * not be changed (some browsers, for files) the search goes behind the hash.
 */
(function () {
"use strict";
var svg = document.documentElement, config = svg.dataset;
var width = +config.width, charWidth = 7.08, whole = null;
var frames = [], zoomed = null, current = null, query = "", ignoreCase = false;
var shown = document.getElementById("details"), matched = document.getElementById("matched");
var arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function collect() {
	document.querySelectorAll("g.f").forEach(function (g) {
		var rect = g.querySelector("rect"), title = g.querySelector("title").textContent;
		frames.push({
			g: g, rect: rect, text: g.querySelector("text"), title: title,
			name: title.replace(/ \([^()]*\)$/, ""), fill: rect.getAttribute("fill"),
			start: +g.dataset.s, time: +g.dataset.t, row: +g.dataset.r,
			x: +rect.getAttribute("x"), w: +rect.getAttribute("width"),
			y: +rect.getAttribute("y")
		});
	});
	whole = frames[0];
	zoomed = whole;
}

/* As much of a name as fits; wide characters count twice. */
function fit(name, pixels) {
	var room = Math.floor((pixels - 6) / charWidth), used = 0, end = 0, cut = -1, chars, step;

	if (room < 3)
		return "";
	chars = Array.from(name);
	for (; end < chars.length; end++) {
		step = chars[end].codePointAt(0) >= 0x1100 ? 2 : 1;
		if (cut < 0 && used + step > room - 2)
			cut = end;
		used += step;
		if (used > room)
			return chars.slice(0, cut).join("") + "..";
	}
	return name;
}

function place(f, x, w) {
	var label = fit(f.name, w);

	f.rect.setAttribute("x", x.toFixed(1));
	f.rect.setAttribute("width", w.toFixed(1));
	if (label && !f.text) {
		f.text = document.createElementNS("http://www.w3.org/2000/svg", "text");
		f.text.setAttribute("y", (+f.rect.getAttribute("y") + 11.5).toFixed(1));
		f.g.appendChild(f.text);
	}
	if (f.text) {
		f.text.setAttribute("x", (x + 3).toFixed(1));
		f.text.textContent = label;
	}
}

function contains(outer, inner) {
	return outer.row <= inner.row && outer.start <= inner.start &&
		outer.start + outer.time >= inner.start + inner.time;
}

/* A button: the attribute is for those who see the file without style and script. */
function turn(id, on) {
	var button = document.getElementById(id);

	button.classList.toggle("off", !on);
	button.setAttribute("display", on ? "inline" : "none");
}

function show(f, visible, ancestor) {
	f.g.classList.toggle("hide", !visible);
	f.g.classList.toggle("parent", ancestor);
}

function zoom(to) {
	var left = +config.left, pixels = width - 2 * left;

	zoomed = to;
	frames.forEach(function (f) {
		var x, w;

		if (to === whole) {
			show(f, true, false);
			place(f, f.x, f.w);
		} else if (f.row < to.row && contains(f, to)) {
			show(f, true, true);
			place(f, left, pixels);
		} else if (contains(to, f)) {
			x = left + (f.start - to.start) * pixels / to.time;
			w = f.time * pixels / to.time;
			show(f, w >= 0.1, false);
			place(f, x, w);
		} else {
			show(f, false, false);
		}
	});
	turn("reset", to !== whole);
	search(query);
}

/* Time under a match is counted once, however many matches lie above each other. */
function search(term) {
	var expression = null, covered = -1, time = 0;

	query = term;
	try {
		expression = term ? new RegExp(term, ignoreCase ? "i" : "") : null;
	} catch (e) {
		matched.textContent = "Not a regular expression: " + term;
		return;
	}
	frames.forEach(function (f) {
		var hit = expression !== null && expression.test(f.name);

		f.g.classList.toggle("m", hit);
		f.rect.setAttribute("fill", hit ? "rgb(230,0,230)" : f.fill);
		if (hit && contains(zoomed, f) && f.start >= covered) {
			time += f.time;
			covered = f.start + f.time;
		}
	});
	matched.textContent = expression === null ? "" : "Matched: " +
		(zoomed.time ? 100 * time / zoomed.time : 0).toFixed(1) + "%";
	document.getElementById("search").textContent = term ? "Reset Search" : "Search";
}

function read() {
	var hash = location.hash.replace(/^#\/?/, "").split("?");
	var params = new URLSearchParams(location.search);
	var late = new URLSearchParams(hash[1] || "");
	var g = hash[0] ? document.getElementById("n" + hash[0]) : null, target = whole;

	ignoreCase = (params.get("ic") || late.get("ic")) === "1";
	document.getElementById("ignorecase").classList.toggle("on", ignoreCase);
	query = params.get("s") || late.get("s") || "";
	frames.forEach(function (f) {
		if (f.g === g)
			target = f;
	});
	zoom(target);
	shown.textContent = hash[0] && !g ? "The frame of this link is not in this graph." : "";
}

/* `zooms`: the browser's Back goes to what was shown before. */
function write(zooms) {
	var path = zoomed === whole ? "" : "#/" + zoomed.g.id.slice(1);
	var params = new URLSearchParams(location.search), text;

	["s", "ic"].forEach(function (key) {
		params.delete(key);
	});
	if (query)
		params.set("s", query);
	if (query && ignoreCase)
		params.set("ic", "1");
	text = params.toString();
	try {
		text = location.pathname + (text ? "?" + text : "") + path;
		if (zooms && path !== location.hash)
			history.pushState(null, "", text);
		else
			history.replaceState(null, "", text);
	} catch (e) {
		text = (path || "#/") + (params.toString() ? "?" + params : "");
		if (zooms)
			location.assign(text);
		else
			location.replace(text);
	}
}

function ask() {
	var term = query ? "" : window.prompt("Search for frames (a regular expression)", "");

	if (term === null)
		return;
	search(term);
	write();
}

function toggleCase() {
	ignoreCase = !ignoreCase;
	document.getElementById("ignorecase").classList.toggle("on", ignoreCase);
	search(query);
	write();
}

function frameOf(target) {
	var g = target.closest ? target.closest("g.f") : null, i;

	for (i = 0; g && i < frames.length; i++) {
		if (frames[i].g === g)
			return frames[i];
	}
	return null;
}

function say(f) {
	shown.textContent = f ? "Function: " + f.title : "";
}

/* The frame that keys are at. */
function go(f) {
	if (!f)
		return;
	if (current)
		current.g.classList.remove("at");
	current = f;
	f.g.classList.add("at");
	f.rect.scrollIntoView({ block: "nearest" });
	say(f);
}

/*
 * The one that is next in this direction: of the row above or below the one that most of it is
 * over or under, beside it the nearest.
 */
function next(dx, dy) {
	var at = current && !current.g.classList.contains("hide") ? current : zoomed, best = null;
	var left = +at.rect.getAttribute("x"), right = left + +at.rect.getAttribute("width");
	var row = at.y + dy * (+at.rect.getAttribute("height") + 1), rank = -Infinity;

	if (at !== current)
		return at;
	frames.forEach(function (f) {
		var x = +f.rect.getAttribute("x"), w = +f.rect.getAttribute("width"), value;

		if (f === at || f.y !== row || f.g.classList.contains("hide"))
			return;
		if (dy ? !contains(at, f) && !contains(f, at) : (x - left) * dx <= 0)
			return;
		value = dy ? Math.min(right, x + w) - Math.max(left, x) : -Math.abs(x - left);
		if (value > rank) {
			rank = value;
			best = f;
		}
	});
	return best;
}

svg.addEventListener("click", function (event) {
	var f = frameOf(event.target), id = event.target.id;

	if (id === "search") {
		ask();
	} else if (id === "ignorecase") {
		toggleCase();
	} else if (f || id === "reset") {
		zoom(f || whole);
		write(true);
	}
});
svg.addEventListener("mouseover", function (event) {
	say(frameOf(event.target));
});
window.addEventListener("keydown", function (event) {
	if (event.key === "F3" || (event.ctrlKey && event.key === "f")) {
		event.preventDefault();
		ask();
	} else if (event.ctrlKey && event.key === "i") {
		event.preventDefault();
		toggleCase();
	} else if (event.key === "Escape") {
		zoom(whole);
		search("");
		write();
	} else if (event.key === "Enter" && current && !current.g.classList.contains("hide")) {
		zoom(current);
		write(true);
	} else if (arrows[event.key] && !event.ctrlKey && !event.altKey && !event.metaKey) {
		event.preventDefault();
		go(next.apply(null, arrows[event.key]));
	}
});
window.addEventListener("hashchange", read);
window.addEventListener("popstate", read);
collect();
shown.setAttribute("role", "status");
turn("search", true);
turn("ignorecase", true);
read();
}());
