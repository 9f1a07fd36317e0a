/* The start: what all others have declared is put together. */

/* Parts of one report lie in one folder, their cover beside it. */
function makePartLinks({ part, goes_on: goesOn, cover }) {
    if (part === 0) return null;
    const nav = make("nav", { className: "parts", "aria-label": "Parts" });
    if (cover)
        nav.append(make("a", { href: `../${encodeURIComponent(cover)}` },
            "All parts"));
    if (part > 1)
        nav.append(make("a", { href: `${part - 1}.html` },
            `Part ${part - 1}`));
    if (goesOn)
        nav.append(make("a", { href: `${part + 1}.html` },
            `Part ${part + 1}`));
    return nav;
}

async function start() {
    const report = new PackedReport(partsHere());
    putTop(make("span", { className: "name" }, "origo"),
        makePartLinks(report.meta));
    find("main").append(stage);
    await startShowing(report);
    addEventListener("hashchange", showHash);
    root.dataset.ready = "";
}

start();
