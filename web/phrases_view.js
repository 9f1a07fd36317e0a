/* Phrases: what most documents repeat. The server reads all texts for it, so
 * it is asked when the reader says so. */

class PhrasesView {
    name = "phrases";
    title = "Phrases";

    constructor() {
        this.documents = make("input", { type: "number", min: 2, value: 3,
            required: true });
        this.words = make("input", { type: "number", min: 3, max: 1000,
            value: 8, required: true });
        this.period = make("select", {}, ...[["parts", "equal parts"],
            ["day", "days"], ["month", "months"], ["year", "years"]]
            .map(([value, text]) => make("option", { value }, text)));
        this.submit = makeSubmit("Find them");
        this.form = make("form", { className: "row" },
            makeField("In documents, at least", this.documents),
            makeField("Words, at least", this.words),
            makeField("Growth by", this.period), this.submit);
        onSubmit(this.form, () => this.find());
        this.notice = new Notice();
        this.items = make("ol", { className: "phrases" });
        this.element = make("section", { className: "view phrases-view" },
            make("h1", { tabIndex: -1 }, "Phrases that many repeat"),
            this.form, this.notice.element, this.items);
    }

    open() { }

    find() {
        return attempt(this.notice, this.submit,
            "Reading all texts; this takes a while …", async () => {
                const answer = await askJson("v1/phrases",
                    { query: { min_documents: this.documents.value,
                               min_tokens: this.words.value,
                               period: this.period.value, limit: 200 } });
                this.items.replaceChildren(...answer.phrases.map((phrase) =>
                    this.makePhrase(phrase, answer.periods)));
                return `${count(answer.phrases.length, "phrase")} in ` +
                    `${count(answer.n_documents, "document")}` +
                    (answer.n_more > 0
                        ? `, ${number.format(answer.n_more)} more not shown`
                        : "");
            });
    }

    makePhrase(phrase, periods) {
        const text = make("blockquote", { dir: "auto", lang: "" });
        appendText(text, phrase.text);
        const { first } = phrase;
        return make("li", {},
            make("p", { className: "count" },
                make("strong", {}, number.format(phrase.n_documents)),
                " documents"),
            make("div", {}, text, make("p", { className: "facts" },
                make("span", {}, count(phrase.n_tokens, "word")),
                make("span", {}, "first in ",
                    makeDocumentLink(first.id, first.title || first.id)),
                make("span", {}, day(first.time)))),
            this.makeGrowth(phrase.growth, periods));
    }

    makeGrowth(growth, periods) {
        const most = Math.max(...growth, 1);
        const name = (i) => periods[i]?.first ? day(periods[i].first)
            : `part ${i + 1}`;
        const bars = growth.slice(-40).map((n, i) => {
            const bar = make("i", { title: `${name(i)}: ${n}` });
            bar.style.height = `${Math.max(4, 100 * n / most)}%`;
            bar.classList.toggle("none", n === 0);
            return bar;
        });
        return make("div", { className: "growth", role: "img",
            "aria-label": `Growth: ${growth.join(", ")}` }, ...bars);
    }
}
