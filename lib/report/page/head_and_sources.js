/* What stands above and beside the text of a document. */

/* ---- the head ---- */

function makeSummary(v) {
    const { doc, sources } = v;
    const summary = make("p", { className: "summary" });
    const add = (...what) => summary.append(...what);
    if (doc.units === 0) {
        add(v.unit === "word" ? "There are no words in it."
            : "There are no sentences in it.");
    } else if (v.passages.length === 0) {
        add(v.unit === "word" ? "Nothing in it was found elsewhere."
            : "None of its sentences was found elsewhere.");
    } else {
        add(`${count(v.passages.length, v.passageName())} from ` +
            count(sources.length, "source"),
        sources.length === 1 ? ", " : ", most from ",
        make("a", { href: `#${v.name}s1` }, make("bdi", {}, v.nameOf(0))),
        `. ${tenths(doc.units - doc.covered, doc.units)} of the ` +
        `${v.unit}s are new.`);
        const boiler = v.passages.filter((p) => p.boiler).length;
        if (boiler > 0)
            add(` ${count(boiler, "passage")} of boilerplate, which many ` +
                `documents have, ${boiler === 1 ? "is" : "are"} folded.`);
    }
    if (doc.best)
        add(" It has most in common with ", make("bdi", {},
            clean(doc.best[0])), ` (${Math.round(100 * doc.best[1])} %), ` +
            "which is not the first to say it.");
    if (doc.skipped)
        add(` ${count(doc.skipped, "candidate")} not looked at.`);
    return summary;
}

/* What is new, or the best sentences of it, when the report is of that. */
function makeNovel(v) {
    const { doc } = v;
    if (!doc.new) return "";
    return make("section", { className: "new", "aria-label": "New in it" },
        make("h2", {}, "New in it"),
        make("ul", {}, ...doc.new.map(([begin, end]) => {
            const item = make("li", { dir: "auto" });
            appendText(item, doc.text.slice(begin, end));
            return item;
        })));
}

function makeHeader(v) {
    const { doc } = v;
    const facts = make("p", { className: "facts" });
    if (doc.title)
        facts.append(make("bdi", { className: "id" }, clean(doc.id || "")));
    if (doc.time)
        facts.append(make("time", { dateTime: doc.time }, v.clock(doc.time)));
    facts.append(make("span", {}, count(doc.units, v.unit)));
    const address = makeAddress(doc.url);
    if (address) facts.append(address);
    if (doc.repaired)
        facts.append(make("span", { className: "warning" },
            `${count(doc.repaired, "byte")} not UTF-8, shown as \ufffd`));
    return make("header", {},
        make("p", { className: "figure" }, make("strong", {},
            make("span", { className: "number" }), "\u00a0%"),
        make("span", {}), make("small", { className: "covered" })),
        make("h1", { dir: "auto" }, nameOf(doc)), facts, makeSummary(v),
        makeNovel(v));
}

/* ---- the sources ---- */

/* How passages are known, in words. */
const KNOWN_BY = { verified: "compared word by word" };
const knownBy = (how) => how === undefined ? ""
    : KNOWN_BY[how] || "found by fingerprint";

function knownByAll(v, s) {
    const hows = v.ofSource[s].map((k) => v.passages[k].how);
    const compared = hows.filter((how) => how === "verified").length;
    if (hows[0] === undefined) return null;
    if (compared === hows.length) return "compared word by word";
    return compared > 0 ? "partly compared word by word"
        : "found by fingerprint, not compared";
}

function snippetOf(v, s) {
    const p = v.passages[v.ofSource[s][0]];
    if (!p) return "";
    const [piece] = v.sources[s].text || [];
    let text = v.doc.text.slice(p.b, p.e);
    if (piece && p.o && p.o[0] >= piece[0] &&
        p.o[1] <= piece[0] + piece[1].length)
        text = piece[1].slice(p.o[0] - piece[0], p.o[1] - piece[0]);
    const short = text.slice(0, 220).replace(/\s+/g, " ");
    return text.length > 220 ? `${short.replace(/\S*$/, "")}…` : short;
}

function makeSource(v, s) {
    const source = v.sources[s];
    const first = v.ofSource[s][0];
    const quote = make("blockquote", { dir: "auto" });
    appendText(quote, snippetOf(v, s));
    const facts = make("p", { className: "facts" }, make("strong"),
        source.time ? make("time", { dateTime: source.time },
            v.clock(source.time)) : make("span", {}, "undated"),
        make("a", { href: `#${v.name}${first === undefined ? `s${s + 1}`
            : `p${first + 1}`}` }));
    const more = make("p", { className: "facts more" });
    if (source.title)
        more.append(make("bdi", { className: "id" }, clean(source.id || "")));
    const address = makeAddress(source.url);
    if (address) more.append(address);
    const known = knownByAll(v, s);
    if (known) more.append(make("span", {}, known));
    if (source.doc)
        more.append(make("a", { href: `#d${source.doc}`, className: "open" },
            "Its own page"));
    more.append(makeButton("", "plain exclude", () => {
        if (!excluded.delete(source.id)) excluded.add(source.id);
        refreshAll();
    }));
    const item = make("li", { className: `source c${s % 10}`,
                              id: `${v.name}s${s + 1}` },
        make("h3", {}, make("span", { className: "n" }, String(s + 1)), " ",
            make("bdi", {}, v.nameOf(s))), facts);
    if (quote.textContent) item.append(quote);
    item.append(more);
    return item;
}

function makeSources(v) {
    const section = make("section", { className: "sources",
        "aria-label": "Sources", tabIndex: 0 },
    make("h2", {}, "Sources"));
    const list = make("ol"), boiler = make("ol");
    v.sources.forEach((_, s) =>
        (v.isBoiler[s] ? boiler : list).append(makeSource(v, s)));
    if (v.sources.length === 0)
        section.append(make("p", { className: "facts" }, "none"));
    section.append(list);
    if (boiler.children.length > 0)
        section.append(make("details", {}, make("summary", {},
            `Boilerplate: ${count(boiler.children.length, "source")}`),
        boiler));
    return section;
}
