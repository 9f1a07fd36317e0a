/* The documents of a report, packed in its elements (lib/report/html/packed.h). */

async function unpack({ text }) {
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
    /* Not of a Blob, which lives in another process. */
    const stream = new Response(bytes).body
        .pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
}

const linesOf = (text) => text.split("\n").slice(0, -1);

function sourceOfRow([id, title, time, n, c, passages, boiler]) {
    return { id, title, time: time || null, n, c, passages,
             boiler: boiler === 1 };
}

function rowOf(line, i) {
    const [id, title, time, units, copied, covered, passages, nSources,
        sources] = JSON.parse(line);
    return { i, id, title, time: time || null, units, copied, covered,
             passages, nSources, sources: sources.map(sourceOfRow) };
}

/* Parts of one kind, in order: { kind, first, text }, where `first` is the
 * number of the first thing that it has. */
class Elements {
    constructor(parts, kind) {
        this.list = parts.filter((part) => part.kind === kind);
        this.first = this.list.map((part) => part.first);
        this.unpacked = new Map(); /* the last few */
    }

    /* The lines of the one that has `n`. */
    async lines(n) {
        let k = this.first.length - 1;
        while (k > 0 && this.first[k] > n) k--;
        if (k < 0) return { first: 0, lines: [] };
        if (!this.unpacked.has(k)) {
            if (this.unpacked.size > 7)
                this.unpacked.delete(this.unpacked.keys().next().value);
            this.unpacked.set(k, unpack(this.list[k]).then(linesOf));
        }
        return { first: this.first[k], lines: await this.unpacked.get(k) };
    }
}

/* The parts of this page, and those of a page that is at hand as text. */
const partsHere = () => [...document.querySelectorAll("script[class]")]
    .map((e) => ({ kind: e.className, first: Number(e.dataset.first),
                   text: e.textContent }));
/* Nothing in them can end their element; what comes from documents is escaped
 * everywhere else, so that nothing else looks like them. Spelled so that this
 * script, which is in such a page itself, does not either. */
const partsOf = (html) => [...html.matchAll(
    /<[s]cript type="[\w/]+" class="(\w+)"([^>]*)>([^<]*)<\/script>/g)]
    .map(([, kind, attributes, text]) => ({ kind, text,
        first: Number(/data-first="(\d+)"/.exec(attributes)?.[1]) }));

const AHEAD = 16;

class PackedReport {
    constructor(parts) {
        this.meta = JSON.parse(parts.find((part) => part.kind === "meta").text);
        this.packed = { docs: new Elements(parts, "docs"),
                        rows: new Elements(parts, "rows"),
                        holders: new Elements(parts, "holders") };
    }

    async rows() {
        const parts = await Promise.all(this.packed.rows.list.map(unpack));
        return parts.flatMap(linesOf).map(rowOf);
    }

    /* From 0. */
    async document(i) {
        const { first, lines } = await this.packed.docs.lines(i + 1);
        return JSON.parse(lines[i + 1 - first]);
    }

    /* [begin, end, document from 0] of every passage that a document of this
     * page took from source `k`. */
    async holders(k) {
        const { lines } = await this.packed.holders.lines(k);
        const line = lines.find((l) => l.startsWith(`[${k},`));
        const [, ...list] = line ? JSON.parse(line) : [k];
        const found = [];
        for (let i = 0; i < list.length; i += 3)
            found.push([list[i], list[i + 1], list[i + 2] - 1]);
        return found;
    }

    async *texts() {
        const { list } = this.packed.docs;
        const coming = []; /* some ahead of the one at hand */
        for (let k = 0; k < list.length; k++) {
            while (coming.length < AHEAD && k + coming.length < list.length)
                coming.push(unpack(list[k + coming.length]));
            const lines = linesOf(await coming.shift());
            const first = this.packed.docs.first[k] - 1;
            for (let n = 0; n < lines.length; n++)
                yield [first + n, JSON.parse(lines[n]).text];
        }
    }
}
