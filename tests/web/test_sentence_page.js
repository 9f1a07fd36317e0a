"use strict";

/* Reused sentences as a reader meets them: node test_sentence_page.js BROWSER
 * OUT, on the pages of sentences_fixture (browser.js). The page has no script:
 * all that moves is the browser's own. */

const assert = require("assert");
const { contrasts, frames, readJson, runTests, shoot, test, WIDTHS } =
    require("./browser.js");

const bytes = (text, [begin, end]) =>
    Buffer.from(text).subarray(begin, end).toString();
const reused = (answer) =>
    answer.sentences.filter((sentence) => sentence.matches.length !== 0);
const isInView = (page, selector) => page.$eval(selector, (e) => {
    const box = e.getBoundingClientRect();
    return box.top >= 0 && box.top < innerHeight;
});

/* ---- what is shown ---- */

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
});

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
});

test("sentences: words of one's own are underlined", "sentences",
    async (page) => {
        const own = await page.$$eval("#d1p1 *", (all) => all.filter((e) =>
            getComputedStyle(e).textDecorationStyle === "dotted")
            .map((e) => e.textContent.trim()));
        assert.ok(own.includes("yesterday"), own.join());
        assert.ok(!own.some((words) => /harbour/.test(words)), own.join());
    });

/* ---- moving about ---- */

test("sentences: links both ways", "sentences", async (page) => {
    await page.click("#d1p3 .n");
    assert.match(page.url(), /#d1s3$/);
    await frames(page);
    assert.ok(await isInView(page, "#d1s3"));
    assert.ok(await page.isVisible("#d1s3 blockquote >> nth=0"));
    await page.click("#d1s3 .n");
    assert.match(page.url(), /#d1p3$/);
    await frames(page);
    assert.ok(await isInView(page, "#d1p3"));
}, { viewport: { width: 900, height: 300 } });

test("sentences: one source open, the others by a click or a key",
    "sentences", async (page) => {
        assert.ok(await page.isVisible("#d1s1 blockquote >> nth=0"));
        assert.ok(!await page.isVisible("#d1s1 blockquote >> nth=1"));
        await page.click("#d1s1 summary >> nth=1");
        assert.ok(await page.isVisible("#d1s1 blockquote >> nth=1"));
        await page.focus("#d1s1 summary >> nth=1");
        await page.keyboard.press("Enter");
        assert.ok(!await page.isVisible("#d1s1 blockquote >> nth=1"));
    });

test("sentences: no script, and none is let in", "sentences-hostile",
    async (page) => {
        assert.strictEqual(await page.evaluate(() =>
            document.scripts.length), 0);
        assert.strictEqual(await page.$$eval("img, iframe, object, style style",
            (e) => e.length), 0);
        assert.match(await page.textContent("#d1p1"), /<img src=x onerror=/);
        assert.match(await page.textContent("#d1s1 blockquote"), /<img src=x/);
        assert.match(await page.textContent("#d1s1 bdi"), /<script>/);
        const policy = await page.getAttribute(
            "meta[http-equiv=Content-Security-Policy]", "content");
        assert.match(policy, /default-src 'none'/);
    });

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
});

for (const [name, width, height] of WIDTHS)
    test(`sentences: screenshot, ${name}`, "sentences", async (page) => {
        await shoot(page, `sentences-${name}`);
        assert.ok(!await page.evaluate(() =>
            document.documentElement.scrollWidth > innerWidth),
        "the page is wider than the screen");
    }, { viewport: { width, height } });

runTests();
