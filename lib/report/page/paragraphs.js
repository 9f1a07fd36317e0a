/* The text of a document, as paragraphs with its passages marked.
 *
 * A paragraph ends at an empty line; each finds its own direction of writing.
 * A passage that goes on in the next paragraph is a mark in each. Words of a
 * passage that its source does not have are <ins>.
 *
 * Lines that an editor has broken at some column are joined again, so that
 * they are not broken twice; tables and drawings stay as they are, in type of
 * one width; verse and lists keep their lines.
 *
 * Paragraphs stand in groups of some kilobytes, which a browser lays out only
 * when they come near the screen (content-visibility in the style): that is
 * what keeps a document of ten megabytes usable. */

const GROUP_LEN = 8 << 10, LONGEST = 16 << 10;

/* ---- kinds of paragraphs ---- */

const isWide = (c) => c >= 0x2e80;

function columnsOf(line) {
    let n = line.length;
    for (let i = 0; i < line.length; i++)
        if (isWide(line.charCodeAt(i))) n++;
    return n;
}

/* "prose": broken by an editor; "fixed": a table or a drawing; "" else. */
function kindOf(text) {
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
    if (lines.length === 0) return "";
    const inner = lines.map((line) => line.trim());
    const drawn = inner.filter((line) =>
        /[^.!?:] {3,}\S|\t\S|[|+][-=]{2,}|^[|+].*[|+]$/.test(line)).length;
    if (drawn > 0 && drawn * 3 >= lines.length) return "fixed";
    if (lines.length < 2) return "";
    const indents = lines.map((line) => line.length - line.trimStart().length);
    const widths = lines.map((line) => columnsOf(line.trimEnd()));
    const body = widths.slice(0, -1);
    const longest = Math.max(...widths);
    if (longest < 45 || longest > 110) return "";
    /* Every line but the last is full: the next word had no room. */
    const first = inner.slice(1).map((line) =>
        columnsOf(line.split(/\s/, 1)[0]));
    const full = body.filter((w, i) => w + 1 + first[i] > longest - 8).length;
    const even = indents.slice(1).every((n) => n === indents[1]);
    return even && full * 5 >= body.length * 4 ? "prose" : "";
}

/* The same text, as long as it was, with broken lines joined: for text that is
 * cut by offsets later. */
function softened(text) {
    return text.replace(/(?:[^\n]*\S[^\n]*(?:\n|$))+/g, (paragraph) => {
        if (kindOf(paragraph) !== "prose") return paragraph;
        const end = paragraph.trimEnd().length;
        return paragraph.slice(0, end).replace(/^[ \t]+/,
            (s) => NOTHING.repeat(s.length))
            .replace(/[ \t]*\r?\n[ \t]*/g,
                (s) => " " + NOTHING.repeat(s.length - 1)) +
            paragraph.slice(end);
    });
}

/* ---- cutting ---- */

/* [begin, end, goes on] of every paragraph. */
function* paragraphsOf(text) {
    const gap = /\r?\n(?:[ \t\r]*\n)+/g;
    let at = /^(?:[ \t\r]*\n)*/.exec(text)[0].length;
    while (at < text.length) {
        gap.lastIndex = at;
        const found = gap.exec(text);
        const end = found ? found.index : text.length;
        let from = at;
        while (end - from > LONGEST) {
            const room = text.slice(from + LONGEST, from + LONGEST + 1024);
            let cut = from + LONGEST + Math.max(room.search(/\s/), 0);
            /* Not inside a pair of surrogates. */
            if (/[\udc00-\udfff]/.test(text[cut])) cut++;
            yield [from, cut, from > at];
            from = cut;
        }
        if (/\S/.test(text.slice(from, end))) yield [from, end, from > at];
        at = found ? gap.lastIndex : text.length;
    }
}

/* Stretches of one kind: { b, e, p (passage or -1), changed }. */
function stretchesOf(doc) {
    const list = [];
    const put = (b, e, p, changed) => {
        if (b < e) list.push({ b, e, p, changed });
    };
    let at = 0;
    doc.passages.forEach((passage, p) => {
        put(at, passage.b, -1, false);
        at = Math.max(at, passage.b);
        const matches = passage.m || [];
        for (const [b, e] of matches) {
            if (b < at || e > passage.e) continue;
            put(at, b, p, true);
            put(b, e, p, false);
            at = e;
        }
        put(at, passage.e, p, matches.length > 0);
        at = Math.max(at, passage.e);
    });
    put(at, doc.text.length, -1, false);
    return list;
}

/* ---- making ---- */

/* Spaces and marks at the ends of a change are nobody's change. */
const WORD = /[\p{L}\p{M}\p{N}]/u;
function withoutGaps(text) {
    const first = text.search(WORD);
    if (first < 0) return [0, 0];
    let to = text.length;
    while (!WORD.test(text.slice(to - 1, to)) &&
        !/[\udc00-\udfff]/.test(text[to - 1])) to--;
    return [first, to];
}

function appendChanged(parent, tag, text) {
    const [from, to] = withoutGaps(text);
    appendText(parent, text.slice(0, from));
    if (from < to) {
        const element = make(tag);
        appendText(element, text.slice(from, to));
        parent.append(element);
    }
    appendText(parent, text.slice(to));
}

class TextMaker {
    constructor(doc, name) {
        this.doc = doc;
        this.name = name; /* "d3" */
        this.stretches = stretchesOf(doc);
        this.at = 0;
        this.marks = doc.passages.map(() => []);
    }

    makeMark(p) {
        const { s } = this.doc.passages[p];
        const first = this.marks[p].length === 0;
        const mark = make("mark", { className: `c${(s - 1) % 10}` });
        mark.dataset.p = p + 1;
        this.marks[p].push(mark);
        if (!first) return mark;
        mark.id = `${this.name}p${p + 1}`;
        mark.append(make("a", { className: "n", href: `#${this.name}s${s}`,
            "aria-label": `passage ${p + 1}, source ${s}` }, String(s)));
        return mark;
    }

    makeParagraph(begin, end, goesOn) {
        const text = this.doc.text;
        const kind = kindOf(text.slice(begin, end));
        const p = make("p", { dir: "auto" });
        if (kind || goesOn) p.className = goesOn ? `k ${kind}`.trim() : kind;
        let mark = null, marked = -1;
        for (; this.at < this.stretches.length; this.at++) {
            const s = this.stretches[this.at];
            if (s.b >= end) break;
            const cut = text.slice(Math.max(s.b, begin), Math.min(s.e, end));
            if (s.p !== marked) mark = s.p < 0 ? null : this.makeMark(s.p);
            marked = s.p;
            if (mark && mark.parentNode !== p) p.append(mark);
            if (s.changed) appendChanged(mark, "ins", cut);
            else appendText(mark || p, cut);
            if (mark && s.e === this.doc.passages[s.p].e && s.e <= end)
                mark.classList.add("e");
            if (s.e > end) break;
        }
        return p;
    }

    /* Stretches that lie between two paragraphs are behind us. */
    skipTo(begin) {
        while (this.at < this.stretches.length &&
            this.stretches[this.at].e <= begin) this.at++;
    }

    fill(section) {
        let group = null, len = 0;
        for (const [begin, end, goesOn] of paragraphsOf(this.doc.text)) {
            if (!group || len > GROUP_LEN) {
                group = make("div", { className: "g" });
                section.append(group);
                len = 0;
            }
            this.skipTo(begin);
            group.append(this.makeParagraph(begin, end, goesOn));
            len += end - begin;
        }
        return this.marks;
    }
}
