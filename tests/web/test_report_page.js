"use strict";

/* The HTML report as a reader meets it: node test_report_page.js BROWSER OUT,
 * on the pages of web_fixture (browser.js). */

const assert = require("assert");
const { atRest, contrasts, findings, frames, readJson, runTests, shoot, test,
    WIDTHS } = require("./browser.js");

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
/* Words of a span that its source has. */
const matching = (span) => span.n_matching ?? span.n_tokens;
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
        s.origin.id === "lantern-2016-014").reduce((n, s) => n + matching(s), 0);
    assert.strictEqual(await first.$eval(".facts strong", (e) => e.textContent),
        `${(100 * words / answer.n_tokens).toFixed(1)} %`);
    assert.match(await first.$eval("blockquote", (e) => e.textContent),
        /^Shortly after two in the morning a barge.*struck/);
    const copied = answer.spans.reduce((n, s) => n + matching(s), 0);
    assert.strictEqual(await figure(page),
        String(Math.round(100 * copied / answer.n_tokens)));
});

const newSentences = (page, doc) => page.$$eval(`#d${doc} .new li`,
    (items) => items.map((item) => item.textContent));

for (const options of [{}, { context: { javaScriptEnabled: false } }])
    test(`the best new sentences are listed${options.context
        ? " without a script" : ""}`, "novel", async (page) => {
        const answers = readJson("novel");
        let n = 0;
        for (let doc = 1; doc <= answers.length; doc++) {
            if (!options.context)
                await page.evaluate((d) => { location.hash = `d${d}`; }, doc);
            const wanted = answers[doc - 1].snippets.map((s) => s.text);
            await page.waitForSelector(`#d${doc}`, { state: "attached" });
            assert.deepStrictEqual(await newSentences(page, doc), wanted);
            n += wanted.length;
        }
        assert.ok(n >= 4, `${n} sentences`);
    }, options);

test("what is new is not listed when nobody asked", "report", async (page) => {
    assert.strictEqual(await page.$$eval(".new", (e) => e.length), 0);
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
    await page.click(".sources summary");
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
        await page.waitForFunction((from) =>
            document.querySelector(".pages").scrollTop > from + 40, before);
        await atRest(page);
        const page0 = await page.evaluate(() => scrollY);
        const box = await page.locator(".pages").boundingBox();
        await page.mouse.move(box.x + 100, box.y + 60);
        await page.mouse.wheel(0, -100);
        await page.waitForFunction((from) => scrollY < from - 20, page0);
    }, { viewport: { width: 1300, height: 420 } });

/* ---- filters ---- */

test("filter: the shortest passage", "report", async (page) => {
    const [answer] = readJson("report");
    await page.$eval(".shortest", (range) => {
        range.value = 40;
        range.dispatchEvent(new Event("input"));
    });
    const expected = answer.spans.map((s, i) =>
        [s.n_tokens, i + 1, matching(s)]).filter(([n]) => n >= 40);
    assert.ok(expected.length > 0 && expected.length < answer.spans.length);
    assert.deepStrictEqual(await shownPassages(page),
        expected.map(([, p]) => p));
    const words = expected.reduce((n, [, , w]) => n + w, 0);
    assert.strictEqual(await figure(page),
        String(Math.round(100 * words / answer.n_tokens)));
    assert.match(await page.textContent("[role=status]"),
        new RegExp(`^${expected.length} of 6 passages counted`));
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
    await page.selectOption("select.boiler", "leave");
    assert.deepStrictEqual(await shownPassages(page), [1, 2, 4]);
    await page.uncheck(".noQuotes");
    assert.deepStrictEqual(await shownPassages(page), [1, 2, 3, 4, 5]);
});

test("boilerplate is folded at first, and counts", "report", async (page) => {
    const all = await figure(page);
    const folded = () => page.$$eval(".text mark.fold[id]", (marks) =>
        marks.map((mark) => Number(mark.dataset.p)));
    assert.deepStrictEqual(await folded(), [6]);
    assert.ok(!await page.isVisible("#d1s4"));
    for (let i = 0; i < 6; i++) await page.keyboard.press("j");
    assert.strictEqual(await page.evaluate(() =>
        document.activeElement.closest("mark").dataset.p), "1");
    await page.selectOption("select.boiler", "show");
    assert.deepStrictEqual(await folded(), []);
    assert.strictEqual(await figure(page), all);
    await page.selectOption("select.boiler", "leave");
    assert.ok(Number(await figure(page)) < Number(all));
});

test("a folded passage is seen while it is compared", "report",
    async (page) => {
        const folded = () => page.$eval('.text mark.fold[data-p="6"]', (mark) =>
            [mark.classList.contains("now"),
                getComputedStyle(mark).backgroundColor]);
        assert.deepStrictEqual(await folded(), [false, "rgba(0, 0, 0, 0)"]);
        await page.click('.text mark.fold[data-p="6"]');
        const [isNow, background] = await folded();
        assert.ok(isNow && background !== "rgba(0, 0, 0, 0)", background);
    });

test("a source is left out and the figures follow", "report", async (page) => {
    const [answer] = readJson("report");
    await page.click("#d1s1 .exclude");
    const left = answer.spans.filter((s) => s.origin.id !== "lantern-2016-014");
    assert.deepStrictEqual(await shownPassages(page), [2, 3, 4, 6]);
    const words = left.reduce((n, s) => n + matching(s), 0);
    assert.strictEqual(await figure(page),
        String(Math.round(100 * words / answer.n_tokens)));
    assert.strictEqual(await page.textContent("#d1s1 .facts strong"), "0.0 %");
    await page.click("#d1s1 .exclude");
    assert.deepStrictEqual(await shownPassages(page), [1, 2, 3, 4, 5, 6]);
});

/* ---- time ---- */

test("the chain of copies stands in the order of time", "report",
    async (page) => {
        const [answer] = readJson("report");
        const chain = await page.$$eval(".chain .row >> nth=2", (rows) =>
            [...rows[0].querySelectorAll("li.at")].map((li) => [
                li.title, Number.parseFloat(li.style.left)]));
        assert.deepStrictEqual(chain.map(([title]) => title), [
            "1999-02-09  Minutes of the harbour committee, 9 February",
            "2000-03-04  lantern-2000-009", "2007-05-20  guide-2007",
            "2016-03-12  this document"]);
        const first = Date.parse("1987-06-01"), last = Date.parse("2016-03-12");
        assert.strictEqual(answer.spans.length, 6);
        for (const [title, left] of chain) {
            const at = 100 * (Date.parse(title.slice(0, 10)) - first) /
                (last - first);
            assert.ok(Math.abs(left - at) < 0.01, `${title}: ${left}, ${at}`);
        }
    });

for (const [name, width, height] of WIDTHS)
    test(`the time line stays inside the page, ${name}`, "report",
        async (page) => {
            await page.$eval(".chain", (e) => { e.open = true; });
            const out = await page.$$eval(".chain li.at, .chain li.at > span, " +
                ".chain .axis span", (all) => all.filter((e) => {
                const box = e.getBoundingClientRect();
                return box.width > 0 && (box.left < 0 ||
                    box.right > document.documentElement.clientWidth);
            }).map((e) => e.textContent));
            assert.deepStrictEqual(out, []);
        }, { viewport: { width, height } });

test("the source of a passage, and who else has it", "copies",
    async (page) => {
        await page.evaluate(() => { location.hash = "#d3p1"; });
        await page.waitForSelector("#d3p1");
        await page.click("#d3p1 .n");
        await page.waitForSelector(".others li");
        assert.deepStrictEqual(await page.$$eval(".others li", (all) =>
            all.map((e) => e.textContent)),
        ["The second 2002-01-01", "The fourth 2004-01-01, 54 % of it"]);
        assert.strictEqual(await page.textContent(".compare h2 bdi"),
            "The first");
        /* Its text is that of a document of the page. */
        assert.match(await page.textContent(".pages"), /^.?Nobody in the/s);
        await page.click(".others a >> nth=0");
        await page.waitForSelector("#d2");
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

/* Opens the n-th document of the fixture. */
async function open(page, n) {
    await page.evaluate((hash) => { location.hash = hash; }, `#d${n}`);
    await page.waitForSelector(`#d${n}`);
    await frames(page);
}

test("several documents: an overview first", "many", async (page) => {
    const answers = readJson("many");
    const copying = answers.filter((a) => a.spans.length > 0).length;
    const sources = new Set(answers.flatMap((a) =>
        a.spans.map((s) => s.origin.id)));
    const figures = await page.$$eval(".figures strong", (e) =>
        e.map((x) => x.textContent));
    assert.deepStrictEqual(figures.slice(0, 3).map(Number),
        [answers.length, copying, sources.size]);
    assert.strictEqual(await page.$$eval(".documents li", (e) => e.length), 5);
    assert.strictEqual(await page.$("article"), null);
    /* Most copied first, with its main source and the time of that. */
    const shares = await page.$$eval(".documents .share", (e) =>
        e.map((x) => Number.parseInt(x.textContent, 10)));
    assert.deepStrictEqual(shares, [...shares].sort((a, b) => b - a));
    const row = await page.locator(".documents li", {
        hasText: "Who knew about" });
    assert.match(await row.textContent(),
        /from Pier closed after night of storm 2016-03-09/);
    const bars = await page.$$eval(".bin button", (e) =>
        e.map((x) => Number.parseInt(x.getAttribute("aria-label"), 10)));
    assert.strictEqual(bars.length, 11);
    assert.strictEqual(bars.reduce((a, b) => a + b), answers.length);
    assert.strictEqual(bars[0], 1);
    assert.strictEqual(await page.$$eval(".matrix .field a", (e) => e.length),
        answers.reduce((n, a) => n + new Set(a.spans.map((s) =>
            s.origin.id)).size, 0) - 1); /* without the boilerplate */
});

test("several documents: to one and back, by click and key", "many",
    async (page) => {
        await page.click(".documents li:has-text('西码头') a");
        await page.waitForSelector("#d3");
        assert.strictEqual(await page.textContent("article h1"),
            "西码头终于要修了");
        const order = await page.textContent(".pages-nav");
        await page.keyboard.press("]");
        await page.waitForSelector("article:not(#d3)");
        assert.notStrictEqual(await page.textContent(".pages-nav"), order);
        await page.keyboard.press("[");
        await page.waitForSelector("#d3");
        await page.keyboard.press("o");
        await page.waitForSelector(".overview");
        await page.goBack();
        await page.waitForSelector("#d3");
    });

test("several documents: what is chosen is what is counted", "many",
    async (page) => {
        const counted = () => page.textContent(".counted");
        assert.strictEqual(await counted(), "5 documents");
        await page.check(".copied");
        assert.strictEqual(await counted(), "4 of 5 documents");
        assert.strictEqual(await page.$$eval(".documents li",
            (e) => e.length), 4);
        await page.uncheck(".copied");
        await page.click(".bin button >> nth=0");
        assert.strictEqual(await counted(), "1 of 5 documents");
        assert.strictEqual(await page.textContent(".figures strong"), "1");
        await page.click(".bin button >> nth=0");
        assert.strictEqual(await counted(), "5 documents");
    });

test("search: titles, sources and texts", "many", async (page) => {
    const search = async (words) => {
        await page.fill("input[type=search]", words);
        await page.waitForSelector("input[type=search][aria-busy=false]");
        return page.$$eval(".documents .what", (e) =>
            e.map((x) => x.textContent));
    };
    assert.deepStrictEqual(await search("WHO knew"),
        ["Who knew about the moorings?"]);
    assert.deepStrictEqual(await search("会议记录"), ["西码头终于要修了"]);
    assert.deepStrictEqual(await search("thinks better of it"),
        ["A poem of nobody else"]);
    assert.deepStrictEqual(await search("nowhere to be found"), []);
    assert.strictEqual(await page.textContent(".counted"), "0 of 5 documents");
});

test("a source left out leaves the overview, too", "copies", async (page) => {
    const share = () => page.$$eval(".documents li", (all) => all.map((e) =>
        [e.querySelector(".what").textContent,
            e.querySelector(".share").textContent]));
    const before = await share();
    const copying = (list) => list.filter(([, s]) => s !== "0 %")
        .map(([title]) => title).sort();
    assert.deepStrictEqual(copying(before),
        ["The fifth", "The fourth", "The second", "The third"]);
    await open(page, 3);
    await page.click("#d3s1 .exclude");
    await page.keyboard.press("o");
    await page.waitForSelector(".overview");
    assert.deepStrictEqual(copying(await share()), ["The fifth"]);
    assert.strictEqual(await page.textContent(".figures strong >> nth=1"), "1");
    await page.click(".left-out button");
    assert.deepStrictEqual(await share(), before);
});

test("the time of day, where a day has several", "copies", async (page) => {
    const times = await page.$$eval(".documents li > a > .when", (e) =>
        e.map((x) => x.textContent));
    assert.deepStrictEqual(times.sort(), ["2001-01-01 08:00",
        "2001-01-01 17:30", "2002-01-01", "2003-01-01", "2004-01-01"]);
});

test("the text stands at one place in every document", "copies",
    async (page) => {
        const places = new Set();
        for (const n of [1, 2, 3, 4, 5]) {
            await open(page, n);
            const box = await page.locator("article .text").boundingBox();
            places.add(`${box.x} ${box.y} ${box.width}`);
        }
        assert.strictEqual(places.size, 1, [...places].join("; "));
    });

test("broken lines are joined, drawings and verse are not", "copies",
    async (page) => {
        await open(page, 5);
        const kinds = await page.$$eval(".text p", (all) => all.map((p) =>
            [p.className, getComputedStyle(p).whiteSpace]));
        assert.deepStrictEqual(kinds.map(([k]) => k),
            ["prose", "fixed", "", "prose"]);
        assert.deepStrictEqual(kinds.map(([, w]) => w),
            ["normal", "pre", "pre-wrap", "normal"]);
        const lines = await page.$$eval(".text p", (all) => all.map((p) => {
            const range = document.createRange();
            range.selectNodeContents(p);
            return new Set([...range.getClientRects()].map((r) =>
                Math.round(r.top))).size;
        }));
        assert.strictEqual(lines[2], 4); /* four lines of verse */
    });

test("a document without copies says so", "many", async (page) => {
    await open(page, 5);
    assert.strictEqual(await figure(page), "0");
    assert.match(await page.textContent("#d5 .summary"), /^Nothing in it/);
    assert.strictEqual(await page.$("#d5 .filters input"), null);
});

test("right-to-left: direction and spans", "many", async (page) => {
    await open(page, 2);
    const direction = await page.$$eval("#d2 .text p, #d2 h1, #d2 blockquote",
        (all) => all.map((e) => getComputedStyle(e).direction));
    assert.ok(direction.length > 3 && direction.every((d) => d === "rtl"),
        String(direction));
    assert.match(await passageText(page, 1, 2), /^كان في المدينة.*البحر الكنيسة$/s);
    assert.deepStrictEqual(await page.$$eval("#d2p1 ins", (e) =>
        e.map((x) => x.textContent)), ["عظيم"]);
});

test("scripts without spaces: to the character", "many", async (page) => {
    await open(page, 3);
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
        [...document.scripts].filter((e) => e.type === "").length,
        document.styleSheets.length,
        document.querySelectorAll("[onerror], [onload]").length]);
    assert.deepStrictEqual(counts, [0, 1, 1, 0]);
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
    }, { allowErrors: /Content Security Policy|page’s settings blocked/ });

/* ---- ten megabytes ----
 *
 * A quiet machine needs a tenth of the times allowed here: they are to find
 * work that grows with the square of the text, not a busy machine. */

test("a document of 10 MB is usable", "big", async (page, { loaded }) => {
    assert.ok(loaded < 60000, `loaded in ${loaded} ms`);
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
    await timed("next", 15000, () => page.keyboard.press("j"));
    await timed("compare", 15000, () => page.keyboard.press("Enter"));
    assert.match(await page.textContent(".pages mark.now"), /ledger/);
    await timed("far", 15000, () => page.evaluate(() => {
        location.hash = "#d1p4500";
    }));
    const box = await page.locator("#d1p4500").boundingBox();
    assert.ok(box.y > -50 && box.y < 900, `passage 4500 at ${box.y}`);
    await timed("filter", 15000, () => page.$eval(".shortest", (range) => {
        range.value = range.max;
        range.dispatchEvent(new Event("input"));
    }));
    await timed("end", 15000, () => page.keyboard.press("End"));
    console.log("     " + times.join(", "));
}, { timeout: 60000, alone: true });

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

for (const scheme of ["light", "dark"])
    for (const [name, width, height] of WIDTHS)
        test(`screenshot: several documents, ${name}, ${scheme}`, "many",
            async (page) => {
                const isWide = () => page.evaluate(() =>
                    document.documentElement.scrollWidth > innerWidth);
                await shoot(page, `many-${name}-${scheme}`);
                assert.ok(!await isWide(), "the overview is too wide");
                await open(page, 2);
                await page.click("#d2p1 .n");
                await frames(page);
                await shoot(page, `many-${name}-${scheme}-rtl`);
                assert.ok(!await isWide(), "the page is too wide");
            }, { viewport: { width, height },
                 context: { colorScheme: scheme } });

for (const scheme of ["light", "dark"])
    for (const width of [1400, 1920, 390])
        test(`axe finds nothing, ${width}, ${scheme}`, "many",
            async (page) => {
                assert.deepStrictEqual(await findings(page), []);
                await open(page, 1);
                assert.deepStrictEqual(await findings(page), []);
                await page.click("#d1p1 .n");
                await frames(page);
                assert.deepStrictEqual(await findings(page), []);
            }, { viewport: { width, height: 900 }, timeout: 30000,
                 context: { colorScheme: scheme } });

/* ---- 20,000 documents ---- */

test("20,000 documents open at once", "large", async (page, { loaded }) => {
    const ready = await page.evaluate(() => performance.now());
    console.log(`     loaded ${loaded} ms, ready ${Math.round(ready)} ms`);
    assert.ok(loaded < 60000, `loaded in ${loaded} ms`);
    assert.strictEqual(await page.textContent(".figures strong"), "20,000");
    await page.evaluate(() => { location.hash = "#d19999"; });
    await page.waitForSelector("#d19999");
    assert.match(await page.textContent("#d19999 h1"), /^Entry 19,?999$/);
    await page.keyboard.press("o");
    await page.fill("input[type=search]", "in the ledger of day 12345 ");
    await page.waitForFunction(() => document.querySelector(".counted")
        .textContent === "1 of 20,000 documents");
}, { timeout: 60000, alone: true });

/* docs/report.png is this one. */
test("screenshot: for the README", "report", async (page) => {
    await page.click("#d1p1 .n");
    await frames(page);
    await shoot(page, "readme");
}, { viewport: { width: 1200, height: 620 } });

runTests();
