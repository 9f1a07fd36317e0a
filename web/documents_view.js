/* Documents: those of the store, searched, and one of them with its
 * passages. */

const hostOf = (url) => /^[a-z]+:\/\/(?:[^/@]*@)?([^/:?#]+)/i
    .exec(url || "")?.[1] || "";

const MOST_HOSTS = 12;

class DocumentsView {
    name = "documents";
    title = "Documents";

    constructor() {
        this.words = make("input", { type: "search" });
        this.source = make("input", { type: "text", autocomplete: "off",
            spellcheck: false, placeholder: "example.org" });
        this.prefix = make("input", { type: "text", autocomplete: "off",
            spellcheck: false });
        this.submit = makeSubmit("Search");
        this.form = make("form", { className: "row", role: "search" },
            makeField("In id, title or address", this.words),
            makeField("Source (host)", this.source),
            makeField("Id begins with", this.prefix), this.submit);
        onSubmit(this.form, () => this.search());
        this.notice = new Notice();
        this.hosts = make("ul", { className: "facts hosts",
                                  "aria-label": "Their sources" });
        this.items = make("ol", { className: "cards" });
        this.more = makeButton("More", "more", () => this.grow());
        this.more.hidden = true;
        this.list = make("div", {},
            make("h1", { tabIndex: -1 }, "Documents"), this.form, this.hosts,
            this.items, this.more);
        this.one = make("div", { className: "one" });
        this.element = make("section", { className: "view documents-view" },
            this.list, this.notice.element, this.one);
    }

    /* ---- the list ---- */

    search() {
        this.items.replaceChildren();
        this.hosts.replaceChildren();
        this.counts = new Map();
        this.next = undefined;
        return this.grow();
    }

    grow() {
        return attempt(this.notice, this.submit, "Looking …", async () => {
            const { documents, next } = await askJson("v1/documents",
                { query: { text: this.words.value.trim(),
                           source: this.source.value.trim(),
                           prefix: this.prefix.value, limit: 50,
                           before: this.next } });
            const first = this.items.children.length;
            this.items.append(...documents.map((doc) => this.makeCard(doc)));
            this.countHosts(documents);
            this.next = next ?? undefined;
            this.more.hidden = next === null;
            /* The list goes on where the button was. */
            if (first > 0) find("a", this.items.children[first])?.focus();
            const n = this.items.children.length;
            return n > 0 ? "" : next === null ? "There are none." :
                "None among the latest; there are more to look at.";
        });
    }

    makeHost(host) {
        return makeButton(clean(host), "plain host", () => {
            this.source.value = host;
            this.search();
        }, `Documents of ${clean(host)}`);
    }

    /* Where those of the list come from, most of them first. */
    countHosts(documents) {
        const counts = this.counts;
        for (const host of documents.map((doc) => hostOf(doc.url)))
            if (host) counts.set(host, (counts.get(host) ?? 0) + 1);
        const most = [...counts].sort((a, b) => b[1] - a[1])
            .slice(0, MOST_HOSTS);
        this.hosts.replaceChildren(...most.map(([host, n]) =>
            make("li", {}, this.makeHost(host), ` ${n}`)));
    }

    makeCard(doc) {
        const host = hostOf(doc.url);
        const from = make("span", { className: "facts" });
        if (doc.title)
            from.append(make("bdi", { className: "id" }, clean(doc.id)));
        if (host) from.append(this.makeHost(host));
        from.append(make("span", {}, count(doc.n_tokens, "word")),
            make("span", {}, day(doc.time)));
        return make("li", {},
            makeDocumentLink(doc.id, doc.title || doc.id, "what"), from);
    }

    /* ---- one of them ---- */

    /* Another may be asked for before this one is there. */
    async show(id) {
        this.shown = id;
        this.one.replaceChildren();
        this.answer = null;
        this.notice.say("Reading …");
        try {
            const answer = await this.ask(id);
            if (this.shown !== id) return;
            this.notice.say("");
            this.answer = answer;
            this.one.replaceChildren(this.makeBar(id), stage);
            await startShowing(answer.report);
        } catch (error) {
            if (this.shown === id) this.notice.fail(error);
        }
    }

    async ask(id) {
        const { title, url, time, text } = await askJson(
            `v1/documents/${encodeURIComponent(id)}`);
        if (text === undefined)
            throw new Refusal(200, "the store does not keep its text", 0);
        return askReport(JSON.stringify({ id, title, url, time, text }),
            "application/json", {});
    }

    makeBar(id) {
        const bar = makeExport(this.answer);
        bar.prepend(make("a", { href: "#documents" }, "All documents"));
        bar.append(make("a", { href: `#watches/${encodeURIComponent(id)}` },
            "Watch it"));
        return bar;
    }

    async open(id) {
        this.list.hidden = id !== undefined;
        this.one.hidden = id === undefined;
        if (id === undefined) {
            this.shown = undefined;
            if (this.items.children.length === 0) await this.search();
            else this.notice.say("");
        } else if (this.shown !== id || !this.answer) {
            await this.show(id);
        } else {
            this.one.append(stage);
            await startShowing(this.answer.report);
        }
    }
}
