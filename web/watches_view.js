/* Watches: who copies these documents is reported. */

class WatchesView {
    name = "watches";
    title = "Watches";

    constructor() {
        this.ids = make("textarea", { rows: 3, spellcheck: false });
        this.pattern = make("input", { type: "text", autocomplete: "off",
            spellcheck: false, placeholder: "news-*" });
        this.share = make("input", { type: "number", min: 0, max: 100,
            value: 10 });
        this.webhook = make("input", { type: "url", autocomplete: "off" });
        this.secret = make("input", { type: "password",
            autocomplete: "new-password" });
        this.submit = makeSubmit("Watch them");
        this.form = make("form", { className: "new-watch" },
            make("h2", {}, "A new watch"),
            makeField("Ids of documents, one a line", this.ids, "broad"),
            make("div", { className: "row" },
                makeField("or a pattern of ids", this.pattern),
                makeField("Copied, at least %", this.share)),
            make("details", {}, make("summary", {}, "Webhook"),
                make("div", { className: "row" },
                    makeField("Address", this.webhook),
                    makeField("Secret that signs it", this.secret)),
                make("p", { className: "hint" }, "Only to hosts that the " +
                    "server was started with.")),
            make("p", { className: "buttons" }, this.submit));
        onSubmit(this.form, () => this.add());
        this.notice = new Notice();
        this.items = make("ul", { className: "cards" });
        this.heading = make("h1", { tabIndex: -1 }, "Watches");
        this.element = make("section", { className: "view watches-view" },
            this.heading, this.notice.element, this.items, this.form);
    }

    async load(said = "") {
        const { watches } = await askJson("v1/watches");
        this.items.replaceChildren(...watches.map((w) => this.makeItem(w)));
        return said || (watches.length === 0 ? "There are none." : "");
    }

    async open(id) {
        if (id !== undefined) this.ids.value = id;
        try {
            this.notice.say(await this.load());
        } catch (error) {
            this.notice.fail(error);
        }
    }

    makeItem(watch) {
        const names = watch.ids.slice(0, 10).map((id, i) => make("span", {},
            i > 0 ? ", " : "", makeDocumentLink(id, id)));
        if (watch.ids.length > 10)
            names.push(` and ${watch.ids.length - 10} more`);
        if (watch.pattern)
            names.push(make("span", {}, names.length > 0 ? ", " : "",
                make("code", {}, make("bdi", {}, clean(watch.pattern)))));
        const remove = makeButton("Delete", "", () => attempt(this.notice,
            remove, "Deleting …", async () => {
                await ask(`v1/watches/${encodeURIComponent(watch.id)}`,
                    { method: "DELETE" });
                this.heading.focus();
                return this.load("The watch is deleted.");
            }), `Delete the watch ${clean(watch.id)}`);
        return make("li", {}, make("span", { className: "what" }, ...names),
            make("span", { className: "facts" },
                make("span", {}, `from ${percent(watch.min_share, 1)} % on`),
                make("span", {}, `notified ${number.format(watch.n_notified)} ` +
                    (watch.n_notified === 1 ? "time" : "times")),
                watch.webhook ? make("bdi", {}, clean(watch.webhook) +
                    (watch.signed ? ", signed" : "")) : ""),
            remove);
    }

    add() {
        const ids = this.ids.value.split("\n").map((id) => id.trim())
            .filter(Boolean);
        const watch = { min_share: Number(this.share.value) / 100 };
        if (ids.length > 0) watch.ids = ids;
        if (this.pattern.value.trim())
            watch.pattern = this.pattern.value.trim();
        if (this.webhook.value.trim())
            watch.webhook = this.webhook.value.trim();
        if (this.secret.value) watch.secret = this.secret.value;
        return attempt(this.notice, this.submit, "Adding …", async () => {
            await ask("v1/watches", { method: "POST",
                type: "application/json", body: JSON.stringify(watch) });
            this.form.reset();
            return this.load("They are watched.");
        });
    }
}
