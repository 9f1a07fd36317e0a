/* A reused sentence beside all that have it, the earliest first. */

/* Bytes of a document of the page, as text. */
const encoded = new Map(); /* the last few documents */
async function sliceOf(doc, begin, end) {
    if (!encoded.has(doc)) {
        if (encoded.size > 7) encoded.delete(encoded.keys().next().value);
        encoded.set(doc, data.document(doc).then(({ text }) =>
            new TextEncoder().encode(text)));
    }
    const bytes = await encoded.get(doc);
    return new TextDecoder().decode(bytes.subarray(begin, end));
}

/* Gives every source of a sentence its text. */
async function loadSentences(v, i) {
    for (const alt of v.passages[i].alts) {
        const [s, , begin, end] = alt;
        if (alt[6] === undefined)
            alt[6] = await sliceOf(v.sources[s - 1].doc - 1, begin, end);
    }
}

function fillShared(parent, text, shared) {
    let at = 0;
    for (let k = 0; k < shared.length; k += 2) {
        appendText(parent, text.slice(at, at + shared[k]));
        at += shared[k];
        const mark = make("mark");
        appendText(mark, text.slice(at, at + shared[k + 1]));
        parent.append(mark);
        at += shared[k + 1];
    }
    appendText(parent, text.slice(at));
}

function makeSentence(v, [s, similarity, begin, end, n, shared, text]) {
    const source = v.sources[s - 1];
    const quote = make("blockquote", { dir: "auto", lang: "" });
    fillShared(quote, softened(text), shared);
    const link = source.doc
        ? make("a", { href: `#d${source.doc}` }, make("bdi", {}, v.nameOf(s - 1)))
        : make("bdi", {}, v.nameOf(s - 1));
    return make("li", { className: `c${(s - 1) % 10}` },
        make("h3", {}, make("span", { className: "n" }, String(s)), " ", link),
        make("p", { className: "facts" },
            make("span", {}, v.clock(source.time)),
            make("span", {}, `similarity ${similarity}`),
            make("span", {}, count(n, "shared word")),
            make("span", {}, `bytes ${begin} to ${end}`)), quote);
}

function fillSentences(v, pages, i) {
    const p = v.passages[i];
    const list = make("ol", { className: "alts" });
    for (const alt of p.alts)
        if (!excluded.has(v.sources[alt[0] - 1].id))
            list.append(makeSentence(v, alt));
    pages.replaceChildren(list);
    if (p.found > p.alts.length)
        pages.append(make("p", { className: "note" },
            `and ${number.format(p.found - p.alts.length)} more, later ones`));
}
