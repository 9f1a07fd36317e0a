/* What a report can do: an overview of its documents, each document with its
 * passages, a passage beside its source, the chain of copies in time.
 *
 * Loading and showing are apart. page_data.js alone knows where documents
 * come from: packed in a report, which is this page itself, or one that a
 * server has sent to a page of its own (web/). It has
 *
 *     data.meta         { unit, documents, part, goes_on, cover }
 *     data.rows()       what the overview says about each document
 *     data.document(i)  one of them, as lib/report/html/html_data.c describes it
 *     data.holders(k)   who else took from a source
 *     data.texts()      all texts, one after the other, for the search
 *
 * and everything else makes elements of what it gets from there. Every text
 * that comes from a document is put in as text (textContent, append), never as
 * markup.
 *
 * The files of this folder become one script, in the order of the list in
 * lib/report/meson.build: tools/embed_page.py joins them inside one function, so
 * that they share their names and the page gets none of them. The page of the
 * server is made of the same files, with those of web/ instead of start.js. */

const root = document.documentElement;
const body = document.body;
let data = null;     /* what is shown: startShowing() of stage.js */
let view = null;     /* of the document that is shown */
let overview = null; /* of a report of several documents */

/* Sources that the reader has left out, by id: all figures follow. */
const excluded = new Set();
