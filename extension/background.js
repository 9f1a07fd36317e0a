/* Between the page that is read and the server: a click marks the page, and
 * the server is asked here, where the page cannot look. */

import { api, loadSettings, MARKING, registerSites } from "./settings.js";

const LONGEST_WAIT = 120000; /* milliseconds until an answer must be there */

/* Scripts in pages have no business with the token. */
api.storage.local.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" });

async function setBadge(tabId, text, title) {
    try {
        await api.action.setBadgeText({ tabId, text });
        await api.action.setTitle({ tabId, title });
    } catch { /* the tab is gone */ }
}

async function markTab(tabId) {
    try {
        await api.scripting.insertCSS({ target: { tabId },
                                        files: MARKING.css });
        await api.scripting.executeScript({ target: { tabId },
                                            files: MARKING.js });
    } catch {
        await setBadge(tabId, "!", "This page cannot be marked");
    }
}

api.action.onClicked.addListener((tab) => markTab(tab.id));

/* ---- the server ---- */

async function refusal(response) {
    let detail = `it answered ${response.status}`;
    try {
        detail = (await response.json()).detail || detail;
    } catch { /* something else than the server has answered */ }
    return { error: response.status === 401
        ? `The server asks for a token (see the options): ${detail}.`
        : response.status === 403
            ? `The server refuses: ${detail}. See docs/extension.md.`
            : `The server says: ${detail}.` };
}

async function trace(document) {
    const { server, token } = await loadSettings();
    const headers = { "Content-Type": "application/json" };
    if (token) headers.Authorization = `Bearer ${token}`;
    let response;
    try {
        response = await fetch(`${server}/v1/trace?offsets=utf16`,
            { method: "POST", headers, body: JSON.stringify(document),
              credentials: "omit", redirect: "error", cache: "no-store",
              signal: AbortSignal.timeout(LONGEST_WAIT) });
    } catch {
        return { error: `The server ${server} cannot be reached.` };
    }
    if (!response.ok) return refusal(response);
    return { answer: await response.json() };
}

/* The scripts of this extension alone are answered. */
api.runtime.onMessage.addListener((message, sender, respond) => {
    if (sender.id !== api.runtime.id || message?.kind !== "trace") return false;
    trace(message.document).then(async (result) => {
        if (sender.tab)
            await setBadge(sender.tab.id, result.answer
                ? `${Math.round(100 * (result.answer.copied ?? 0))}%` : "!",
            result.answer ? "Take the marks away" : result.error);
        respond(result);
    });
    return true;
});

/* Sites stay registered over restarts; an update of the extension forgets
 * them. */
api.runtime.onInstalled.addListener(async () =>
    registerSites((await loadSettings()).sites));
