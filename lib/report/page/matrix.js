/* Who copied whom: a matrix while it can be seen, a ranked list above. */

const MOST_IN_MATRIX = 300, MOST_LABELS = 45, MOST_RANKED = 15;

/* Links of these rows: [{ row, source, n }], the strongest first. */
function linksOf(rows) {
    const links = [];
    for (const row of rows)
        for (const source of row.sources)
            if (!excluded.has(source.id) && !source.boiler && source.n > 0)
                links.push({ row, source, n: source.n });
    return links.sort((a, b) => b.n - a.n || a.row.i - b.row.i);
}

/* Sources with what was taken from them, the largest first. */
function sourcesOf(links) {
    const all = new Map();
    for (const { row, source, n } of links) {
        const known = all.get(source.id) || { source, n: 0, rows: 0 };
        if (row.id === source.id) continue;
        known.n += n;
        known.rows++;
        all.set(source.id, known);
    }
    return [...all.values()].sort((a, b) => b.n - a.n);
}

const byTime = (a, b) => (a.at === a.at ? a.at : Infinity) -
    (b.at === b.at ? b.at : Infinity) || a.order - b.order;

function makeMatrix(rows, links, unit) {
    const sources = sourcesOf(links).map(({ source }, order) =>
        ({ source, order, at: moment(source.time) })).sort(byTime);
    const takers = [...new Set(links.map((l) => l.row))].map((row) =>
        ({ row, order: row.i, at: row.at })).sort(byTime);
    if (takers.length === 0 || takers.length > MOST_IN_MATRIX ||
        sources.length > MOST_IN_MATRIX) return null;
    const labelled = takers.length <= MOST_LABELS &&
        sources.length <= MOST_LABELS;
    const size = labelled ? 18 : clamp(Math.floor(900 /
        Math.max(takers.length, sources.length)), 3, 14);
    const x = new Map(sources.map((s, i) => [s.source.id, i]));
    const y = new Map(takers.map((t, i) => [t.row.i, i]));
    const field = make("div", { className: "field" });
    field.style.width = `${size * sources.length}px`;
    field.style.height = `${size * takers.length}px`;
    for (const { row, source, n } of links) {
        if (!x.has(source.id)) continue;
        const share = percent(n, row.units);
        const text = `${nameOf(row)}: ${share} % (${count(n, unit)}) from ` +
            nameOf(source);
        const cell = make("a", { href: `#d${row.i + 1}`, title: text,
                                 "aria-label": text, tabIndex: -1 });
        cell.style.left = `${size * x.get(source.id)}px`;
        cell.style.top = `${size * y.get(row.i)}px`;
        cell.style.width = cell.style.height = `${size - (size > 5 ? 2 : 0)}px`;
        cell.style.opacity = String(0.25 + 0.75 * Math.sqrt(share / 100));
        field.append(cell);
    }
    const matrix = make("div", { className: "matrix", tabIndex: 0,
        role: "group", "aria-label": "Matrix: documents and their sources" });
    if (!labelled) {
        matrix.append(field);
        return matrix;
    }
    const top = make("ol", { className: "columns" },
        ...sources.map(({ source }) => make("li", { title: nameOf(source) },
            make("bdi", {}, nameOf(source)))));
    top.style.gridTemplateColumns = `repeat(${sources.length}, ${size}px)`;
    const side = make("ol", { className: "rows" },
        ...takers.map(({ row }) => {
            const item = make("li", {}, make("a", { href: `#d${row.i + 1}`,
                title: nameOf(row) }, make("bdi", {}, nameOf(row))));
            item.style.height = `${size}px`;
            return item;
        }));
    matrix.classList.add("labelled");
    matrix.append(make("span", { className: "corner" }, "takes ↓ from →"),
        top, side, field);
    return matrix;
}

function makeRankedSources(links, unit) {
    const list = make("ol", { className: "ranked" });
    for (const { source, n, rows } of sourcesOf(links).slice(0, MOST_RANKED))
        list.append(make("li", {},
            make("bdi", { className: "what" }, nameOf(source)),
            make("span", { className: "facts" },
                make("span", {}, day(source.time)),
                make("span", {}, `${count(n, unit)} in ` +
                    count(rows, "document")))));
    return list;
}

function makeRankedLinks(links, unit) {
    const list = make("ol", { className: "ranked" });
    for (const { row, source, n } of links.slice(0, MOST_RANKED))
        list.append(make("li", {},
            make("a", { href: `#d${row.i + 1}`, className: "what" },
                make("bdi", {}, nameOf(row))),
            make("span", { className: "facts" },
                make("span", {}, "from ", make("bdi", {}, nameOf(source))),
                make("span", {}, `${count(n, unit)}, ` +
                    `${percent(n, row.units)} %`))));
    return list;
}

function makeWhoCopied(rows, unit) {
    const links = linksOf(rows);
    if (links.length === 0) return null;
    const matrix = makeMatrix(rows, links, unit);
    const ranked = make("div", {}, make("h3", {}, "Largest sources"),
        makeRankedSources(links, unit));
    const first = matrix
        ? make("div", { className: "wide" }, matrix)
        : make("div", {}, make("h3", {}, "Largest copies"),
            makeRankedLinks(links, unit));
    return make("section", { className: "who", "aria-label":
        "Who copied whom" }, make("h2", {}, "Who copied whom"),
    make("div", { className: "pair" }, first, ranked));
}
