/* The bar above a document that chooses which passages are shown. */

function makeFilters(v) {
    const choice = { shortest: 0, source: -1, noQuotes: false,
                     noBoiler: false };
    const longest = v.passages.reduce((most, p) => Math.max(most, p.n), 1);
    const bar = make("div", { className: "filters", role: "group",
                              "aria-label": "Filters" });
    const apply = () => v.filter(choice);

    const words = make("output", {}, "any");
    const range = make("input", { type: "range", min: 0,
        max: Math.min(longest, 300), value: 0, className: "shortest" });
    range.addEventListener("input", () => {
        choice.shortest = Number(range.value);
        words.textContent = choice.shortest ? count(choice.shortest, "word")
                                            : "any";
        apply();
    });
    bar.append(make("label", {}, "Shortest passage ", range, words));

    const source = make("select", { className: "only" },
        make("option", { value: -1 }, "all"));
    v.sources.slice(0, 500).forEach((s, i) => source.append(make("option",
        { value: i }, `${i + 1}  ${v.nameOf(i).slice(0, 60)}`)));
    source.addEventListener("change", () => {
        choice.source = Number(source.value);
        apply();
    });
    if (v.sources.length > 1)
        bar.append(make("label", {}, "Source ", source));

    const box = (name, text, n) => {
        const input = make("input", { type: "checkbox", className: name });
        input.addEventListener("change", () => {
            choice[name] = input.checked;
            apply();
        });
        if (n > 0) bar.append(make("label", {}, input, `${text} (${n})`));
    };
    box("noQuotes", "Leave out quotations",
        v.passages.filter((p) => p.quote).length);
    box("noBoiler", "Leave out boilerplate",
        v.passages.filter((p) => p.boiler).length);

    const step = (by, text, label) => {
        const button = make("button", { type: "button", "aria-label": label,
            title: label }, text);
        button.addEventListener("click", () => moveBy(by));
        return button;
    };
    bar.append(make("span", { className: "steps" },
        step(-1, "↑", "Previous passage (k)"),
        step(1, "↓", "Next passage (j)")));
    return bar;
}

function moveBy(by) {
    const i = view.step(by);
    goTo(i);
    if (body.classList.contains("comparing")) openCompare(i);
}
