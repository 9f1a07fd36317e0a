/* Asking the server: one door for every request of the page.
 *
 * The token is kept by the browser for this tab, or for longer when the reader
 * wants it; it is sent in a header, never in an address. */

const TOKEN = "origo-token";

const token = {
    get() {
        try {
            return sessionStorage.getItem(TOKEN) || localStorage.getItem(TOKEN);
        } catch {
            return this.unkept || null;
        }
    },
    isKept() {
        try {
            return localStorage.getItem(TOKEN) !== null;
        } catch {
            return false;
        }
    },
    /* "": none. */
    set(value, forLong) {
        this.unkept = value;
        try {
            sessionStorage.removeItem(TOKEN);
            localStorage.removeItem(TOKEN);
            if (value)
                (forLong ? localStorage : sessionStorage).setItem(TOKEN, value);
        } catch { /* it lasts as long as the page */ }
    },
};

/* What the server, or the way to it, has against a request. */
class Refusal extends Error {
    constructor(status, detail, retryAfter) {
        super(detail);
        this.status = status; /* 0: it was not reached */
        this.retryAfter = retryAfter;
    }

    get advice() {
        const again = this.retryAfter
            ? ` Try again in ${count(this.retryAfter, "second")}.` : "";
        switch (this.status) {
        case 0: return "The server cannot be reached. Is it running?";
        case 401: return `The server asks for a token: ${this.message}.`;
        case 403: return `The server refuses: ${this.message}.`;
        case 413: return `It is too large: ${this.message}.`;
        case 429: return `The server is busy: ${this.message}.${again}`;
        case 503: return `The server cannot answer now: ${this.message}.` +
            again;
        default: return `${this.message}.`;
        }
    }
}

async function refusalOf(response) {
    let detail = `answer ${response.status}`;
    try {
        detail = (await response.json()).detail || detail;
    } catch { /* something between us and the server has answered */ }
    /* How long to wait is said beside it. */
    return new Refusal(response.status,
        clean(String(detail)).replace(/; try again$/, ""),
        Number(response.headers.get("Retry-After")) || 0);
}

/* The answer, or a Refusal is thrown. The page lies where the server does, so
 * that addresses are relative. */
async function ask(path, { query = {}, type, ...options } = {}) {
    const asked = new URLSearchParams(Object.entries(query)
        .filter(([, value]) => value !== "" && value !== undefined));
    const headers = new Headers();
    if (type) headers.set("Content-Type", type);
    if (token.get()) headers.set("Authorization", `Bearer ${token.get()}`);
    let response;
    try {
        response = await fetch(`${path}${asked.size > 0 ? `?${asked}` : ""}`,
            { ...options, headers, credentials: "omit" });
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new Refusal(0, String(error.message), 0);
    }
    if (!response.ok) throw await refusalOf(response);
    return response;
}

const askJson = async (path, options) => (await ask(path, options)).json();

/* ---- reports ---- */

/* The report of what the server finds in a document: its data for the stage,
 * and the file that can be kept. It never becomes elements of this page. */
async function askReport(body, type, query) {
    const response = await ask("v1/trace",
        { method: "POST", body, type, query: { ...query, format: "html" } });
    const html = await response.text();
    return { html, report: new PackedReport(partsOf(html)) };
}

/* ---- events ---- */

/* [kind, data] of every event of a stream (text/event-stream). */
async function* eventsOf(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream())
        .getReader();
    let rest = "", kind = "message", lines = [];
    for (; ;) {
        const { value, done } = await reader.read();
        if (done) return;
        const parts = (rest + value).split("\n");
        rest = parts.pop();
        for (const line of parts) {
            if (line === "") {
                if (lines.length > 0)
                    yield [kind, JSON.parse(lines.join("\n"))];
                kind = "message";
                lines = [];
            } else if (line.startsWith("event: ")) kind = line.slice(7);
            else if (line.startsWith("data: ")) lines.push(line.slice(6));
        }
    }
}
