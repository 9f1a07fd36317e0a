#!/usr/bin/env python3
"""Every form of a report, read by a reader that is not ours.

usage: tests/formats/test_formats.py BUILD

The reports are those of web_fixture and of the sample. JSON is checked against
docs/answer.schema.json; the other forms must say what the JSON says, counted in
characters. Prints 'ok NAME', 'FAILED NAME' and 'SKIPPED NAME: why'."""

import base64
import copy
import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
import xml.etree.ElementTree as xml
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
TEI = "{http://www.tei-c.org/ns/1.0}"
XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
NAMES = ("report", "many", "labels", "hostile", "sample", "compare")
FORMATS = ("json", "tsv", "html", "pan", "annotation", "tei")
FOLDER = None


def read(name, form):
    with open(os.path.join(FOLDER, name + "." + form), encoding="utf-8",
              newline="") as f:
        return f.read()


def answers(name):
    return [json.loads(line) for line in read(name, "json").split("\n")[:-1]]


def spans(name):
    """(document, begin, end, origin, origin begin, origin end) of all."""
    return [(a["id"], s["begin"], s["end"], s["origin"]["id"],
             s["origin"]["begin"], s["origin"]["end"])
            for a in answers(name) for s in a["spans"]]


def xml_clean(text):
    """What XML cannot say is U+FFFD there."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd", text)


# ---- JSON ---------------------------------------------------------------------

def schema():
    with open(os.path.join(ROOT, "docs", "answer.schema.json")) as f:
        return json.load(f)


def strict(node):
    """The schema, with every field that it does not tell forbidden."""
    if isinstance(node, dict):
        if "properties" in node:
            node["additionalProperties"] = False
        for value in node.values():
            strict(value)
    elif isinstance(node, list):
        for value in node:
            strict(value)
    return node


def json_follows_its_schema():
    import jsonschema
    jsonschema.Draft7Validator.check_schema(schema())
    validator = jsonschema.Draft7Validator(strict(schema()))
    for name in NAMES:
        for answer in answers(name):
            validator.validate(answer)


def schema_refuses_what_is_wrong():
    import jsonschema
    validator = jsonschema.Draft7Validator(schema())
    good = answers("report")[0]
    for path, value in ((("origo",), 2), (("novel",), 1.5), (("id",), None),
                        (("spans", 0, "how"), "guessed"),
                        (("spans", 0, "begin"), -1),
                        (("spans", 0, "matches", 0), [1, 2, 3]),
                        (("origins", 0, "time"), "yesterday")):
        bad = copy.deepcopy(good)
        place = bad
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        assert not validator.is_valid(bad), "%s may be %r" % (path, value)
    for field in schema()["required"]:
        bad = {k: v for k, v in good.items() if k != field}
        assert not validator.is_valid(bad), field + " may be missing"


def phrases_follow_their_schema():
    """With sources, periods by day, and what TSV says of the same."""
    import jsonschema
    with open(os.path.join(ROOT, "docs", "phrases.schema.json")) as f:
        wanted = json.load(f)
    jsonschema.Draft7Validator.check_schema(wanted)
    with open(os.path.join(FOLDER, "phrases.json")) as f:
        seen = json.load(f)
    jsonschema.Draft7Validator(strict(wanted)).validate(seen)
    assert seen["phrases"] and seen["documents"] and seen["sources"]
    assert len(seen["periods"]) == 5 and seen["period"] == "day"
    for phrase in seen["phrases"]:
        assert sum(phrase["growth"]) == phrase["n_documents"]
    with open(os.path.join(FOLDER, "phrases.tsv")) as f:
        lines = [line.rstrip("\n").split("\t") for line in f]
    assert [int(line[0]) for line in lines[1:]] == [
        p["n_documents"] for p in seen["phrases"]]
    with open(os.path.join(FOLDER, "phrases.html")) as f:
        page = f.read()
    assert page.count("<article>") == len(seen["phrases"])
    assert "<script" not in page and "<b>bold" not in page


def matches_are_equal_words():
    """The text of the TEI form, and the origins of the HTML form, agree."""
    for name, least in (("report", 9), ("many", 12), ("compare", 1)):
        n = 0
        texts = dict(tei_texts(name))
        for answer, page in zip(answers(name), html_data(name)):
            sources = {s["id"]: "".join(piece[1] for piece in s["text"])
                       for s in page["sources"]}
            for span in answer["spans"]:
                for begin, end, there, there_end in span["matches"]:
                    here = texts[answer["id"]][begin:end]
                    origin = sources[span["origin"]["id"]]
                    words = lambda s: re.findall(r"\w+", s.lower())
                    assert words(here) == words(origin[there:there_end])
                    n += 1
        assert n >= least, (name, n)


# ---- TSV ----------------------------------------------------------------------

def tsv_says_what_json_says():
    for name in NAMES:
        rows = list(csv.DictReader(read(name, "tsv").splitlines(),
                                   delimiter="\t", quoting=csv.QUOTE_NONE))
        unescape = lambda s: re.sub(r"\\u([0-9a-f]{4})",
                                    lambda m: chr(int(m.group(1), 16)), s)
        number = lambda s: int(s) if s else None
        seen = [(unescape(r["document"]), int(r["begin"]), int(r["end"]),
                 unescape(r["origin"]), number(r["origin_begin"]),
                 number(r["origin_end"])) for r in rows]
        assert seen == spans(name), name


# ---- PAN ----------------------------------------------------------------------

def pan_says_what_json_says():
    for name in NAMES:
        root = xml.fromstring(read(name, "pan"))
        assert root.tag == ("document" if len(answers(name)) == 1
                            else "documents")
        seen = []
        for doc in root.iter("document"):
            for f in doc.iter("feature"):
                assert f.get("name") == "detected-plagiarism"
                begin = int(f.get("this_offset"))
                row = [doc.get("reference"), begin,
                       begin + int(f.get("this_length"))]
                if f.get("source_reference") is not None:
                    there = int(f.get("source_offset"))
                    row += [f.get("source_reference"), there,
                            there + int(f.get("source_length"))]
                else:
                    row += [f.get("origin"), None, None]
                seen.append(tuple(row))
        assert seen == [tuple(xml_clean(v) if isinstance(v, str) else v
                              for v in row) for row in spans(name)], name


# ---- Web Annotation -------------------------------------------------------------

def annotations_say_what_json_says():
    for name in NAMES:
        page = json.loads(read(name, "annotation"))
        assert page["@context"] == "http://www.w3.org/ns/anno.jsonld"
        assert page["type"] == "AnnotationCollection"
        items = page["first"]["items"]
        assert page["total"] == len(items) == len(spans(name))
        assert len({i["id"] for i in items}) == len(items)
        for item, span in zip(items, spans(name)):
            selectors = item["target"]["selector"]
            assert (selectors[0]["start"], selectors[0]["end"]) == span[1:3]
            there = item["body"].get("selector")
            seen = (there["start"], there["end"]) if there else (None, None)
            assert seen == span[4:6]


def annotation_quotes_stand_at_their_positions():
    for name in ("report", "many", "sample"):
        texts = dict(tei_texts(name))
        items = json.loads(read(name, "annotation"))["first"]["items"]
        n = 0
        for item, span in zip(items, spans(name)):
            place, quote = item["target"]["selector"][:2]
            text = texts[span[0]]
            begin, end = place["start"], place["end"]
            assert text[begin:end] == quote["exact"]
            assert text[:begin].endswith(quote["prefix"])
            assert text[end:].startswith(quote["suffix"])
            n += 1
        assert n > 0


# ---- TEI ----------------------------------------------------------------------

def tei_documents(name):
    root = xml.fromstring(read(name, "tei"))
    return [root] if root.tag == TEI + "TEI" else root.findall(TEI + "TEI")


def tei_texts(name):
    for doc in tei_documents(name):
        yield (doc.find(".//%ssourceDesc/%sbibl/%sidno" % (TEI, TEI, TEI)).text,
               doc.find(".//%sab" % TEI).text or "")


def tei_says_what_json_says():
    for name in NAMES:
        seen = []
        for doc in tei_documents(name):
            doc_id = doc.find(".//%ssourceDesc/%sbibl/%sidno"
                              % (TEI, TEI, TEI)).text
            cited = {}
            for bibl in doc.iter(TEI + "bibl"):
                for c in bibl.iter(TEI + "citedRange"):
                    cited[c.get(XML_ID)] = (bibl.find(TEI + "idno").text,
                                            c.get("from"), c.get("to"))
            own = doc.find(".//%sab" % TEI).get(XML_ID)
            for s in doc.iter(TEI + "span"):
                found = re.fullmatch(r"#string-range\((\w+),(\d+),(\d+)\)",
                                     s.get("target"))
                assert found.group(1) == own
                begin, length = int(found.group(2)), int(found.group(3))
                origin, a, b = cited[s.get("corresp")[1:]]
                seen.append((doc_id, begin, begin + length, origin,
                             int(a) if a else None, int(b) if b else None))
        assert seen == [tuple(xml_clean(v) if isinstance(v, str) else v
                              for v in row) for row in spans(name)], name


def tei_ids_are_unique():
    for name in NAMES:
        ids = [e.get(XML_ID) for e in xml.fromstring(read(name, "tei")).iter()
               if e.get(XML_ID)]
        assert len(ids) == len(set(ids)) > 0


# ---- HTML ---------------------------------------------------------------------

PACKED = re.compile(r'<script type="application/zlib" class="(\w+)" '
                    r'data-first="(\d+)">([A-Za-z0-9+/=]*)</script>')


def html_lines(name, kind):
    """The lines that the packed elements of a kind hold, in order."""
    found = []
    for what, first, letters in PACKED.findall(read(name, "html")):
        if what != kind:
            continue
        if kind != "holders":
            assert int(first) == len(found) + 1, (name, kind, first)
        text = zlib.decompress(base64.b64decode(letters, validate=True))
        assert text.endswith(b"\n")
        found += text.decode().split("\n")[:-1]
    return [json.loads(line) for line in found]


def html_data(name):
    """The documents of a page; one that is its own source has its text."""
    pages = html_lines(name, "docs")
    for page in pages:
        for source in page["sources"]:
            if "doc" in source:
                source["text"] = [[0, pages[source["doc"] - 1]["text"]]]
    return pages


def html_is_one_file_without_network():
    for name in NAMES:
        page = read(name, "html")
        assert not re.search(r"<(link|iframe|object|embed|base|img)\b", page)
        assert not re.search(r"<script[^>]*\bsrc", page)
        # The packed ones, the facts about the page, and one that runs.
        assert page.count("<script") == 2 + len(PACKED.findall(page)), name
        assert page.count("</script>") == page.count("<script")
        assert page.count("<style>") == page.count("</style>") == 1
        assert len(html_data(name)) == len(answers(name))


def html_rows_say_what_json_says():
    for name in NAMES:
        rows = html_lines(name, "rows")
        assert len(rows) == len(answers(name))
        for row, page, answer in zip(rows, html_data(name), answers(name)):
            assert row[3] == page["units"] == answer["n_tokens"], name
            assert row[6] == len(page["passages"]) == len(answer["spans"])
            assert row[4] == page["copied"] == sum(
                p["n"] for p in page["passages"])
            assert row[5] == page["covered"]
            assert row[7] == len(page["sources"]) == len(row[8])
            for source, detail in zip(row[8], page["sources"]):
                own = [p for p in page["passages"]
                       if page["sources"][p["s"] - 1] is detail]
                assert source[0] == detail["id"]
                assert source[3:6] == [sum(p["n"] for p in own),
                                       sum(p["c"] for p in own), len(own)]


def html_passages_stand_where_json_says():
    """Units of UTF-16 there, characters here."""
    for name in NAMES:
        for page, answer in zip(html_data(name), answers(name)):
            text = page["text"].encode("utf-16-le", "surrogatepass")
            at = lambda n: len(text[:2 * n].decode("utf-16-le"))
            for p, span in zip(page["passages"], answer["spans"]):
                assert (at(p["b"]), at(p["e"])) == (span["begin"],
                                                    span["end"]), name


def html_holders_are_the_passages():
    """Every passage that two documents took from one source is there."""
    pages = html_data("sample")
    told = {line[0]: {tuple(line[i:i + 3]) for i in range(1, len(line), 3)}
            for line in html_lines("sample", "holders")}
    expected = {}
    for number, page in enumerate(pages, 1):
        for p in page["passages"]:
            if "o" in p:
                expected.setdefault(page["sources"][p["s"] - 1]["k"], set()
                                    ).add((p["o"][0], p["o"][1], number))
    expected = {k: v for k, v in expected.items()
                if len({number for _, _, number in v}) > 1}
    assert told == expected
    assert len(told) > 0 or not any("o" in p for page in pages
                                    for p in page["passages"])


def html_policy_has_the_hashes():
    page = read("report", "html")
    for tag in ("style", "script"):
        inside = re.search("<%s>(.*?)</%s>" % (tag, tag), page, re.S).group(1)
        digest = base64.b64encode(hashlib.sha256(
            inside.encode()).digest()).decode()
        assert "%s-src 'sha256-%s'" % (tag, digest) in page
    assert "default-src 'none'" in page and "unsafe" not in page.split(
        "</head>")[0].split("<style>")[0]


# ---- running ------------------------------------------------------------------

def pick(ids, name):
    """Documents of the sample as a file of their own."""
    path = os.path.join(FOLDER, name)
    with open(os.path.join(ROOT, "sample/documents.jsonl")) as f, \
            open(path, "w") as out:
        out.writelines(line for line in f if json.loads(line)["id"] in ids)
    return path


def make_reports(build):
    origo = os.path.join(build, "cli/origo")
    subprocess.run([os.path.join(build, "tests/web/web_fixture"), FOLDER],
                   check=True)
    new = pick(("lantern-1", "gull-1"), "new.jsonl")
    old = pick(("council-1",), "old.jsonl")
    for form in FORMATS:
        how = ["--format", form, "--offsets", "char", "-o"]
        if form == "json":
            how.insert(0, "--matches")
        subprocess.run([origo, "trace", "-q", "-s", ":memory:"] + how +
                       [os.path.join(FOLDER, "sample." + form),
                        os.path.join(ROOT, "sample/documents.jsonl")],
                       check=True)
        subprocess.run([origo, "compare"] + how +
                       [os.path.join(FOLDER, "compare." + form), new, old],
                       check=True)


def make_phrases(origo):
    """Five days of letters of three hosts that repeat two passages."""
    path = os.path.join(FOLDER, "letters.jsonl")
    with open(path, "w") as f:
        for i in range(15):
            text = "Letter %d says %s. " % (i, " ".join(
                "w%d" % (i * 20 + j) for j in range(10)))
            if i % 2:
                text += ("Buy the <b>bold</b> lamp of the old harbour today, "
                         "and only today. ")
            if i % 3:
                text += "Whoever sends this letter on will be lucky for years."
            f.write(json.dumps({
                "id": "letter-%d" % i, "time": "2004-05-%02d" % (1 + i // 3),
                "url": "https://h%d.example/%d" % (i % 3, i), "text": text,
            }) + "\n")
    for form in ("json", "tsv", "html"):
        subprocess.run([origo, "phrases", "-q", "--by", "day", "-o",
                        os.path.join(FOLDER, "phrases." + form), path],
                       check=True)


TESTS = [json_follows_its_schema, schema_refuses_what_is_wrong,
         phrases_follow_their_schema,
         matches_are_equal_words, tsv_says_what_json_says,
         pan_says_what_json_says, annotations_say_what_json_says,
         annotation_quotes_stand_at_their_positions, tei_says_what_json_says,
         tei_ids_are_unique, html_is_one_file_without_network,
         html_rows_say_what_json_says, html_passages_stand_where_json_says,
         html_holders_are_the_passages,
         html_policy_has_the_hashes]


def main(build):
    global FOLDER
    failed = 0
    with tempfile.TemporaryDirectory(prefix="origo-formats-") as FOLDER:
        make_reports(build)
        make_phrases(os.path.join(build, "cli", "origo"))
        for test in TESTS:
            try:
                test()
                print("ok " + test.__name__)
            except ImportError as e:
                print("SKIPPED %s: %s" % (test.__name__, e))
            except Exception:
                failed += 1
                print("FAILED " + test.__name__)
                for line in traceback.format_exc().splitlines()[-12:]:
                    print("    " + line)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1])))
