"use strict";

/* Reused sentences as a reader meets them: node test_sentence_page.js BROWSER
 * OUT, on the pages of sentences_fixture (browser.js). First without a script,
 * when all that moves is the browser's own; then with it. */

const assert = require("assert");
const { contrasts, findings, frames, readJson, runTests, shoot, test,
    WIDTHS } = require("./browser.js");

const bytes = (text, [begin, end]) =>
    Buffer.from(text).subarray(begin, end).toString();
const reused = (answer) =>
    answer.sentences.filter((sentence) => sentence.matches.length !== 0);
/* Asked from outside again and again: without a script the page cannot say
 * when it has scrolled. */
async function comesIntoView(page, selector) {
    const isInView = () => page.$eval(selector, (e) => {
        const box = e.getBoundingClientRect();
        return box.top >= 0 && box.top < innerHeight;
    });
    for (let tries = 0; tries < 100; tries++) {
        if (await isInView()) return;
        await page.waitForTimeout(100);
    }
    assert.fail(`${selector} does not come into view`);
}

/* ---- without a script ---- */

const PLAIN = { context: { javaScriptEnabled: false } };

test("sentences: marked as in the answer", "sentences", async (page) => {
    const [answer] = readJson("sentences");
    const sentences = reused(answer);
    assert.strictEqual(sentences.length, 3);
    const marked = await page.$$eval("#d1 .text mark[id]", (marks) =>
        marks.map((mark) => {
            const copy = mark.cloneNode(true);
            for (const n of copy.querySelectorAll(".n")) n.remove();
            return copy.textContent;
        }));
    assert.deepStrictEqual(marked, sentences.map((s) => s.text.trim()));
    assert.strictEqual(await page.textContent("#d1 .number"),
        String(Math.round(100 * sentences.length / answer.n_sentences)));
}, PLAIN);

test("sentences: sources, the earliest first", "sentences", async (page) => {
    const [answer] = readJson("sentences");
    const sentences = reused(answer);
    for (let i = 0; i < sentences.length; i++) {
        const entry = `#d1s${i + 1}`;
        const { matches } = sentences[i];
        assert.strictEqual(await page.$$eval(`${entry} details`,
            (e) => e.length), matches.length);
        const times = await page.$$eval(`${entry} time`, (all) =>
            all.map((e) => e.textContent));
        assert.deepStrictEqual(times, matches.map((m) => m.time.slice(0, 10)));
        assert.deepStrictEqual(times, [...times].sort());
        const texts = await page.$$eval(`${entry} blockquote`, (all) =>
            all.map((e) => e.textContent));
        assert.deepStrictEqual(texts, matches.map((m) => m.text));
        const shared = await page.$$eval(`${entry} blockquote`, (all) =>
            all.map((e) => [...e.querySelectorAll("mark")].map((mark) =>
                mark.textContent)));
        assert.deepStrictEqual(shared, matches.map((m) =>
            m.shared.map((range) => bytes(m.text, range))));
    }
}, PLAIN);

test("sentences: words of one's own are underlined", "sentences",
    async (page) => {
        const own = await page.$$eval("#d1p1 *", (all) => all.filter((e) =>
            getComputedStyle(e).textDecorationStyle === "dotted")
            .map((e) => e.textContent.trim()));
        assert.ok(own.includes("yesterday"), own.join());
        assert.ok(!own.some((words) => /harbour/.test(words)), own.join());
    }, PLAIN);

/* ---- moving about ---- */

test("sentences: links both ways", "sentences", async (page) => {
    await page.click("#d1p3 .n");
    assert.match(page.url(), /#d1s3$/);
    await comesIntoView(page, "#d1s3");
    assert.ok(await page.isVisible("#d1s3 blockquote >> nth=0"));
    await page.click("#d1s3 .n");
    assert.match(page.url(), /#d1p3$/);
    await comesIntoView(page, "#d1p3");
}, { viewport: { width: 900, height: 300 }, ...PLAIN });

test("sentences: one source open, the others by a click or a key",
    "sentences", async (page) => {
        assert.ok(await page.isVisible("#d1s1 blockquote >> nth=0"));
        assert.ok(!await page.isVisible("#d1s1 blockquote >> nth=1"));
        await page.click("#d1s1 summary >> nth=1");
        assert.ok(await page.isVisible("#d1s1 blockquote >> nth=1"));
        await page.focus("#d1s1 summary >> nth=1");
        await page.keyboard.press("Enter");
        assert.ok(!await page.isVisible("#d1s1 blockquote >> nth=1"));
    }, PLAIN);

test("sentences: no script, and none is let in", "sentences-hostile",
    async (page) => {
        assert.strictEqual(await page.evaluate(() => [...document.scripts]
            .filter((e) => e.type === "").length), 1);
        assert.strictEqual(await page.$$eval("img, iframe, object, style style",
            (e) => e.length), 0);
        assert.match(await page.textContent("#d1p1"), /<img src=x onerror=/);
        assert.match(await page.textContent("#d1s1 blockquote"), /<img src=x/);
        assert.match(await page.textContent("#d1s1 bdi"), /<script>/);
        const policy = await page.getAttribute(
            "meta[http-equiv=Content-Security-Policy]", "content");
        assert.match(policy, /default-src 'none'/);
    }, PLAIN);

/* ---- with a script ---- */

test("sentences: sources are documents, each with its share", "sentences",
    async (page) => {
        const [answer] = readJson("sentences");
        const first = reused(answer).map((s) => s.matches[0].id);
        assert.strictEqual(await page.textContent("#d1 .number"),
            String(Math.round(100 * first.length / answer.n_sentences)));
        const items = await page.$$eval(".source", (all) => all.map((e) =>
            [e.querySelector(".id")?.textContent ||
                e.querySelector("h3 bdi").textContent,
            Number.parseInt(e.querySelector(".facts a").textContent, 10)]));
        const all = new Set(reused(answer).flatMap((s) =>
            s.matches.map((m) => m.id)));
        assert.deepStrictEqual(new Set(items.map(([id]) => id)), all);
        for (const [id, n] of items)
            assert.strictEqual(n, first.filter((x) => x === id).length, id);
    });

test("sentences: a click shows all that have one, the earliest first",
    "sentences", async (page) => {
        const [answer] = readJson("sentences");
        const sentences = reused(answer);
        for (let i = 0; i < sentences.length; i++) {
            await page.click(`#d1p${i + 1} .n`);
            await page.waitForFunction((p) => document.querySelector(
                `.text mark.now[data-p="${p}"]`), i + 1);
            await frames(page);
            const { matches } = sentences[i];
            const texts = await page.$$eval(".alts blockquote", (all) =>
                all.map((e) => e.textContent));
            assert.deepStrictEqual(texts, matches.map((m) => m.text));
            const marked = await page.$$eval(".alts blockquote", (all) =>
                all.map((e) => [...e.querySelectorAll("mark")].map((m) =>
                    m.textContent).join(" ").match(/[\p{L}\p{N}]+/gu)));
            assert.deepStrictEqual(marked, matches.map((m) =>
                m.shared.map((range) => bytes(m.text, range))));
        }
    });

test("sentences: hostile text is shown as text", "sentences-hostile",
    async (page) => {
        await page.click("#d1p1 .n");
        await frames(page);
        assert.strictEqual(await page.$$eval("img, svg, iframe, object",
            (e) => e.length), 0);
        assert.strictEqual(await page.evaluate(() => window.owned), undefined);
        for (const where of ["#d1p1", ".alts blockquote"])
            assert.match(await page.textContent(where), /<img src=x/);
        assert.match(await page.textContent("#d1s1 h3 bdi"), /<script>/);
    });

test("sentences: axe finds nothing", "sentences", async (page) => {
    assert.deepStrictEqual(await findings(page), []);
    await page.click("#d1p1 .n");
    await frames(page);
    assert.deepStrictEqual(await findings(page), []);
}, { timeout: 30000 });

/* ---- looks ---- */

test("sentences: contrast is at least 4.5 to 1", "sentences",
    async (page) => {
        for (const scheme of ["light", "dark"]) {
            await page.emulateMedia({ colorScheme: scheme });
            assert.deepStrictEqual(await page.evaluate(contrasts), [], scheme);
        }
    });

test("sentences: names for a screen reader", "sentences", async (page) => {
    assert.strictEqual(await page.getByRole("main").count(), 1);
    assert.strictEqual(await page.getByRole("region",
        { name: "Sources" }).count(), 1);
    assert.strictEqual(await page.getByRole("link",
        { name: "back to sentence 2" }).count(), 1);
}, PLAIN);

for (const [name, width, height] of WIDTHS)
    test(`sentences: screenshot, ${name}`, "sentences", async (page) => {
        await shoot(page, `sentences-${name}`);
        assert.ok(!await page.evaluate(() =>
            document.documentElement.scrollWidth > innerWidth),
        "the page is wider than the screen");
    }, { viewport: { width, height } });

runTests();
