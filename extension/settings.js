/* What the reader has set, and what follows from it. Used by the background
 * and by the page of options; pages that are read never see it. */

export const api = globalThis.browser ?? globalThis.chrome;

const DEFAULTS = { server: "http://127.0.0.1:7070", token: "", sites: [] };

/* What marks a page: the same files by a click and on allowed sites. */
export const MARKING = { js: ["page_text.js", "page_marks.js"],
                         css: ["marks.css"] };

export async function loadSettings() {
    return { ...DEFAULTS, ...await api.storage.local.get(DEFAULTS) };
}

export const saveSettings = (some) => api.storage.local.set(some);

/* "https://example.org:8443/x" without what a server has no use for; null: it
 * is no address of one. */
export function serverAddress(text) {
    let url;
    try {
        url = new URL(text.includes("://") ? text : `http://${text}`);
    } catch {
        return null;
    }
    if (url.protocol !== "http:" && url.protocol !== "https:") return null;
    if (url.username || url.password) return null;
    return url.origin + url.pathname.replace(/\/+$/, "");
}

/* "example.org", "https://example.org/x", "*.example.org": what a permission
 * and a content script are given for; null: it is no site. */
export function sitePattern(text) {
    const found = /^(?:(https?):\/\/)?((?:\*\.)?[^\s/:*?#@]+)(?::\d+)?(?:[/?#].*)?$/i
        .exec(text.trim());
    if (!found) return null;
    const host = found[2].toLowerCase();
    return `${found[1] ? found[1].toLowerCase() : "*"}://${host}/*`;
}

export const hostPattern = (address) =>
    `${new URL(address).protocol}//${new URL(address).hostname}/*`;

/* Marks are made on the sites of the list as soon as they are there. */
export async function registerSites(sites) {
    const scripting = api.scripting;
    const known = await scripting.getRegisteredContentScripts(
        { ids: ["allowed"] });
    if (known.length > 0)
        await scripting.unregisterContentScripts({ ids: ["allowed"] });
    if (sites.length === 0) return;
    await scripting.registerContentScripts([{ id: "allowed", ...MARKING,
        matches: sites, runAt: "document_idle", persistAcrossSessions: true }]);
}
