"""An answer for a notebook: no script, no network."""

from html import escape

STYLE = """
<style>
.origo { font: 14px/1.5 system-ui, sans-serif; max-width: 60em }
.origo mark { background: #ffe9a8; color: #222; padding: 0 1px }
.origo details { display: inline }
.origo summary { display: inline; cursor: pointer; list-style: none }
.origo .source { display: block; margin: .3em 0 .6em 1em; padding: .3em .6em;
  border-left: 3px solid #c90; white-space: pre-wrap }
.origo .text { white-space: pre-wrap }
.origo small { opacity: .75 }
.origo td, .origo th { text-align: left; padding: 0 .8em 0 0 }
</style>
"""


def span_html(number, span):
    when = span.origin_time
    label = escape(span.origin) + (
        ", " + when.date().isoformat() if when else "")
    source = escape(span.origin_text) if span.origin_text else (
        "(the text of the source is not kept)")
    return ('<details><summary title="%s"><mark>%s</mark><sup>%d</sup>'
            '</summary><span class="source"><small>%s</small>\n%s</span>'
            '</details>' % (label, escape(span.text), number, label, source))


def answer_html(answer):
    text, done, parts = answer.document, 0, []
    for number, span in enumerate(answer.spans, 1):
        parts.append(escape(text[done:span.begin]))
        parts.append(span_html(number, span))
        done = span.end
    parts.append(escape(text[done:]))
    return ('%s<div class="origo"><p><b>%.0f %% copied</b>, %d of %d words '
            'new. A marked passage opens beside its source.</p>'
            '<div class="text">%s</div></div>' % (
                STYLE, 100 * answer.copied,
                round(answer.novel * answer.n_tokens), answer.n_tokens,
                "".join(parts)))


def rows_html(title, head, rows, most=20):
    """A table of the first rows."""
    rows = list(rows)
    body = "".join("<tr>%s</tr>" % "".join(
        "<td>%s</td>" % escape(str(cell)) for cell in row)
        for row in rows[:most])
    more = "<p><small>and %d more</small></p>" % (
        len(rows) - most) if len(rows) > most else ""
    return '%s<div class="origo"><p><b>%s</b></p>%s%s</div>' % (
        STYLE, escape(title), "<table><tr>%s</tr>%s</table>" % (
            "".join("<th>%s</th>" % escape(one) for one in head),
            body) if rows else "", more)
