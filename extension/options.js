/* The page of options. Rights to ask a server or to mark a site are asked for
 * when they are first needed, by the click that needs them. */

import { api, hostPattern, loadSettings, registerSites, saveSettings,
    serverAddress, sitePattern } from "./settings.js";

const byId = (id) => document.getElementById(id);
const say = (text) => { byId("status").textContent = text; };

async function mayReach(pattern) {
    return api.permissions.request({ origins: [pattern] });
}

/* ---- the server ---- */

async function saveServer() {
    const server = serverAddress(byId("address").value.trim());
    if (!server) {
        say("This is no address of a server.");
        return;
    }
    /* First of all: a browser asks only while a click is fresh. */
    if (!await mayReach(hostPattern(server))) {
        say("Without the right to reach it the server cannot be asked.");
        return;
    }
    await saveSettings({ server, token: byId("token").value.trim() });
    byId("address").value = server;
    say("Saved.");
}

/* ---- sites ---- */

async function removeSite(pattern) {
    const sites = (await loadSettings()).sites.filter((s) => s !== pattern);
    await saveSettings({ sites });
    await registerSites(sites);
    await showSites();
    say(`${pattern} is no longer marked.`);
}

async function addSite() {
    const pattern = sitePattern(byId("name").value);
    if (!pattern) {
        say("This is no site.");
        return;
    }
    if (!await mayReach(pattern)) {
        say("Without the right to read it the site cannot be marked.");
        return;
    }
    const sites = [...new Set([...(await loadSettings()).sites, pattern])];
    await saveSettings({ sites });
    await registerSites(sites);
    byId("name").value = "";
    await showSites();
    say(`${pattern} is marked from now on.`);
}

async function showSites() {
    const { sites } = await loadSettings();
    byId("sites").replaceChildren(...sites.map((pattern) => {
        const item = document.createElement("li");
        const remove = document.createElement("button");
        remove.type = "button";
        remove.textContent = "Remove";
        remove.setAttribute("aria-label", `Remove ${pattern}`);
        remove.addEventListener("click", () => removeSite(pattern));
        item.append(pattern, remove);
        return item;
    }));
}

/* ---- the start ---- */

for (const [id, action] of [["server", saveServer], ["site", addSite]])
    byId(id).addEventListener("submit", (event) => {
        event.preventDefault();
        action().catch((error) => say(String(error.message)));
    });
const { server, token } = await loadSettings();
byId("address").value = server;
byId("token").value = token;
await showSites();
document.documentElement.dataset.ready = "";
