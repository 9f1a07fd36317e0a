/* One document: its passages, its sources, and which of them are shown. */

class View {
    constructor(doc, i) {
        this.doc = doc;
        this.i = i;
        this.name = `d${i + 1}`;
        this.unit = data.meta.unit;
        this.passages = doc.passages;
        this.sources = doc.sources;
        for (const p of this.passages) p.l = p.l ?? p.c;
        this.shown = this.passages.map(() => true);  /* it counts */
        this.folded = this.passages.map(() => false); /* it is not marked */
        this.now = -1; /* the passage that is compared */
        this.ofSource = this.sources.map(() => []);
        this.passages.forEach((p, k) => this.ofSource[p.s - 1].push(k));
        this.isBoiler = this.ofSource.map((list) => list.length > 0 &&
            list.every((k) => this.passages[k].boiler));
        this.clock = clockOf([doc.time, ...this.sources.map((s) => s.time)]
            .filter(Boolean));
        this.choice = { shortest: 0, source: -1, noQuotes: false,
                        boiler: "fold" };
        this.make();
        this.apply();
    }

    nameOf(s) {
        return nameOf(this.sources[s]);
    }

    /* ---- making ---- */

    make() {
        const section = make("section", { className: "text", lang: "",
            "aria-label": "Text", id: `${this.name}t0`, tabIndex: -1 });
        this.marks = new TextMaker(this.doc, this.name).fill(section);
        this.body = make("div", { className: "body" },
            makeSources(this), section);
        this.items = this.sources.map((_, s) =>
            find(`#${this.name}s${s + 1}`, this.body));
        this.live = make("p", { className: "sr", role: "status" });
        this.article = make("article", { id: this.name }, makeHeader(this));
        this.article.append(makeChain(this) || noChain());
        this.filters = makeFilters(this);
        this.article.append(this.filters, this.body, this.live);
        new ResizeObserver(() => this.filters.isConnected &&
            root.style.setProperty("--bar", `${this.filters.offsetHeight}px`))
            .observe(this.filters);
    }

    /* ---- filters ---- */

    passes(p) {
        const choice = this.choice;
        if (excluded.has(this.sources[p.s - 1].id)) return false;
        if (p.l < choice.shortest) return false;
        if (choice.source >= 0 && p.s - 1 !== choice.source) return false;
        return !(choice.noQuotes && p.quote) &&
            !(choice.boiler === "leave" && p.boiler);
    }

    apply() {
        const n = this.sources.map(() => 0);
        const taken = this.sources.map(() => ({ n: 0, c: 0 }));
        this.passages.forEach((p, k) => {
            const on = this.passes(p);
            const folded = on && p.boiler === 1 &&
                this.choice.boiler === "fold";
            if (on) {
                taken[p.s - 1].n += p.n;
                taken[p.s - 1].c += p.c;
                n[p.s - 1]++;
            }
            if (on === this.shown[k] && folded === this.folded[k]) return;
            this.shown[k] = on;
            this.folded[k] = folded;
            for (const mark of this.marks[k]) {
                mark.classList.toggle("off", !on);
                mark.classList.toggle("fold", folded);
            }
        });
        this.items.forEach((item, s) => {
            const out = excluded.has(this.sources[s].id);
            item.classList.toggle("off", n[s] === 0);
            find(".facts strong", item).textContent =
                tenths(taken[s].n, this.doc.units);
            find(".facts a", item).textContent =
                count(n[s], this.passageName());
            const button = find("button.exclude", item);
            button.textContent = out ? "Count it again" : "Leave it out";
            button.setAttribute("aria-pressed", String(out));
        });
        this.tell(sum(taken.map((t) => t.n)), sum(taken.map((t) => t.c)),
            sum(n));
        if (this.now >= 0 && !this.shown[this.now]) closeCompare();
    }

    passageName() {
        return this.unit === "word" ? "passage" : "sentence";
    }

    tell(copied, covered, n) {
        const units = this.doc.units;
        const all = n === this.passages.length;
        const share = percent(copied, units);
        const what = this.unit === "word" ? "copied"
            : "of the sentences reused";
        find(".figure .number", this.article).textContent = share;
        find(".figure > span", this.article).textContent =
            all ? what : `${what}, as filtered`;
        const more = find(".figure .covered", this.article);
        more.textContent = covered === copied ? "" :
            `in passages that cover ${percent(covered, units)} %`;
        this.live.textContent = `${n} of ` +
            `${count(this.passages.length, this.passageName())} counted, ` +
            `${share} % of the ${this.unit}s`;
    }

    /* ---- moving ---- */

    select(k) {
        if (k < 0 || !this.shown[k]) return;
        const source = this.passages[k].s - 1;
        this.unselect();
        this.now = k;
        for (const mark of this.marks[k]) mark.classList.add("now");
        this.items[source].classList.add("now");
        scrollInside(this.items[source]);
    }

    unselect() {
        for (const mark of this.marks[this.now] || [])
            mark.classList.remove("now");
        for (const item of this.items) item.classList.remove("now");
        this.now = -1;
    }

    /* The next passage that is marked, from the one at hand or the screen. */
    step(by, list = this.passages.keys()) {
        const order = [...list].filter((k) => this.shown[k] &&
            !this.folded[k]);
        if (order.length === 0) return -1;
        const from = this.now >= 0 ? this.now : this.atScreen(by);
        if (by > 0) return order.find((k) => k > from) ?? order[0];
        return order.filter((k) => k < from).pop() ?? order[order.length - 1];
    }

    atScreen(by) {
        const top = innerHeight * 0.2;
        const below = this.marks.findIndex((marks) => marks.length > 0 &&
            marks[0].getBoundingClientRect().top >= top);
        if (below < 0) return this.passages.length - (by > 0 ? 1 : 0);
        return by > 0 ? below - 1 : below;
    }
}

/* Into the view of its own list; the page does not move. */
function scrollInside(item) {
    const list = item.closest(".sources");
    if (!list || list.scrollHeight <= list.clientHeight) return;
    const a = item.getBoundingClientRect(), b = list.getBoundingClientRect();
    if (a.top < b.top) list.scrollTop += a.top - b.top;
    else if (a.bottom > b.bottom)
        list.scrollTop += Math.min(a.bottom - b.bottom, a.top - b.top);
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

function goTo(k, { focus = true } = {}) {
    if (k < 0) return;
    view.select(k);
    const mark = view.marks[k][0];
    if (!mark) return;
    bringToView(mark);
    if (focus) find(".n", mark)?.focus({ preventScroll: true });
}

/* After a source was left out or taken back. */
function refreshAll() {
    view?.apply();
    overview?.refresh();
}
