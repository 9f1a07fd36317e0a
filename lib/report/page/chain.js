/* The chain of copies: who had a passage first, and who took it after, on one
 * line of time for each source. */

const MOST_ROWS = 6;
const narrow = matchMedia("(max-width: 46rem)");

function chainOf(v, s) {
    const source = v.sources[s];
    const chain = [{ id: v.nameOf(s), time: source.time, kind: "first" }];
    for (const c of source.copiers || [])
        chain.push({ id: clean(c.id || "?"), time: c.time, kind: "copier" });
    chain.push({ id: "this document", time: v.data.time, kind: "this" });
    return chain;
}

function makeChain(v) {
    const chains = v.sources.map((_, s) => chainOf(v, s));
    const times = chains.flat().filter((link) => link.time)
        .map((link) => Date.parse(link.time));
    if (times.length < 2) return null;
    const first = times.reduce((a, b) => Math.min(a, b));
    const last = times.reduce((a, b) => Math.max(a, b));
    const place = (time) => last === first ? 0
        : 100 * (Date.parse(time) - first) / (last - first);
    const section = make("details", { className: "chain",
        open: !narrow.matches }, make("summary", {}, "Who had it when"));
    const list = make("ol");
    const more = make("button", { type: "button", className: "plain" },
        `all ${v.sources.length} sources`);
    const show = (n) => chains.slice(list.children.length, n)
        .forEach((chain) =>
            list.append(makeRow(v, list.children.length, chain, place)));
    show(MOST_ROWS);
    more.addEventListener("click", () => {
        show(200);
        more.remove();
    });
    section.append(list, makeAxis(first, last));
    if (chains.length > MOST_ROWS) section.append(more);
    return section;
}

/* What a dot and a label take of a track, in percent of it. */
function roomOnTrack() {
    const around = narrow.matches ? 120 : 490;
    const width = Math.max(Math.min(innerWidth, 1184) - around, 160);
    return [100 * 14 / width, 100 * 112 / width];
}

function makeRow(v, s, chain, place) {
    const who = make("button", { type: "button", className: "plain who" },
        make("span", { className: "n" }, String(s + 1)), " ",
        make("bdi", {}, v.nameOf(s)));
    who.addEventListener("click", () => compareSource(s));
    const track = make("ol", { className: "track" });
    const dated = chain.filter((link) => link.time);
    if (dated.length > 1) {
        const line = make("li", { className: "link", "aria-hidden": "true" });
        const places = dated.map((link) => place(link.time));
        line.style.left = `${Math.min(...places)}%`;
        line.style.width = `${Math.max(...places) - Math.min(...places)}%`;
        track.append(line);
    }
    const [dot, label] = roomOnTrack();
    let free = -100; /* where the label before has ended ... */
    let last = -100; /* ... and where its dot is: none may hide another */
    for (const link of dated.sort((a, b) => place(a.time) - place(b.time))) {
        const at = Math.max(place(link.time), last + dot);
        last = at;
        const what = { first: "first", this: "", copier: "copied" }[link.kind];
        const item = make("li", { className: `at ${link.kind}`,
            title: `${day(link.time)}  ${link.id}` },
            make("span", {}, make("bdi", {}, link.kind === "first"
                ? day(link.time) : link.id),
            make("span", { className: "sr" }, ` ${day(link.time)} ${what}`)));
        item.style.left = `${at}%`;
        item.classList.toggle("quiet", at < free);
        if (at >= free) free = at + label;
        track.append(item);
    }
    const row = make("li", { className: `row c${s % 10}` }, who, track);
    const undated = chain.filter((link) => !link.time);
    if (undated.length > 0)
        row.append(make("p", { className: "undated" },
            `${undated.map((link) => link.id).slice(0, 5).join(", ")}: undated`));
    return row;
}

function makeAxis(first, last) {
    const axis = make("div", { className: "track axis",
                               "aria-hidden": "true" });
    const years = [];
    const from = new Date(first).getUTCFullYear() + 1;
    const to = new Date(last).getUTCFullYear();
    const gap = Math.max(1, Math.ceil((to - from + 1) / 8));
    for (let year = from; year <= to; year += gap) years.push(year);
    const put = (text, at) => {
        const label = make("span", {}, text);
        label.style.left = `${at}%`;
        axis.append(label);
    };
    for (const year of years)
        put(String(year), 100 * (Date.UTC(year, 0) - first) / (last - first));
    if (years.length === 0) {
        put(new Date(first).toISOString().slice(0, 10), 0);
        if (last > first) put(new Date(last).toISOString().slice(0, 10), 100);
    }
    return make("div", { className: "row" }, make("span"), axis);
}
