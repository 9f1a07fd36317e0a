/* Scrolling together.
 *
 * Each passage gives two pairs of heights, its top and its bottom here and
 * there; between them the way is straight. The side that a person moves leads.
 * A scroll that we have caused ourselves is known by the place it ends at. */

let anchors = null;
let ownPages = -1, ownPage = -1;

function setPages(top) {
    const most = pane.pages.scrollHeight - pane.pages.clientHeight;
    ownPages = Math.round(clamp(top, 0, most));
    pane.pages.scrollTop = ownPages;
}

function measure() {
    const frame = pane.pages.getBoundingClientRect();
    const inner = pane.pages.scrollTop - frame.top;
    const found = [];
    for (const there of pane.pages.querySelectorAll("mark[data-p]")) {
        const marks = view.marks[there.dataset.p - 1];
        if (marks.length === 0) continue;
        const a = marks[0].getBoundingClientRect();
        const b = marks[marks.length - 1].getBoundingClientRect();
        const t = there.getBoundingClientRect();
        found.push([a.top + scrollY, t.top + inner],
            [b.bottom + scrollY, t.bottom + inner]);
    }
    found.sort((x, y) => x[0] - y[0]);
    /* Passages that changed places: only those that rise on both sides. */
    anchors = found.filter((pair, k) =>
        k === 0 || pair[1] >= found[k - 1][1]);
}

function through(value, from, to) {
    const list = anchors;
    if (list.length === 0) return null;
    if (value <= list[0][from]) return list[0][to] - (list[0][from] - value);
    for (let k = 1; k < list.length; k++) {
        if (value > list[k][from]) continue;
        const span = list[k][from] - list[k - 1][from] || 1;
        const share = (value - list[k - 1][from]) / span;
        return list[k - 1][to] + share * (list[k][to] - list[k - 1][to]);
    }
    const last = list[list.length - 1];
    return last[to] + value - last[from];
}

function follow(leader) {
    if (!pane || !pane.element.isConnected) return;
    const line = innerHeight * 0.3; /* where the eye is */
    const frame = pane.pages.getBoundingClientRect();
    const inside = clamp(line - frame.top, 0, frame.height);
    if (leader === "pages") {
        if (Math.abs(pane.pages.scrollTop - ownPages) < 2) return;
        ownPages = -1;
        if (isSheet()) return;
        if (!anchors) measure();
        const to = through(pane.pages.scrollTop + inside, 1, 0);
        if (to === null) return;
        ownPage = Math.round(clamp(to - line, 0,
            root.scrollHeight - innerHeight));
        scrollTo({ top: ownPage });
        return;
    }
    if (Math.abs(scrollY - ownPage) < 2) return;
    ownPage = -1;
    if (!anchors) measure();
    const to = through(scrollY + line, 0, 1);
    if (to !== null) setPages(to - inside);
}

/* Heights far from the screen are guesses until they are laid out. */
let settle = 0;
addEventListener("scroll", () => {
    if (!pane || !pane.element.isConnected) return;
    follow("page");
    clearTimeout(settle);
    settle = setTimeout(() => { anchors = null; }, 200);
}, { passive: true });
addEventListener("resize", () => { anchors = null; });
