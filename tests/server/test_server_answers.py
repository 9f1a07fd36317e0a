#!/usr/bin/env python3
"""Every path of the server and every answer that it promises in openapi.json:
tests/server/test_server_answers.py ORIGO [TEST]..."""

import json
import re
import time

import server_support as support
from server_support import (JSON, LAMP, NDJSON, OPENAPI, OWN, TEXT, check,
                            equal, load, promised)

INDEXES = ("--index", "passages,near,sentences")
ANSWER = load("docs/answer.schema.json")


class Checked:
    """A server each of whose answers is held to the document."""

    def __init__(self, server):
        self.server = server

    def ask(self, method, path, body=None, headers=None):
        status, given, data = self.server.ask(method, path, body, headers)
        kind = given.get("Content-Type", "").split(";")[0]
        schema = promised(method, path.split("?")[0], status, kind)
        if schema is not None and isinstance(data, dict):
            check(schema, data)
        assert given["X-Request-Id"], given
        equal(given["X-Content-Type-Options"], "nosniff")
        assert "default-src 'none'" in given["Content-Security-Policy"]
        if status >= 400:
            equal(kind, "application/problem+json")
            equal(data["status"], status)
            equal(data["instance"], given["X-Request-Id"])
        return status, given, data


def test_documents(origo):
    with support.Server(origo, *INDEXES) as server:
        s = Checked(server)
        status, _, data = s.ask("POST", "/v1/documents?id=a&time=2001", LAMP,
                                TEXT)
        equal((status, data), (201, {"id": "a", "result": "added"}))
        status, _, data = s.ask("POST", "/v1/documents?id=a&time=2001", LAMP,
                                TEXT)
        equal((status, data), (200, {"id": "a", "result": "known"}))
        body = json.dumps({"id": "b/2 ä", "text": "He said: " + LAMP + OWN,
                           "url": "https://example.org/x", "title": "Lamp",
                           "time": "2002-03-04", "extra": [1]})
        equal(s.ask("POST", "/v1/documents", body, JSON)[0], 201)
        status, _, data = s.ask("GET", "/v1/documents/b/2%20%C3%A4")
        equal(status, 200)
        equal((data["id"], data["title"], data["time"]),
              ("b/2 ä", "Lamp", "2002-03-04T00:00:00Z"))
        equal(data["text"], "He said: " + LAMP + OWN)
        equal(data["origins"][0]["id"], "a")
        data = s.ask("GET", "/v1/documents/a?text=false")[2]
        assert "text" not in data
        # Without an id, the same text is the same document.
        first = s.ask("POST", "/v1/documents", OWN, TEXT)
        again = s.ask("POST", "/v1/documents", OWN, TEXT)
        equal((first[0], again[0], first[2]["id"]), (201, 200, again[2]["id"]))
        equal(s.ask("GET", "/v1/stats")[2]["n_documents"], 3)
        equal(s.ask("DELETE", "/v1/documents/b/2%20%C3%A4")[0], 204)
        equal(s.ask("DELETE", "/v1/documents/b/2%20%C3%A4")[0], 404)
        equal(s.ask("GET", "/v1/documents/b/2%20%C3%A4")[0], 404)
        equal(s.ask("GET", "/v1/stats")[2]["n_documents"], 2)


def test_browse(origo):
    with support.Server(origo) as server:
        s = Checked(server)
        lines = [json.dumps({"id": "%s%d" % ("ab"[i % 2], i),
                             "text": "text %d" % i, "title": "Title %d" % i,
                             "url": "https://%s.org/%d" % ("xy"[i % 2], i)})
                 for i in range(25)]
        status, _, data = s.ask("POST", "/v1/documents", "\n".join(lines),
                                NDJSON)
        equal(status, 200)
        equal(len(data.decode().splitlines()), 25)
        seen, before = [], ""
        while True:
            _, _, page = s.ask("GET", "/v1/documents?limit=10" + before)
            seen += [d["id"] for d in page["documents"]]
            if page["next"] is None:
                break
            before = "&before=%d" % page["next"]
        equal(seen, ["%s%d" % ("ab"[i % 2], i) for i in range(24, -1, -1)])
        page = s.ask("GET", "/v1/documents?prefix=a&limit=1000")[2]
        equal(len(page["documents"]), 13)
        page = s.ask("GET", "/v1/documents?source=Y.org")[2]
        equal({d["id"][0] for d in page["documents"]}, {"b"})
        page = s.ask("GET", "/v1/documents?text=title+24")[2]
        equal([d["id"] for d in page["documents"]], ["a24"])
        for wrong in ("limit=0", "limit=x", "before=-1", "nonsense=1", "limit"):
            equal(s.ask("GET", "/v1/documents?" + wrong)[0], 400)


def test_stream(origo):
    with support.Server(origo) as server:
        s = Checked(server)
        body = "\n".join(['{"id":"a","text":"one"}', "", "not json",
                          '{"id":"b","text":"two"}\r', '{"text":"no id"}',
                          '{"id":"a","text":"one"}', '{"id":"c"}',
                          '{"id":"d","text":"x","time":"when"}',
                          '{"id":"e","text":"last"}'])
        status, given, data = s.ask("POST", "/v1/documents", body, NDJSON)
        equal((status, given["Content-Type"]), (200, "application/x-ndjson"))
        lines = [json.loads(line) for line in data.decode().splitlines()]
        equal([line.get("id") or line["line"] for line in lines],
              ["a", 3, "b", 5, "a", 7, 8, "e"])
        equal([line.get("result") for line in lines],
              ["added", None, "added", None, "known", None, None, "added"])
        # In pieces that cut lines, without a length.
        connection = server.connect()
        many = "".join('{"id":"m%d","text":"text number %d"}\n' % (i, i)
                       for i in range(3000)).encode()
        pieces = (many[i:i + 7777] for i in range(0, len(many), 7777))
        connection.request("POST", "/v1/documents", pieces, NDJSON,
                           encode_chunked=True)
        answer = connection.getresponse()
        equal(answer.status, 200)
        equal(answer.read().count(b'"result":"added"'), 3000)
        connection.close()
        equal(s.ask("GET", "/v1/stats")[2]["n_documents"], 3003)


def n_commits(server):
    data = server.ask("GET", "/metrics")[2].decode()
    return int(re.search(r"^origo_commits_total (\d+)$", data, re.M)[1])


def stream_head(length):
    return (b"POST /v1/documents HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/x-ndjson\r\nConnection: close\r\n"
            + length + b"\r\n\r\n")


def test_stream_in_pieces(origo):
    """Who says how long a short stream is gets all of it by one sync, however
    it arrives; lines of one without a length are there before its end."""
    lines = [b'{"id":"m%d","text":"text number %d"}\n' % (i, i)
             for i in range(20)]
    with support.Server(origo) as server:
        before = n_commits(server)
        s = server.raw(stream_head(b"Content-Length: %d"
                                   % len(b"".join(lines))))
        for line in lines[:-1]:
            s.sendall(line)
            equal(server.ask("GET", "/v1/stats")[2]["n_documents"], 0)
        s.sendall(lines[-1])
        equal(support.read_all(s).count(b'"added"'), 20)
        s.close()
        equal(n_commits(server), before + 1)
        s = server.raw(stream_head(b"Transfer-Encoding: chunked"))
        line = b'{"id":"early","text":"before the end"}\n'
        s.sendall(b"%x\r\n%s\r\n" % (len(line), line))
        while server.ask("GET", "/v1/documents/early")[0] != 200:
            time.sleep(0.01)
        s.sendall(b"0\r\n\r\n")
        equal(support.read_all(s).count(b'"added"'), 1)
        s.close()


def test_trace(origo):
    with support.Server(origo) as server:
        s = Checked(server)
        server.add("a", LAMP, time="2001")
        status, _, answer = s.ask("POST", "/v1/trace?id=q", "New. " + LAMP,
                                  TEXT)
        equal(status, 200)
        check(ANSWER, answer)
        equal(answer["dominant"]["id"], "a")
        equal((answer["spans"][0]["how"], answer["spans"][0]["begin"]),
              ("verified", 5))
        # As the command says it.
        page = "<html><title>T</title><body><p>%s</p>" % LAMP
        for body, kind in ((page, "text/html; charset=utf-8"),
                           (json.dumps({"id": "q", "text": LAMP}),
                            "application/json"),
                           ("<TEI><text><body><p>%s</p></body></text></TEI>"
                            % LAMP, "application/xml")):
            status, _, data = s.ask("POST", "/v1/trace", body,
                                    {"Content-Type": kind})
            equal(status, 200)
            check(ANSWER, data)
            equal(data["dominant"]["id"], "a")
        # It was only asked: nothing is known of it.
        equal(s.ask("GET", "/v1/stats")[2]["n_documents"], 1)
        status, _, data = s.ask("POST", "/v1/trace?id=q&add=true",
                                LAMP + OWN, TEXT)
        check(ANSWER, data)
        equal(data["dominant"]["id"], "a")
        equal(s.ask("GET", "/v1/documents/q")[0], 200)
        for format, kind in (("text", "text/plain"), ("html", "text/html"),
                             ("tsv", "text/tab-separated-values"),
                             ("pan", "application/xml"),
                             ("tei", "application/xml"),
                             ("annotation", "application/ld+json")):
            status, given, data = s.ask("POST", "/v1/trace?format=" + format,
                                        "x " + LAMP, TEXT)
            equal((status, given["Content-Type"].split(";")[0]), (200, kind))
            assert data
        _, _, data = s.ask("POST", "/v1/trace?offsets=char&matches=true",
                           "é " + LAMP, TEXT)
        equal(data["spans"][0]["begin"], 2)
        assert data["spans"][0]["matches"]
        _, _, data = s.ask("POST", "/v1/trace?novel=true", OWN[:40] + LAMP,
                           TEXT)
        assert "text" in data["novel_spans"][0]
        _, _, data = s.ask("POST", "/v1/trace?min_span=1000&verify=false",
                           LAMP, TEXT)
        equal(data["spans"], [])
        for wrong in ("format=csv", "offsets=word", "add=perhaps",
                      "min_span=-1", "boilerplate=x", "time=never",
                      "novel=true&format=tei", "snippets=9999"):
            equal(s.ask("POST", "/v1/trace?" + wrong, LAMP, TEXT)[0], 400)


def test_same_as_the_command(origo):
    import subprocess
    with support.Server(origo) as server:
        server.add("a", LAMP, time="2001")
        body = json.dumps({"id": "q", "text": OWN + LAMP})
        answer = server.ask("POST", "/v1/trace", body, JSON)[2]
        done = subprocess.run([origo, "trace", "-s", server.store, "--format",
                               "json", "-q", "--type", "jsonl", "-"],
                              input=body, text=True, capture_output=True,
                              check=True)
        equal(answer, json.loads(done.stdout))


def test_other_questions(origo):
    with support.Server(origo, *INDEXES) as server:
        s = Checked(server)
        server.add("a", LAMP, time="2001")
        status, _, data = s.ask("POST", "/v1/near?threshold=0.5", LAMP + " Yes.",
                                TEXT)
        equal((status, [m["id"] for m in data["near"]]), (200, ["a"]))
        status, _, data = s.ask("POST", "/v1/quote", OWN + " " + LAMP, TEXT)
        equal((status, data["n_reused"]), (200, 1))
        equal(s.ask("POST", "/v1/quote?format=text", LAMP, TEXT)[0], 200)
        body = json.dumps({"document": {"text": OWN + LAMP},
                           "origin": {"id": "o", "text": LAMP}})
        status, _, data = s.ask("POST", "/v1/compare", body, JSON)
        equal((status, data["spans"][0]["origin"]["id"]), (200, "o"))
        check(ANSWER, data)
        for wrong in ("[]", "{}", '{"document":{"text":"x"}}', "x", "",
                      '{"document":{"text":"x"},"origin":{"body":"x"}}',
                      '{"document":1,"origin":{"text":"x"}}'):
            equal(s.ask("POST", "/v1/compare", wrong, JSON)[0], 400)
        equal(s.ask("POST", "/v1/compare", body, TEXT)[0], 415)
        for wrong in ("threshold=0", "threshold=2", "limit=0"):
            equal(s.ask("POST", "/v1/near?" + wrong, LAMP, TEXT)[0], 400)
            equal(s.ask("POST", "/v1/quote?" + wrong, LAMP, TEXT)[0], 400)
    with support.Server(origo) as server:
        s = Checked(server)
        equal(s.ask("POST", "/v1/near", LAMP, TEXT)[0], 409)
        equal(s.ask("POST", "/v1/quote", LAMP, TEXT)[0], 409)


def test_phrases(origo):
    with support.Server(origo) as server:
        s = Checked(server)
        for i in range(4):
            server.add("d%d" % i, "Letter number %d. %s" % (i, LAMP),
                       time="200%d" % i)
        status, _, data = s.ask("GET", "/v1/phrases?min_documents=3")
        equal(status, 200)
        check(load("docs/phrases.schema.json"), data)
        phrase = data["phrases"][0]
        equal((phrase["n_documents"], phrase["first"]["id"]), (4, "d0"))
        equal(s.ask("GET", "/v1/phrases?min_documents=3")[2], data)
        # What was removed is gone from the answer that was kept, too.
        equal(s.ask("DELETE", "/v1/documents/d0")[0], 204)
        phrase = s.ask("GET", "/v1/phrases?min_documents=3")[2]["phrases"][0]
        equal((phrase["n_documents"], phrase["first"]["id"]), (3, "d1"))
        for format in ("text", "tsv", "html"):
            equal(s.ask("GET", "/v1/phrases?format=" + format)[0], 200)
        for wrong in ("limit=0", "since=x", "period=week", "format=svg"):
            equal(s.ask("GET", "/v1/phrases?" + wrong)[0], 400)


def test_wrong_documents(origo):
    with support.Server(origo) as server:
        s = Checked(server)
        for path in ("/v1/trace", "/v1/documents"):
            for body in ("", "{", "[]", '{"text":1}', '{"id":"x"}',
                         '{"text":"a"}{"text":"b"}',
                         '{"text":"a","time":"when"}',
                         '{"text":"\ud800"}'.encode("utf-8", "surrogatepass"),
                         '{"id":"%s","text":"x"}' % ("i" * 1001)):
                status = s.ask("POST", path, body, JSON)[0]
                # Bytes that are not UTF-8 are repaired, as everywhere.
                if b"\xed" in (body if isinstance(body, bytes) else b""):
                    assert status in (200, 201), status
                else:
                    equal((path, body, status), (path, body, 400))
            equal(s.ask("POST", path, "x", {"Content-Type": "image/png"})[0],
                  415)
            equal(s.ask("POST", path, "x", dict(
                TEXT, **{"Content-Encoding": "br"}))[0], 415)
        equal(server.ask("GET", "/v1/none")[0], 404)
        equal(server.ask("GET", "/v1/documents/%00")[0], 400)
        equal(server.ask("GET", "/v1/documents/%zz")[0], 400)
        equal(server.ask("GET", "/v1/documents/..%2f..%2fetc%2fpasswd")[0], 404)
        status, given, _ = server.ask("PUT", "/v1/documents", "x", TEXT)
        equal((status, given["Allow"]), (405, "GET, HEAD, POST, OPTIONS"))
        equal(server.ask("OPTIONS", "/v1/trace")[0], 204)
        status, given, data = server.ask("HEAD", "/v1/stats")
        equal((status, data), (200, b""))


def test_state(origo):
    with support.Server(origo) as server:
        s = Checked(server)
        equal(s.ask("GET", "/healthz")[2], b"ok\n")
        equal(s.ask("GET", "/readyz")[2], b"ok\n")
        equal(s.ask("GET", "/openapi.json")[2], OPENAPI)
        server.add("a", LAMP)
        server.ask("POST", "/v1/trace", LAMP, TEXT)
        _, given, text = s.ask("GET", "/metrics")
        lines = text.decode().splitlines()
        sample = re.compile(r'origo_[a-z_]+(\{[a-z]+="[^"]*"'
                            r'(,[a-z]+="[^"]*")*\})? [0-9.]+$')
        for line in lines:
            assert line.startswith("# ") or sample.match(line), line
        values = dict(line.rsplit(" ", 1) for line in lines if line[0] != "#")
        equal(values["origo_documents"], "1")
        equal(values["origo_added_total"], "1")
        equal(values['origo_requests_total{method="POST",path="/v1/trace",'
                     'status="2xx"}'], "1")
        # One connection for many requests, also after errors of GET.
        connection = server.connect()
        for path in ("/healthz", "/none", "/v1/documents/none", "/v1/stats"):
            server.ask("GET", path, connection=connection)
        equal(server.log().count("GET /none 404"), 1)
        connection.close()


def test_page(origo):
    """The files of the page; what they do is seen in a browser (tests/web)."""
    kinds = {"/page.js": "text/javascript", "/page.css": "text/css",
             "/report.css": "text/css", "/icon.svg": "image/svg+xml"}
    with support.Server(origo) as server:
        status, given, page = Checked(server).ask("GET", "/")
        equal((status, given["Content-Type"]), (200, "text/html; charset=utf-8"))
        policy = given["Content-Security-Policy"]
        assert "script-src 'self';" in policy and "unsafe" not in policy, policy
        # The policy lets nothing inside the page run: all of it is in files.
        for tag, _ in re.findall(rb"<(script|style)\b([^>]*)>", page):
            equal(tag, b"script")
        assert re.search(rb"<script src=.page.js. defer></script>", page), page
        assert not re.search(rb"\son\w+=|style=", page), page
        for name in re.findall(rb'(?:src|href)="([^"]+)"', page):
            if name == b"openapi.json":
                continue
            path = "/" + name.decode()
            status, given, data = server.ask("GET", path)
            equal((status, given["Content-Type"].split(";")[0]),
                  (200, kinds.pop(path)))
            equal(given["X-Content-Type-Options"], "nosniff")
            assert len(data) > 100
        equal(kinds, {})
        equal(server.ask("HEAD", "/")[0], 200)
        equal(server.ask("POST", "/", "x", TEXT)[0], 405)
        equal(server.ask("GET", "/page.js/..")[0], 404)
        # What it shows, and saves: the report.
        status, given, report = Checked(server).ask(
            "POST", "/v1/trace", LAMP, {**TEXT, "Accept": "text/html"})
        equal((status, given["Content-Type"]), (200, "text/html; charset=utf-8"))
        for kind in (b"docs", b"meta"):
            assert re.search(rb'<script type="[\w/]+" class="%s"' % kind,
                             report), report[:400]
        wide = {**TEXT, "Accept": "application/json, text/html"}
        equal(server.ask("POST", "/v1/trace", LAMP, wide)[1]["Content-Type"],
              "application/json")


def test_json_log(origo):
    with support.Server(origo, "--log", "json") as server:
        _, given, _ = server.ask("GET", "/v1/documents/a%0ab?text=1")
        equal(server.stop(), 0)
        lines = [json.loads(line) for line in server.log().splitlines()]
        line = next(l for l in lines if l.get("id") == given["X-Request-Id"])
        equal((line["status"], line["method"], line["path"]),
              (404, "GET", "/v1/documents/a%0ab?text=1"))
        for entry in lines:
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
                                entry["time"]), entry


def test_in_memory(origo):
    with support.Server(origo, store=":memory:") as server:
        equal(server.add("a", LAMP)[0], 201)
        answer = server.ask("POST", "/v1/trace", "x " + LAMP, TEXT)[2]
        equal(answer["dominant"]["id"], "a")
        equal(server.ask("DELETE", "/v1/documents/a")[0], 409)


if __name__ == "__main__":
    support.main(globals())
