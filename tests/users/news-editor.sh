# Who had the story first? A report to hand on, honest shares, guessed dates
# shown as guesses.

origo trace -s :memory: -o report.html sample/documents.jsonl 2> said
want "it ends with what was found and where it is" \
    grep -q "28 documents, 19 with copied passages from .* the report is in report.html" said
want "no rate of a toy" sh -c "! grep -q MB/s said"
want "one file, no network" sh -c "! grep -Eq '(src|href)=\"https?:' report.html"

origo trace -q -s :memory: --format json sample/documents.jsonl > answers.jsonl
want "copied is what is in the source" python3 - <<'END'
import json
answers = {a["id"]: a for a in map(json.loads, open("answers.jsonl"))}
a = answers["lantern-3"]
copied = sum(s["n_matching"] for s in a["spans"]) / a["n_tokens"]
assert 0.70 < copied < 0.78, copied
assert answers["lantern-1"]["dominant"]["id"] == "council-1"
END
origo trace -q -s :memory: --format text --color never sample/documents.jsonl > text
want "labels for people" sh -c "grep -Eq 'compared word by word|found by fingerprint' text"
want "no words of the machine" sh -c "! grep -Ewq 'bridged|expanded' text"

# Text files have only the time of the file: a guess, and it is said.
mkdir desk
python3 - <<'END'
import json
docs = {d["id"]: d for d in map(json.loads, open("sample/documents.jsonl"))}
open("desk/2000-03-04 copy.txt", "w").write(docs["lantern-1"]["text"])
open("desk/1999-02-09 minutes.txt", "w").write(docs["council-1"]["text"])
END
touch -d 1990-01-01 "desk/2000-03-04 copy.txt"
touch -d 2001-01-01 "desk/1999-02-09 minutes.txt"
origo add -q -s guessed.store desk
origo trace -s guessed.store -f json desk > guessed.jsonl 2> said
want "it warns of guessed times" grep -q "which is a guess" said
want "JSON says so, too" grep -q '"time_source":"file"' guessed.jsonl
origo add -q -s dated.store --time-from-name '%Y-%m-%d *' desk
origo trace -s dated.store --time-from-name '%Y-%m-%d *' -f json desk > dated.jsonl 2> said
want "dates from names put it right" python3 - <<'END'
import json
answers = [json.loads(line) for line in open("dated.jsonl")]
copies = [a["id"] for a in answers if a["spans"]]
assert len(copies) == 1 and "2000-03-04" in copies[0], copies
END
want "and need no warning" sh -c "! grep -q guess said"

# A stream: ask and take in, then near-duplicates and reused sentences.
head -20 sample/documents.jsonl > archive.jsonl
tail -8 sample/documents.jsonl > today.jsonl
origo add -q -s news.store --index passages,near,sentences archive.jsonl
origo trace -q -s news.store --add today.jsonl > today.answers
want "a line for each story" test "$(wc -l < today.answers)" = 8
origo near -q -s news.store -t 0.5 sample/documents.jsonl > near.jsonl
want "no story is near itself" python3 - <<'END'
import json
for a in map(json.loads, open("near.jsonl")):
    assert a["id"] not in [m["id"] for m in a["near"]], a
END
