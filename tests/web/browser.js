"use strict";

/* A browser for the tests of pages: node TEST.js BROWSER OUT
 *
 * OUT holds the pages that the fixtures wrote; screenshots go there too. Each
 * test is a function that gets a fresh page; it prints 'ok NAME' or 'FAILED
 * NAME'. Any error on a page, and any request that it makes, fails its test. */

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");
const { chromium, firefox } = require("playwright-core");

const [, , browserPath, out] = process.argv;
const isFirefox = path.basename(browserPath).startsWith("firefox");
/* The style that Playwright adds while it takes a screenshot, which the policy
 * of a page refuses; Firefox says so. */
const OF_SCREENSHOTS = /blocked an inline style \(style-src-elem\)/;
const tests = [];
const test = (name, report, run, options = {}) =>
    tests.push({ name, report, run, options });

/* A name of a page in OUT, or a function that gives the address of another. */
const addressOf = (report) => typeof report === "function" ? report()
    : pathToFileURL(path.resolve(out, report + ".html")).href;
/* A page from a file asks for nothing, one of a server its server alone. */
const isOwn = (url, address) => address.startsWith("http")
    ? new URL(url).origin === new URL(address).origin
    : url.split("#")[0] === address.split("#")[0];
const readJson = (name) => fs.readFileSync(path.join(out, name + ".json"),
    "utf8").trim().split("\n").map((line) => JSON.parse(line));

const frames = (page) => page.evaluate(() => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() =>
        setTimeout(done, 60)))));

/* Waits until neither the page nor what scrolls inside it moves any more. */
const atRest = (page) => page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    const place = () => [scrollY, ...[...document.querySelectorAll(".pages")]
        .map((e) => e.scrollTop)].join();
    for (let quiet = 0, last = place(); quiet < 10; quiet++) {
        await frame();
        if (place() !== last) quiet = 0;
        last = place();
    }
});

const shoot = (page, name) => page.screenshot({
    path: path.join(out, "screenshots", name + ".png") });

const WIDTHS = [["large", 1920, 1080], ["wide", 1400, 900],
    ["middle", 900, 1000], ["narrow", 390, 844]];

/* What axe (https://github.com/dequelabs/axe-core) has to say of a page. Its
 * script comes in past the policy of the page, which would refuse it. */
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
async function findings(page) {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document));
    return violations.flatMap((v) => v.nodes.map((n) =>
        `${v.id}: ${n.target.join(" ")}: ${n.failureSummary}`));
}

/* Runs in the page: what has too little contrast. */
function contrasts() {
    const canvas = document.createElement("canvas").getContext("2d",
        { willReadFrequently: true });
    const rgb = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = (colour) => rgb(colour).slice(0, 3).map((v) => {
        v /= 255;
        return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    }).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const under = (e) => {
        for (; e; e = e.parentElement) {
            const colour = getComputedStyle(e).backgroundColor;
            if (rgb(colour)[3] > 250) return colour;
        }
        return "white";
    };
    const low = [];
    for (const e of document.querySelectorAll("mark, .n, .facts, .facts a, " +
        "blockquote, .summary, .chain li, .filters label, h1, h3, .u")) {
        const a = light(getComputedStyle(e).color), b = light(under(e));
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5)
            low.push(`${e.className || e.tagName} ${ratio.toFixed(2)}`);
    }
    return [...new Set(low)];
}

/* ---- running ---- */

async function runTest(browser, { report, run, options }) {
    const context = await browser.newContext({
        viewport: options.viewport || { width: 1280, height: 900 },
        ...options.context });
    context.setDefaultTimeout(options.timeout || 60000);
    const page = await context.newPage();
    const errors = [];
    const note = (what) => {
        if (isFirefox && OF_SCREENSHOTS.test(what)) return;
        if (!options.allowErrors?.test(what)) errors.push(what);
    };
    page.on("pageerror", (error) => note(error.message));
    page.on("console", (m) => m.type() === "error" && note(m.text()));
    page.on("dialog", (d) => { note("dialog"); d.dismiss(); });
    page.on("request", (r) => !isOwn(r.url(), addressOf(report)) &&
        note("asked for " + r.url()));
    try {
        const began = Date.now();
        await page.goto(addressOf(report));
        if (options.context?.javaScriptEnabled !== false)
            await page.waitForSelector("html[data-ready]",
                { state: "attached" });
        await run(page, { loaded: Date.now() - began });
        assert.deepStrictEqual(errors, []);
    } finally {
        await context.close();
    }
}

/* Firefox as it comes is driven by WebDriver BiDi, which a channel of this name
 * asks for. */
function launchBrowser() {
    if (isFirefox)
        return firefox.launch({ executablePath: browserPath,
                                channel: "moz-firefox" });
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    return chromium.launch({ executablePath: browserPath, args });
}

/* By WebDriver BiDi Playwright sees no downloads and turns off no scripts. */
function canRun({ name, options }) {
    const wants = options.needsDownloads ? "downloads"
        : options.context?.javaScriptEnabled === false ? "no scripts" : "";
    if (!isFirefox || !wants) return true;
    console.log(`SKIPPED ${name}: Firefox is not driven with ${wants}`);
    return false;
}

/* `prepare` may give a function that is called at the end. */
async function runTests(prepare = async () => () => { }) {
    fs.mkdirSync(path.join(out, "screenshots"), { recursive: true });
    const browser = await launchBrowser();
    const only = process.env.ONLY;
    const waiting = tests.filter((t) => (!only || t.name.includes(only)) &&
        canRun(t));
    const finish = await prepare();
    let failed = 0;
    const worker = async (most = Infinity) => {
        for (let one; most-- > 0 && (one = waiting.shift());) {
            try {
                await runTest(browser, one);
                console.log("ok " + one.name);
            } catch (error) {
                failed++;
                console.log(["FAILED " + one.name, ...String(error.stack)
                    .split("\n").slice(0, 12)].join("\n    "));
            }
        }
    };
    /* Those that look at the clock go alone; the others wait for their frames
     * most of the time. */
    waiting.sort((a, b) => Boolean(b.options.alone) - Boolean(a.options.alone));
    await worker(waiting.filter((t) => t.options.alone).length);
    /* The pages of Firefox have one keyboard. */
    const n = isFirefox ? 1 : 4;
    await Promise.all(Array.from({ length: n }, () => worker()));
    await browser.close();
    await finish();
    process.exit(failed ? 1 : 0);
}

module.exports = { atRest, browserPath, contrasts, findings, frames, out,
    readJson, runTests, shoot, test, WIDTHS };
