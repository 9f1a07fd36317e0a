/* Small pieces that all the others use: elements, numbers, text that comes from
 * documents. */

const find = (selector, from = document) => from.querySelector(selector);

function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (name in element) element[name] = value;
        else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
}

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const number = new Intl.NumberFormat("en");
const count = (n, what) => `${number.format(n)} ${what}${n === 1 ? "" : "s"}`;
const day = (time) => time ? time.slice(0, 10) : "undated";

/* Never 0 when there is something, never 100 when something is missing. */
function percent(part, whole) {
    if (part <= 0 || whole <= 0) return 0;
    return part >= whole ? 100 : clamp(Math.round(100 * part / whole), 1, 99);
}
const tenths = (part, whole) =>
    `${(whole ? 100 * part / whole : 0).toFixed(1)} %`;

/* Controls, and what turns the direction of writing: shown by their number,
 * like those in the text. */
const HIDDEN = new RegExp("[\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u0084" +
    "\\u0086-\\u009f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069" +
    "\\ufeff\\u{e0000}-\\u{e0fff}]", "gu");

/* For names in one line, where a mark has no place. */
const clean = (text) => text.replace(HIDDEN, "\ufffd");

function appendText(parent, text) {
    let at = 0;
    for (const found of text.matchAll(HIDDEN)) {
        parent.append(text.slice(at, found.index));
        const code = found[0].codePointAt(0).toString(16).toUpperCase();
        parent.append(make("span", { className: "u" },
            "U+" + code.padStart(4, "0")));
        at = found.index + found[0].length;
    }
    parent.append(text.slice(at));
}
