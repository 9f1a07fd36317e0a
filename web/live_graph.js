/* Who copies whom, among the last documents: each on a line of its own in the
 * order in which it was met, an arc from each to those that took from it. The
 * picture depends on that order alone, so that it does not jump; and it has a
 * limit, beyond which the oldest go. */

const MOST_NODES = 28, NODE_HEIGHT = 28;
/* As wide as its column in the style. */
const arcWidth = () => narrow.matches ? 80 : 150;

class CopyGraph {
    constructor() {
        this.nodes = []; /* { id, name } */
        this.arcs = [];  /* { from, to, share }: places in `nodes` */
        this.picture = makeSvg("svg", { "aria-hidden": "true" });
        this.list = make("ol");
        this.empty = make("p", { className: "facts" },
            "Nobody has copied anybody since this page was opened.");
        this.drawn = make("div", { className: "graph", hidden: true },
            this.picture, this.list);
        this.element = make("section", { className: "who-live",
            "aria-label": "Who copies whom" },
        make("h2", {}, "Who copies whom"), this.empty, this.drawn);
        narrow.addEventListener("change", () => this.draw());
        for (const kind of ["pointerover", "focusin"])
            this.list.addEventListener(kind, (event) => this.point(
                event.target.closest("li")));
        for (const kind of ["pointerleave", "focusout"])
            this.list.addEventListener(kind, () => this.point(null));
    }

    place(id, name) {
        const known = this.nodes.findIndex((node) => node.id === id);
        if (known >= 0) {
            if (name) this.nodes[known].name = name;
            return known;
        }
        return this.nodes.push({ id, name: name || id }) - 1;
    }

    add(doc) {
        const origins = doc.origins.filter((o) => o.id !== doc.id).slice(0, 6);
        if (origins.length === 0) return;
        const from = origins.map((o) => this.place(o.id));
        const to = this.place(doc.id, doc.title);
        origins.forEach((o, i) => {
            const arc = this.arcs.find((a) => a.from === from[i] &&
                a.to === to);
            if (arc) arc.share = o.share;
            else this.arcs.push({ from: from[i], to, share: o.share });
        });
        this.trim();
    }

    trim() {
        const extra = this.nodes.length - MOST_NODES;
        if (extra <= 0) return;
        this.nodes.splice(0, extra);
        this.arcs = this.arcs.filter((a) => a.from >= extra && a.to >= extra)
            .map((a) => ({ ...a, from: a.from - extra, to: a.to - extra }));
    }

    makeArc({ from, to, share }) {
        const y = (i) => (i + 0.5) * NODE_HEIGHT;
        const width = arcWidth();
        const far = Math.min(width - 12,
            18 + 14 * Math.abs(to - from)) * 4 / 3;
        const x = width - 6;
        const path = makeSvg("path", { class: "arc",
            d: `M${x} ${y(from)}C${x - far} ${y(from)} ${x - far} ${y(to)} ` +
                `${x - 5} ${y(to)}`,
            "stroke-width": (1 + 4 * share).toFixed(1) });
        path.dataset.from = from;
        path.dataset.to = to;
        return path;
    }

    takenBy(i) {
        const list = this.arcs.filter((a) => a.to === i)
            .sort((a, b) => b.share - a.share);
        if (list.length === 0) return "";
        const [first] = list;
        return `${percent(first.share, 1)} % from ` +
            clean(this.nodes[first.from].name) +
            (list.length > 1 ? ` and ${list.length - 1} more` : "");
    }

    draw() {
        const width = arcWidth(), height = this.nodes.length * NODE_HEIGHT;
        this.empty.hidden = this.nodes.length > 0;
        this.drawn.hidden = this.nodes.length === 0;
        this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
        this.picture.setAttribute("width", width);
        this.picture.setAttribute("height", height);
        this.picture.replaceChildren(
            ...this.arcs.map((arc) => this.makeArc(arc)),
            ...this.nodes.map((_, i) => makeSvg("circle", {
                cx: width - 5, cy: (i + 0.5) * NODE_HEIGHT,
                r: this.arcs.some((a) => a.from === i) ? 4.5 : 3,
                class: this.arcs.some((a) => a.to === i) ? "taker"
                    : "giver" })));
        /* Who reads the list by keys stays on his line. */
        const at = document.activeElement?.closest(".graph li")?.dataset.id;
        this.list.replaceChildren(...this.nodes.map((node, i) => {
            const item = make("li", {}, makeDocumentLink(node.id, node.name),
                make("span", { className: "facts" }, this.takenBy(i)));
            item.dataset.id = node.id;
            return item;
        }));
        if (at !== undefined)
            find("a", [...this.list.children].find((item) =>
                item.dataset.id === at) || this.list)?.focus();
    }

    /* The arcs of one line stand out. */
    point(item) {
        const i = item ? [...this.list.children].indexOf(item) : -1;
        for (const arc of this.picture.querySelectorAll(".arc"))
            arc.classList.toggle("dim", i >= 0 &&
                Number(arc.dataset.from) !== i && Number(arc.dataset.to) !== i);
    }
}
