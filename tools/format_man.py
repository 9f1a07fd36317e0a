#!/usr/bin/env python3
"""Writes origo-store(5): tools/format_man.py PAGE OUT DOCUMENT...

PAGE is man/origo-store.5. Its line '.\\" FORMAT' is replaced by the bytes of
the format, section by section, from the documents (docs/format.md and those it
names), which are Markdown: headings, paragraphs, indented blocks, tables and
lists. So the page and the documents cannot say different things."""

import re
import sys

MARK = '.\\" FORMAT\n'


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in ".'" else text


def inline(text):
    """Marks of Markdown as fonts; the address of a link is left out."""
    text = re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", text)
    out, at = "", 0
    for found in re.finditer(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*",
                             text):
        out += escape(text[at:found.start()]) if at < found.start() else ""
        font = "I" if found.group(3) else "B"
        word = found.group(1) or found.group(2) or found.group(3)
        out += "\\f%s%s\\fR" % (font, escape(word).replace("\\&", ""))
        at = found.end()
    out += escape(text[at:]) if at < len(text) else ""
    return "\\&" + out if out[:1] in ".'" else out


def sentences(text):
    """A sentence a line, as the formatter wants it."""
    return "\n".join(inline(part) for part in
                     re.split(r"(?<=[a-z0-9)`][.:]) (?=[A-Z`*(])", text))


def block(lines):
    yield ".PP\n.nf\n.RS"
    for line in lines:
        yield escape(line) if line else ""
    yield ".RE\n.fi"


def table(rows):
    """A row with two cells is a term and what it means; the others are put
    together by commas."""
    cells = [[c.strip() for c in row.strip("|").split("|")] for row in rows]
    head, body = cells[0], cells[2:]
    if head[0]:
        yield ".PP\n" + inline(head[0][:1].upper() + head[0][1:]) + ":"
    for row in body:
        yield ".TP"
        yield "\\fB%s\\fR" % re.sub(r"^\\&|\\f[BR]", "", inline(row[0])) \
            if row[0] else "\\ "
        rest = [("%s: %s" % (name, cell) if name not in ("", "what") and
                 len(row) > 2 else cell)
                for name, cell in zip(head[1:], row[1:]) if cell]
        yield sentences("; ".join(rest)) if rest else "\\ "


def paragraphs(lines):
    """(kind, lines) of each part of a document."""
    kind, part = "", []
    for line in lines + [""]:
        now = "heading" if line.startswith("#") else \
            "block" if line.startswith("    ") and kind != "list" else \
            "table" if line.startswith("|") else \
            "list" if line.startswith("- ") or \
            (kind == "list" and line.startswith("  ")) else \
            "text" if line.strip() else ""
        if now == "" and kind == "block":
            part.append("")
            continue
        if now != kind or now == "heading":
            if kind:
                yield kind, part
            part = []
        if now:
            part.append(line)
        kind = now


def convert(text):
    """Lines of the page; a paragraph that follows a heading is not begun."""
    heading = False
    for part in convert_parts(text):
        yield part[4:] if heading and part.startswith(".PP\n") else part
        heading = part.startswith((".SH ", ".SS "))


def convert_parts(text):
    for kind, lines in paragraphs(text.splitlines()):
        if kind == "heading":
            name = lines[0].lstrip("# ")
            is_first = lines[0].startswith("# ")
            yield ".SH %s" % inline(name.upper()) if is_first else \
                ".SS %s" % inline(name)
        elif kind == "block":
            while lines and not lines[-1]:
                lines.pop()
            yield from block([line[4:] for line in lines])
        elif kind == "table":
            yield from table(lines)
        elif kind == "list":
            items = re.split(r"(?:^|\n)- ", "\n".join(lines))[1:]
            for item in items:
                yield ".IP \\(bu 2\n" + sentences(" ".join(item.split()))
        else:
            yield ".PP\n" + sentences(" ".join(" ".join(lines).split()))


def main(argv):
    page, out, documents = argv[0], argv[1], argv[2:]
    with open(page, encoding="utf-8") as f:
        text = f.read()
    if text.count(MARK) != 1:
        sys.exit("%s: no line '%s'" % (page, MARK.strip()))
    parts = []
    for name in documents:
        with open(name, encoding="utf-8") as f:
            parts += convert(f.read())
    with open(out, "w", encoding="utf-8") as f:
        f.write(text.replace(MARK, "\n".join(parts) + "\n"))


if __name__ == "__main__":
    main(sys.argv[1:])
