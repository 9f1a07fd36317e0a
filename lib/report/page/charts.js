/* Small charts of bars. A bar is a button: it chooses what it counts. */

/* items: [{ label, title, n, part }]; `chosen` is the place of one, or -1. */
function makeBars(name, items, chosen, choose) {
    const most = items.reduce((m, item) => Math.max(m, item.n), 1);
    const list = make("ol", { className: "bars", "aria-label": name });
    items.forEach((item, i) => {
        const full = make("i", { className: "full" });
        const part = make("i", { className: "part" });
        /* The root keeps small counts visible beside large ones. */
        const height = (n) => n === 0 ? 0 : Math.max(3,
            100 * Math.sqrt(n / most));
        full.style.height = `${height(item.n)}%`;
        part.style.height = `${height(item.part)}%`;
        const button = make("button", { type: "button", title: item.title,
            "aria-label": item.title,
            "aria-pressed": String(i === chosen) },
        make("span", { className: "stack" }, full, part));
        button.addEventListener("click", () => choose(i === chosen ? -1 : i));
        list.append(make("li", {}, button, make("span", { className: "label",
            "aria-hidden": "true" }, item.label)));
    });
    return list;
}

/* ---- shares ---- */

const BINS = 11; /* nothing, up to 10 %, ... up to 100 % */
const binOf = (share) => Math.ceil(share / 10);
const binName = (i) => i === 0 ? "nothing"
    : `${10 * i - 9} to ${10 * i} %`;

function shareItems(rows, shareOf) {
    const n = new Array(BINS).fill(0);
    for (const row of rows) n[binOf(shareOf(row))]++;
    return n.map((k, i) => ({ n: k, part: i === 0 ? 0 : k,
        label: i === 0 ? "0" : i === BINS - 1 ? "100 %" : i % 2 ? "" :
            String(10 * i),
        title: `${count(k, "document")}: ${binName(i)} copied` }));
}

/* ---- time ---- */

const MOST_PERIODS = 36;
const DAY = 86400000;

/* Periods of a round length that people know, from `first` to `last`. */
function periodsOf(first, last) {
    const years = (last - first) / (365.25 * DAY);
    const starts = [];
    const add = (at) => {
        starts.push(at);
        return starts.length < 4 * MOST_PERIODS;
    };
    const stepYears = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((n) =>
        years / n <= MOST_PERIODS) || 1000;
    if (years > 3) {
        const when = new Date(first);
        let year = Math.floor(when.getUTCFullYear() / stepYears) * stepYears;
        for (; ; year += stepYears) {
            const at = new Date(0);
            at.setUTCFullYear(year, 0, 1);
            if (at.getTime() > last || !add(at.getTime())) break;
        }
        return { starts, label: (t) =>
            String(new Date(t).getUTCFullYear()) };
    }
    if (years > 0.25) {
        const when = new Date(first);
        for (let m = when.getUTCMonth(), y = when.getUTCFullYear(); ; m++) {
            const at = Date.UTC(y, m);
            if (at > last || !add(at)) break;
        }
        return { starts, label: (t) => new Date(t).toISOString().slice(0, 7) };
    }
    const span = Math.max(last - first, 1000);
    const step = [1000, 10000, 60000, 600000, 3600000, 6 * 3600000, DAY,
        7 * DAY].find((n) => span / n <= MOST_PERIODS) || 30 * DAY;
    for (let at = Math.floor(first / step) * step; at <= last; at += step)
        if (!add(at)) break;
    return { starts, label: (t) => new Date(t).toISOString()
        .slice(...(step >= DAY ? [0, 10] : [11, step < 60000 ? 19 : 16])) };
}

/* null when fewer than two times are known. */
function timeItems(rows, all, hasCopies) {
    const known = all.filter((row) => row.at === row.at);
    if (known.length < 2) return null;
    const first = known.reduce((m, r) => Math.min(m, r.at), Infinity);
    const last = known.reduce((m, r) => Math.max(m, r.at), -Infinity);
    if (first === last) return null;
    const { starts, label } = periodsOf(first, last);
    const items = starts.map((at, i) => ({ at, n: 0, part: 0,
        until: i + 1 < starts.length ? starts[i + 1] : Infinity }));
    for (const row of rows) {
        if (row.at !== row.at) continue;
        let low = 0, high = starts.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (starts[middle] <= row.at) low = middle;
            else high = middle - 1;
        }
        items[low].n++;
        if (hasCopies(row)) items[low].part++;
    }
    const every = Math.max(1, Math.ceil(items.length / 6));
    items.forEach((item, i) => {
        item.label = i % every === 0 ? label(item.at) : "";
        item.title = `${label(item.at)}: ${count(item.n, "document")}, ` +
            `${number.format(item.part)} with copies`;
    });
    return items;
}
