/* Pieces that several views of the page use. */

const documentAddress = (id) => `#documents/${encodeURIComponent(id)}`;

/* A link to a document of the store. */
const makeDocumentLink = (id, text, className = "") => make("a",
    { href: documentAddress(id), className }, make("bdi", {}, clean(text)));

/* A field with its name above it. */
function makeField(text, input, className = "") {
    return make("label", { className: `field ${className}`.trim() },
        make("span", {}, text), input);
}

const makeCheck = (text, input) =>
    make("label", { className: "check" }, input, ` ${text}`);

const makeSubmit = (text) =>
    make("button", { type: "submit", className: "primary" }, text);

/* What goes well is said politely, what does not at once. */
class Notice {
    constructor() {
        this.status = make("p", { className: "status", role: "status" });
        this.alert = make("div", { className: "problem", role: "alert",
                                   hidden: true });
        this.element = make("div", { className: "notice" }, this.status,
            this.alert);
    }

    say(text) {
        this.status.textContent = text;
        this.alert.replaceChildren();
        this.alert.hidden = true;
    }

    fail(error) {
        this.status.textContent = "";
        const refused = error instanceof Refusal;
        const text = make("p", {}, refused ? error.advice
            : `Something went wrong: ${error.message}`);
        this.alert.replaceChildren(text);
        if (refused && (error.status === 401 || error.status === 403))
            this.alert.append(makeButton("Enter a token", "", openToken));
        this.alert.hidden = false;
    }
}

/* Runs what a form or a button wants; one at a time, and its errors are
 * shown. */
async function attempt(notice, button, saying, work) {
    if (button.disabled) return false;
    button.disabled = true;
    notice.say(saying);
    try {
        notice.say(await work() || "");
        return true;
    } catch (error) {
        notice.fail(error);
        return false;
    } finally {
        button.disabled = false;
    }
}

function onSubmit(form, action) {
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        action();
    });
}

/* Offers a text as a file. */
function saveFile(name, text, type) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const link = make("a", { href: address, download: name });
    link.click();
    /* Some browsers read it only after the click. */
    setTimeout(() => URL.revokeObjectURL(address), 60000);
}

const fileName = (name, ending) =>
    `${clean(name).replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+/, "")
        .slice(0, 80) || "origo"}.${ending}`;

/* ---- the token ---- */

const tokenField = make("input", { type: "password", autocomplete: "off",
    spellcheck: false, className: "token" });
const tokenLong = make("input", { type: "checkbox" });
const tokenForm = make("form", { method: "dialog" },
    make("h2", {}, "Token"),
    make("p", {}, "Servers that others can reach ask for a token. It is kept " +
        "by this browser and sent to this server alone."),
    makeField("Token", tokenField),
    makeCheck("keep it when the tab is closed", tokenLong),
    make("p", { className: "buttons" }, makeSubmit("Use it"),
        makeButton("Forget it", "", () => useToken("")),
        makeButton("Cancel", "plain", () => tokenDialog.close())));
const tokenDialog = make("dialog", { className: "wide",
    "aria-label": "Token" }, tokenForm);
onSubmit(tokenForm, () => useToken(tokenField.value.trim()));

function openToken() {
    tokenField.value = token.get() || "";
    tokenLong.checked = token.isKept();
    tokenDialog.showModal();
}

function useToken(value) {
    token.set(value, tokenLong.checked);
    tokenDialog.close();
    current?.page.open(current.rest);
}
