#!/usr/bin/env python3
"""Makes JSONL of two corpora of the shared data: bench/corpus_jsonl.py KIND
FOLDER OUT

reuters  the stories of Reuters-21578 in the order of their dates, to OUT.jsonl
bible    every verse of every translation, to OUT-NAME.jsonl"""

import datetime
import glob
import html
import json
import os
import re
import sys


def reuters(folder, out):
    stories = []
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.sgm"),
                                 recursive=True)):
        with open(path, encoding="latin-1") as f:
            text = f.read()
        for story in re.findall(r"<REUTERS.*?</REUTERS>", text, re.S):
            number = re.search(r'NEWID="(\d+)"', story).group(1)
            date = re.search(r"<DATE>\s*(\d+-\w+-\d+ \d+:\d+:\d+)", story)
            title = re.search(r"<TITLE>(.*?)</TITLE>", story, re.S)
            body = re.search(r"<BODY>(.*?)</BODY>", story, re.S)
            if not date or not body:
                continue
            try:
                time = datetime.datetime.strptime(date.group(1),
                                                  "%d-%b-%Y %H:%M:%S")
            except ValueError:  # one story has an hour of 605
                continue
            stories.append({
                "id": number, "time": time.isoformat() + "Z",
                "title": html.unescape(title.group(1)) if title else "",
                "text": html.unescape(body.group(1)).replace("\x03", "")})
    stories.sort(key=lambda s: (s["time"], int(s["id"])))
    with open(out + ".jsonl", "w", encoding="utf-8") as f:
        for story in stories:
            f.write(json.dumps(story, ensure_ascii=False) + "\n")


def bible(folder, out):
    for path in sorted(glob.glob(os.path.join(folder, "**", "*"),
                                 recursive=True)):
        if not os.path.isdir(path) or not glob.glob(path + "/*.txt"):
            continue
        name = os.path.basename(path)
        with open("%s-%s.jsonl" % (out, name), "w", encoding="utf-8") as f:
            for book in sorted(glob.glob(path + "/*.txt"),
                               key=lambda p: int(os.path.basename(p).split()[0])):
                number = os.path.basename(book).split()[0]
                with open(book, encoding="utf-8", errors="replace") as lines:
                    for line in lines:
                        verse = re.match(r"\[(\d+:\d+)\]\s*(.*)", line)
                        if verse:
                            f.write(json.dumps(
                                {"id": number + " " + verse.group(1),
                                 "text": verse.group(2)},
                                ensure_ascii=False) + "\n")


if len(sys.argv) != 4 or sys.argv[1] not in ("reuters", "bible"):
    sys.exit(__doc__)
{"reuters": reuters, "bible": bible}[sys.argv[1]](sys.argv[2], sys.argv[3])
