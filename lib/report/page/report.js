/* What a report can do besides being read: choose a document, filter its
 * passages, compare a passage with its source side by side, show the chain of
 * copies in time.
 *
 * The page is whole without this script. Every text that comes from a
 * document is put in as text (textContent, createTextNode), never as markup.
 * Passages are found by data-p, sources by their place in the data; the data
 * of a document is read when it is first shown.
 *
 * The files of this folder become one script, in the order of the list in
 * lib/report/meson.build: tools/embed_page.py joins them inside one function, so
 * that they share their names and the page gets none of them. */

const root = document.documentElement;
const body = document.body;
const articles = [...document.querySelectorAll("article")];
let view = null; /* of the document that is shown */
