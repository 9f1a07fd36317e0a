/* The first page of a report of several documents: how many there are, how
 * many contain copies, how much, when, who from whom; and their list. */

class Overview {
    constructor(rows) {
        this.rows = rows;
        this.unit = data.meta.unit;
        rows.forEach((row) => {
            row.at = moment(row.time);
            row.order = row.i;
            row.words = [row.title, row.id, ...row.sources.flatMap((s) =>
                [s.title, s.id])].join("\n").toLowerCase();
        });
        this.clock = clockOf(rows.flatMap((row) =>
            [row.time, ...row.sources.slice(0, 1).map((s) => s.time)])
            .filter(Boolean));
        this.choice = { words: "", copied: false, bin: -1, period: -1,
                        order: "share" };
        this.inText = new Set(); /* documents whose text has the words */
        this.figures = make("p", { className: "figures", role: "status" });
        this.charts = make("div", { className: "charts" });
        this.who = make("div");
        this.list = new DocumentList([], this.clock);
        this.element = make("section", { className: "overview",
                                         id: "overview", tabIndex: -1,
                                         "aria-label": "Overview" },
            make("h1", {}, data.meta.part > 0
                ? `Part ${data.meta.part}` : "Overview"),
            this.figures, this.makeExcluded(), this.charts, this.who,
            make("h2", {}, "Documents"), this.makeTools(), this.list.element);
        this.refresh();
    }

    /* ---- what is chosen ---- */

    makeTools() {
        const search = make("input", { type: "search",
            placeholder: "find in titles, sources and texts",
            "aria-label": "Find in titles, sources and texts" });
        const copied = make("input", { type: "checkbox",
                                       className: "copied" });
        const order = make("select", { "aria-label": "Order" },
            ...Object.entries(orders).map(([value, [text]]) =>
                make("option", { value }, this.unit === "word" ? text
                    : text.replace("words", "sentences"))));
        this.counted = make("strong", { className: "counted" });
        this.state = make("span", { className: "state" });
        let typing = 0;
        this.box = search;
        search.addEventListener("input", () => {
            clearTimeout(typing);
            search.ariaBusy = "true";
            typing = setTimeout(() => this.search(search.value), 200);
        });
        copied.addEventListener("change", () => {
            this.choice.copied = copied.checked;
            this.refresh();
        });
        order.addEventListener("change", () => {
            this.choice.order = order.value;
            this.refresh();
        });
        return make("div", { className: "tools" }, this.counted, this.state,
            search, make("label", {}, copied, " with copies only"), order);
    }

    search(value) {
        const words = value.trim().toLowerCase();
        this.choice.words = words;
        this.inText = new Set();
        searches++;
        const end = () => {
            this.state.textContent = "";
            this.box.ariaBusy = "false";
        };
        if (words.length >= 3) {
            this.state.textContent = "searching the texts …";
            searchTexts(words, (hits) => {
                hits.forEach((i) => this.inText.add(i));
                if (hits.length > 0) this.refresh();
            }, end);
        } else end();
        this.refresh();
    }

    makeExcluded() {
        this.left = make("p", { className: "left-out" });
        return this.left;
    }

    /* ---- what follows ---- */

    count() {
        for (const row of this.rows) {
            row.now = row.copied - sum(row.sources.filter((s) =>
                excluded.has(s.id)).map((s) => s.n));
            row.share = percent(row.now, row.units);
        }
    }

    passes(row, { bin = this.choice.bin, period = this.choice.period } = {}) {
        const { words, copied } = this.choice;
        if (copied && row.now <= 0) return false;
        if (bin >= 0 && binOf(row.share) !== bin) return false;
        if (period >= 0 && !(row.at >= this.periods[period].at &&
            row.at < this.periods[period].until)) return false;
        return words === "" || row.words.includes(words) ||
            this.inText.has(row.i);
    }

    refresh() {
        this.count();
        this.periods = timeItems([], this.rows, () => false);
        const rows = this.rows.filter((row) => this.passes(row));
        this.tell(rows);
        this.draw();
        const who = makeWhoCopied(rows, this.unit);
        this.who.replaceChildren(...(who ? [who] : []));
        this.order = [...rows].sort((a, b) =>
            orders[this.choice.order][1](a, b) || a.i - b.i);
        this.list.show(this.order);
    }

    tell(rows) {
        const copying = rows.filter((row) => row.now > 0);
        const units = sum(rows.map((row) => row.units));
        const sources = new Set(copying.flatMap((row) => row.sources
            .filter((s) => !excluded.has(s.id)).map((s) => s.id)));
        const figure = (n, text) => make("span", {}, make("strong", {},
            typeof n === "number" ? number.format(n) : n), ` ${text}`);
        this.figures.replaceChildren(
            figure(rows.length, rows.length === 1 ? "document" : "documents"),
            figure(copying.length, "with copied passages"),
            figure(sources.size, sources.size === 1 ? "source" : "sources"),
            figure(`${percent(sum(rows.map((row) => row.now)), units)} %`,
                `of all ${this.unit}s copied`));
        this.counted.textContent = rows.length === this.rows.length
            ? count(rows.length, "document")
            : `${number.format(rows.length)} of ` +
                count(this.rows.length, "document");
        this.left.replaceChildren();
        if (excluded.size === 0) return;
        this.left.append(`${count(excluded.size, "source")} left out: ` +
            `${[...excluded].map(clean).slice(0, 5).join(", ")} `,
        makeButton("Count all again", "plain", () => {
            excluded.clear();
            refreshAll();
        }));
    }

    draw() {
        const choose = (name) => (i) => {
            this.choice[name] = i;
            this.refresh();
            find(`.charts .${name} [aria-pressed="true"]`)?.focus();
        };
        const chart = (name, title, items) => make("section",
            { className: name, "aria-label": title },
            make("h2", {}, title),
            makeBars(title, items, this.choice[name], choose(name)));
        const shares = shareItems(this.rows.filter((row) =>
            this.passes(row, { bin: -1 })), (row) => row.share);
        const times = timeItems(this.rows.filter((row) =>
            this.passes(row, { period: -1 })), this.rows,
        (row) => row.now > 0);
        this.charts.replaceChildren(
            chart("bin", "How much of each is copied", shares));
        if (times) this.charts.append(chart("period", "When", times));
    }
}
