/* Live: what arrives, how much of it is new, and how the server is.
 *
 * Events come faster than anybody reads: they are shown once a frame, and the
 * lists have limits. Only the state of the connection is a live region; a
 * screen reader that read every arrival would never be silent. */

const MOST_ARRIVALS = 60, MOST_WAITING = 400;
const LONGEST_PAUSE = 30000; /* until it is tried again, in milliseconds */

class LiveView {
    name = "live";
    title = "Live";

    constructor() {
        this.pattern = make("input", { type: "text", autocomplete: "off",
            placeholder: "news-*" });
        this.source = make("input", { type: "text", autocomplete: "off",
            placeholder: "example.org" });
        this.share = make("input", { type: "number", min: 0, max: 100,
            placeholder: "0" });
        this.submit = makeSubmit("Follow");
        this.pause = makeButton("Pause", "", () => this.toggle());
        this.form = make("form", { className: "row" },
            makeField("Ids", this.pattern),
            makeField("Source (host)", this.source),
            makeField("Copied, at least %", this.share), this.submit,
            this.pause);
        onSubmit(this.form, () => this.follow());
        this.notice = new Notice();
        this.figures = make("p", { className: "figures" });
        this.items = make("ol", { className: "list" });
        this.graph = new CopyGraph();
        this.plots = {
            added: new Plot("Documents a second", (v) => number.format(v)),
            fresh: new Plot("New text in them",
                (v) => `${percent(v, 1)} %`),
            requests: new Plot("Requests a second", (v) => number.format(v)),
            latency: new Plot("Time of a request", (v) =>
                `${v < 10 ? v.toFixed(1) : Math.round(v)} ms`),
            memory: new Plot("Memory", (v) =>
                `${number.format(Math.round(v / (1 << 20)))} MiB`),
            waiting: new Plot("Waiting for the writer",
                (v) => number.format(v)),
        };
        this.element = make("section", { className: "view live" },
            make("h1", { tabIndex: -1 }, "Live"), this.form,
            this.notice.element, this.figures,
            make("div", { className: "plots" }, ...Object.values(this.plots)
                .map((plot) => plot.element)),
            make("div", { className: "pair" },
                make("section", { "aria-label": "Arrivals" },
                    make("h2", {}, "Arrivals"),
                    make("div", { className: "documents arrivals",
                                  role: "group", tabIndex: 0,
                                  "aria-label": "The latest arrivals" },
                        this.items)),
                this.graph.element));
        this.seen = { n: 0, tokens: 0, fresh: 0, copies: 0 };
        this.second = { tokens: 0, fresh: 0 };
        this.waiting = [];
        this.stats = null;
        this.showFigures();
    }

    /* ---- the connection ---- */

    open() {
        this.follow(); /* until the view is left */
    }

    close() {
        this.connection?.abort();
        this.connection = null;
        this.pause.textContent = "Go on";
    }

    toggle() {
        if (!this.connection) {
            this.follow();
            return;
        }
        this.close();
        this.notice.say("Paused.");
    }

    async follow() {
        this.close();
        const mine = new AbortController();
        this.connection = mine;
        this.pause.textContent = "Pause";
        this.stats = null;
        for (let wait = 1000; this.connection === mine;
            wait = Math.min(2 * wait, LONGEST_PAUSE)) {
            try {
                await this.read(mine, () => { wait = 1000; });
                if (this.connection !== mine) return;
                this.notice.say("The server has ended the stream; " +
                    "asking again …");
            } catch (error) {
                if (this.connection !== mine) return;
                this.notice.fail(error);
                if (error.status >= 400 && error.status < 500) {
                    this.close();
                    return;
                }
            }
            await new Promise((done) => {
                const timer = setTimeout(done, wait);
                mine.signal.addEventListener("abort", () => {
                    clearTimeout(timer);
                    done();
                });
            });
        }
    }

    async read(mine, connected) {
        const response = await ask("v1/events", { signal: mine.signal,
            query: { id: this.pattern.value.trim(),
                     source: this.source.value.trim(),
                     min_share: this.share.value === "" ? ""
                         : this.share.value / 100 } });
        connected();
        this.notice.say("Connected: arrivals are shown as they come.");
        for await (const [kind, event] of eventsOf(response)) {
            if (this.connection !== mine) return;
            this.take(kind, event);
        }
    }

    /* ---- events ---- */

    take(kind, event) {
        if (kind === "document") {
            this.seen.n++;
            this.seen.tokens += event.n_tokens;
            this.seen.fresh += event.novel * event.n_tokens;
            this.second.tokens += event.n_tokens;
            this.second.fresh += event.novel * event.n_tokens;
        } else if (kind === "copy") this.seen.copies++;
        else if (kind === "stats") this.takeStats(event);
        if (kind === "stats") return;
        this.waiting.push([kind, event]);
        if (this.waiting.length > MOST_WAITING) this.waiting.shift();
        if (this.frame) return;
        this.frame = requestAnimationFrame(() => {
            this.frame = 0;
            this.show();
        });
    }

    takeStats(now) {
        const last = this.stats;
        this.stats = now;
        const { plots, second } = this;
        plots.memory.add(now.resident_bytes);
        plots.waiting.add(now.n_waiting);
        if (last && now.n_requests >= last.n_requests) {
            const requests = now.n_requests - last.n_requests;
            plots.added.add(now.n_added - last.n_added);
            plots.requests.add(requests);
            plots.latency.add(requests > 0
                ? (now.request_micros - last.request_micros) / requests / 1000
                : NaN);
            plots.fresh.add(second.tokens > 0
                ? second.fresh / second.tokens : NaN);
        }
        this.second = { tokens: 0, fresh: 0 };
        this.showFigures();
    }

    showFigures() {
        const { seen, stats } = this;
        const figure = (n, text) => make("span", {}, make("strong", {}, n),
            ` ${text}`);
        this.figures.replaceChildren(
            figure(stats ? number.format(stats.n_documents) : "–",
                "in the store"),
            figure(number.format(seen.n), "arrived since this was opened"),
            figure(seen.tokens > 0
                ? `${percent(seen.fresh, seen.tokens)} %` : "–",
            "of their text is new"),
            figure(number.format(seen.copies), "copies of watched documents"));
    }

    show() {
        const rows = [];
        for (const [kind, event] of this.waiting) {
            if (kind === "document") this.graph.add(event);
            rows.push(this.makeRow(kind, event));
        }
        this.waiting = [];
        this.items.prepend(...rows.reverse().slice(0, MOST_ARRIVALS));
        while (this.items.children.length > MOST_ARRIVALS)
            this.items.lastChild.remove();
        this.graph.draw();
        this.showFigures();
    }

    makeRow(kind, event) {
        if (kind === "document") return this.makeArrival(event);
        const text = kind === "removed"
            ? ["Removed: ", make("bdi", {}, clean(event.id))]
            : ["Watched: ", make("bdi", {}, clean(event.document?.id || "?")),
                ` took ${percent(event.share, 1)} % from `,
                make("bdi", {}, clean(event.origin?.id || "?"))];
        return make("li", { className: `event ${kind}` }, ...text);
    }

    makeArrival(doc) {
        const fresh = percent(doc.novel, 1);
        const bar = make("i");
        bar.style.width = `${fresh}%`;
        const [first] = doc.origins;
        const from = make("span", { className: "from" });
        if (first)
            from.append(`${percent(first.share, 1)} % from `,
                make("bdi", {}, clean(first.id)),
                doc.origins.length > 1 ? `, ${doc.origins.length - 1} more`
                    : "");
        const link = make("a", { href: documentAddress(doc.id) },
            make("span", { className: "share" }, `${fresh} %`,
                make("span", { className: "sr" }, " new")),
            make("span", { className: "bar", "aria-hidden": "true" }, bar),
            make("bdi", { className: "what" }, nameOf(doc)), from,
            make("span", { className: "when" }, day(doc.time)));
        return make("li", {}, link);
    }
}
