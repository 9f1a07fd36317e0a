# Remove near-duplicates from a crawl, day by day, keep test sets out of it, and
# hand packed shards and numbers to the next stage.

# A crawl in two days, with other names of fields and nested text.
python3 - <<'END'
import json
docs = [json.loads(line) for line in open("sample/documents.jsonl")]
for name, part in (("monday", docs[:20]), ("tuesday", docs[18:])):
    with open(name + ".jsonl", "w") as f:
        for d in part:
            f.write(json.dumps({"url": "http://a.example/" + d["id"],
                                "date": d["time"],
                                "doc": {"body": d["text"]}}) + "\n")
END
fields="--text-field doc.body --id-field url --time-field date"

# The wrong field is an error that lists the fields, not an empty result.
refuse 3 origo dedup -o none.jsonl monday.jsonl
want "the fields are listed" grep -q "date" refused
want "nothing was written" test ! -e none.jsonl

for day in monday tuesday; do
    origo dedup -t 0.6 $fields --add-to crawl.store --summary $day.json \
        -o $day.kept.jsonl.zst -r $day.removed.tsv $day.jsonl
done
want "both days are in the store, each text once" python3 - <<'END'
import json, subprocess
kept = [json.loads(line) for day in ("monday", "tuesday") for line in
        subprocess.run(["zstd", "-dcq", day + ".kept.jsonl.zst"],
                       capture_output=True, check=True).stdout.splitlines()]
summaries = [json.load(open(day + ".json")) for day in ("monday", "tuesday")]
assert len(kept) == sum(s["kept"] for s in summaries), summaries
assert sum(s["removed"] for s in summaries) >= 2, summaries
info = json.loads(subprocess.run(["origo", "info", "-s", "crawl.store", "--json"],
                                 capture_output=True, check=True).stdout)
assert info["documents"] == len({d["url"] for d in kept}), info
END

# Test sets, two of them, out of a corpus; shards for sixteen workers.
head -3 sample/documents.jsonl > bench1.jsonl
sed -n 4,5p sample/documents.jsonl > bench2.jsonl
origo dedup -q --against bench1.jsonl --against bench2.jsonl -o clean/ --shards 4 \
    --compress gz sample/documents.jsonl
want "four parts" test "$(ls clean)" = "$(printf 'part-0000%d.jsonl.gz\n' 0 1 2 3)"
want "none of the five is left" sh -c "! zcat clean/*.gz | grep -e '\"tale-1\"'"
want "the others are" test "$(zcat clean/*.gz | wc -l)" -ge 20

# A device is written, never replaced; a table and an array are read.
mkfifo pipe; (cat pipe > piped.jsonl) &
origo dedup -q -o pipe sample/documents.jsonl; wait
want "a pipe is still a pipe" test -p pipe
want "and got the documents" test -s piped.jsonl
python3 -c '
import json, csv
docs = [json.loads(line) for line in open("sample/documents.jsonl")]
json.dump(docs, open("all.json", "w"))
with open("all.csv", "w", newline="") as f:
    w = csv.writer(f); w.writerow(["id", "text"])
    w.writerows([d["id"], d["text"]] for d in docs)'
want "an array is 28 documents" test "$(origo read -q all.json | wc -l)" = 28
want "a CSV file is 28 documents" test "$(origo read -q all.csv | wc -l)" = 28
tar czf all.tar.gz all.json
want "so is an archive" test "$(origo read -q all.tar.gz | wc -l)" = 28
