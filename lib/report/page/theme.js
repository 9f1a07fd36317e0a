/* Light and dark, as the system wants or as the button says. */

const themes = ["", "light", "dark"];
const themeButton = make("button", { type: "button", className: "plain theme" });

/* A page from a file may have no storage. */
function remember(value) {
    try {
        if (value === undefined) return localStorage.getItem("origo-theme");
        localStorage.setItem("origo-theme", value);
    } catch { /* it is chosen anew next time */ }
    return null;
}

function setTheme(name) {
    if (name) root.dataset.theme = name;
    else delete root.dataset.theme;
    themeButton.textContent = { light: "Light", dark: "Dark" }[name] || "Auto";
    themeButton.setAttribute("aria-label",
        `Colours: ${themeButton.textContent.toLowerCase()}`);
}

function nextTheme() {
    const i = themes.indexOf(root.dataset.theme || "");
    setTheme(themes[(i + 1) % themes.length]);
    remember(root.dataset.theme || "");
}
