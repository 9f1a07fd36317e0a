"use strict";

/* The browser companion in Firefox, on the pages of test_companion_page.js:
 * node test_firefox_page.js FIREFOX OUT, with ORIGO=the command and
 * EXTENSION=the folder that tools/pack_extension.py made for Firefox. What the
 * other test says of marks holds for both browsers; here is what Firefox does
 * in its own way: rights, the button, styles in closed trees, policies. */

const assert = require("assert");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { startSite, TOKEN } = require("./companion_site.js");
const { startFirefox } = require("./marionette.js");

const [, , firefoxPath, out] = process.argv;
const ID = "companion@origo";
const tests = [];
const test = (name, run) => tests.push({ name, run });
let firefox, server, site, base, extension;

/* ---- what a reader does ---- */

const open = (url) => firefox.send("WebDriver:Navigate", { url });

async function find(selector) {
    const found = await firefox.send("WebDriver:FindElement",
        { using: "css selector", value: selector });
    return Object.values(found)[0];
}

const click = async (selector) => firefox.send("WebDriver:ElementClick",
    { id: await find(selector) });

async function fill(selector, text) {
    const id = await find(selector);
    await firefox.send("WebDriver:ElementClear", { id });
    await firefox.send("WebDriver:ElementSendKeys", { id, text });
}

async function hover(selector) {
    const origin = { "element-6066-11e4-a52e-4f735466cecf":
        await find(selector) };
    await firefox.send("WebDriver:PerformActions", { actions: [{
        type: "pointer", id: "mouse", actions: [
            { type: "pointerMove", origin, x: 0, y: 0 }] }] });
}

/* The button of the companion in the tab that is shown. */
const clickButton = () => firefox.runInBrowser((id) => {
    const { ExtensionParent } = ChromeUtils.importESModule(
        "resource://gre/modules/ExtensionParent.sys.mjs");
    const { extension } = WebExtensionPolicy.getByID(id);
    ExtensionParent.apiManager.global.browserActionFor(extension)
        .triggerAction(Services.wm.getMostRecentWindow("navigator:browser"));
}, ID);

/* ---- what is seen ---- */

/* Until a function says something other than false or null in the page. */
async function until(what, script, ...args) {
    for (let tries = 0; ; tries++) {
        const seen = await firefox.run(script, ...args).catch(() => null);
        if (seen) return seen;
        assert.ok(tries < 600, `not there: ${what}`);
        await new Promise((done) => setTimeout(done, 50));
    }
}

const waitMarked = () => until("marks", () =>
    document.querySelector("origo-mark") !== null);

/* The browser itself sees the closed tree: its text, and how it is placed. */
const panel = () => firefox.send("WebDriver:ExecuteScript", { sandbox: "system",
    args: [], script: `
        const host = document.querySelector("origo-panel");
        const tree = host && host.openOrClosedShadowRoot;
        if (!tree) return null;
        const part = (name) => tree.querySelector("." + name);
        return { text: part("panel").textContent + " " +
                       part("tip").textContent,
                 position: getComputedStyle(part("panel")).position };` });

async function waitPanel(words) {
    let seen;
    for (let tries = 0; tries < 600; tries++) {
        seen = await panel();
        if (seen?.text.includes(words)) return seen;
        await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error(`not there: ${words}\n${seen?.text}`);
}

const marked = (kind) => firefox.run((name) =>
    [...document.querySelectorAll(`origo-mark[class^="${name}"]`)]
        .map((m) => m.textContent).join(" ").replace(/\s+/g, " "), kind);

const status = (words) => until(words, (text) =>
    document.getElementById("status").textContent.includes(text), words);

async function setServer(token) {
    await open(`moz-extension://${extension}/options.html`);
    await until("options", () => "ready" in document.documentElement.dataset);
    await fill("#address", server.address);
    await fill("#token", token);
    await click("#server button");
    await status("Saved.");
}

async function shoot(name) {
    const image = await firefox.send("WebDriver:TakeScreenshot",
        { full: false, hash: false });
    fs.writeFileSync(path.join(out, "screenshots", `${name}.png`),
        Buffer.from(image, "base64"));
}

/* ---- tests ---- */

test("a refusal is reported", async () => {
    await setServer("wrong".repeat(6));
    await shoot("firefox-options");
    await open(`${base}/article.html`);
    await clickButton();
    await waitPanel("asks for a token");
    assert.strictEqual(await marked("origo"), "");
});

test("nothing is sent without a click", async () => {
    await setServer(TOKEN);
    await open(`${base}/article.html`);
    assert.strictEqual(await firefox.run(() =>
        document.querySelector("origo-mark, origo-panel")), null);
});

test("copied and new text is marked, and the marks go", async () => {
    await open(`${base}/article.html`);
    const html = () => firefox.run(() =>
        document.querySelector("main").innerHTML);
    const before = await html();
    await clickButton();
    await waitMarked();
    const copied = await marked("origo-c");
    assert.match(copied, /The old light house will be lit/);
    assert.match(copied, /المنارة القديمة/);
    assert.match(copied, /老灯塔将在春天重新点亮/);
    assert.doesNotMatch(copied, /keeper|ferry|written for the page/);
    assert.match(await marked("origo-new"), /written for the page alone/);
    assert.strictEqual((await waitPanel("copied")).position, "fixed");
    await clickButton();
    await until("no panel", () => !document.querySelector("origo-panel"));
    assert.strictEqual(await html(), before);
});

test("the origin is named on hover", async () => {
    await open(`${base}/article.html`);
    await clickButton();
    await waitMarked();
    await hover("#copy origo-mark");
    const { text } = await waitPanel("https://lantern.example/1");
    assert.match(text, /Lamp comes home/);
    assert.match(text, /2001-02-03/);
    await shoot("firefox-companion");
    /* The page itself learns nothing of it. */
    assert.strictEqual(await firefox.run(() =>
        document.querySelector("origo-panel").shadowRoot), null);
});

test("a page with the strictest policy, and a hostile title", async () => {
    await open(`${base}/hostile.html`);
    await clickButton();
    await waitMarked();
    await hover("origo-mark[class^='origo-c']");
    assert.strictEqual((await waitPanel("onerror=window.owned")).position,
        "fixed");
    await shoot("firefox-hostile");
    assert.strictEqual(await firefox.run(() => window.owned ?? null),
        null);
});

test("an allowed site is marked by itself, until it is removed", async () => {
    await setServer(TOKEN);
    await fill("#name", "http://127.0.0.1");
    await click("#site button:not([type])");
    await status("is marked from now on");
    await open(`${base}/other.html`);
    await waitMarked();
    assert.match(await marked("origo-c"), /ferry to the island/);
    await open(`moz-extension://${extension}/options.html`);
    await until("the list", () => document.querySelector("#sites button"));
    await click("#sites button");
    await status("no longer marked");
    assert.strictEqual(await firefox.run(async () =>
        (await browser.scripting.getRegisteredContentScripts()).length), 0);
});

test("a server that is gone is named", async () => {
    await server.stop();
    await open(`${base}/article.html`);
    await clickButton();
    await waitPanel("cannot be reached");
});

/* ---- running ---- */

async function start(folder) {
    ({ base, server, site } = await startSite(folder));
    firefox = await startFirefox(firefoxPath).catch((error) => {
        console.log(`SKIPPED the companion in Firefox: ${error.message}`);
        return null;
    });
    if (!firefox) return;
    await firefox.send("Addon:Install",
        { path: process.env.EXTENSION, temporary: true });
    extension = await firefox.runInBrowser((id) =>
        WebExtensionPolicy.getByID(id).mozExtensionHostname, ID);
}

async function run() {
    fs.mkdirSync(path.join(out, "screenshots"), { recursive: true });
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "origo-companion-"));
    let failed = 0;
    await start(folder);
    if (!firefox) tests.length = 0;
    const only = process.env.ONLY;
    for (const { name, run } of tests) {
        if (only && !name.includes(only)) continue;
        try {
            await run();
            console.log(`ok firefox: ${name}`);
        } catch (error) {
            failed++;
            console.log([`FAILED firefox: ${name}`, ...String(error.stack)
                .split("\n").slice(0, 12)].join("\n    "));
        }
    }
    await firefox?.stop();
    site.close();
    await server.stop();
    fs.rmSync(folder, { recursive: true, force: true });
    process.exit(failed ? 1 : 0);
}

run();
