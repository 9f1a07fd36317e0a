#!/usr/bin/env python3
"""Feeds as files and from a local web server:
tests/follow/test_follow_feeds.py ORIGO"""

import contextlib
import gzip
import http.server
import os
import shutil
import ssl
import threading

import follow_support as support
from follow_support import equal

ITEM = ("<item><title>T%(n)s</title><link>https://n.org/%(n)s</link>"
        "<pubDate>Tue, 19 Nov 2019 13:03:00 +0100</pubDate>"
        "<description>&lt;p&gt;The text of item %(n)s.&lt;/p&gt;</description>"
        "</item>")


def rss(*names):
    items = "".join(ITEM % dict(n=n) for n in names)
    return "<rss version='2.0'><channel><title>N</title>%s</channel></rss>" % \
        items


class Site(http.server.BaseHTTPRequestHandler):
    """What `pages` has: path to (status, headers, body)."""

    pages = {}
    asked = []

    def do_GET(self):
        Site.asked.append((self.path, dict(self.headers)))
        status, headers, body = Site.pages.get(self.path, (404, {}, b""))
        if "ETag" in headers and \
                self.headers.get("If-None-Match") == headers["ETag"]:
            status, body = 304, b""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body)

    def log_message(self, *what):
        pass


@contextlib.contextmanager
def site(pages, certificate=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True,
                                            do_handshake_on_connect=False)
        server.handle_error = lambda *what: None # who refuses, hangs up
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Site.pages, Site.asked = pages, []
    try:
        yield "%s://127.0.0.1:%d" % ("https" if certificate else "http",
                                     server.server_port)
    finally:
        server.shutdown()
        server.server_close()


def cannot_fetch(origo):
    with support.Place(origo) as p:
        done = support.subprocess.run(
            p.command("--once", "http://127.0.0.1:1/x"), capture_output=True,
            text=True, timeout=support.LONG)
        return "fetches nothing" in done.stderr


def test_file(origo):
    with support.Place(origo) as p:
        path = p.write("news.xml", rss("1", "2"))
        p.once(path)
        documents = p.documents()
        equal(sorted(documents), ["https://n.org/1", "https://n.org/2"])
        first = documents["https://n.org/1"]
        equal(first["text"], "The text of item 1.")
        equal(first["title"], "T1")
        equal(first["time"], "2019-11-19T12:03:00Z")
        assert "0 documents" in p.once(path)
        p.write("news.xml", rss("2", "3"))
        said = p.once(path)
        assert "2 documents" in said and "1 there already" in said, said
        equal(len(p.ids()), 3)


def test_broken_file(origo):
    """What comes before the break is taken."""
    with support.Place(origo) as p:
        path = p.write("news.rss", rss("1", "2")[:-60])
        said = p.once(path, status=3)
        assert "news.rss: XML, line 1" in said, said
        equal(p.ids(), ["https://n.org/1"])
        said = p.once(p.write("page.xml", "<html/>"), status=3)
        assert "no feed of RSS or Atom" in said, said


def test_file_while_it_runs(origo):
    with support.Place(origo) as p:
        path = p.write("news.atom", rss("1"))
        process = p.start("--interval", "1", path)
        p.wait_for_ids(["https://n.org/1"], process)
        p.write("news.atom", rss("1", "2"))
        p.wait_for_ids(["https://n.org/1", "https://n.org/2"], process)
        support.end(process)


def test_address(origo):
    """Asked with what was said before, and not read again unchanged."""
    if cannot_fetch(origo):
        return "this build has no libcurl"
    pages = {"/feed": (200, {"ETag": '"v1"'}, rss("1").encode())}
    with site(pages) as address, support.Place(origo) as p:
        allow = ["--allow-host", "127.0.0.1"]
        p.once(*allow, address + "/feed")
        equal(p.ids(), ["https://n.org/1"])
        assert "0 documents" in p.once(*allow, address + "/feed")
        equal(Site.asked[-1][1].get("If-None-Match"), '"v1"')
        packed = gzip.compress(rss("2").encode())
        pages["/feed"] = (200, {"ETag": '"v2"', "Content-Encoding": "gzip"},
                          packed)
        p.once(*allow, address + "/feed")
        equal(len(p.ids()), 2)
    return None


def test_hosts(origo):
    """Hosts that nobody named are not asked, by no redirect either."""
    if cannot_fetch(origo):
        return "this build has no libcurl"
    with site({}) as address, support.Place(origo) as p:
        other = address.replace("127.0.0.1", "localhost")
        Site.pages.update({
            "/away": (302, {"Location": other + "/feed"}, b""),
            "/near": (301, {"Location": "/feed"}, b""),
            "/file": (302, {"Location": "file:///etc/passwd"}, b""),
            "/round": (302, {"Location": "/round"}, b""),
            "/feed": (200, {}, rss("1").encode())})
        said = p.once(address + "/feed", status=2)
        assert "host '127.0.0.1' of" in said and "is not allowed" in said, said
        p.once("--allow-host", "127.0.0.1:1", address + "/feed", status=2)
        equal(Site.asked, [])
        allow = ["--allow-host", address.split("//")[1]]
        said = p.once(*allow, address + "/away", status=3)
        assert "host 'localhost' of" in said and "is not allowed" in said, said
        said = p.once(*allow, address + "/file", status=3)
        assert "is not an HTTP URL" in said, said
        assert "too many redirects" in p.once(*allow, address + "/round",
                                              status=3)
        assert "answered 404" in p.once(*allow, address + "/none", status=3)
        equal(p.ids(), [])
        p.once(*allow, address + "/near")
        equal(p.ids(), ["https://n.org/1"])
    return None


def make_certificate(p):
    paths = p.path("certificate.pem"), p.path("key.pem")
    support.subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
         "2", "-subj", "/CN=127.0.0.1", "-addext",
         "subjectAltName=IP:127.0.0.1", "-out", paths[0], "-keyout", paths[1]],
        check=True, capture_output=True, timeout=support.LONG)
    return paths


def test_certificates(origo):
    """A stranger's certificate is refused, one in SSL_CERT_FILE is known."""
    if cannot_fetch(origo):
        return "this build has no libcurl"
    if shutil.which("openssl") is None:
        return "openssl is not installed"
    pages = {"/feed": (200, {}, rss("1").encode())}
    with support.Place(origo) as p:
        certificate = make_certificate(p)
        with site(pages, certificate) as address:
            call = ["--allow-host", "127.0.0.1", address + "/feed"]
            p.once(*call, status=3)
            equal(Site.asked, [])
            p.once(*call, env=dict(os.environ, SSL_CERT_FILE=certificate[0]))
            equal(p.ids(), ["https://n.org/1"])
    return None


def test_large(origo):
    """A feed that does not end is given up."""
    if cannot_fetch(origo):
        return "this build has no libcurl"
    bomb = gzip.compress(b"<rss>" + b" " * (65 << 20))
    pages = {"/feed": (200, {"Content-Encoding": "gzip"}, bomb)}
    with site(pages) as address, support.Place(origo) as p:
        said = p.once("--allow-host", "127.0.0.1", address + "/feed", status=3)
        assert "longer than" in said, said
    return None


if __name__ == "__main__":
    support.main(globals())
