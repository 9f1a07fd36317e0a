/* The page of the server: which view is shown, by the address behind its #.
 *
 *     #check  #live  #documents  #documents/ID  #phrases  #watches
 *     #d1p3   a place of the report that is on the stage (stage.js) */

const pages = [new CheckView(), new LiveView(), new DocumentsView(),
    new PhrasesView(), new WatchesView()];
let current = null; /* { page, rest } */

const pageLinks = pages.map((page) =>
    make("a", { href: `#${page.name}` }, page.title));

function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

/* [page, what follows its name] of an address. */
function pageOf(hash) {
    const [, name, rest] = /^#?([a-z]*)(?:\/(.*))?$/s.exec(hash) || [];
    const page = pages.find((p) => p.name === name) || pages[0];
    return { page, rest: rest === undefined ? undefined : decoded(rest) };
}

async function showPage() {
    if (/^#d\d/.test(location.hash) && current && stage.isConnected) {
        await showHash();
        return;
    }
    const next = pageOf(location.hash);
    const before = current;
    if (before && before.page === next.page && before.rest === next.rest)
        return;
    current = next;
    if (before && before.page !== next.page) before.page.close?.();
    leaveView();
    stage.remove();
    find("main").replaceChildren(next.page.element);
    document.title = `${next.page.title} – origo`;
    find(".skip").href = "#main";
    pages.forEach((page, i) => {
        if (page === next.page)
            pageLinks[i].setAttribute("aria-current", "page");
        else pageLinks[i].removeAttribute("aria-current");
    });
    await next.page.open(next.rest);
    if (before && current === next) focusHeading(next.page.element);
}

/* Where a screen reader goes on after another view has come. */
function focusHeading(element) {
    const heading = [...element.querySelectorAll("h1")]
        .find((h) => h.checkVisibility());
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
}

/* ---- keys ---- */

pages.forEach((page, i) => {
    keys[String(i + 1)] = () => { location.hash = `#${page.name}`; };
});
find("dl", help).prepend(make("dt", {}, make("kbd", {}, "1"), " to ",
    make("kbd", {}, String(pages.length))),
make("dd", {}, pages.map((page) => page.title.toLowerCase()).join(", ")));

/* ---- the start ---- */

putTop(make("span", { className: "name" }, "origo"),
    make("nav", { className: "views", "aria-label": "Views" }, ...pageLinks),
    makeButton("Token", "plain", openToken));
body.append(tokenDialog);
body.classList.add("served");
/* The link that skips to the text must not be taken for an address. */
find(".skip").addEventListener("click", (event) => {
    if (find(".skip").getAttribute("href") !== "#main") return;
    event.preventDefault();
    find("main").focus();
});
addEventListener("hashchange", showPage);
showPage().then(() => { root.dataset.ready = ""; });
