/* The text of a page, and where in the page it stands.
 *
 * Text nodes are walked and joined as they are, with an empty line between
 * blocks: a place in the text is then a place in a node, without a search. */

globalThis.origoText ??= (() => {
    const SKIPPED = "script, style, noscript, template, textarea, select, " +
        "button, svg, math, canvas, iframe, object, nav, footer, aside, " +
        "dialog, [hidden], [aria-hidden=true], [contenteditable=true], " +
        "origo-panel";

    /* The part of the page that is read: an article that has most of it. */
    function mainPart() {
        const all = document.body.textContent.length;
        const parts = [...document.querySelectorAll(
            "article, main, [role=main]")]
            .sort((a, b) => b.textContent.length - a.textContent.length);
        const [first] = parts;
        return first && first.textContent.length * 3 > all ? first
            : document.body;
    }

    class Walk {
        constructor() {
            this.text = "";
            this.pieces = []; /* { node, begin, end }, in order */
            this.styles = new Map();
            this.block = null;
        }

        styleOf(element) {
            if (!this.styles.has(element)) {
                const { display, visibility } = getComputedStyle(element);
                this.styles.set(element, {
                    isShown: display !== "none" && visibility === "visible",
                    isBlock: !/^(inline|contents|ruby)/.test(display) });
            }
            return this.styles.get(element);
        }

        blockOf(element) {
            let e = element;
            while (e.parentElement && !this.styleOf(e).isBlock)
                e = e.parentElement;
            return e;
        }

        take(node) {
            const block = this.blockOf(node.parentElement);
            if (this.block && block !== this.block && /\S/.test(node.data))
                this.text += "\n\n";
            if (/\S/.test(node.data)) this.block = block;
            const begin = this.text.length;
            this.text += node.data;
            this.pieces.push({ node, begin, end: this.text.length,
                               data: node.data });
        }

        over(root) {
            const walker = document.createTreeWalker(root,
                NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
                    if (node.nodeType === Node.TEXT_NODE)
                        return NodeFilter.FILTER_ACCEPT;
                    return node.matches(SKIPPED) || !this.styleOf(node).isShown
                        ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
                });
            for (let node; (node = walker.nextNode());) {
                if (node.nodeType === Node.TEXT_NODE) this.take(node);
                else if (node.localName === "br") this.text += "\n";
            }
            return this;
        }
    }

    return () => new Walk().over(mainPart());
})();
