"use strict";

/* The page of `origo serve` as a reader meets it: node test_served_page.js
 * BROWSER OUT, with ORIGO=the command (browser.js, served.js). */

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");
const { atRest, findings, out, runTests, shoot, test,
    WIDTHS } = require("./browser.js");
const { add, ARABIC, CHINESE, DOCUMENTS, FERRY, LAMP, OWNED, PASTED,
    startServer } = require("./served.js");

let server, guarded; /* one for all, and one that asks for tokens */
const TOKENS = { read: "r".repeat(24), write: "w".repeat(24) };
const at = (hash) => () => `${server.address}/${hash}`;
const atGuarded = (hash) => () => `${guarded.address}/${hash}`;

const check = async (page, text) => {
    await page.fill("textarea.paste", text);
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector(".result article .text");
};
const passages = (page) => page.$$eval(".text mark[id]", (marks) =>
    marks.map((mark) => {
        const copy = mark.cloneNode(true);
        copy.querySelector(".n").remove();
        return copy.textContent;
    }));
const shown = (page) => page.$$eval(".text mark[id]:not(.off)",
    (marks) => marks.length);
const notWider = async (page) => assert.ok(!await page.evaluate(() =>
    document.documentElement.scrollWidth > innerWidth),
"the page is wider than the screen");
/* Axe finds nothing; it sees the page as it is once its colours have come. */
const nothingFound = async (page) =>
    assert.deepStrictEqual(await findings(page), []);

/* ---- check ---- */

test("served: a pasted text has the right spans", at(""), async (page) => {
    await check(page, PASTED);
    assert.deepStrictEqual((await passages(page)).map((text) =>
        text.replace(/[.\s]+$/, "")),
    [LAMP, FERRY, ARABIC].map((text) => text.replace(/\.$/, "")));
    assert.deepStrictEqual((await page.$$eval(".source h3 bdi", (e) =>
        e.map((x) => x.textContent))).sort(),
    ["Lamp comes home", "Two sailings a day", "المنارة القديمة"].sort());
});

test("served: to the source, filter, exclude, by the mouse", at("#check"),
    async (page) => {
        await check(page, PASTED);
        await page.click(".text mark >> text=lighthouse");
        await page.waitForSelector(".compare");
        assert.strictEqual(await page.textContent(".compare h2 bdi"),
            "Lamp comes home");
        assert.match(await page.textContent(".pages mark.now"),
            /lighthouse will be lit/);
        await page.click(".compare .close");
        assert.strictEqual(await shown(page), 3);
        await page.selectOption(".only", "1");
        assert.strictEqual(await shown(page), 1);
        await page.selectOption(".only", "-1");
        const before = Number(await page.textContent(".figure .number"));
        await page.click(".source .exclude >> nth=0");
        assert.strictEqual(await shown(page), 2);
        assert.ok(Number(await page.textContent(".figure .number")) < before);
    });

test("served: everything by keys", at(""), async (page) => {
    await check(page, PASTED);
    await page.keyboard.press("j");
    await page.waitForSelector("mark.now");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".compare");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".compare", { state: "detached" });
    await page.keyboard.press("3");
    await page.waitForSelector(".cards li");
    await page.waitForFunction(() => document.activeElement.tagName === "H1");
    await page.keyboard.press("1");
    await page.waitForSelector(".result article");
    assert.strictEqual(await page.$$eval(".text mark[id]", (m) => m.length),
        3);
});

test("served: links to places stay on the report", at(""), async (page) => {
    await check(page, PASTED);
    await page.click("article .summary a");
    await page.waitForFunction(() => location.hash === "#d1s1");
    assert.ok(await page.isVisible(".text"));
    await page.evaluate(() => history.back());
    await page.waitForFunction(() => location.hash === "");
    assert.ok(await page.isVisible(".text"));
});

test("served: a file is dropped", at(""), async (page) => {
    await page.evaluate((text) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([`<html><title>Dropped</title><body><p>` +
            `${text}</p></body></html>`], "dropped.html"));
        document.querySelector(".check form").dispatchEvent(new DragEvent(
            "drop", { dataTransfer: transfer, bubbles: true,
                      cancelable: true }));
    }, FERRY);
    await page.waitForSelector(".result article .text");
    assert.strictEqual(await page.textContent("article h1"), "Dropped");
    assert.strictEqual((await passages(page)).length, 1);
});

test("served: unspaced script", at(""), async (page) => {
    await check(page, `今天早上我自己写了这句话。${CHINESE}`);
    assert.match((await passages(page))[0], /老灯塔将在春天重新点亮/);
});

test("served: the report is saved, and needs no server", at(""),
    async (page) => {
        await check(page, PASTED);
        const [download] = await Promise.all([page.waitForEvent("download"),
            page.click("text=Save the report")]);
        const file = path.join(out, "saved.html");
        await download.saveAs(file);
        assert.match(download.suggestedFilename(), /\.html$/);
        const kept = await page.context().newPage();
        await kept.goto(pathToFileURL(file).href);
        await kept.waitForSelector("html[data-ready]", { state: "attached" });
        assert.deepStrictEqual(await passages(kept), await passages(page));
        fs.unlinkSync(file);
    }, { needsDownloads: true });

/* ---- documents ---- */

test("served: documents are searched, and one is opened", at("#documents"),
    async (page) => {
        const names = () => page.$$eval(".cards .what", (e) =>
            e.map((x) => x.textContent));
        await page.waitForSelector(".cards li >> nth=5");
        await page.fill("input[type=search]", "told");
        await page.click("button.primary");
        await page.waitForFunction(() =>
            document.querySelectorAll(".cards li").length === 1);
        assert.deepStrictEqual(await names(), ["Told again"]);
        assert.strictEqual(await page.textContent(".hosts"),
            "gazette.example 1");
        await page.fill("input[type=search]", "");
        await page.click("button.primary");
        await page.click(".cards .host >> text=harbour.example");
        await page.waitForFunction(() =>
            document.querySelectorAll(".cards li").length === 1);
        assert.deepStrictEqual(await names(), ["Two sailings a day"]);
        await page.evaluate(() => { location.hash = "#documents/copy-1"; });
        await page.waitForSelector("article .text");
        assert.strictEqual(await page.textContent("article h1"), "Told again");
        assert.match((await passages(page))[0], /^The old lighthouse/);
        assert.strictEqual(await page.textContent(".source .id"), "lantern-1");
        await page.click("text=All documents");
        await page.waitForSelector(".cards li");
    });

test("served: the document that was asked for last is shown",
    at("#documents"), async (page) => {
        let letGo;
        const held = new Promise((done) => { letGo = done; });
        await page.route("**/v1/documents/copy-1", async (route) => {
            await held;
            await route.continue();
        });
        const asked = page.waitForRequest("**/v1/documents/copy-1");
        await page.evaluate(() => { location.hash = "#documents/copy-1"; });
        await asked;
        await page.evaluate(() => { location.hash = "#documents/copy-2"; });
        await page.waitForSelector("article h1 >> text=And once more");
        const late = page.waitForResponse("**/v1/documents/copy-1");
        letGo();
        await late;
        await atRest(page);
        assert.strictEqual(await page.textContent("article h1"),
            "And once more");
    });

test("served: what is not there is said", at("#documents/nobody"),
    async (page) => {
        await page.waitForSelector("[role=alert]:not([hidden])");
        assert.match(await page.textContent("[role=alert]"),
            /no such document/);
    }, { allowErrors: /404/ });

/* ---- live ---- */

const numberOf = (page, n) => page.$eval(
    `.figures span:nth-child(${n}) strong`, (e) => e.textContent);

test("served: the live view moves while documents are posted", at("#live"),
    async (page) => {
        await page.waitForFunction(() => /^Connected/.test(
            document.querySelector(".live [role=status]").textContent));
        const before = Number(await numberOf(page, 2));
        const text = "Twelve boats left the basin before the fog came down, " +
            "and the thirteenth, which had the only horn, stayed behind to " +
            "call them home one after the other until the evening.";
        await add(server, { id: "live-first", title: "Fog", text });
        await add(server, { id: "live-second", title: "Fog again",
                            text: `Somebody heard this. ${text}` });
        await page.waitForSelector(".arrivals >> text=Fog again");
        await page.waitForSelector(".graph li >> text=Fog again");
        await page.waitForSelector(".graph .arc", { state: "attached" });
        assert.match(await page.textContent(
            ".arrivals li:has-text('Fog again') .from"),
        /^\d+ % from live-first/);
        assert.ok(Number(await numberOf(page, 2)) >= before + 2);
        await page.waitForFunction(() => [...document.querySelectorAll(
            ".plot strong")].every((e) => e.closest(".plot").textContent
            .includes("MiB") ? /\d/.test(e.textContent) : true));
        /* Two counts make a rate. */
        await page.waitForFunction(() => /\d/.test(
            document.querySelector(".plot strong").textContent));
        await page.click("text=Pause");
        assert.strictEqual(await page.textContent(".live [role=status]"),
            "Paused.");
        await add(server, { id: "live-third", text: "Nobody sees this one." });
        await page.click("text=Go on");
        await page.waitForFunction(() => /^Connected/.test(
            document.querySelector(".live [role=status]").textContent));
        await add(server, { id: "live-fourth", text: "But they see this." });
        await page.waitForSelector(".arrivals >> text=live-fourth");
        assert.strictEqual(await page.$(".arrivals >> text=live-third"), null);
    });

test("served: a number without others beside it is drawn", at("#live"),
    async (page) => {
        /* As soon as there is one, in any of the plots. */
        const lines = await page.waitForFunction(() => {
            const found = [...document.querySelectorAll(".plot")].filter((p) =>
                /\d/.test(p.querySelector("strong").textContent));
            return found.length > 0 && found.map((p) =>
                p.querySelector(".line").getAttribute("d"));
        });
        for (const line of await lines.jsonValue()) assert.match(line, /L/);
    });

test("served: the graph has a limit", at("#live"), async (page) => {
    await page.waitForFunction(() => /^Connected/.test(
        document.querySelector(".live [role=status]").textContent));
    for (let i = 0; i < 40; i++)
        await add(server, { id: `crowd-${i}`, text: `Number ${i}. ${FERRY}` });
    await page.waitForSelector(".graph li >> text=crowd-39");
    const n = await page.$$eval(".graph li", (e) => e.length);
    assert.ok(n <= 28, `${n} lines`);
});

/* ---- phrases, watches ---- */

test("served: phrases", at("#phrases"), async (page) => {
    await page.click("button.primary");
    await page.waitForSelector(".phrases > li");
    const texts = await page.$$eval(".phrases blockquote", (e) =>
        e.map((x) => x.textContent));
    assert.ok(texts.some((text) => text.includes("lighthouse")),
        texts.join("\n"));
});

test("served: watches are added, listed and deleted", at("#watches/ferry-1"),
    async (page) => {
        assert.strictEqual(await page.inputValue("textarea"), "ferry-1");
        await page.click("button.primary");
        await page.waitForSelector(".watches-view .cards >> text=ferry-1");
        await page.click(".cards button");
        await page.waitForSelector(".cards >> text=ferry-1",
            { state: "detached" });
        assert.match(await page.textContent(".watches-view [role=status]"),
            /deleted/);
    });

/* ---- refusals ---- */

test("served: a token is asked for, and kept in the tab", atGuarded(""),
    async (page) => {
        await page.fill("textarea.paste", LAMP);
        await page.keyboard.press("Control+Enter");
        await page.waitForSelector("[role=alert]:not([hidden])");
        assert.match(await page.textContent("[role=alert]"), /token/);
        await page.click("[role=alert] button");
        await page.fill("input.token", TOKENS.read);
        await page.keyboard.press("Enter");
        await check(page, LAMP);
        assert.strictEqual(await page.evaluate(() =>
            localStorage.getItem("origo-token")), null);
        assert.ok(!page.url().includes(TOKENS.read));
        /* It may read, not write. */
        await page.click("text=The text to check");
        await page.click("text=Options");
        await page.check("text=take it into the store");
        await page.fill("textarea.paste", LAMP);
        await page.keyboard.press("Control+Enter");
        await page.waitForSelector("[role=alert]:not([hidden])");
        assert.match(await page.textContent("[role=alert]"), /does not allow adding/);
    }, { allowErrors: /40[13]/ });

test("served: a server that is busy or gone is named", at(""),
    async (page) => {
        const said = async (what) => {
            await page.fill("textarea.paste", LAMP);
            await page.keyboard.press("Control+Enter");
            await page.waitForFunction((words) => document.querySelector(
                ".check [role=alert]").textContent.includes(words), what);
        };
        await page.route("**/v1/trace*", (route) => route.fulfill({
            status: 429, headers: { "Retry-After": "3" },
            contentType: "application/problem+json",
            body: JSON.stringify({ detail: "too many requests wait" }) }));
        await said("busy: too many requests wait. Try again in 3 seconds");
        await page.unroute("**/v1/trace*");
        await page.route("**/v1/trace*", (route) => route.abort());
        await said("cannot be reached");
    }, { allowErrors: /429|ERR_FAILED/ });

/* ---- hostile documents ---- */

test("served: scripts in every field do nothing", at(""), async (page) => {
    const bad = DOCUMENTS.find((doc) => doc.id.startsWith("bad"));
    await page.click("text=Options");
    await page.fill(".check input[type=text] >> nth=0", OWNED);
    await check(page, `${OWNED} ${bad.text}`);
    assert.ok((await passages(page)).length > 0);
    await page.click(".text mark .n >> nth=0");
    await page.waitForSelector(".compare");
    await page.evaluate((id) => {
        location.hash = `#documents/${encodeURIComponent(id)}`;
    }, bad.id);
    await page.waitForSelector(".one article .text");
    await page.evaluate(() => { location.hash = "#documents"; });
    await page.waitForSelector(".cards >> text=Title <img");
    await page.evaluate(() => { location.hash = "#live"; });
    await page.waitForFunction(() => /^Connected/.test(
        document.querySelector(".live [role=status]").textContent));
    await add(server, { ...bad, id: `worse ${OWNED}` });
    await page.waitForSelector(".arrivals >> text=Title <img");
    await page.evaluate((id) => {
        location.hash = `#watches/${encodeURIComponent(id)}`;
    }, OWNED);
    await page.waitForSelector(".watches-view textarea");
    await page.click(".watches-view button.primary");
    await page.waitForSelector(".watches-view .cards >> text=<img");
    await page.click(".watches-view .cards button >> nth=0");
    await page.waitForSelector(".watches-view .cards >> text=<img",
        { state: "detached" });
    assert.strictEqual(await page.evaluate(() => window.owned), undefined);
    assert.strictEqual(await page.$("main img, main script"), null);
    assert.strictEqual(await page.$("a[href^='javascript']"), null);
});

test("served: the policy allows the page's own files alone", at(""),
    async (page) => {
        const refused = await page.evaluate(() => new Promise((done) => {
            document.addEventListener("securitypolicyviolation", (e) =>
                done(e.effectiveDirective), { once: true });
            const script = document.createElement("script");
            try {
                script.textContent = "window.owned = 1";
            } catch { /* the policy of trusted types */ }
            document.body.append(script);
        }));
        assert.match(refused, /^(script-src|require-trusted-types)/);
        assert.strictEqual(await page.evaluate(() => window.owned), undefined);
    }, { allowErrors: /Content Security Policy|TrustedScript|trusted-types/ });

/* ---- how it looks ---- */

const THREE = WIDTHS.filter(([name]) => name !== "large");
for (const scheme of ["light", "dark"])
    for (const [name, width, height] of THREE)
        test(`served: screenshots and axe, ${name}, ${scheme}`, at(""),
            async (page) => {
                const picture = async (what) => {
                    await atRest(page);
                    await shoot(page, `served-${what}-${name}-${scheme}`);
                    await notWider(page);
                    /* The same elements and colours at other widths. */
                    if (name === "wide" || (name === "narrow" &&
                        scheme === "light")) await nothingFound(page);
                };
                const go = (hash) => page.evaluate((h) => {
                    location.hash = h;
                }, hash);
                await picture("check");
                await check(page, PASTED);
                await picture("answer");
                await page.click(".text mark .n >> nth=0");
                await page.waitForSelector(".compare");
                await picture("compare");
                await go("#live");
                await page.waitForFunction(() => /^Connected/.test(document
                    .querySelector(".live [role=status]").textContent));
                const some = `${name}-${scheme}`;
                for (const i of [1, 2, 3])
                    await add(server, { id: `${some}-${i}`,
                        title: ["Told at the market", "Repeated in the " +
                            "evening, at some length and with a long title",
                        "سمع في الميناء"][i - 1], time: `2010-0${i}-01`,
                        text: `${some} ${i} has something of its own. ` +
                            (i === 3 ? ARABIC : i === 2 ? `${LAMP} ${FERRY}`
                                : LAMP) });
                await page.waitForSelector(`.graph [data-id="${some}-3"]`);
                await page.waitForFunction(() => document
                    .querySelector(".plot .line").getAttribute("d")
                    .split("L").length > 4);
                await picture("live");
                await go("#documents");
                await page.waitForSelector(".cards li >> nth=5");
                await picture("documents");
                await go("#phrases");
                await page.click("button.primary");
                await page.waitForSelector(
                    ".phrases > li, [role=alert]:not([hidden])");
                await picture("phrases");
                await go("#watches/lantern-1");
                await page.waitForSelector(".watches-view textarea");
                await picture("watches");
            }, { viewport: { width, height }, timeout: 120000,
                 context: { colorScheme: scheme },
                 /* Two of them may ask for phrases at once. */
                 allowErrors: /429/ });

runTests(async () => {
    const file = path.join(out, "tokens");
    fs.writeFileSync(file, `${TOKENS.read} read\n${TOKENS.write} write\n`,
        { mode: 0o600 });
    server = await startServer();
    guarded = await startServer("--tokens", file);
    for (const doc of DOCUMENTS) await add(server, doc);
    return async () => {
        await server.stop();
        await guarded.stop();
        fs.unlinkSync(file);
    };
});
