/* A passage beside its source, with the words that differ marked on both
 * sides. */

let pane = null; /* { element, pages, others, source } once it was open */
let rows = [];   /* of the overview; empty when there is one document */

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

/* The text of one passage: what its copy left out is <del>. */
function fillMark(mark, text, offset, range, matches) {
    let at = range.begin;
    const cut = (begin, end) => text.slice(begin - offset, end - offset);
    for (const [, , begin, end] of matches) {
        if (begin < at || end > range.end) continue;
        appendChanged(mark, "del", cut(at, begin));
        appendText(mark, cut(begin, end));
        at = end;
    }
    if (matches.length > 0) appendChanged(mark, "del", cut(at, range.end));
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

/* The text of a source: of its own, or that of a document of the page. */
async function loadSource(source) {
    if (source.isLoaded) return;
    if (source.doc) {
        const { text } = await data.document(source.doc - 1);
        source.text = [[0, text]];
        source.len = text.length;
    }
    source.text = (source.text || []).map(([offset, text]) =>
        [offset, softened(text)]);
    source.isLoaded = true;
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
        const mark = event.target.closest("mark[data-p]");
        if (!mark) return;
        goTo(Number(mark.dataset.p) - 1, { focus: false });
        openCompare(Number(mark.dataset.p) - 1);
    });
    return { element, pages };
}

function paneHead(v, s, i) {
    const source = v.sources[s];
    const list = v.ofSource[s].filter((k) => v.shown[k]);
    const step = (by) => () => {
        const next = v.step(by, v.ofSource[s]);
        goTo(next, { focus: false });
        openCompare(next);
    };
    const p = v.passages[i];
    const facts = make("p", { className: "facts" },
        make("span", {}, v.clock(source.time)),
        make("span", {}, count(p.l, "word")),
        make("span", {}, p.score === undefined ? knownBy(p.how)
            : `${Math.round(100 * p.score)} % the same words`),
        p.at || p.from ? make("span", {}, `${p.at || "here"}` +
            (p.from ? ` from ${p.from}` : "")) : null);
    return make("header", { className: `c${s % 10}` },
        make("h2", {}, make("span", { className: "n" }, String(s + 1)), " ",
            make("bdi", {}, v.nameOf(s))),
        facts,
        make("div", { className: "buttons" },
            make("span", {}, `${v.passageName()} ${list.indexOf(i) + 1} of ` +
                list.length),
            makeButton("↑", "", step(-1), "Previous of this source"),
            makeButton("↓", "", step(1), "Next of this source"),
            makeButton("Close", "close", closeCompare)));
}

const legends = {
    word: () => [make("span", {}, make("mark", {}, "same words")),
        make("span", {}, make("del", {}, "left out")),
        make("span", {}, "underlined: words of this document alone")],
    sentence: () => [make("span", {}, make("mark", {}, "shared words"))],
};

let openings = 0;
async function openCompare(i) {
    if (i < 0) return;
    const mine = ++openings;
    const v = view;
    const s = v.passages[i].s - 1;
    await (v.unit === "word" ? loadSource(v.sources[s])
        : loadSentences(v, i));
    if (mine !== openings || v !== view) return;
    const top = v.marks[i][0]?.getBoundingClientRect().top;
    pane = pane || makePane();
    v.select(i);
    pane.source = s;
    pane.element.className = `compare c${s % 10}`;
    pane.others = make("div", { className: "others" });
    pane.element.replaceChildren(paneHead(v, s, i), pane.others, pane.pages,
        make("p", { className: "legend" }, ...legends[v.unit]()));
    if (v.unit === "word") fillPages(v, pane.pages, s, i);
    else fillSentences(v, pane.pages, i);
    v.body.append(pane.element);
    body.classList.add("comparing");
    /* The columns have moved: the passage stays where it was. */
    const mark = v.marks[i][0];
    if (mark && top !== undefined && top > 0 && top < innerHeight * 0.45)
        scrollBy(0, mark.getBoundingClientRect().top - top);
    else if (mark)
        bringToView(mark, 0.2);
    anchors = null;
    requestAnimationFrame(() => {
        alignPane(i);
        requestAnimationFrame(() => alignPane(i));
    });
    if (v.unit === "word") await showOthers(v, s, i, mine);
}

/* ---- who else has it ---- */

/* Documents of this page that have the same place of the source. */
async function othersWith(v, s, i) {
    const { o } = v.passages[i];
    if (!o || v.sources[s].k === undefined) return [];
    const best = new Map();
    for (const [begin, end, doc] of await data.holders(v.sources[s].k)) {
        const both = Math.min(end, o[1]) - Math.max(begin, o[0]);
        if (both <= 0 || doc === v.i) continue;
        best.set(doc, Math.max(best.get(doc) || 0, both / (o[1] - o[0])));
    }
    return [...best].map(([doc, share]) => ({ row: rows[doc], share }))
        .filter(({ row }) => row)
        .sort((a, b) => byTime(a.row, b.row));
}

async function showOthers(v, s, i, mine) {
    const others = await othersWith(v, s, i);
    const known = new Set(others.map(({ row }) => row.id));
    const copiers = (v.sources[s].copiers || []).filter((c) =>
        c.id !== v.doc.id && !known.has(c.id));
    if (mine !== openings || others.length + copiers.length === 0) return;
    const list = make("ul");
    for (const { row, share } of others)
        list.append(make("li", {}, make("a", { href: `#d${row.i + 1}` },
            make("bdi", {}, nameOf(row))), ` ${day(row.time)}` +
            (share < 0.9 ? `, ${percent(share, 1)} % of it` : "")));
    const also = make("details", { open: others.length <= 3 },
        make("summary", {}, "Also in " +
            count(others.length, "other document")), list);
    if (others.length > 0) pane.others.append(also);
    if (copiers.length === 0) return;
    pane.others.append(make("details", {}, make("summary", {},
        `${count(v.sources[s].n_copiers - others.length,
            "other document")} took from this source`),
    make("ul", {}, ...copiers.map((c) => make("li", {},
        make("bdi", {}, clean(c.id || "?")), ` ${day(c.time)}`)))));
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
    openings++;
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
