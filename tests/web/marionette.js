"use strict";

/* Firefox as it comes, driven by Marionette, the protocol that it brings with
 * it: unlike WebDriver BiDi it reaches the browser around a page, too, where
 * the buttons of extensions are. A message is its length, a colon and JSON:
 * [0, number, command, parameters], answered by [1, number, error, result]. */

const { spawn } = require("child_process");
const fs = require("fs");
const net = require("net");
const os = require("os");
const path = require("path");

class Marionette {
    constructor(socket) {
        this.socket = socket;
        this.bytes = Buffer.alloc(0);
        this.waiting = new Map();
        this.number = 0;
        socket.on("data", (data) => {
            this.bytes = Buffer.concat([this.bytes, data]);
            while (this.takeMessage());
        });
        const fail = () => {
            for (const { reject } of this.waiting.values())
                reject(new Error("Firefox is gone"));
            this.waiting.clear();
        };
        socket.on("error", fail);
        socket.on("close", fail);
    }

    takeMessage() {
        const colon = this.bytes.indexOf(":");
        if (colon < 0) return false;
        const end = colon + 1 + Number(this.bytes.subarray(0, colon));
        if (this.bytes.length < end) return false;
        const message = JSON.parse(this.bytes.subarray(colon + 1, end));
        this.bytes = this.bytes.subarray(end);
        if (!Array.isArray(message)) return true; /* the greeting */
        const [, number, error, result] = message;
        const { resolve, reject } = this.waiting.get(number);
        this.waiting.delete(number);
        if (error) reject(new Error(`${error.error}: ${error.message}`));
        else resolve(result && "value" in result ? result.value : result);
        return true;
    }

    send(command, parameters = {}) {
        const number = ++this.number;
        const text = JSON.stringify([0, number, command, parameters]);
        this.socket.write(`${Buffer.byteLength(text)}:${text}`);
        return new Promise((resolve, reject) =>
            this.waiting.set(number, { resolve, reject }));
    }

    /* `script` is a function, or its body; what it returns, or promises. */
    run(script, ...args) {
        return this.send("WebDriver:ExecuteScript", { args,
            script: typeof script === "function"
                ? `return (${script}).apply(null, arguments)` : script });
    }

    /* The same in the browser around the pages. */
    async runInBrowser(script, ...args) {
        await this.send("Marionette:SetContext", { value: "chrome" });
        try {
            return await this.run(script, ...args);
        } finally {
            await this.send("Marionette:SetContext", { value: "content" });
        }
    }
}

const LONGEST_START = 120000; /* milliseconds */

async function connect(port, child) {
    const began = Date.now();
    for (;;) {
        if (child.exitCode !== null || Date.now() - began > LONGEST_START)
            throw new Error("Firefox did not start");
        try {
            return await new Promise((resolve, reject) => {
                const socket = net.connect(port, "127.0.0.1");
                socket.once("connect", () => resolve(socket));
                socket.once("error", reject);
            });
        } catch {
            await new Promise((done) => setTimeout(done, 100));
        }
    }
}

const freePort = () => new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
        const { port } = server.address();
        server.close(() => resolve(port));
    });
});

async function startFirefox(firefoxPath, preferences = {}) {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), "origo-firefox-"));
    const port = await freePort();
    const all = { "marionette.port": port, "app.update.enabled": false,
        "browser.shell.checkDefaultBrowser": false,
        "datareporting.policy.dataSubmissionEnabled": false,
        "toolkit.telemetry.enabled": false, ...preferences };
    fs.writeFileSync(path.join(profile, "user.js"), Object.entries(all)
        .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ` +
            `${JSON.stringify(value)});\n`).join(""));
    const child = spawn(firefoxPath, ["--headless", "--marionette",
        "--remote-allow-system-access", "--no-remote", "--profile", profile,
        "--width", "1200", "--height", "800"],
    { stdio: "ignore", detached: true, env: { ...process.env, HOME: profile } });
    /* The command may be a script around the browser: its group ends. */
    const end = () => {
        try {
            process.kill(-child.pid, "SIGKILL");
        } catch { /* it is gone */ }
    };
    process.once("exit", end);
    const marionette = new Marionette(await connect(port, child));
    await marionette.send("WebDriver:NewSession", { capabilities: {} });
    marionette.stop = async () => {
        const gone = new Promise((done) => child.once("exit", done));
        marionette.socket.destroy();
        end();
        await gone;
        fs.rmSync(profile, { recursive: true, force: true, maxRetries: 20,
                             retryDelay: 100 });
    };
    return marionette;
}

module.exports = { startFirefox };
