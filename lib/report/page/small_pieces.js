/* Small pieces that all the others use: elements, numbers, times, text that
 * comes from documents. */

const find = (selector, from = document) => from.querySelector(selector);

function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (name in element) element[name] = value;
        else element.setAttribute(name, value);
    }
    element.append(...children.filter((c) => c !== null && c !== undefined));
    return element;
}

function makeButton(text, className, action, label) {
    const button = make("button", { type: "button", className }, text);
    if (label) button.setAttribute("aria-label", label);
    if (label) button.title = label;
    button.addEventListener("click", action);
    return button;
}

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const number = new Intl.NumberFormat("en");
const count = (n, what) => `${number.format(n)} ${what}${n === 1 ? "" : "s"}`;
const sum = (list) => list.reduce((a, b) => a + b, 0);

/* Never 0 when there is something, never 100 when something is missing. */
function percent(part, whole) {
    if (part <= 0 || whole <= 0) return 0;
    return part >= whole ? 100 : clamp(Math.round(100 * part / whole), 1, 99);
}
const tenths = (part, whole) =>
    `${(whole ? 100 * part / whole : 0).toFixed(1)} %`;

/* ---- times ---- */

const day = (time) => time ? time.split("T")[0] : "undated";

/* Milliseconds; NaN for none. Date.parse() knows no years before 0. */
function moment(time) {
    const found = /^(-?\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):([\d.]+)/
        .exec(time || "");
    if (!found) return NaN;
    const [year, month, date, hour, minute, second] =
        found.slice(1).map(Number);
    const when = new Date(0);
    when.setUTCFullYear(year, month - 1, date);
    when.setUTCHours(hour, minute, 0, Math.round(second * 1000));
    return when.getTime();
}

/* How to write these times: the day, and the time of day where one day has
 * several. */
function clockOf(times) {
    const first = new Map(), several = new Set();
    for (const time of times) {
        const d = day(time);
        if (!first.has(d)) first.set(d, time);
        else if (first.get(d) !== time) several.add(d);
    }
    return (time) => time && several.has(day(time))
        ? `${day(time)} ${time.split("T")[1].slice(0, 5)}` : day(time);
}

/* ---- text of documents ---- */

/* Controls, and what turns the direction of writing: shown by their number,
 * like those in the text. */
const HIDDEN = new RegExp("[\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u0084" +
    "\\u0086-\\u009f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069" +
    "\\ufeff\\u{e0000}-\\u{e0fff}]", "gu");

/* For names in one line, where a mark has no place. */
const clean = (text) => text.replace(HIDDEN, "\ufffd");

/* What softened() has taken out of a text; no text has it. */
const NOTHING = "\uffff";

function appendText(parent, text) {
    let at = 0;
    const shown = text.replaceAll(NOTHING, "").replace(/\r\n?/g, "\n");
    for (const found of shown.matchAll(HIDDEN)) {
        parent.append(shown.slice(at, found.index));
        const code = found[0].codePointAt(0).toString(16).toUpperCase();
        parent.append(make("span", { className: "u" },
            "U+" + code.padStart(4, "0")));
        at = found.index + found[0].length;
    }
    parent.append(shown.slice(at));
}

/* A link when it is http:// or https://, else its text. */
function makeAddress(url) {
    if (!url) return null;
    const text = make("bdi", {}, clean(url.slice(0, 60)) +
        (url.length > 60 ? " …" : ""));
    if (!/^https?:\/\/./.test(url))
        return make("span", { className: "url" }, text);
    return make("a", { className: "url", href: url,
                       rel: "noopener noreferrer" }, text);
}

const nameOf = (thing) => clean(thing.title || thing.id || "?");
