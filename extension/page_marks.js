/* Marks on a page: what is copied in the colour of its source, what is new
 * underlined. Runs when the reader clicks, and again to take the marks away.
 *
 * The page gets elements around its text, and nothing else: titles and
 * addresses of sources stand in a closed tree, where its scripts cannot read
 * what the reader's server knows. All of it is put in as text. */

(() => {
    const api = globalThis.browser ?? globalThis.chrome;
    const MOST_MARKS = 5000, COLOURS = 10;

    const make = (tag, properties = {}, ...children) => {
        const element = document.createElement(tag);
        for (const [name, value] of Object.entries(properties)) {
            if (name in element) element[name] = value;
            else element.setAttribute(name, value);
        }
        element.append(...children.filter(Boolean));
        return element;
    };
    const percent = (share) => `${share > 0 ? Math.max(1,
        Math.round(100 * share)) : 0} %`;
    const day = (time) => time ? time.split("T")[0] : "undated";
    const hostOf = (url) => {
        try {
            return new URL(url).host;
        } catch {
            return "";
        }
    };

    /* ---- marks ---- */

    /* Parts of nodes that have this stretch of the text. */
    function* partsOf(pieces, begin, end) {
        let low = 0, high = pieces.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (pieces[middle].end <= begin) low = middle + 1;
            else high = middle;
        }
        for (; low < pieces.length && pieces[low].begin < end; low++) {
            const piece = pieces[low];
            const from = Math.max(begin, piece.begin) - piece.begin;
            const to = Math.min(end, piece.end) - piece.begin;
            if (from < to && /\S/.test(piece.data.slice(from, to)))
                yield { piece, from, to };
        }
    }

    /* The node may have changed since its text was sent: then it is left. */
    const isSame = ({ node, data }) => node.isConnected && node.data === data;

    function wrap(node, from, to, className) {
        const middle = from > 0 ? node.splitText(from) : node;
        if (to - from < middle.data.length) middle.splitText(to - from);
        const mark = make("origo-mark", { className });
        middle.replaceWith(mark);
        mark.append(middle);
        return mark;
    }

    function unwrap(mark) {
        const parent = mark.parentNode;
        mark.replaceWith(...mark.childNodes);
        parent?.normalize();
    }

    /* spans: [{ begin, end, source }], in order; -1: nobody's. */
    function markAll(pieces, spans) {
        const parts = spans.flatMap((span, i) =>
            [...partsOf(pieces, span.begin, span.end)]
                .map((part) => ({ ...part, span, i }))).slice(0, MOST_MARKS)
            .filter(({ piece }) => isSame(piece));
        const marks = spans.map(() => []);
        /* From the end, so that places before stay what they are. */
        for (const { piece, from, to, span, i } of parts.reverse())
            marks[i].unshift(wrap(piece.node, from, to, span.source < 0
                ? "origo-new" : `origo-c${span.source % COLOURS}`));
        return marks;
    }

    /* ---- the panel ---- */

    const STYLE = `
:host { all: initial; }
* { box-sizing: border-box; }
.panel, .tip { position: fixed; z-index: 2147483647; color: #1d1f23;
    background: #ffffff; border: 1px solid #c9c5bd; border-radius: 8px;
    font: 14px/1.45 system-ui, sans-serif;
    box-shadow: 0 4px 24px rgb(0 0 0 / 22%); }
.panel { inset: auto 16px 16px auto; width: 320px;
    max-width: calc(100vw - 32px); max-height: 60vh; overflow: auto;
    padding: 12px 14px; }
.tip { max-width: min(360px, calc(100vw - 16px)); padding: 8px 12px;
    pointer-events: none; overflow-wrap: anywhere; }
.tip:empty { display: none; }
.head { display: flex; gap: 8px; align-items: start;
    justify-content: space-between; }
.head strong { font-size: 20px; font-weight: 600; line-height: 1.2; }
p { margin: 0; } .soft, .facts { color: #5d626b; font-size: 13px; }
ol { margin: 8px 0; padding: 0; list-style: none; }
li { padding: 6px 0 6px 10px; border-inline-start: 4px solid var(--deep);
    margin-bottom: 6px; overflow-wrap: anywhere; }
button { font: inherit; color: inherit; background: none; cursor: pointer;
    border: 1px solid #c9c5bd; border-radius: 6px; padding: 2px 10px; }
button.name { border: 0; padding: 0; font-weight: 600; text-align: start; }
button:hover { text-decoration: underline; }
a { color: #1f5fa8; } .problem { color: #a3352c; }
:focus-visible { outline: 2px solid #1f5fa8; outline-offset: 2px; }
.c0 { --deep: hsl(210 62% 38%); } .c1 { --deep: hsl(28 62% 38%); }
.c2 { --deep: hsl(150 62% 32%); } .c3 { --deep: hsl(338 62% 38%); }
.c4 { --deep: hsl(262 62% 45%); } .c5 { --deep: hsl(186 62% 32%); }
.c6 { --deep: hsl(48 72% 34%); } .c7 { --deep: hsl(4 62% 42%); }
.c8 { --deep: hsl(92 62% 30%); } .c9 { --deep: hsl(304 62% 38%); }
@media (prefers-color-scheme: dark) {
    .panel, .tip { color: #e5e3de; background: #1c1f24;
        border-color: #454a52; }
    .soft, .facts { color: #a0a5ae; } a { color: #86b6ee; }
    button { border-color: #454a52; } .problem { color: #f0978c; }
    :focus-visible { outline-color: #86b6ee; }
}`;

    function style(tree) {
        try {
            const sheet = new CSSStyleSheet();
            sheet.replaceSync(STYLE);
            tree.adoptedStyleSheets = [sheet];
        } catch { /* not from scripts of extensions, in some browsers */
            tree.append(make("style", { textContent: STYLE }));
        }
    }

    function makeAddress(url) {
        if (!/^https?:\/\/./.test(url || "")) return null;
        return make("a", { href: url, rel: "noopener noreferrer",
            target: "_blank" }, hostOf(url) || url.slice(0, 60));
    }

    class Companion {
        constructor() {
            this.host = make("origo-panel");
            this.tree = this.host.attachShadow({ mode: "closed" });
            style(this.tree);
            this.panel = make("section", { className: "panel", role: "region",
                                           "aria-label": "origo" });
            this.tip = make("div", { className: "tip", role: "status" });
            this.tree.append(this.panel, this.tip);
            document.documentElement.append(this.host);
            this.marks = [];
            this.news = [];
            this.listeners = new AbortController();
        }

        /* ---- asking ---- */

        async run() {
            this.say("Asking the server …");
            const { text, pieces } = globalThis.origoText();
            if (!/\S/.test(text)) {
                this.say("There is no text on this page.");
                return;
            }
            const url = location.href.split("#")[0];
            let result;
            try {
                result = await api.runtime.sendMessage({ kind: "trace",
                    document: { id: url.slice(0, 300),
                                title: document.title || undefined,
                                url, text } });
            } catch {
                result = { error: "The extension was updated: " +
                    "load the page again." };
            }
            if (this.isGone) return;
            if (!result?.answer) {
                this.say(result?.error || "There was no answer.", true);
                return;
            }
            this.show(result.answer, pieces);
        }

        /* ---- showing ---- */

        show(answer, pieces) {
            const origins = answer.origins ?? [];
            const number = new Map(origins.map((o, i) => [o.id, i]));
            for (const { origin } of answer.spans)
                if (!number.has(origin.id)) {
                    number.set(origin.id, origins.length);
                    origins.push(origin);
                }
            this.origins = origins;
            this.spans = answer.spans.map((span) => ({ ...span,
                source: number.get(span.origin.id) }));
            const all = [...this.spans, ...answer.novel_spans.map((range) =>
                ({ ...range, source: -1 }))]
                .sort((a, b) => a.begin - b.begin);
            const marks = markAll(pieces, all);
            this.news = marks.filter((_, i) => all[i].source < 0).flat();
            this.marks = marks.filter((_, i) => all[i].source >= 0);
            this.marks.forEach((list, i) => this.listen(list, this.spans[i]));
            this.fill(answer);
        }

        listen(list, span) {
            const { signal } = this.listeners;
            for (const mark of list) {
                mark.addEventListener("pointerenter", () =>
                    this.point(mark, span), { signal });
                mark.addEventListener("pointerleave", () => this.unpoint(),
                    { signal });
            }
            const [first] = list;
            if (!first) return;
            first.tabIndex = 0;
            first.setAttribute("role", "mark");
            first.addEventListener("focus", () => this.point(first, span),
                { signal });
            first.addEventListener("blur", () => this.unpoint(), { signal });
        }

        /* Where it comes from, beside it. */
        point(mark, span) {
            const origin = this.origins[span.source];
            this.tip.replaceChildren(
                make("p", {}, make("strong", { dir: "auto" },
                    origin.title || origin.id)),
                make("p", { className: "facts" },
                    [day(origin.time), origin.url || origin.id]
                        .join(", ").slice(0, 300)),
                make("p", { className: "facts" }, `${span.n_tokens} words` +
                    (span.how === "verified" ? ", compared word by word"
                        : ", found by fingerprint")));
            const box = mark.getClientRects()[0] ??
                mark.getBoundingClientRect();
            const tip = this.tip.getBoundingClientRect();
            const left = Math.min(Math.max(8, box.left),
                innerWidth - tip.width - 8);
            const above = box.top - tip.height - 6;
            this.tip.style.left = `${Math.max(8, left)}px`;
            this.tip.style.top = `${above > 4 ? above : box.bottom + 6}px`;
        }

        unpoint() {
            this.tip.replaceChildren();
        }

        makeHead(text) {
            const close = make("button", { type: "button" }, "Close");
            close.addEventListener("click", () => this.remove());
            return make("div", { className: "head" }, text, close);
        }

        say(text, isWrong = false) {
            this.panel.replaceChildren(this.makeHead(make("p",
                { role: isWrong ? "alert" : "status",
                  className: isWrong ? "problem" : "" }, text)));
        }

        fill(answer) {
            const list = make("ol");
            this.origins.slice(0, 50).forEach((origin, s) => {
                const first = this.spans.findIndex((x) => x.source === s);
                const name = make("button", { type: "button",
                    className: "name", dir: "auto",
                    title: "Show its first passage" },
                origin.title || origin.id);
                name.addEventListener("click", () => this.goTo(first));
                list.append(make("li", { className: `c${s % COLOURS}` }, name,
                    make("p", { className: "facts" },
                        `${percent(origin.share ?? 0)}, ${day(origin.time)} `,
                        makeAddress(origin.url))));
            });
            const fresh = make("input", { type: "checkbox", checked: true });
            fresh.addEventListener("change", () => {
                for (const mark of this.news)
                    mark.classList.toggle("origo-off", !fresh.checked);
            });
            const n = this.origins.length;
            this.panel.replaceChildren(this.makeHead(make("strong",
                { role: "status" }, `${percent(answer.copied ??
                    1 - answer.novel)} copied`)),
            make("p", { className: "soft" }, n === 0
                ? "Nothing on this page was found elsewhere."
                : `${this.spans.length} passage` +
                    `${this.spans.length === 1 ? "" : "s"} from ${n} source` +
                    `${n === 1 ? "" : "s"}; ${percent(answer.novel)} is new`),
            list, make("label", {}, fresh, " underline what is new"));
        }

        goTo(i) {
            const mark = this.marks[i]?.[0];
            mark?.scrollIntoView({ block: "center" });
            mark?.focus({ preventScroll: true });
        }

        remove() {
            this.isGone = true;
            this.listeners.abort();
            for (const mark of [...this.marks.flat(), ...this.news])
                unwrap(mark);
            this.host.remove();
            globalThis.origoCompanion = null;
        }
    }

    if (globalThis.origoCompanion) {
        globalThis.origoCompanion.remove();
        return;
    }
    globalThis.origoCompanion = new Companion();
    globalThis.origoCompanion.run();
})();
