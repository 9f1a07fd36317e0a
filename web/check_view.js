/* Check: a text is pasted or dropped, and shown as its report shows it. */

/* The server reads what these are; everything else is taken for text. */
const TYPES = { html: "text/html", htm: "text/html",
    xhtml: "application/xhtml+xml", xml: "application/xml",
    json: "application/json", eml: "message/rfc822" };
const typeOf = (file) =>
    TYPES[file.name.split(".").pop().toLowerCase()] || "text/plain";

/* What a text that has no title is called. */
const firstWords = (text) => {
    const [line] = text.trim().split("\n");
    return line.length <= 70 ? line
        : `${line.slice(0, 70).replace(/\s+\S*$/, "")} …`;
};

class CheckView {
    name = "check";
    title = "Check";

    constructor() {
        this.file = null;
        this.text = make("textarea", { className: "paste", rows: 10,
            dir: "auto", spellcheck: false,
            placeholder: "Paste a text here, or drop a file" });
        this.chosen = make("input", { type: "file", accept:
            ".txt,.md,.html,.htm,.xhtml,.xml,.json,.eml,text/plain" });
        this.heading = make("input", { type: "text", autocomplete: "off",
            dir: "auto" });
        this.id = make("input", { type: "text", autocomplete: "off" });
        this.shortest = make("input", { type: "number", min: 0, max: 1000,
            placeholder: "as the store has it" });
        this.reworded = make("input", { type: "checkbox" });
        this.add = make("input", { type: "checkbox" });
        this.submit = makeSubmit("Check");
        this.dropped = make("p", { className: "dropped", hidden: true });
        this.notice = new Notice();
        this.result = make("div", { className: "result" });
        this.form = this.makeForm();
        this.fold = make("details", { className: "asking", open: true },
            make("summary", {}, "The text to check"), this.form);
        this.element = make("section", { className: "view check" },
            make("h1", { tabIndex: -1 }, "Where does it come from?"),
            this.fold, this.notice.element, this.result);
        this.takeDrops();
    }

    makeForm() {
        const form = make("form", {},
            makeField("Text", this.text, "broad"), this.dropped,
            make("div", { className: "row" },
                makeField("or a file", this.chosen),
                makeField("Title, if you like", this.heading)),
            make("details", { className: "options" },
                make("summary", {}, "Options"),
                make("div", { className: "row" },
                    makeField("Shortest passage, in words", this.shortest),
                    makeField("Id", this.id)),
                makeCheck("look for reworded passages too", this.reworded),
                makeCheck("take it into the store", this.add)),
            make("p", { className: "buttons" }, this.submit,
                make("span", { className: "hint" }, "Ctrl + Enter")));
        onSubmit(form, () => this.check());
        this.chosen.addEventListener("change", () =>
            this.takeFile(this.chosen.files[0]));
        this.text.addEventListener("input", () => this.takeFile(null));
        this.text.addEventListener("keydown", (event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
                form.requestSubmit();
        });
        return form;
    }

    takeDrops() {
        const over = (is) => (event) => {
            if (!event.dataTransfer?.types.includes("Files")) return;
            event.preventDefault();
            this.form.classList.toggle("over", is);
        };
        this.element.addEventListener("dragover", over(true));
        this.element.addEventListener("dragleave", over(false));
        this.element.addEventListener("drop", (event) => {
            const [file] = event.dataTransfer.files;
            over(false)(event);
            if (!file) return;
            this.takeFile(file);
            this.check();
        });
    }

    takeFile(file) {
        this.file = file || null;
        this.dropped.hidden = !this.file;
        if (!this.file) {
            this.chosen.value = "";
            return;
        }
        this.text.value = "";
        this.dropped.replaceChildren("File: ",
            make("bdi", {}, clean(this.file.name)), ` (${number.format(
                this.file.size)} bytes) `,
            makeButton("Leave it", "plain", () => this.takeFile(null)));
    }

    check() {
        const { file } = this;
        const written = this.text.value;
        if (!file && written.trim() === "") {
            this.notice.say("There is no text to check.");
            this.text.focus();
            return;
        }
        attempt(this.notice, this.submit, "Checking …", async () => {
            this.answer = await askReport(file || written,
                file ? typeOf(file) : "text/plain", {
                    id: this.id.value.trim() || (file ? file.name : "pasted"),
                    title: this.heading.value.trim() ||
                        (file ? "" : firstWords(written)),
                    min_span: this.shortest.value,
                    reworded: this.reworded.checked ? "true" : "",
                    add: this.add.checked ? "true" : "" });
            await this.showAnswer();
            return this.add.checked ? "It is in the store now." : "";
        });
    }

    async showAnswer() {
        this.result.replaceChildren(makeExport(this.answer), stage);
        this.fold.open = false;
        await startShowing(this.answer.report);
        this.element.classList.add("answered");
        focusHeading(view.article);
    }

    async open() {
        if (!this.answer) return;
        this.result.append(stage);
        await startShowing(this.answer.report);
    }
}

/* Keeps a report as a file that needs no server. */
const makeExport = (answer) => make("p", { className: "export" },
    makeButton("Save the report", "", () => saveFile(
        fileName(nameOf(view.doc), "html"), answer.html, "text/html")));
