/* What clicks and keys do. */

body.addEventListener("click", (event) => {
    if (!view || event.target.closest("button, select, input, label")) return;
    if (String(getSelection()) !== "") return;
    const mark = event.target.closest(".text mark");
    if (mark && !mark.classList.contains("off")) {
        event.preventDefault();
        openCompare(Number(mark.dataset.p) - 1);
        return;
    }
    const item = event.target.closest(".source");
    if (!item || event.target.closest("a.url, a.open, .id")) return;
    event.preventDefault();
    compareSource(view.items.indexOf(item));
});

const help = make("dialog", { "aria-label": "Keys" }, make("dl", {},
    make("dt", {}, make("kbd", {}, "j"), " ", make("kbd", {}, "k")),
    make("dd", {}, "next, previous passage"),
    make("dt", {}, make("kbd", {}, "Enter")),
    make("dd", {}, "on a number: compare with the source"),
    make("dt", {}, make("kbd", {}, "Esc")),
    make("dd", {}, "close the comparison"),
    make("dt", {}, make("kbd", {}, "["), " ", make("kbd", {}, "]")),
    make("dd", {}, "previous, next document"),
    make("dt", {}, make("kbd", {}, "o")),
    make("dd", {}, "overview"),
    make("dt", {}, make("kbd", {}, "t")),
    make("dd", {}, "light, dark, as the system has it"),
    make("dt", {}, make("kbd", {}, "?")),
    make("dd", {}, "this list")));

/* Everywhere, and where a document is shown. */
const keys = {
    t: () => nextTheme(),
    "?": () => help.showModal(),
};
const documentKeys = {
    j: () => moveBy(1),
    k: () => moveBy(-1),
    "[": () => turnPage(-1),
    "]": () => turnPage(1),
    o: () => { if (overview) location.hash = "#overview"; },
    Escape: () => closeCompare(),
};

/* The next document in the order of the list. */
function neighbour(by) {
    if (!overview || !view) return -1;
    const at = overview.order.findIndex((row) => row.i === view.i);
    return overview.order[at + by]?.i ?? -1;
}

function turnPage(by) {
    const i = neighbour(by);
    if (i >= 0) location.hash = `#d${i + 1}`;
}

addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (find("dialog[open]")) return;
    if (event.target.closest?.("input, select, textarea") &&
        event.key !== "Escape") return;
    const action = keys[event.key] || (view && documentKeys[event.key]);
    if (!action) return;
    event.preventDefault();
    action();
});
