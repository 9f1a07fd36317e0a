"use strict";

/* The HTML report as a reader meets it: node test_report_page.js BROWSER OUT,
 * on the pages of web_fixture (browser.js). */

const assert = require("assert");
const { contrasts, frames, readJson, runTests, shoot, test, WIDTHS } =
    require("./browser.js");

/* The text of a passage without its number. */
const passageText = (page, p, doc = 1) => page.$$eval(
    `#d${doc} .text mark[data-p="${p}"]`, (marks) => marks.map((mark) => {
        const copy = mark.cloneNode(true);
        for (const n of copy.querySelectorAll(".n")) n.remove();
        return copy.textContent;
    }).join(""));
const shownPassages = (page) => page.$$eval(
    "article:not([hidden]) .text mark[id]:not(.off)",
    (marks) => marks.map((mark) => Number(mark.dataset.p)));
const figure = (page) => page.textContent("article:not([hidden]) .number");

/* ---- what is shown ---- */

test("spans are those of the answer", "report", async (page) => {
    const [answer] = readJson("report");
    const ids = await page.$$eval(".text mark[id]", (m) => m.length);
    assert.strictEqual(ids, answer.spans.length);
    assert.match(await passageText(page, 1), /^Shortly after two.*burning$/s);
    assert.match(await passageText(page, 4), /^resolved that.*both were done$/s);
    for (let i = 0; i < answer.spans.length; i++) {
        const n = await page.textContent(`#d1p${i + 1} .n`);
        const name = await page.textContent(`#d1s${n} .id`);
        assert.strictEqual(name, answer.spans[i].origin.id);
    }
});

test("sources have share, date and snippet", "report", async (page) => {
    const [answer] = readJson("report");
    const items = await page.$$(".source");
    assert.strictEqual(items.length, answer.origins.length);
    const first = items[0];
    assert.strictEqual(await first.$eval("h3 bdi", (e) => e.textContent),
        "Pier closed after night of storm");
    assert.strictEqual(await first.$eval("time", (e) => e.textContent),
        "2016-03-09");
    const words = answer.spans.filter((s) =>
        s.origin.id === "lantern-2016-014").reduce((n, s) => n + s.n_tokens, 0);
    assert.strictEqual(await first.$eval(".facts strong", (e) => e.textContent),
        `${(100 * words / answer.n_tokens).toFixed(1)} %`);
    assert.match(await first.$eval("blockquote", (e) => e.textContent),
        /^Shortly after two in the morning a barge.*struck/);
    const copied = 100 * (1 - answer.novel);
    assert.strictEqual(await figure(page), String(Math.round(copied)));
});

test("the whole text is there", "report", async (page) => {
    const text = await page.$$eval(".text p", (ps) => ps.map((p) => {
        const copy = p.cloneNode(true);
        for (const n of copy.querySelectorAll(".n")) n.remove();
        return copy.textContent;
    }).join("\n\n"));
    assert.match(text, /^Who knew about the moorings\?\n\nWhen a gravel barge/);
    assert.match(text, /the line was very bad\.\n\nThe Tidewell Lantern is/);
    assert.match(text, /without being asked for\.$/);
});

test("no script: text, sources and links both ways", "report",
    async (page) => {
        assert.strictEqual(await page.$$eval(".text mark[id]",
            (m) => m.length), 6);
        assert.ok(await page.isVisible(".source >> nth=3"));
        await page.click("#d1p2 .n");
        assert.match(page.url(), /#d1s2$/);
        await page.click("#d1s3 .facts a");
        assert.match(page.url(), /#d1p4$/);
    }, { context: { javaScriptEnabled: false } });

/* ---- clicks ---- */

test("a click on a passage opens its source beside it", "report",
    async (page) => {
        await page.click("#d1p4 >> text=timbers");
        await frames(page);
        assert.strictEqual(await page.textContent(".compare h2 bdi"),
            "Minutes of the harbour committee, 9 February");
        const there = await page.$eval(".pages mark.now", (mark) => {
            mark.querySelector(".n").remove();
            return mark.textContent;
        });
        assert.strictEqual(there, await passageText(page, 4));
        assert.ok(await page.$eval("#d1s3", (e) => e.classList.contains("now")));
        await page.click(".compare .close");
        assert.strictEqual(await page.$(".compare"), null);
    });

test("a click on a source goes to its passage", "report", async (page) => {
    await page.click("#d1s4 h3");
    await frames(page);
    const box = await page.locator("#d1p6").boundingBox();
    const height = page.viewportSize().height;
    assert.ok(box.y >= 0 && box.y < height, `at ${box.y}`);
    assert.strictEqual(await page.textContent(".compare h2 bdi"),
        "The Tidewell Lantern, No. 1");
});

test("words that differ are marked on both sides", "report", async (page) => {
    await page.click("#d1p1 .n");
    await frames(page);
    const here = await page.$$eval("#d1p1 ins", (e) =>
        e.map((x) => x.textContent));
    const there = await page.$$eval(".pages mark.now del", (e) =>
        e.map((x) => x.textContent));
    assert.deepStrictEqual(here, ["hit", "along", "wooden", "No one"]);
    assert.deepStrictEqual(there, ["struck", "together", "Nobody"]);
    assert.strictEqual(await page.$$eval("#d1p4 ins", (e) => e.length), 0);
});

test("passages stand at one height and scroll together", "report",
    async (page) => {
        const tops = () => page.evaluate(() => {
            const pane = document.querySelector(".pages mark.now");
            const here = document.querySelector(".text mark.now");
            return [here.getBoundingClientRect().top,
                pane.getBoundingClientRect().top];
        });
        await page.click("#d1p1 .n");
        await frames(page);
        let [a, b] = await tops();
        assert.ok(Math.abs(a - b) < 60, `${a} and ${b}`);
        const before = await page.$eval(".pages", (e) => e.scrollTop);
        await page.mouse.move(500, 300);
        await page.mouse.wheel(0, 160);
        await page.waitForTimeout(300);
        const after = await page.$eval(".pages", (e) => e.scrollTop);
        assert.ok(after > before + 40, `page leads: ${before}, ${after}`);
        const page0 = await page.evaluate(() => scrollY);
        const box = await page.locator(".pages").boundingBox();
        await page.mouse.move(box.x + 100, box.y + 60);
        await page.mouse.wheel(0, -100);
        await page.waitForTimeout(300);
        const page1 = await page.evaluate(() => scrollY);
        assert.ok(page1 < page0 - 20, `source leads: ${page0}, ${page1}`);
    }, { viewport: { width: 1300, height: 420 } });

/* ---- filters ---- */

test("filter: the shortest passage", "report", async (page) => {
    const [answer] = readJson("report");
    await page.$eval(".shortest", (range) => {
        range.value = 40;
        range.dispatchEvent(new Event("input"));
    });
    const expected = answer.spans.map((s, i) => [s.n_tokens, i + 1])
        .filter(([n]) => n >= 40);
    assert.ok(expected.length > 0 && expected.length < answer.spans.length);
    assert.deepStrictEqual(await shownPassages(page),
        expected.map(([, p]) => p));
    const words = expected.reduce((n, [w]) => n + w, 0);
    assert.strictEqual(await figure(page),
        String(Math.round(100 * words / answer.n_tokens)));
    assert.match(await page.textContent("[role=status]"),
        new RegExp(`^${expected.length} of 6 passages shown`));
});

test("filter: one source", "report", async (page) => {
    await page.selectOption(".only", "1");
    assert.deepStrictEqual(await shownPassages(page), [2, 3]);
    assert.ok(await page.$eval("#d1s1", (e) => e.classList.contains("off")));
    await page.selectOption(".only", "-1");
    assert.deepStrictEqual(await shownPassages(page), [1, 2, 3, 4, 5, 6]);
});

test("filter: quotations and boilerplate", "report", async (page) => {
    await page.check(".noQuotes");
    assert.deepStrictEqual(await shownPassages(page), [1, 2, 4, 6]);
    await page.check(".noBoiler");
    assert.deepStrictEqual(await shownPassages(page), [1, 2, 4]);
    await page.uncheck(".noQuotes");
    assert.deepStrictEqual(await shownPassages(page), [1, 2, 3, 4, 5]);
});

/* ---- time ---- */

test("the chain of copies stands in the order of time", "report",
    async (page) => {
        const chain = await page.$$eval(".chain .row >> nth=2", (rows) =>
            [...rows[0].querySelectorAll("li.at")].map((li) => [
                li.title, Number.parseFloat(li.style.left)]));
        assert.deepStrictEqual(chain.map(([title]) => title), [
            "1999-02-09  Minutes of the harbour committee, 9 February",
            "2000-03-04  lantern-2000-009", "2007-05-20  guide-2007",
            "2016-03-12  this document"]);
        for (let i = 1; i < chain.length; i++)
            assert.ok(chain[i][1] > chain[i - 1][1]);
    });

/* ---- keyboard and screen reader ---- */

test("keyboard: j, k, Enter, Escape", "report", async (page) => {
    const focused = () => page.evaluate(() =>
        document.activeElement.closest("mark")?.dataset.p);
    await page.keyboard.press("j");
    await frames(page);
    assert.strictEqual(await focused(), "1");
    await page.keyboard.press("j");
    assert.strictEqual(await focused(), "2");
    await page.keyboard.press("k");
    assert.strictEqual(await focused(), "1");
    await page.keyboard.press("Enter");
    await frames(page);
    assert.strictEqual(await page.textContent(".compare h2 bdi"),
        "Pier closed after night of storm");
    await page.keyboard.press("j");
    await frames(page);
    assert.match(await page.textContent(".compare h2 bdi"), /^Report on the/);
    await page.keyboard.press("Escape");
    assert.strictEqual(await page.$(".compare"), null);
    assert.strictEqual(await focused(), "2");
    await page.keyboard.press("?");
    assert.ok(await page.isVisible("dialog"));
});

test("keyboard: Tab reaches every passage", "report", async (page) => {
    const seen = new Set();
    for (let i = 0; i < 60 && seen.size < 6; i++) {
        await page.keyboard.press("Tab");
        const p = await page.evaluate(() =>
            document.activeElement.closest(".text mark")?.dataset.p);
        if (p) seen.add(p);
    }
    assert.strictEqual(seen.size, 6);
});

test("screen reader: names, landmarks, headings", "report", async (page) => {
    assert.strictEqual(await page.getByRole("link",
        { name: "passage 4, source 3" }).count(), 1);
    assert.strictEqual(await page.getByRole("main").count(), 1);
    assert.strictEqual(await page.getByRole("heading", { level: 1 }).count(), 1);
    assert.strictEqual(await page.getByRole("region",
        { name: "Sources" }).count(), 1);
    assert.ok(await page.getByLabel("Shortest passage").count() === 1);
    const nameless = await page.$$eval("button, a, select, input", (all) =>
        all.filter((e) => !(e.textContent.trim() || e.ariaLabel ||
            e.labels?.length)).map((e) => e.outerHTML));
    assert.deepStrictEqual(nameless, []);
});

test("contrast: text on its colours is at least 4.5 to 1", "report",
    async (page) => {
        for (const scheme of ["light", "dark"]) {
            await page.emulateMedia({ colorScheme: scheme });
            const low = await page.evaluate(contrasts);
            assert.deepStrictEqual(low, [], scheme);
        }
    });

test("light and dark by button", "report", async (page) => {
    const paper = () => page.evaluate(() =>
        getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.click(".theme");
    assert.strictEqual(await paper(), light);
    await page.click(".theme");
    assert.notStrictEqual(await paper(), light);
});

/* ---- several documents, scripts ---- */

test("several documents: a list, one at a time", "many", async (page) => {
    assert.strictEqual(await page.$$eval(".documents li", (e) => e.length), 5);
    assert.strictEqual(await page.$$eval("article:not([hidden])",
        (e) => e.length), 1);
    await page.click(".documents li >> nth=2");
    await frames(page);
    assert.strictEqual(await page.textContent("article:not([hidden]) h1"),
        "西码头终于要修了");
    await page.keyboard.press("]");
    await frames(page);
    assert.strictEqual(await page.textContent("article:not([hidden]) h1"),
        "tale-th-2");
    await page.check(".documents .copied");
    assert.strictEqual(await page.$$eval(".documents li:not([hidden])",
        (e) => e.length), 4);
    await page.click(".documents li >> nth=0");
    assert.match(page.url(), /#d1$/);
});

test("a document without copies says so", "many", async (page) => {
    await page.click(".documents li >> nth=4");
    await frames(page);
    assert.strictEqual(await figure(page), "0");
    assert.match(await page.textContent("#d5 .summary"), /^Nothing in it/);
    assert.strictEqual(await page.$("#d5 .filters"), null);
});

test("right-to-left: direction and spans", "many", async (page) => {
    await page.click(".documents li >> nth=1");
    await frames(page);
    const direction = await page.$$eval("#d2 .text p, #d2 h1, #d2 blockquote",
        (all) => all.map((e) => getComputedStyle(e).direction));
    assert.ok(direction.length > 3 && direction.every((d) => d === "rtl"),
        String(direction));
    assert.match(await passageText(page, 1, 2), /^كان في المدينة.*البحر الكنيسة$/s);
    assert.deepStrictEqual(await page.$$eval("#d2p1 ins", (e) =>
        e.map((x) => x.textContent)), ["عظيم"]);
});

test("scripts without spaces: to the character", "many", async (page) => {
    await page.click(".documents li >> nth=2");
    await frames(page);
    assert.deepStrictEqual(await page.$$eval("#d3p1 ins", (e) =>
        e.map((x) => x.textContent)), ["五"]);
    await page.click("#d3p1 .n");
    await frames(page);
    assert.deepStrictEqual(await page.$$eval(".pages del", (e) =>
        e.map((x) => x.textContent)), ["四"]);
    const wide = await page.$eval("#d3 .text", (e) =>
        e.scrollWidth > e.clientWidth + 1);
    assert.ok(!wide);
});

/* ---- what an answer may lack ---- */

test("labels alone: no text, no place, no title", "labels", async (page) => {
    assert.deepStrictEqual(await shownPassages(page), [1, 2]);
    assert.match(await page.textContent("#d1s2 .facts"), /undated/);
    assert.match(await page.textContent("#d1s1 .more"), /not compared/);
    assert.match(await page.textContent("#d1s1 blockquote"), /^Shortly after/);
    await page.click("#d1p1 .n");
    await frames(page);
    assert.match(await page.textContent(".pages"), /text .* is not at hand/);
});

/* ---- hostile text ---- */

const ATTACKS = ["</script></style></textarea></title>--><script>",
    "<img src=x onerror=\"window.owned=1\">", "<svg/onload=window.owned=1>",
    "&lt;b&gt; &#60;script&#62;", "<!-- "];

test("hostile text is shown as text", "hostile", async (page) => {
    await page.click("#d1p1 .n");
    await frames(page);
    assert.strictEqual(await page.evaluate(() => window.owned), undefined);
    assert.notStrictEqual(await page.title(), "owned");
    for (const where of ["#d1 .text", "#d1 h1", "#d1s1 h3", ".pages",
        "#d1 .summary"]) {
        const text = await page.textContent(where);
        for (const attack of ATTACKS.slice(0, where === "#d1 .summary" ? 0 : 5))
            assert.ok(text.includes(attack), `${where}: ${attack}`);
    }
    const counts = await page.evaluate(() => [
        document.querySelectorAll("img, svg, iframe, object, b").length,
        document.scripts.length, document.styleSheets.length,
        document.querySelectorAll("[onerror], [onload]").length]);
    assert.deepStrictEqual(counts, [0, 2, 1, 0]);
});

test("hostile text cannot turn the direction", "hostile", async (page) => {
    await page.click("#d1p1 .n");
    await frames(page);
    const html = await page.content();
    assert.ok(!/[\u202a-\u202e\u2066-\u2069]/.test(
        await page.evaluate(() => document.body.innerText)));
    assert.ok(!html.includes("\u001b"));
    const marks = await page.$$eval(".text .u", (e) =>
        e.map((x) => x.textContent));
    for (const mark of ["U+202E", "U+001B", "U+0001", "U+2066"])
        assert.ok(marks.includes(mark), mark);
    assert.ok((await page.$$(".pages .u")).length >= 3);
});

test("hostile addresses are no links that run", "hostile", async (page) => {
    const links = await page.$$eval("a", (all) => all.map((a) => a.protocol));
    assert.ok(links.every((p) => p === "file:" || p === "https:"),
        String(links));
    assert.strictEqual(await page.textContent("#d1 header .url"),
        "javascript:window.owned=1");
    assert.strictEqual(await page.$("a[href*='<script']:not(.url)"), null);
});

test("the policy allows this script and this style alone", "report",
    async (page) => {
        const done = await page.evaluate(() => new Promise((done) => {
            document.addEventListener("securitypolicyviolation", (e) =>
                done(e.effectiveDirective));
            const script = document.createElement("script");
            script.textContent = "window.owned = 1";
            document.body.append(script);
            setTimeout(() => done("nothing was refused"), 500);
        }));
        assert.match(done, /^script-src/);
        assert.strictEqual(await page.evaluate(() => window.owned), undefined);
    }, { allowErrors: /Content Security Policy/ });

/* ---- ten megabytes ---- */

test("a document of 10 MB is usable", "big", async (page, { loaded }) => {
    assert.ok(loaded < 8000, `loaded in ${loaded} ms`);
    const timed = async (what, most, action) => {
        const began = Date.now();
        await action();
        await frames(page);
        const took = Date.now() - began;
        times.push(`${what} ${took} ms`);
        assert.ok(took < most, `${what}: ${took} ms`);
    };
    const times = [`loaded ${loaded} ms`];
    const letters = await page.$eval(".text", (e) => e.textContent.length);
    assert.ok(letters > 10e6, `${letters} letters`);
    await timed("next", 3000, () => page.keyboard.press("j"));
    await timed("compare", 4000, () => page.keyboard.press("Enter"));
    assert.match(await page.textContent(".pages mark.now"), /ledger/);
    await timed("far", 4000, () => page.evaluate(() => {
        location.hash = "#d1p4500";
    }));
    const box = await page.locator("#d1p4500").boundingBox();
    assert.ok(box.y > -50 && box.y < 900, `passage 4500 at ${box.y}`);
    await timed("filter", 4000, () => page.$eval(".shortest", (range) => {
        range.value = range.max;
        range.dispatchEvent(new Event("input"));
    }));
    await timed("end", 4000, () => page.keyboard.press("End"));
    console.log("     " + times.join(", "));
}, { timeout: 40000, alone: true });

/* ---- screenshots ---- */

for (const scheme of ["light", "dark"])
    for (const [name, width, height] of WIDTHS)
        test(`screenshot: ${name}, ${scheme}`, "report", async (page) => {
            await shoot(page, `${name}-${scheme}`);
            await page.click("#d1p1 .n");
            await frames(page);
            await shoot(page, `${name}-${scheme}-compare`);
            const wide = await page.evaluate(() =>
                document.documentElement.scrollWidth > innerWidth);
            assert.ok(!wide, "the page is wider than the screen");
        }, { viewport: { width, height }, context: { colorScheme: scheme } });

for (const [name, width, height] of WIDTHS)
    test(`screenshot: several documents, ${name}`, "many", async (page) => {
        await shoot(page, `many-${name}`);
        await page.click(".documents li >> nth=1");
        await frames(page);
        await page.click("#d2p1 .n");
        await frames(page);
        await shoot(page, `many-${name}-rtl`);
        const wide = await page.evaluate(() =>
            document.documentElement.scrollWidth > innerWidth);
        assert.ok(!wide, "the page is wider than the screen");
    }, { viewport: { width, height } });

/* docs/report.png is this one. */
test("screenshot: for the README", "report", async (page) => {
    await page.click("#d1p1 .n");
    await frames(page);
    await shoot(page, "readme");
}, { viewport: { width: 1200, height: 620 } });

runTests();
