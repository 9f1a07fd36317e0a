/* One document: its passages, its sources, and which of them are shown. */

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
