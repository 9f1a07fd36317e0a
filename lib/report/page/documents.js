/* Several documents on one page: their list, and which of them is shown. */

function makeDocuments() {
    const list = make("ol");
    const rows = articles.map((article, i) => {
        const share = Number(find(".figure .number", article).textContent);
        const title = find("h1", article).textContent;
        const bar = make("i");
        bar.style.width = `${share}%`;
        const link = make("a", { href: `#${article.id}` },
            make("span", { className: "share" }, `${share} %`),
            make("span", { className: "bar", "aria-hidden": "true" }, bar),
            make("bdi", { className: "what" }, title),
            make("span", { className: "when" },
                find("header time", article)?.textContent || ""));
        const row = make("li", {}, link);
        return { row, link, share, i, words: title.toLowerCase() };
    });
    list.append(...rows.map((r) => r.row));

    const search = make("input", { type: "search", placeholder: "find a title",
                                   "aria-label": "Find a title" });
    const copied = make("input", { type: "checkbox", className: "copied" });
    const order = make("select", { "aria-label": "Order" },
        make("option", { value: "given" }, "as given"),
        make("option", { value: "share" }, "most copied first"));
    const refresh = () => {
        const words = search.value.toLowerCase();
        for (const r of rows)
            r.row.hidden = !r.words.includes(words) ||
                (copied.checked && r.share === 0);
        list.append(...[...rows].sort((a, b) => order.value === "share"
            ? b.share - a.share || a.i - b.i : a.i - b.i).map((r) => r.row));
    };
    for (const control of [search, copied, order])
        control.addEventListener("input", refresh);
    const nav = make("nav", { className: "documents",
                              "aria-label": "Documents" },
        make("div", { className: "inner" },
            make("div", { className: "tools" },
                make("strong", {}, count(articles.length, "document")),
                search, make("label", {}, copied, " with copies only"),
                order),
            list));
    nav.mark = (i) => rows.forEach((r) => {
        if (r.i === i) r.link.setAttribute("aria-current", "true");
        else r.link.removeAttribute("aria-current");
        if (r.i === i) r.row.scrollIntoView({ block: "nearest" });
    });
    return nav;
}

const views = new Map();
let documents = null;

function showDocument(i) {
    const article = articles[i];
    if (!article) return;
    if (view && view.article === article) return;
    if (view) closeCompare();
    articles.forEach((a) => { a.hidden = a !== article; });
    if (!views.has(i)) views.set(i, new View(article));
    view = views.get(i);
    find(".skip").href = `#${article.id}t0`;
    documents?.mark(i);
}

/* "#d3", "#d3p7", "#d3s2": a document, a passage, a source. */
function showHash() {
    const found = /^#d(\d+)(?:([pst])(\d+))?$/.exec(location.hash);
    if (!found) return;
    const fresh = !view || view.article.id !== `d${found[1]}`;
    showDocument(Number(found[1]) - 1);
    if (!view) return;
    const n = Number(found[3]) - 1;
    if (found[2] === "p" && view.passages[n]) goTo(n);
    else if (found[2] === "s" && view.sources[n])
        view.items[n].scrollIntoView({ block: "nearest" });
    else if (fresh && !found[2]) scrollTo({ top: 0 });
}
