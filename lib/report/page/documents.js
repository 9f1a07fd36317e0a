/* The list of documents: searched, filtered, sorted. */

const ROWS_AT_ONCE = 100;

const orders = {
    share: ["most copied first", (a, b) => b.share - a.share || b.now - a.now],
    copied: ["most words copied first", (a, b) => b.now - a.now],
    time: ["earliest first", (a, b) => byTime(a, b)],
    late: ["latest first", (a, b) => byTime(b, a)],
    given: ["as given", (a, b) => a.i - b.i],
};

/* Where most of it comes from, of what counts. */
const mainSource = (row) => row.sources.find((s) => !excluded.has(s.id) &&
    !s.boiler) || row.sources.find((s) => !excluded.has(s.id));

class DocumentList {
    constructor(rows, clock) {
        this.clock = clock;
        this.list = make("ol", { className: "list" });
        this.more = makeButton("", "more", () => this.grow());
        this.element = make("div", { className: "documents" }, this.list,
            this.more);
        this.rows = rows;
        this.shown = 0;
        new IntersectionObserver((seen) => {
            if (seen.some((s) => s.isIntersecting)) this.grow();
        }, { rootMargin: "600px" }).observe(this.more);
    }

    show(rows) {
        this.rows = rows;
        this.shown = 0;
        this.list.replaceChildren();
        this.grow();
    }

    grow() {
        const next = this.rows.slice(this.shown, this.shown + ROWS_AT_ONCE);
        this.list.append(...next.map((row) => this.makeRow(row)));
        this.shown += next.length;
        const left = this.rows.length - this.shown;
        this.more.hidden = left <= 0;
        this.more.textContent = `${count(left, "more document")}`;
    }

    makeRow(row) {
        const bar = make("i");
        bar.style.width = `${row.share}%`;
        const source = row.now > 0 ? mainSource(row) : null;
        const from = make("span", { className: "from" });
        if (source)
            from.append("from ", make("bdi", {}, nameOf(source)), " ",
                make("span", { className: "when" }, this.clock(source.time)));
        return make("li", {}, make("a", { href: `#d${row.i + 1}` },
            make("span", { className: "share" }, `${row.share} %`),
            make("span", { className: "bar", "aria-hidden": "true" }, bar),
            make("bdi", { className: "what" }, nameOf(row)), from,
            make("span", { className: "when" }, this.clock(row.time))));
    }
}

/* ---- the search in the texts ---- */

/* Calls `found` with places of documents as they are found, and `done` at the
 * end, unless another search has begun meanwhile. */
let searches = 0;
async function searchTexts(words, found, done) {
    const mine = ++searches;
    let hits = [];
    let told = Date.now();
    for await (const [i, text] of data.texts()) {
        if (mine !== searches) return;
        if (text.toLowerCase().includes(words)) hits.push(i);
        if (hits.length > 0 && Date.now() - told > 200) {
            found(hits);
            hits = [];
            told = Date.now();
        }
    }
    if (mine !== searches) return;
    found(hits);
    done();
}
