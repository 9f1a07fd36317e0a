"use strict";

/* The browser companion on pages of a local site, with a real server:
 * node test_companion_page.js BROWSER OUT, with ORIGO=the command and
 * EXTENSION=the folder that tools/pack_extension.py made for Chromium. */

const assert = require("assert");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { chromium } = require("playwright-core");
const { browserPath, findings, out } = require("./browser.js");
const { startSite, TOKEN } = require("./companion_site.js");

const tests = [];
const test = (name, run) => tests.push({ name, run });
let context, worker, server, site, base;

/* ---- a click on the button of the companion ---- */

async function clickButton(page) {
    await page.bringToFront();
    await worker.evaluate(async () => {
        const [tab] = await chrome.tabs.query({ active: true,
                                                lastFocusedWindow: true });
        chrome.action.onClicked.dispatch(tab);
    });
}

const open = async (name) => {
    const page = await context.newPage();
    page.on("pageerror", (error) => { page.failed = error; });
    await page.goto(base + name);
    return page;
};

async function openMarked(name) {
    const page = await open(name);
    await clickButton(page);
    await page.waitForSelector("origo-mark");
    return page;
}

/* The closed tree as a screen reader has it: all its text. */
async function spoken(page) {
    const session = await context.newCDPSession(page);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    await session.detach();
    return nodes.filter((n) => n.role?.value === "StaticText")
        .map((n) => n.name.value).join("\n");
}

async function waitSpoken(page, words) {
    for (let tries = 0; ; tries++) {
        const text = await spoken(page);
        if (text.includes(words)) return text;
        /* Each look takes a while; the limit is one of time lost, not of
         * speed. */
        assert.ok(tries < 2000, `not there: ${words}\n${text}`);
        await page.evaluate(() => new Promise(requestAnimationFrame));
    }
}

const marked = (page, kind) => page.$$eval(`origo-mark[class^="${kind}"]`,
    (marks) => marks.map((m) => m.textContent).join(" ")
        .replace(/\s+/g, " "));

/* ---- tests ---- */

async function setServer(token) {
    const page = await context.newPage();
    await page.goto(`chrome-extension://${worker.url().split("/")[2]}/` +
        "options.html");
    await page.waitForSelector("html[data-ready]", { state: "attached" });
    await page.fill("#address", server.address);
    await page.fill("#token", token);
    await page.click("#server button");
    await page.waitForFunction(() =>
        document.getElementById("status").textContent === "Saved.");
    return page;
}

test("options: a server and its token", async () => {
    const page = await setServer("wrong".repeat(6));
    const kept = await worker.evaluate(() => chrome.storage.local.get());
    assert.strictEqual(kept.server, server.address);
    await page.fill("#address", "ftp://example.org");
    await page.click("#server button");
    await page.waitForFunction(() => /no address/.test(
        document.getElementById("status").textContent));
    assert.deepStrictEqual(await findings(page), []);
    await page.close();
});

test("a refusal is reported", async () => {
    const page = await open("/article.html");
    await clickButton(page);
    await waitSpoken(page, "asks for a token");
    assert.strictEqual(await page.$("origo-mark"), null);
    await page.close();
    await (await setServer(TOKEN)).close();
});

test("nothing is sent without a click", async () => {
    const page = await open("/article.html");
    assert.strictEqual(await page.$("origo-mark, origo-panel"), null);
    await page.close();
});

test("copied and new text is marked, in place", async () => {
    const page = await open("/article.html");
    const before = await page.$eval("main", (e) => e.innerText);
    const html = await page.$eval("main", (e) => e.innerHTML);
    await clickButton(page);
    await page.waitForSelector("origo-mark");
    const copied = await marked(page, "origo-c");
    assert.match(copied, /The old light house will be lit|The old lighthouse/);
    assert.match(copied, /المنارة القديمة/);
    assert.match(copied, /老灯塔将在春天重新点亮/);
    assert.doesNotMatch(copied, /keeper|ferry|written for the page/);
    assert.match(await marked(page, "origo-new"), /written for the page alone/);
    assert.strictEqual(await page.$eval("#copy b i origo-mark",
        (e) => e.textContent), "house");
    assert.strictEqual(await page.$eval("main", (e) => e.innerText), before);
    assert.strictEqual(await page.$("nav origo-mark, [hidden] origo-mark"),
        null);
    /* A second click takes everything away. */
    await clickButton(page);
    await page.waitForSelector("origo-panel", { state: "detached" });
    assert.strictEqual(await page.$eval("main", (e) => e.innerHTML), html);
    await page.close();
});

test("the origin is named on hover and on focus", async () => {
    const page = await openMarked("/article.html");
    await page.hover("#copy origo-mark");
    const text = await waitSpoken(page, "https://lantern.example/1");
    assert.match(text, /Lamp comes home/);
    assert.match(text, /2001-02-03/);
    await page.mouse.move(0, 0);
    await page.$eval("#copy origo-mark[tabindex]", (e) => e.focus());
    await waitSpoken(page, "https://lantern.example/1");
    /* The page itself learns nothing of it. */
    assert.doesNotMatch(await page.content(), /lantern\.example/);
    assert.strictEqual(await page.$eval("origo-panel", (e) => e.shadowRoot),
        null);
    await page.close();
});

test("a page without text, and one that nobody has", async () => {
    const page = await open("/empty.html");
    await clickButton(page);
    await waitSpoken(page, "There is no text on this page.");
    await page.close();
});

test("a hostile title is text", async () => {
    const page = await openMarked("/hostile.html");
    await page.hover("origo-mark[class^='origo-c']");
    await waitSpoken(page, "onerror=window.owned");
    assert.strictEqual(await page.evaluate(() => window.owned), undefined);
    await page.close();
});

test("axe, light and dark", async () => {
    for (const colorScheme of ["light", "dark"]) {
        const page = await open("/article.html");
        await page.emulateMedia({ colorScheme });
        await clickButton(page);
        await page.waitForSelector("origo-mark");
        await page.$eval("#copy origo-mark[tabindex]", (e) => e.focus());
        await waitSpoken(page, "lantern.example");
        await page.screenshot({ path: path.join(out, "screenshots",
            `companion-${colorScheme}.png`) });
        const found = (await findings(page)).filter((line) =>
            /origo/.test(line));
        assert.deepStrictEqual(found, []);
        await page.close();
    }
});

test("an allowed site is marked by itself, until it is removed", async () => {
    const options = await setServer(TOKEN);
    await options.fill("#name", "http://127.0.0.1");
    await options.click("#site button:not([type])");
    await options.waitForSelector("#sites li");
    const page = await open("/other.html");
    await page.waitForSelector("origo-mark");
    assert.match(await marked(page, "origo-c"), /ferry to the island/);
    await page.close();
    await options.click("#sites button");
    await options.waitForSelector("#sites li", { state: "detached" });
    assert.deepStrictEqual(await worker.evaluate(() =>
        chrome.scripting.getRegisteredContentScripts()), []);
    await options.close();
});

test("a server that is gone is named", async () => {
    await server.stop();
    const page = await open("/article.html");
    await clickButton(page);
    await waitSpoken(page, "cannot be reached");
    await page.close();
});

/* ---- running ---- */

async function start(folder) {
    ({ base, server, site } = await startSite(folder));
    const extension = process.env.EXTENSION;
    context = await chromium.launchPersistentContext(
        path.join(folder, "profile"), { executablePath: browserPath,
            viewport: { width: 1200, height: 800 },
            ignoreDefaultArgs: ["--disable-extensions"],
            args: [`--disable-extensions-except=${extension}`,
                `--load-extension=${extension}`,
                ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])] });
    context.setDefaultTimeout(60000);
    worker = context.serviceWorkers()[0] ||
        await context.waitForEvent("serviceworker").catch(() => null);
}

async function run() {
    fs.mkdirSync(path.join(out, "screenshots"), { recursive: true });
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "origo-companion-"));
    let failed = 0;
    await start(folder);
    if (!worker) {
        console.log("SKIPPED the companion: this Chromium loads no extensions");
        tests.length = 0;
    }
    const only = process.env.ONLY;
    for (const { name, run } of tests) {
        if (only && !name.includes(only)) continue;
        try {
            await run();
            console.log(`ok companion: ${name}`);
        } catch (error) {
            failed++;
            console.log([`FAILED companion: ${name}`, ...String(error.stack)
                .split("\n").slice(0, 12)].join("\n    "));
        }
    }
    await context.close();
    site.close();
    await server.stop();
    fs.rmSync(folder, { recursive: true, force: true });
    process.exit(failed ? 1 : 0);
}

run();
