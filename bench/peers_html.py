#!/usr/bin/env python3
"""The main text of pages by a peer of origo's reader, as JSONL.

usage: bench/peers_html.py PEER FILE...

PEER is trafilatura, readability-lxml, justext or resiliparse. Without a FILE
it only looks whether the peer is there. `ms` is processor time, reading
included and the import of the library not."""

import json
import logging
import sys
import time


def trafilatura():
    from trafilatura import bare_extraction

    def read(data):
        found = bare_extraction(data, include_comments=False,
                                with_metadata=True)
        if found is None:
            return {"text": ""}
        return {"text": found.text or "", "title": found.title,
                "time": found.date, "url": found.url}
    return read


def readability():
    from lxml import html
    from readability import Document
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    def read(data):
        page = Document(bytes_to_str(data, detect_encoding(data)))
        return {"text": html.fromstring(page.summary()).text_content(),
                "title": page.short_title()}
    return read


def justext():
    import justext as library
    words = frozenset().union(*(library.get_stoplist(name) for name in
                                ("English", "German", "French", "Spanish")))

    def read(data):
        return {"text": "\n".join(p.text for p in library.justext(data, words)
                                  if not p.is_boilerplate)}
    return read


def resiliparse():
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    def read(data):
        page = bytes_to_str(data, detect_encoding(data))
        return {"text": extract_plain_text(page, main_content=True)}
    return read


PEERS = {"trafilatura": trafilatura, "readability-lxml": readability,
         "justext": justext, "resiliparse": resiliparse}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in PEERS:
        sys.exit(__doc__)
    logging.disable(logging.CRITICAL)
    read = PEERS[sys.argv[1]]()
    for path in sys.argv[2:]:
        began = time.process_time()
        with open(path, "rb") as f:
            data = f.read()
        try:
            found = read(data)
        except Exception as e:  # a page that a peer cannot read has no text
            print("%s: %s" % (path, e), file=sys.stderr)
            found = {"text": ""}
        found.update(id=path, ms=1000 * (time.process_time() - began))
        print(json.dumps(found))


if __name__ == "__main__":
    main()
