/* The bar above a document that chooses which passages count. */

function makeFilters(v) {
    const { choice } = v;
    const longest = v.passages.reduce((most, p) => Math.max(most, p.l), 1);
    const bar = make("div", { className: "filters", role: "group",
                              "aria-label": "Filters" });
    if (v.passages.length === 0) {
        bar.append(make("span", {}, "Nothing to filter"));
        return bar;
    }

    const words = make("output", {}, "any");
    const range = make("input", { type: "range", min: 0,
        max: Math.min(longest, 300), value: 0, className: "shortest" });
    range.addEventListener("input", () => {
        choice.shortest = Number(range.value);
        words.textContent = choice.shortest ? count(choice.shortest, "word")
                                            : "any";
        v.apply();
    });
    bar.append(make("label", {}, `Shortest ${v.passageName()} `, range,
        words));

    const source = make("select", { className: "only" },
        make("option", { value: -1 }, "all"));
    v.sources.slice(0, 500).forEach((s, i) => source.append(make("option",
        { value: i }, `${i + 1}  ${v.nameOf(i).slice(0, 60)}`)));
    source.addEventListener("change", () => {
        choice.source = Number(source.value);
        v.apply();
    });
    if (v.sources.length > 1)
        bar.append(make("label", {}, "Source ", source));

    const quoted = v.passages.filter((p) => p.quote).length;
    const noQuotes = make("input", { type: "checkbox", className: "noQuotes" });
    noQuotes.addEventListener("change", () => {
        choice.noQuotes = noQuotes.checked;
        v.apply();
    });
    if (quoted > 0)
        bar.append(make("label", {}, noQuotes,
            `Leave out quotations (${quoted})`));

    const boiler = make("select", { className: "boiler" },
        make("option", { value: "fold" }, "folded"),
        make("option", { value: "show" }, "shown"),
        make("option", { value: "leave" }, "left out"));
    boiler.addEventListener("change", () => {
        choice.boiler = boiler.value;
        v.apply();
    });
    const nBoiler = v.passages.filter((p) => p.boiler).length;
    if (nBoiler > 0)
        bar.append(make("label", {}, `Boilerplate (${nBoiler}) `, boiler));

    bar.append(make("span", { className: "steps" },
        makeButton("↑", "", () => moveBy(-1), "Previous passage (k)"),
        makeButton("↓", "", () => moveBy(1), "Next passage (j)")));
    return bar;
}

function moveBy(by) {
    const k = view.step(by);
    goTo(k);
    if (body.classList.contains("comparing")) openCompare(k);
}
