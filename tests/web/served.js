"use strict";

/* A server with some documents, for tests of what a browser shows of it. */

const { spawn } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const readline = require("readline");

/* Ends the server and removes its store. */
async function stop(server) {
    const gone = new Promise((done) => server.process.once("exit", done));
    if (server.process.exitCode === null && !server.process.signalCode) {
        server.process.kill("SIGTERM");
        await gone;
    }
    fs.rmSync(server.folder, { recursive: true, force: true });
}

async function startServer(...options) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "origo-page-"));
    const child = spawn(process.env.ORIGO, ["serve", "-s",
        path.join(folder, "store"), "--memory", "16M", "--listen",
        "127.0.0.1:0", "--quiet", ...options],
    { stdio: ["ignore", "pipe", "inherit"] });
    /* Nothing of it outlives the tests, however they end. */
    process.once("exit", () => child.kill("SIGKILL"));
    for await (const line of readline.createInterface(child.stdout)) {
        const found = /^listening on (\S+)/.exec(line);
        if (!found) continue;
        const server = { process: child, folder, address: found[1] };
        server.stop = () => stop(server);
        return server;
    }
    throw new Error("the server did not start");
}

async function add(server, doc, headers = {}) {
    const response = await fetch(`${server.address}/v1/documents`, {
        method: "POST", body: JSON.stringify(doc),
        headers: { "Content-Type": "application/json", ...headers } });
    if (!response.ok) throw new Error(await response.text());
}

/* ---- documents ---- */

const LAMP = "The old lighthouse will be lit again in spring, once the lamp " +
    "has been brought back from the museum where it has stood for forty " +
    "years, said the mayor of the town to a crowd that had come in spite of " +
    "the rain.";
const KEEPER = "Nobody had asked the keeper, who learned it from a notice on " +
    "the door of the bakery and went home without a word to anyone at all.";
const FERRY = "The ferry to the island will sail twice a day from the first " +
    "of May, and on Sundays it will wait for the last train, so that nobody " +
    "has to sleep on the quay again as some did in the summer of the storm.";
const ARABIC = "قالت البلدية إن المنارة القديمة ستضاء من جديد في الربيع بعد أن " +
    "يعاد المصباح من المتحف الذي وقف فيه أربعين سنة كاملة على ما قال رئيس " +
    "البلدة أمام جمع من الناس جاءوا رغم المطر الشديد في تلك الليلة";
const CHINESE = "市长在雨中对聚集的人群说，等到在博物馆里放了四十年的灯被送回来以后，" +
    "老灯塔将在春天重新点亮，港口的渔民和他们的家人都很高兴，因为他们已经等了很久。";
const OWNED = "<img src=x onerror=window.owned=1><script>window.owned=1" +
    "</script>";

const DOCUMENTS = [
    { id: "lantern-1", title: "Lamp comes home", time: "2001-02-03",
      url: "https://lantern.example/1", text: `${LAMP}\n\n${KEEPER}` },
    { id: "ferry-1", title: "Two sailings a day", time: "2002-04-01",
      url: "https://harbour.example/ferry", text: FERRY },
    { id: "ar-1", title: "المنارة القديمة", time: "2003-01-01", text: ARABIC },
    { id: "zh-1", title: "老灯塔", time: "2003-01-02", text: CHINESE },
    { id: "copy-1", title: "Told again", time: "2004-05-06",
      url: "https://gazette.example/told",
      text: `They say: ${LAMP} So it was written, and read by many.` },
    { id: "copy-2", title: "And once more", time: "2005-05-06",
      text: `Again and again. ${LAMP} Nobody counted how often.` },
    { id: `bad ${OWNED}`, title: `Title ${OWNED}`, time: "2000-01-01",
      url: "javascript:window.owned=1",
      text: `${OWNED} The tide tables of the western harbour are wrong by an ` +
          "hour since the clock of the customs house was moved to the other " +
          `side of the square, wrote the pilot. ${OWNED}` },
];
/* A text that takes from three of them. */
const PASTED = `Here is what I found out by myself this morning.\n\n${LAMP}` +
    `\n\nNot a word of this is taken from others, as far as I know.\n\n` +
    `${FERRY}\n\n${ARABIC}`;

module.exports = { add, ARABIC, CHINESE, DOCUMENTS, FERRY, KEEPER, LAMP, OWNED,
    PASTED, startServer };
