"use strict";

/* What a report can do besides being read: choose a document, filter its
 * passages, compare a passage with its source side by side, show the chain of
 * copies in time.
 *
 * The page is whole without this script. Every text that comes from a
 * document is put in as text (textContent, createTextNode), never as markup.
 * Passages are found by data-p, sources by their place in the data; the data
 * of a document is read when it is first shown. */

(() => {

const root = document.documentElement;
const body = document.body;
const articles = [...document.querySelectorAll("article")];
let view = null; /* of the document that is shown */

/* ---- small pieces ---- */

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

/* ---- one document ---- */

class View {
    constructor(article) {
        this.article = article;
        this.data = JSON.parse(find("script.data", article).textContent);
        this.passages = this.data.passages;
        this.sources = this.data.sources;
        for (const source of this.sources)
            source.name = clean(source.title || source.id || "?");
        this.shown = this.passages.map(() => true);
        this.now = -1; /* the passage that is compared */
        this.items = [...article.querySelectorAll(".source")];
        this.marks = this.passages.map(() => []);
        for (const mark of article.querySelectorAll(".text mark"))
            this.marks[mark.dataset.p - 1]?.push(mark);
        this.ofSource = this.sources.map(() => []);
        this.passages.forEach((p, i) => this.ofSource[p.s - 1].push(i));
        this.arrange();
    }

    /* The parts that only a script can use are made here. */
    arrange() {
        const text = find(".text", this.article);
        const sources = find(".sources", this.article);
        this.body = make("div", { className: "body" });
        text.before(this.body);
        if (sources) this.body.append(sources);
        else this.body.classList.add("alone");
        this.body.append(text);
        if (this.passages.length === 0) return;
        const chain = makeChain(this);
        if (chain) this.body.before(chain);
        this.filters = makeFilters(this);
        this.body.before(this.filters);
        new ResizeObserver(() => root.style.setProperty("--bar",
            `${this.filters.offsetHeight}px`)).observe(this.filters);
        this.live = make("p", { className: "sr", role: "status" });
        this.article.append(this.live);
    }

    nameOf(s) {
        return this.sources[s].name;
    }

    /* ---- filters ---- */

    passes(p, choice) {
        if (p.n < choice.shortest) return false;
        if (choice.source >= 0 && p.s - 1 !== choice.source) return false;
        return !(choice.noQuotes && p.quote) && !(choice.noBoiler && p.boiler);
    }

    filter(choice) {
        const words = this.sources.map(() => 0);
        const n = this.sources.map(() => 0);
        this.passages.forEach((p, i) => {
            const on = this.passes(p, choice);
            if (on) {
                words[p.s - 1] += p.n;
                n[p.s - 1]++;
            }
            if (on === this.shown[i]) return;
            this.shown[i] = on;
            for (const mark of this.marks[i]) mark.classList.toggle("off", !on);
        });
        this.items.forEach((item, s) => {
            item.classList.toggle("off", n[s] === 0);
            find(".facts strong", item).textContent =
                tenths(words[s], this.data.words);
            find(".facts a", item).textContent = count(n[s], "passage");
        });
        this.tell(words.reduce((a, b) => a + b, 0),
            n.reduce((a, b) => a + b, 0));
        if (this.now >= 0 && !this.shown[this.now]) closeCompare();
    }

    tell(words, n) {
        const all = n === this.passages.length;
        const share = percent(words, this.data.words);
        find(".figure .number", this.article).textContent = share;
        find(".figure > span", this.article).textContent =
            all ? "copied" : "copied, as filtered";
        this.live.textContent = `${n} of ` +
            `${count(this.passages.length, "passage")} shown, ` +
            `${share} % of the words`;
    }

    /* ---- moving ---- */

    select(i) {
        if (i < 0 || !this.shown[i]) return;
        const source = this.passages[i].s - 1;
        this.unselect();
        this.now = i;
        for (const mark of this.marks[i]) mark.classList.add("now");
        this.items[source].classList.add("now");
        this.items[source].scrollIntoView({ block: "nearest" });
    }

    unselect() {
        for (const mark of this.marks[this.now] || [])
            mark.classList.remove("now");
        for (const item of this.items) item.classList.remove("now");
        this.now = -1;
    }

    /* The next passage that is shown, from the one at hand or the screen. */
    step(by, list = this.passages.keys()) {
        const order = [...list].filter((i) => this.shown[i]);
        if (order.length === 0) return -1;
        const from = this.now >= 0 ? this.now : this.atScreen(by);
        if (by > 0) return order.find((i) => i > from) ?? order[0];
        return order.filter((i) => i < from).pop() ?? order[order.length - 1];
    }

    atScreen(by) {
        const top = innerHeight * 0.2;
        const below = this.marks.findIndex((marks) => marks.length > 0 &&
            marks[0].getBoundingClientRect().top >= top);
        if (below < 0) return this.passages.length - (by > 0 ? 1 : 0);
        return by > 0 ? below - 1 : below;
    }
}

/* Twice: what is far from the screen gets its true height only when it comes
 * near. */
function bringToView(element, where = 0.3) {
    const go = () => {
        const top = element.getBoundingClientRect().top;
        scrollTo({ top: scrollY + top - innerHeight * where });
    };
    go();
    requestAnimationFrame(() => requestAnimationFrame(go));
}

function goTo(i, { focus = true } = {}) {
    if (i < 0) return;
    view.select(i);
    const mark = view.marks[i][0];
    if (!mark) return;
    bringToView(mark);
    if (focus) find(".n", mark)?.focus({ preventScroll: true });
}

/* ---- the filters ---- */

function makeFilters(v) {
    const choice = { shortest: 0, source: -1, noQuotes: false,
                     noBoiler: false };
    const longest = v.passages.reduce((most, p) => Math.max(most, p.n), 1);
    const bar = make("div", { className: "filters", role: "group",
                              "aria-label": "Filters" });
    const apply = () => v.filter(choice);

    const words = make("output", {}, "any");
    const range = make("input", { type: "range", min: 0,
        max: Math.min(longest, 300), value: 0, className: "shortest" });
    range.addEventListener("input", () => {
        choice.shortest = Number(range.value);
        words.textContent = choice.shortest ? count(choice.shortest, "word")
                                            : "any";
        apply();
    });
    bar.append(make("label", {}, "Shortest passage ", range, words));

    const source = make("select", { className: "only" },
        make("option", { value: -1 }, "all"));
    v.sources.slice(0, 500).forEach((s, i) => source.append(make("option",
        { value: i }, `${i + 1}  ${v.nameOf(i).slice(0, 60)}`)));
    source.addEventListener("change", () => {
        choice.source = Number(source.value);
        apply();
    });
    if (v.sources.length > 1)
        bar.append(make("label", {}, "Source ", source));

    const box = (name, text, n) => {
        const input = make("input", { type: "checkbox", className: name });
        input.addEventListener("change", () => {
            choice[name] = input.checked;
            apply();
        });
        if (n > 0) bar.append(make("label", {}, input, `${text} (${n})`));
    };
    box("noQuotes", "Leave out quotations",
        v.passages.filter((p) => p.quote).length);
    box("noBoiler", "Leave out boilerplate",
        v.passages.filter((p) => p.boiler).length);

    const step = (by, text, label) => {
        const button = make("button", { type: "button", "aria-label": label,
            title: label }, text);
        button.addEventListener("click", () => moveBy(by));
        return button;
    };
    bar.append(make("span", { className: "steps" },
        step(-1, "↑", "Previous passage (k)"),
        step(1, "↓", "Next passage (j)")));
    return bar;
}

function moveBy(by) {
    const i = view.step(by);
    goTo(i);
    if (body.classList.contains("comparing")) openCompare(i);
}

/* ---- the chain of copies ---- */

const MOST_ROWS = 6;
const narrow = matchMedia("(max-width: 46rem)");

function chainOf(v, s) {
    const source = v.sources[s];
    const chain = [{ id: v.nameOf(s), time: source.time, kind: "first" }];
    for (const c of source.copiers || [])
        chain.push({ id: clean(c.id || "?"), time: c.time, kind: "copier" });
    chain.push({ id: "this document", time: v.data.time, kind: "this" });
    return chain;
}

function makeChain(v) {
    const chains = v.sources.map((_, s) => chainOf(v, s));
    const times = chains.flat().filter((link) => link.time)
        .map((link) => Date.parse(link.time));
    if (times.length < 2) return null;
    const first = times.reduce((a, b) => Math.min(a, b));
    const last = times.reduce((a, b) => Math.max(a, b));
    const place = (time) => last === first ? 0
        : 100 * (Date.parse(time) - first) / (last - first);
    const section = make("details", { className: "chain",
        open: !narrow.matches }, make("summary", {}, "Who had it when"));
    const list = make("ol");
    const more = make("button", { type: "button", className: "plain" },
        `all ${v.sources.length} sources`);
    const show = (n) => chains.slice(list.children.length, n)
        .forEach((chain) =>
            list.append(makeRow(v, list.children.length, chain, place)));
    show(MOST_ROWS);
    more.addEventListener("click", () => {
        show(200);
        more.remove();
    });
    section.append(list, makeAxis(first, last));
    if (chains.length > MOST_ROWS) section.append(more);
    return section;
}

/* What a dot and a label take of a track, in percent of it. */
function roomOnTrack() {
    const around = narrow.matches ? 120 : 490;
    const width = Math.max(Math.min(innerWidth, 1184) - around, 160);
    return [100 * 14 / width, 100 * 112 / width];
}

function makeRow(v, s, chain, place) {
    const who = make("button", { type: "button", className: "plain who" },
        make("span", { className: "n" }, String(s + 1)), " ",
        make("bdi", {}, v.nameOf(s)));
    who.addEventListener("click", () => compareSource(s));
    const track = make("ol", { className: "track" });
    const dated = chain.filter((link) => link.time);
    if (dated.length > 1) {
        const line = make("li", { className: "link", "aria-hidden": "true" });
        const places = dated.map((link) => place(link.time));
        line.style.left = `${Math.min(...places)}%`;
        line.style.width = `${Math.max(...places) - Math.min(...places)}%`;
        track.append(line);
    }
    const [dot, label] = roomOnTrack();
    let free = -100; /* where the label before has ended ... */
    let last = -100; /* ... and where its dot is: none may hide another */
    for (const link of dated.sort((a, b) => place(a.time) - place(b.time))) {
        const at = Math.max(place(link.time), last + dot);
        last = at;
        const what = { first: "first", this: "", copier: "copied" }[link.kind];
        const item = make("li", { className: `at ${link.kind}`,
            title: `${day(link.time)}  ${link.id}` },
            make("span", {}, make("bdi", {}, link.kind === "first"
                ? day(link.time) : link.id),
            make("span", { className: "sr" }, ` ${day(link.time)} ${what}`)));
        item.style.left = `${at}%`;
        item.classList.toggle("quiet", at < free);
        if (at >= free) free = at + label;
        track.append(item);
    }
    const row = make("li", { className: `row c${s % 10}` }, who, track);
    const undated = chain.filter((link) => !link.time);
    if (undated.length > 0)
        row.append(make("p", { className: "undated" },
            `${undated.map((link) => link.id).slice(0, 5).join(", ")}: undated`));
    return row;
}

function makeAxis(first, last) {
    const axis = make("div", { className: "track axis",
                               "aria-hidden": "true" });
    const years = [];
    const from = new Date(first).getUTCFullYear() + 1;
    const to = new Date(last).getUTCFullYear();
    const gap = Math.max(1, Math.ceil((to - from + 1) / 8));
    for (let year = from; year <= to; year += gap) years.push(year);
    const put = (text, at) => {
        const label = make("span", {}, text);
        label.style.left = `${at}%`;
        axis.append(label);
    };
    for (const year of years)
        put(String(year), 100 * (Date.UTC(year, 0) - first) / (last - first));
    if (years.length === 0) {
        put(new Date(first).toISOString().slice(0, 10), 0);
        if (last > first) put(new Date(last).toISOString().slice(0, 10), 100);
    }
    return make("div", { className: "row" }, make("span"), axis);
}

/* ---- side by side ---- */

let pane = null; /* { element, pages, source, marks } while it is open */

/* What of a source's text belongs to which passage, in order: the passage at
 * hand first, then the others as far as they do not overlap. */
function rangesOf(v, s, now) {
    const ranges = [];
    const take = (i) => {
        const o = v.passages[i].o;
        if (!o || !(v.shown[i] || i === now)) return;
        if (ranges.some((r) => r.begin < o[1] && o[0] < r.end)) return;
        ranges.push({ begin: o[0], end: o[1], passage: i });
    };
    take(now);
    const all = v.ofSource[s];
    const at = all.indexOf(now);
    for (const i of all.slice(Math.max(0, at - 200), at + 200))
        if (i !== now) take(i);
    return ranges.sort((a, b) => a.begin - b.begin);
}

/* Spaces and marks at the ends of a change are nobody's change. */
function withoutGaps(text) {
    const isWord = (c) => /[\p{L}\p{M}\p{N}\ud800-\udfff]/u.test(c);
    let from = 0, to = text.length;
    while (from < to && !isWord(text[from])) from++;
    while (to > from && !isWord(text[to - 1])) to--;
    return [from, to];
}

/* The text of one passage: what its copy left out is <del>. */
function fillMark(mark, text, offset, range, matches) {
    let at = range.begin;
    const cut = (begin, end) => text.slice(begin - offset, end - offset);
    const changed = (begin, end) => {
        const words = cut(begin, end);
        const [from, to] = withoutGaps(words);
        appendText(mark, words.slice(0, from));
        if (from < to) {
            const del = make("del");
            appendText(del, words.slice(from, to));
            mark.append(del);
        }
        appendText(mark, words.slice(to));
    };
    for (const [begin, end] of matches) {
        if (begin < at || end > range.end) continue;
        changed(at, begin);
        appendText(mark, cut(begin, end));
        at = end;
    }
    if (matches.length > 0) changed(at, range.end);
    else appendText(mark, cut(at, range.end));
}

function fillPiece(v, pages, [offset, text], ranges, now) {
    const block = make("div");
    let at = offset;
    const end = offset + text.length;
    for (const range of ranges) {
        if (range.begin < at || range.end > end) continue;
        const p = v.passages[range.passage];
        appendText(block, text.slice(at - offset, range.begin - offset));
        const mark = make("mark", { className: `c${(p.s - 1) % 10}` });
        mark.dataset.p = range.passage + 1;
        mark.classList.toggle("now", range.passage === now);
        mark.append(make("span", { className: "n" }, String(p.s)));
        fillMark(mark, text, offset, range, p.m || []);
        block.append(mark);
        at = range.end;
    }
    appendText(block, text.slice(at - offset));
    pages.append(block);
}

/* Of a long source only what stands around the passage: a megabyte would take
 * a second to lay out, and nobody scrolls that far. */
const MOST_AROUND = 30000;

function near(source, o) {
    if (!o || source.len <= 4 * MOST_AROUND) return source.text;
    const low = o[0] - MOST_AROUND, high = o[1] + MOST_AROUND;
    return source.text.map(([offset, text]) => {
        const from = clamp(low - offset, 0, text.length);
        return [offset + from, text.slice(from, Math.max(high - offset, 0))];
    }).filter((piece) => piece[1].length > 0);
}

function fillPages(v, pages, s, now) {
    const source = v.sources[s];
    const note = (text) =>
        pages.append(make("p", { className: "gap" }, text));
    pages.replaceChildren();
    if (!source.text || source.text.length === 0) {
        pages.append(make("p", { className: "note" },
            "The text of this source is not at hand, so the passage cannot " +
            "be compared word by word. It was found by its fingerprints: " +
            "runs of words that both have."));
        return;
    }
    if (!v.passages[now].o)
        pages.append(make("p", { className: "note" },
            "The place of this passage in the source is not known."));
    const ranges = rangesOf(v, s, now);
    let at = 0;
    for (const piece of near(source, v.passages[now].o)) {
        if (piece[0] > at)
            note(`… ${count(piece[0] - at, "character")} not shown …`);
        fillPiece(v, pages, piece, ranges, now);
        at = piece[0] + piece[1].length;
    }
    if (source.len > at)
        note(`… ${count(source.len - at, "character")} not shown …`);
}

function makePane() {
    const pages = make("div", { className: "pages", tabIndex: 0,
                                "aria-label": "Text of the source" });
    const element = make("aside", { className: "compare",
                                    "aria-label": "Side by side" });
    pages.addEventListener("scroll", () => follow("pages"), { passive: true });
    pages.addEventListener("click", (event) => {
        const mark = event.target.closest("mark");
        if (!mark) return;
        goTo(Number(mark.dataset.p) - 1, { focus: false });
        openCompare(Number(mark.dataset.p) - 1);
    });
    return { element, pages };
}

function paneHead(v, s, i) {
    const source = v.sources[s];
    const list = v.ofSource[s].filter((k) => v.shown[k]);
    const button = (text, className, action) => {
        const b = make("button", { type: "button", className }, text);
        b.addEventListener("click", action);
        return b;
    };
    const step = (by) => () => {
        const next = v.step(by, v.ofSource[s]);
        goTo(next, { focus: false });
        openCompare(next);
    };
    const p = v.passages[i];
    const facts = make("p", { className: "facts" },
        make("span", {}, day(source.time)),
        make("span", {}, count(p.n, "word")),
        make("span", {}, p.score === undefined ? p.how
            : `${Math.round(100 * p.score)} % the same words`));
    return make("header", { className: `c${s % 10}` },
        make("h2", {}, make("span", { className: "n" }, String(s + 1)), " ",
            make("bdi", {}, v.nameOf(s))),
        facts,
        make("div", { className: "buttons" },
            make("span", {}, `passage ${list.indexOf(i) + 1} of ${list.length}`),
            button("↑", "", step(-1)), button("↓", "", step(1)),
            button("Close", "close", closeCompare)));
}

function openCompare(i) {
    if (i < 0) return;
    const s = view.passages[i].s - 1;
    const top = view.marks[i][0]?.getBoundingClientRect().top;
    pane = pane || makePane();
    view.select(i);
    pane.source = s;
    pane.element.className = `compare c${s % 10}`;
    const legend = make("p", { className: "legend" },
        make("span", {}, make("mark", {}, "same words")),
        make("span", {}, make("del", {}, "left out")),
        make("span", {}, "underlined: words of this document alone"));
    pane.element.replaceChildren(paneHead(view, s, i), pane.pages, legend);
    fillPages(view, pane.pages, s, i);
    view.body.append(pane.element);
    body.classList.add("comparing");
    /* The columns have moved: the passage stays where it was. */
    const mark = view.marks[i][0];
    if (mark && top !== undefined && top > 0 && top < innerHeight * 0.45)
        scrollBy(0, mark.getBoundingClientRect().top - top);
    else if (mark)
        bringToView(mark, 0.2);
    anchors = null;
    requestAnimationFrame(() => {
        alignPane(i);
        requestAnimationFrame(() => alignPane(i));
    });
}

/* On a narrow screen the source lies over the lower half. */
const isSheet = () => getComputedStyle(pane.element).position === "fixed";

/* The passage stands at the same height on both sides. */
function alignPane(i) {
    if (!pane || !pane.element.isConnected) return;
    const there = find("mark.now", pane.pages);
    const here = view.marks[i][0];
    if (!there || !here) return;
    const height = pane.pages.clientHeight;
    const frame = pane.pages.getBoundingClientRect();
    const wanted = clamp(here.getBoundingClientRect().top - frame.top,
        8, height * 0.6);
    const top = pane.pages.scrollTop +
        there.getBoundingClientRect().top - frame.top - wanted;
    setPages(top);
    /* The source may be too short to come so far down: then we go. */
    const apart = there.getBoundingClientRect().top -
        here.getBoundingClientRect().top;
    if (Math.abs(apart) < 4 || isSheet()) return;
    ownPage = Math.round(clamp(scrollY - apart, 0,
        root.scrollHeight - innerHeight));
    scrollTo({ top: ownPage });
}

function closeCompare() {
    if (!pane || !pane.element.isConnected) return;
    const i = view.now;
    const mark = i >= 0 ? view.marks[i][0] : null;
    const top = mark?.getBoundingClientRect().top;
    pane.element.remove();
    body.classList.remove("comparing");
    view.unselect();
    if (!mark) return;
    scrollBy(0, mark.getBoundingClientRect().top - top);
    find(".n", mark)?.focus({ preventScroll: true });
}

function compareSource(s) {
    const i = view.ofSource[s].find((k) => view.shown[k]);
    if (i === undefined) return;
    goTo(i, { focus: false });
    openCompare(i);
}

/* ---- scrolling together ----
 *
 * Each passage gives two pairs of heights, its top and its bottom here and
 * there; between them the way is straight. The side that a person moves leads.
 * A scroll that we have caused ourselves is known by the place it ends at. */

let anchors = null;
let ownPages = -1, ownPage = -1;

function setPages(top) {
    const most = pane.pages.scrollHeight - pane.pages.clientHeight;
    ownPages = Math.round(clamp(top, 0, most));
    pane.pages.scrollTop = ownPages;
}

function measure() {
    const frame = pane.pages.getBoundingClientRect();
    const inner = pane.pages.scrollTop - frame.top;
    const found = [];
    for (const there of pane.pages.querySelectorAll("mark")) {
        const marks = view.marks[there.dataset.p - 1];
        if (marks.length === 0) continue;
        const a = marks[0].getBoundingClientRect();
        const b = marks[marks.length - 1].getBoundingClientRect();
        const t = there.getBoundingClientRect();
        found.push([a.top + scrollY, t.top + inner],
            [b.bottom + scrollY, t.bottom + inner]);
    }
    found.sort((x, y) => x[0] - y[0]);
    /* Passages that changed places: only those that rise on both sides. */
    anchors = found.filter((pair, k) =>
        k === 0 || pair[1] >= found[k - 1][1]);
}

function through(value, from, to) {
    const list = anchors;
    if (list.length === 0) return null;
    if (value <= list[0][from]) return list[0][to] - (list[0][from] - value);
    for (let k = 1; k < list.length; k++) {
        if (value > list[k][from]) continue;
        const span = list[k][from] - list[k - 1][from] || 1;
        const share = (value - list[k - 1][from]) / span;
        return list[k - 1][to] + share * (list[k][to] - list[k - 1][to]);
    }
    const last = list[list.length - 1];
    return last[to] + value - last[from];
}

function follow(leader) {
    if (!pane || !pane.element.isConnected) return;
    const line = innerHeight * 0.3; /* where the eye is */
    const frame = pane.pages.getBoundingClientRect();
    const inside = clamp(line - frame.top, 0, frame.height);
    if (leader === "pages") {
        if (Math.abs(pane.pages.scrollTop - ownPages) < 2) return;
        ownPages = -1;
        if (isSheet()) return;
        if (!anchors) measure();
        const to = through(pane.pages.scrollTop + inside, 1, 0);
        if (to === null) return;
        ownPage = Math.round(clamp(to - line, 0,
            root.scrollHeight - innerHeight));
        scrollTo({ top: ownPage });
        return;
    }
    if (Math.abs(scrollY - ownPage) < 2) return;
    ownPage = -1;
    if (!anchors) measure();
    const to = through(scrollY + line, 0, 1);
    if (to !== null) setPages(to - inside);
}

/* Heights far from the screen are guesses until they are laid out. */
let settle = 0;
addEventListener("scroll", () => {
    if (!pane || !pane.element.isConnected) return;
    follow("page");
    clearTimeout(settle);
    settle = setTimeout(() => { anchors = null; }, 200);
}, { passive: true });
addEventListener("resize", () => { anchors = null; });

/* ---- several documents ---- */

function makeDocuments() {
    const list = make("ol");
    const rows = articles.map((article, i) => {
        const share = Number(find(".figure .number", article).textContent);
        const title = find("h1", article).textContent;
        const bar = make("i");
        bar.style.width = `${share}%`;
        const link = make("a", { href: `#${article.id}` },
            make("span", { className: "share" }, `${share} %`),
            make("span", { className: "bar", "aria-hidden": "true" }, bar),
            make("bdi", { className: "what" }, title),
            make("span", { className: "when" },
                find("header time", article)?.textContent || ""));
        const row = make("li", {}, link);
        return { row, link, share, i, words: title.toLowerCase() };
    });
    list.append(...rows.map((r) => r.row));

    const search = make("input", { type: "search", placeholder: "find a title",
                                   "aria-label": "Find a title" });
    const copied = make("input", { type: "checkbox", className: "copied" });
    const order = make("select", { "aria-label": "Order" },
        make("option", { value: "given" }, "as given"),
        make("option", { value: "share" }, "most copied first"));
    const refresh = () => {
        const words = search.value.toLowerCase();
        for (const r of rows)
            r.row.hidden = !r.words.includes(words) ||
                (copied.checked && r.share === 0);
        list.append(...[...rows].sort((a, b) => order.value === "share"
            ? b.share - a.share || a.i - b.i : a.i - b.i).map((r) => r.row));
    };
    for (const control of [search, copied, order])
        control.addEventListener("input", refresh);
    const nav = make("nav", { className: "documents",
                              "aria-label": "Documents" },
        make("div", { className: "inner" },
            make("div", { className: "tools" },
                make("strong", {}, count(articles.length, "document")),
                search, make("label", {}, copied, " with copies only"),
                order),
            list));
    nav.mark = (i) => rows.forEach((r) => {
        if (r.i === i) r.link.setAttribute("aria-current", "true");
        else r.link.removeAttribute("aria-current");
        if (r.i === i) r.row.scrollIntoView({ block: "nearest" });
    });
    return nav;
}

const views = new Map();
let documents = null;

function showDocument(i) {
    const article = articles[i];
    if (!article) return;
    if (view && view.article === article) return;
    if (view) closeCompare();
    articles.forEach((a) => { a.hidden = a !== article; });
    if (!views.has(i)) views.set(i, new View(article));
    view = views.get(i);
    find(".skip").href = `#${article.id}t0`;
    documents?.mark(i);
}

/* "#d3", "#d3p7", "#d3s2": a document, a passage, a source. */
function showHash() {
    const found = /^#d(\d+)(?:([pst])(\d+))?$/.exec(location.hash);
    if (!found) return;
    const fresh = !view || view.article.id !== `d${found[1]}`;
    showDocument(Number(found[1]) - 1);
    if (!view) return;
    const n = Number(found[3]) - 1;
    if (found[2] === "p" && view.passages[n]) goTo(n);
    else if (found[2] === "s" && view.sources[n])
        view.items[n].scrollIntoView({ block: "nearest" });
    else if (fresh && !found[2]) scrollTo({ top: 0 });
}

/* ---- clicks and keys ---- */

body.addEventListener("click", (event) => {
    if (!view || event.target.closest("button, select, input, label")) return;
    if (String(getSelection()) !== "") return;
    const mark = event.target.closest(".text mark");
    if (mark && !mark.classList.contains("off")) {
        event.preventDefault();
        openCompare(Number(mark.dataset.p) - 1);
        return;
    }
    const item = event.target.closest(".source");
    if (!item || event.target.closest("a.url")) return;
    event.preventDefault();
    compareSource(view.items.indexOf(item));
});

const help = make("dialog", { "aria-label": "Keys" }, make("dl", {},
    make("dt", {}, make("kbd", {}, "j"), " ", make("kbd", {}, "k")),
    make("dd", {}, "next, previous passage"),
    make("dt", {}, make("kbd", {}, "Enter")),
    make("dd", {}, "on a number: compare with the source"),
    make("dt", {}, make("kbd", {}, "Esc")),
    make("dd", {}, "close the comparison"),
    make("dt", {}, make("kbd", {}, "["), " ", make("kbd", {}, "]")),
    make("dd", {}, "previous, next document"),
    make("dt", {}, make("kbd", {}, "t")),
    make("dd", {}, "light, dark, as the system has it"),
    make("dt", {}, make("kbd", {}, "?")),
    make("dd", {}, "this list")));

const keys = {
    j: () => moveBy(1),
    k: () => moveBy(-1),
    t: () => nextTheme(),
    "?": () => help.showModal(),
    "[": () => turnPage(-1),
    "]": () => turnPage(1),
    Escape: () => closeCompare(),
};

function turnPage(by) {
    const i = articles.indexOf(view.article) + by;
    if (articles[i]) location.hash = articles[i].id;
}

addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.target.closest?.("input, select, textarea") &&
        event.key !== "Escape") return;
    const action = keys[event.key];
    if (!action || !view) return;
    event.preventDefault();
    action();
});

/* ---- light and dark ---- */

const themes = ["", "light", "dark"];
const themeButton = make("button", { type: "button", className: "plain theme" });

/* A page from a file may have no storage. */
function remember(value) {
    try {
        if (value === undefined) return localStorage.getItem("origo-theme");
        localStorage.setItem("origo-theme", value);
    } catch { /* it is chosen anew next time */ }
    return null;
}

function setTheme(name) {
    if (name) root.dataset.theme = name;
    else delete root.dataset.theme;
    themeButton.textContent = { light: "Light", dark: "Dark" }[name] || "Auto";
    themeButton.setAttribute("aria-label",
        `Colours: ${themeButton.textContent.toLowerCase()}`);
}

function nextTheme() {
    const i = themes.indexOf(root.dataset.theme || "");
    setTheme(themes[(i + 1) % themes.length]);
    remember(root.dataset.theme || "");
}

/* ---- the start ---- */

function start() {
    const helpButton = make("button", { type: "button", className: "plain",
                                        "aria-label": "Keys" }, "?");
    helpButton.addEventListener("click", () => help.showModal());
    help.addEventListener("click", () => help.close());
    themeButton.addEventListener("click", nextTheme);
    setTheme(themes.includes(remember()) ? remember() : "");
    const top = make("div", { className: "top" },
        make("span", { className: "name" }, "origo"), themeButton, helpButton);
    find("main").before(make("a", { className: "skip", href: "#d1t0" },
        "Skip to the text"), top);
    body.append(help);
    if (articles.length === 0) return;
    if (articles.length > 1) {
        documents = makeDocuments();
        find("main").before(documents);
        document.title = count(articles.length, "document");
    }
    showHash();
    if (!view) showDocument(0);
    addEventListener("hashchange", showHash);
    root.dataset.ready = "";
}

start();

})();
