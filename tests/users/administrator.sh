# Run it for others: stores, backups, damage, full disks, exit statuses, manuals.

want "a version" origo --version
want "a manual" find "$ORIGO_TREE" -name origo-dedup.1
refuse 2 origo trace --fromat json sample/documents.jsonl
want "a slip is corrected" grep -q "did you mean '--format'" refused
refuse 5 origo info -s missing.store

# A folder of others is left alone.
mkdir home; echo mine > home/letter
refuse 5 origo add -q -s home sample/documents.jsonl
want "nothing is left behind" test "$(ls -A home)" = letter

origo add -q -s news.store --summary add.json sample/documents.jsonl
want "the summary says what was added" grep -q '"added":28' add.json
origo add -s news.store sample/documents.jsonl 2> said
want "again changes nothing" grep -q "28 there already" said
want "it is sound" origo verify -s news.store
want "a small store stays small" test "$(du -sk news.store | cut -f1)" -lt 30000

# Backup and restore; links and packed files.
ln -s backup.jsonl.zst latest
: > backup.jsonl.zst
origo export -s news.store -o latest.zst
origo export -s news.store -o backup.jsonl.zst
want "the link is still a link" test -L latest
origo import -q -s copy.store backup.jsonl.zst
want "the copy has the same documents" \
    cmp <(origo export -s news.store) <(origo export -s copy.store)
origo rm -s copy.store tale-1
want "what was removed is gone" sh -c "! origo export -s copy.store | grep -q '\"tale-1\"'"

# Damage is found and named.
python3 - <<'END'
import glob
path = sorted(glob.glob("copy.store/texts/*"))[0]
data = bytearray(open(path, "rb").read())
data[len(data) // 2] ^= 0xff
open(path, "wb").write(data)
END
refuse 4 origo verify -s copy.store
want "with the file" grep -q "texts" refused

# A writer that is stopped says what it kept, and the same command goes on.
mkfifo feed
origo add -s stream.store feed 2> said & writer=$!
exec 3> feed
cat sample/documents.jsonl >&3
sleep 1
kill -INT $writer
seen=0; wait $writer || seen=$?
exec 3>&-
want "status 130" test $seen = 130
want "it says how to go on" grep -q "the same command resumes from there" said
origo add -q -s stream.store sample/documents.jsonl
want "all are there" sh -c "origo info -s stream.store --json | grep -q '\"documents\":28'"
