/* The start: what all others have declared is put together. */

function start() {
    const helpButton = make("button", { type: "button", className: "plain",
                                        "aria-label": "Keys" }, "?");
    helpButton.addEventListener("click", () => help.showModal());
    help.addEventListener("click", () => help.close());
    themeButton.addEventListener("click", nextTheme);
    setTheme(themes.includes(remember()) ? remember() : "");
    const top = make("div", { className: "top" },
        make("span", { className: "name" }, "origo"), themeButton, helpButton);
    find("main").before(make("a", { className: "skip", href: "#d1t0" },
        "Skip to the text"), top);
    body.append(help);
    if (articles.length === 0) return;
    if (articles.length > 1) {
        documents = makeDocuments();
        find("main").before(documents);
        document.title = count(articles.length, "document");
    }
    showHash();
    if (!view) showDocument(0);
    addEventListener("hashchange", showHash);
    root.dataset.ready = "";
}

start();
