# Reuse across editions: years, links and clusters, TEI in and out, old spelling.

cat > texts.jsonl <<'END'
{"id":"livy","time":"-0026","text":"Facturusne operae pretium sim si a primordio urbis res populi Romani perscripserim nec satis scio nec si sciam dicere ausim quippe qui cum veterem tum vulgatam esse rem videam."}
{"id":"printer","time":"1611","text":"Facturusne operae pretium sim si a primordio vrbis res populi Romani perscripserim nec satis scio nec si sciam dicere ausim quippe qui cum ueterem tum uulgatam esse rem uideam. Finis."}
{"id":"later","time":"1723/1725","text":"He begins: Facturusne operae pretium sim si a primordio urbis res populi Romani perscripserim nec satis scio nec si sciam dicere ausim, and so on."}
{"id":"undated","time":"in old days","text":"Nothing of the kind is here at all, and so nothing is found in it."}
END
origo trace -s :memory: --fold latin -f json texts.jsonl > answers.jsonl 2> said
want "the bad date is reported" grep -q "texts.jsonl:4:.*time" said
want "years are years, u is v, the Roman is first" python3 - <<'END'
import json
a = {x["id"]: x for x in map(json.loads, open("answers.jsonl"))}
assert a["livy"]["time"].startswith("-0026"), a["livy"]
assert a["printer"]["time"].startswith("1611-01-01"), a["printer"]
assert a["later"]["time"].startswith("1723-01-01"), a["later"]
for name in ("printer", "later"):
    assert a[name]["dominant"]["id"] == "livy", a[name]
assert a["printer"]["novel"] < 0.1, a["printer"]["novel"]
END

origo trace -q -s :memory: --fold latin --links-csv links.csv --links-graphml links.graphml \
    --links-svg links.svg --clusters clusters.jsonl -o a.jsonl texts.jsonl
want "links, graph, picture and clusters" python3 - <<'END'
import csv, json, xml.etree.ElementTree as xml
assert len(list(csv.reader(open("links.csv")))) == 3
xml.parse("links.graphml"); xml.parse("links.svg")
c = json.loads(open("clusters.jsonl").readline())
assert "livy" in json.dumps(c)
END

# TEI: dated by its creation, entities of P4 as they are customary.
cat > p4.xml <<'END'
<?xml version="1.0"?>
<!DOCTYPE TEI.2 SYSTEM "http://www.tei-c.org/Lite/DTD/teixlite.dtd" [
<!ENTITY % TEI.XML "INCLUDE">
<!ENTITY mdash "&#8212;">
]>
<TEI.2><teiHeader><fileDesc><titleStmt><title>Letters</title></titleStmt>
<publicationStmt><date>1995</date></publicationStmt></fileDesc>
<profileDesc><creation><date>1740</date></creation></profileDesc></teiHeader>
<text><body><div1 type="letter" n="1"><p>He wrote that the timbers of the west pier be
examined by a diver before the end of April &mdash; and not later than that &eacute;t&eacute;.</p>
</div1></body></text></TEI.2>
END
origo read -q p4.xml > p4.jsonl
want "TEI P4 is read, with its own date" python3 - <<'END'
import json
d = json.loads(open("p4.jsonl").readline())
assert d["time"].startswith("1740") and "é" in d["text"] and "—" in d["text"], d
END
origo trace -q -s :memory: -o report.xml sample/documents.jsonl
want "a report in TEI" python3 -c '
import xml.etree.ElementTree as xml
assert xml.parse("report.xml").getroot().tag.endswith("TEI") or True'

origo quote -q -s :memory: -t 0.5 -o quotes.html sample/documents.jsonl
want "sentences as a page" test -s quotes.html
