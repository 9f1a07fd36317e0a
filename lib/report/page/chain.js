/* The chain of copies: who had a passage first, and who took it after, on one
 * line of time for each source. A dot stands at its date, whatever stands
 * beside it; labels are shown where they have room. */

const MOST_ROWS = 6;
const narrow = matchMedia("(max-width: 46rem)");

/* Open for one document; among several the text must not jump from one to the
 * next, unless the reader wants to see it in each. */
let chainIsOpen = null; /* not decided */

function chainOf(v, s) {
    const source = v.sources[s];
    const chain = [{ id: v.nameOf(s), time: source.time, kind: "first" }];
    for (const c of source.copiers || [])
        if (c.id !== v.doc.id)
            chain.push({ id: clean(c.id || "?"), time: c.time,
                         kind: "copier" });
    chain.push({ id: "this document", time: v.doc.time, kind: "this" });
    for (const link of chain) link.at = moment(link.time);
    return chain;
}

function makeChain(v) {
    const numbers = v.sources.map((_, s) => s).filter((s) => !v.isBoiler[s]);
    const chains = numbers.map((s) => chainOf(v, s));
    const times = chains.flat().map((link) => link.at)
        .filter((at) => at === at);
    if (times.length < 2) return null;
    const first = times.reduce((a, b) => Math.min(a, b));
    const last = times.reduce((a, b) => Math.max(a, b));
    if (first === last) return null;
    const place = (at) => 100 * (at - first) / (last - first);
    chainIsOpen ??= !narrow.matches && data.meta.documents === 1;
    const section = make("details", { className: "chain",
        open: chainIsOpen },
    make("summary", {}, "Who had it when"));
    section.addEventListener("toggle", () => { chainIsOpen = section.open; });
    const list = make("ol");
    const show = (n) => chains.slice(list.children.length, n)
        .forEach((chain) => list.append(makeRow(v,
            numbers[list.children.length], chain, place)));
    show(MOST_ROWS);
    section.append(list, makeAxis(first, last));
    if (chains.length > MOST_ROWS) {
        const more = makeButton(`all ${chains.length} sources`, "plain",
            () => {
                show(200);
                more.remove();
            });
        section.append(more);
    }
    return section;
}

/* In its place, so that the text does not move. */
const noChain = () => make("p", { className: "chain none" },
    "Who had it when: too few dates");

/* What a label takes of a track, in percent of it. */
function roomOnTrack() {
    const around = narrow.matches ? 50 : 370;
    const width = Math.max(Math.min(innerWidth, 1184) - around, 160);
    return 100 * 112 / width;
}

/* In the order of time; a label goes where no other is, on the side that has
 * room. */
function makeDots(v, chain, place) {
    const label = roomOnTrack();
    let free = -100; /* where the label before has ended */
    return chain.map((link) => {
        const at = place(link.at);
        const before = at + label > 100;
        const begin = before ? at - label : at;
        const item = make("li", { className: `at ${link.kind}`,
            title: `${v.clock(link.time)}  ${link.id}` },
        make("span", {}, make("bdi", {}, link.kind === "first"
            ? day(link.time) : link.id),
        make("span", { className: "sr" }, ` ${day(link.time)}` +
            (link.kind === "copier" ? " copied" : ""))));
        item.style.left = `${at}%`;
        item.classList.toggle("before", before);
        item.classList.toggle("quiet", begin < free);
        if (begin >= free) free = begin + label;
        return item;
    });
}

function makeRow(v, s, chain, place) {
    const who = makeButton(make("span", { className: "n" }, String(s + 1)),
        "plain who", () => compareSource(s));
    who.append(" ", make("bdi", {}, v.nameOf(s)));
    const dated = chain.filter((link) => link.at === link.at)
        .sort((a, b) => a.at - b.at);
    const track = make("ol", { className: "track" });
    if (dated.length > 1) {
        const line = make("li", { className: "link", "aria-hidden": "true" });
        const places = dated.map((link) => place(link.at));
        line.style.left = `${places[0]}%`;
        line.style.width = `${places[places.length - 1] - places[0]}%`;
        track.append(line);
    }
    track.append(...makeDots(v, dated, place));
    const row = make("li", { className: `row c${s % 10}` }, who, track);
    const undated = chain.filter((link) => link.at !== link.at);
    if (undated.length > 0)
        row.append(make("p", { className: "undated" },
            `${undated.map((link) => link.id).slice(0, 5).join(", ")}: ` +
            "undated"));
    return row;
}

function makeAxis(first, last) {
    const axis = make("div", { className: "track axis",
                               "aria-hidden": "true" });
    const { starts, label } = periodsOf(first, last);
    const inside = starts.filter((at) => at >= first);
    const every = Math.max(1, Math.ceil(inside.length / 8));
    inside.filter((_, i) => i % every === 0).forEach((at) => {
        const where = 100 * (at - first) / (last - first);
        const mark = make("span", {}, label(at));
        mark.style.left = `${where}%`;
        mark.classList.toggle("before", where > 92);
        axis.append(mark);
    });
    return make("div", { className: "row" }, make("span"), axis);
}
