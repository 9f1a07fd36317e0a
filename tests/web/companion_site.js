"use strict";

/* A local site with pages to mark, and a server with a token to ask. */

const fs = require("fs");
const http = require("http");
const path = require("path");
const { add, ARABIC, CHINESE, DOCUMENTS, FERRY, KEEPER, LAMP, OWNED,
    startServer } = require("./served.js");

const TOKEN = "t".repeat(24);
const OWN = "This sentence was written for the page alone, and stands nowhere " +
    "else as far as anybody knows.";
/* Blocks, inline elements inside a passage, what nobody sees, a line break. */
const PAGES = {
    "/article.html": `<html lang="en"><title>Local news</title><body>
<nav>${FERRY}</nav><main><h1>Local news</h1><p id="own">${OWN}</p>
<p id="copy">${LAMP.replace("lighthouse", "<b>light<i>house</i></b>")
        .replace("museum", "<a href='#x'>museum</a>")}</p>
<p hidden>${KEEPER}</p><p style="display: none">${KEEPER}</p>
<script>window.seen = "${FERRY.slice(0, 20)}";</script>
<p dir="rtl" lang="ar">${ARABIC}</p><p lang="zh">${CHINESE}</p></main></body>
</html>`,
    "/other.html": `<html lang="en"><title>Other</title><body><p>${FERRY}</p>
<p>${OWN}</p></body></html>`,
    "/hostile.html": `<html lang="en"><title>${OWNED.replaceAll("<", "&lt;")}
</title><body><p>${DOCUMENTS.find((d) => d.id.startsWith("bad")).text
        .replaceAll("<", "&lt;")}</p></body></html>`,
    "/empty.html": "<html lang=\"en\"><title>Empty</title><body></body></html>",
};

/* Files of the server go to `folder`. */
async function startSite(folder) {
    const tokens = path.join(folder, "tokens");
    fs.writeFileSync(tokens, `${TOKEN} write\n`, { mode: 0o600 });
    const server = await startServer("--tokens", tokens);
    for (const doc of DOCUMENTS)
        await add(server, doc, { Authorization: `Bearer ${TOKEN}` });
    const site = http.createServer((request, response) => {
        const text = PAGES[request.url];
        response.writeHead(text ? 200 : 404,
            { "Content-Type": "text/html; charset=utf-8",
              /* The strictest of pages can be marked as well. */
              ...(request.url === "/hostile.html" && {
                  "Content-Security-Policy": "default-src 'none'" }) });
        response.end(text ? `<!DOCTYPE html>${text}` : "");
    }).listen(0, "127.0.0.1");
    await new Promise((done) => site.once("listening", done));
    const base = `http://127.0.0.1:${site.address().port}`;
    return { base, server, site };
}

module.exports = { startSite, TOKEN };
