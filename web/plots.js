/* Small plots of numbers that come once a second. */

const SVG = "http://www.w3.org/2000/svg";

function makeSvg(tag, attributes = {}, ...children) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes))
        element.setAttribute(name, value);
    element.append(...children);
    return element;
}

const MOST_POINTS = 120, PLOT_WIDTH = 240, PLOT_HEIGHT = 56;

class Plot {
    /* `write` makes text of a value. */
    constructor(name, write) {
        this.name = name;
        this.write = write;
        this.values = [];
        this.line = makeSvg("path", { class: "line" });
        this.area = makeSvg("path", { class: "area" });
        this.picture = makeSvg("svg", { role: "img", preserveAspectRatio:
            "none", viewBox: `0 0 ${PLOT_WIDTH} ${PLOT_HEIGHT}` },
        this.area, this.line);
        this.value = make("strong", {}, "–");
        this.most = make("span", { className: "most" });
        this.element = make("figure", { className: "plot" },
            make("figcaption", {}, make("span", {}, name), this.value),
            this.picture, this.most);
        this.draw();
    }

    add(value) {
        this.values.push(value);
        if (this.values.length > MOST_POINTS) this.values.shift();
        this.draw();
    }

    /* Values without a number are gaps; one between two gaps is a dot. */
    draw() {
        const known = this.values.filter((v) => v === v);
        const last = known[known.length - 1];
        const most = known.reduce((m, v) => Math.max(m, v), 0);
        /* The last one has room for the end of its line. */
        const x = (i) => (PLOT_WIDTH - 2) *
            (MOST_POINTS - this.values.length + i) / (MOST_POINTS - 1);
        const y = (v) => PLOT_HEIGHT - 2 -
            (most > 0 ? (PLOT_HEIGHT - 6) * v / most : 0);
        let line = "", area = "", before = false;
        this.values.forEach((v, i) => {
            if (v !== v) {
                if (before) area += `L${x(i - 1)} ${PLOT_HEIGHT}Z`;
                before = false;
                return;
            }
            const at = `${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
            if (!before) area += `M${x(i).toFixed(1)} ${PLOT_HEIGHT}`;
            line += `${before ? "" : `M${at}`}L${at}`;
            area += `L${at}`;
            before = true;
        });
        if (before) area += `L${x(this.values.length - 1)} ${PLOT_HEIGHT}Z`;
        this.line.setAttribute("d", line);
        this.area.setAttribute("d", area);
        if (last !== undefined) this.value.textContent = this.write(last);
        this.most.textContent = known.length > 1
            ? `at most ${this.write(most)}` : "\u00a0";
        this.picture.setAttribute("aria-label", last === undefined
            ? `${this.name}: nothing yet`
            : `${this.name}: ${this.write(last)}, at most ${this.write(most)}`);
    }
}
