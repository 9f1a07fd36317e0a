/* What is on the stage: the overview of a report, or one of its documents, as
 * the address says. */

const views = new Map(); /* the last documents that were looked at */
const stage = make("div", { className: "stage" });

/* Shows another report, or the first. */
async function startShowing(report) {
    showings++;
    leaveView();
    data = report;
    views.clear();
    encoded.clear();
    excluded.clear();
    overview = null;
    rows = [];
    stage.replaceChildren();
    if (data.meta.documents === 0) return;
    if (data.meta.documents > 1) {
        rows = await data.rows();
        overview = new Overview(rows);
    }
    await showHash();
}

async function viewOf(i) {
    if (!views.has(i)) {
        if (views.size > 19) views.delete(views.keys().next().value);
        views.set(i, new View(await data.document(i), i));
    }
    return views.get(i);
}

function leaveView() {
    if (view) closeCompare();
    view = null;
}

let showings = 0;
async function showDocument(i) {
    const mine = ++showings;
    const next = await viewOf(i);
    if (mine !== showings) return false;
    if (view === next) return true;
    leaveView();
    view = next;
    view.apply();
    stage.replaceChildren(view.article);
    find(".skip").href = `#${view.name}t0`;
    body.classList.remove("at-overview");
    markSteps();
    document.title = nameOf(view.doc);
    return true;
}

function showOverview() {
    showings++;
    leaveView();
    stage.replaceChildren(overview.element);
    body.classList.add("at-overview");
    find(".skip").href = "#overview";
    document.title = count(data.meta.documents, "document");
}

/* "#d3", "#d3p7", "#d3s2": a document, a passage, a source. */
async function showHash() {
    if (!data || data.meta.documents === 0) return;
    const found = /^#d(\d+)(?:([pst])(\d+))?$/.exec(location.hash);
    const i = found ? Number(found[1]) - 1 : 0;
    if ((!found || i >= data.meta.documents) && overview) {
        if (view || !stage.firstChild) showOverview();
        return;
    }
    const fresh = !view || view.i !== i;
    if (!await showDocument(i < data.meta.documents ? i : 0) || !found) return;
    const n = Number(found[3]) - 1;
    if (found[2] === "p" && view.passages[n]) goTo(n);
    else if (found[2] === "s" && view.sources[n]) {
        view.items[n].closest("details")?.setAttribute("open", "");
        view.items[n].scrollIntoView({ block: "nearest" });
    } else if (fresh && found[2] !== "t") scrollTo({ top: 0 });
}

/* ---- from one document to the next ---- */

const steps = make("nav", { className: "pages-nav", "aria-label":
    "Documents" });

function markSteps() {
    if (!overview) return;
    const link = (by, text, label) => {
        const i = neighbour(by);
        return i < 0 ? make("span", { className: "none" }, text)
            : make("a", { href: `#d${i + 1}`, "aria-label": label,
                          title: label }, text);
    };
    const at = overview.order.findIndex((row) => row.i === view.i);
    steps.replaceChildren(make("a", { href: "#overview" }, "Overview"),
        link(-1, "←", "Previous document ([)"),
        make("span", {}, at < 0 ? "" : `${number.format(at + 1)} of ` +
            number.format(overview.order.length)),
        link(1, "→", "Next document (])"));
}

/* ---- the bar at the top ---- */

function putTop(...links) {
    const helpButton = makeButton("?", "plain", () => help.showModal(), "Keys");
    help.addEventListener("click", () => help.close());
    themeButton.addEventListener("click", nextTheme);
    setTheme(themes.includes(remember()) ? remember() : "");
    find("main").before(make("a", { className: "skip", href: "#d1t0" },
        "Skip to the text"),
    make("header", { className: "top" }, ...links.filter(Boolean), steps,
        themeButton, helpButton));
    body.append(help);
}
