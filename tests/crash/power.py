"""The folder as a power loss leaves it, from the log of tests/crash/shim.c.

What the model promises is what POSIX does and no more:

- fsync or fdatasync of a file keeps its bytes and its length; a write through
  a descriptor of O_DSYNC keeps that write.
- fsync of a folder keeps the names in it. Without it a file that was created,
  renamed or removed has its new name or its old one, or none, even when its
  bytes are safe.
- Everything else may be there or not. Of a file, each page of 4 KiB has the
  state of any moment since it was last synced, whatever the other pages have
  (so a long write is torn, and later writes may be there without earlier
  ones); pages between that never came are zeros. The length is what reaches
  to the last page that came, or any that a truncation gave it meanwhile.

Half of the points take names as a journaling file system orders them (all
changes of names up to some moment, none after it), the other half any subset:
the first is what ext4 and XFS do, the second is the worst that is allowed."""

import os
import shutil
import struct

PAGE = 4096
HEAD = struct.Struct("=cBHIQI")
LOCK_FILES = ("lock.mdb",)  # LMDB's: whoever opens first makes it anew


def read_log(path):
    """(op, flags, file, off, path, bytes) of each change."""
    data = open(path, "rb").read()
    at, rows = 0, []
    while at < len(data):
        op, flags, path_len, file, off, n = HEAD.unpack_from(data, at)
        at += HEAD.size
        name = data[at:at + path_len].decode()
        at += path_len
        rows.append((op.decode(), flags, file, off, name, data[at:at + n]))
        at += n
    return rows


def numbers_below(folder):
    """The shim calls a file by its inode."""
    return {os.path.join(where, name):
            os.stat(os.path.join(where, name)).st_ino & 0xffffffff
            for where, _, names in os.walk(folder) for name in names}


class File:
    """Bytes that are safe, and changes that are not yet."""

    def __init__(self):
        self.safe = bytearray()
        self.changes = []  # ("w", off, bytes) or ("t", length)

    @staticmethod
    def apply(data, change):
        if change[0] == "t":
            length = change[1]
            del data[length:]
            data.extend(bytes(length - len(data)))
            return
        _, off, new = change
        if len(data) < off:
            data.extend(bytes(off - len(data)))
        data[off:off + len(new)] = new

    def sync(self):
        for change in self.changes:
            self.apply(self.safe, change)
        self.changes = []

    def after_loss(self, random):
        """Each page as it was at some moment; the changes are applied page by
        page, up to that moment."""
        mode = random.random()
        data = bytearray(self.safe)
        if mode < 0.2 or not self.changes:
            return data
        n = len(self.changes)
        if mode < 0.4:
            for change in self.changes:
                self.apply(data, change)
            return data
        upto = {}

        def moment(page):
            if page not in upto:
                upto[page] = random.choice((0, n, random.randint(0, n)))
            return upto[page]

        for i, change in enumerate(self.changes):
            if change[0] == "t":
                if i < moment("length"):
                    self.apply(data, change)
                continue
            _, off, new = change
            at = 0
            while at < len(new):
                page = (off + at) // PAGE
                take = min(len(new) - at, (page + 1) * PAGE - off - at)
                if i < moment(page):
                    self.apply(data, ("w", off + at, new[at:at + take]))
                at += take
        return data


class Disk:
    def __init__(self, root):
        self.root = root
        self.files = {}
        self.names = {}    # that are safe: path -> file, or "" for a folder
        self.changes = []  # of names: (op, path, file or new path)

    def load(self, base, numbers):
        """What was there, and safe, when the log began."""
        for folder, _, names in os.walk(base):
            inside = self.root + folder[len(base):]
            self.names[inside] = ""
            for name in names:
                path = os.path.join(inside, name)
                number = self.names[path] = numbers[path]
                self.files[number] = File()
                with open(os.path.join(folder, name), "rb") as f:
                    self.files[number].safe = bytearray(f.read())

    def do(self, row):
        op, flags, file, off, path, data = row
        if op == "c":
            self.files[file] = File()
            self.changes.append(("c", path, file))
        elif op == "e":
            self.files[file].changes.append(("t", 0))
        elif op == "w":
            change = ("w", off, data)
            if flags:
                File.apply(self.files[file].safe, change)
            self.files[file].changes.append(change)
        elif op == "t":
            self.files[file].changes.append(("t", off))
        elif op == "s":
            self.files[file].sync()
        elif op == "r":
            self.changes.append(("r", path, data.decode()))
        elif op in "um":
            self.changes.append((op, path, None))
        elif op == "d":
            self.sync_folder(path)

    @staticmethod
    def apply_name(names, change):
        op, path, what = change
        parent = os.path.dirname(what if op == "r" else path)
        if op in "crm" and parent not in names:
            return
        if op == "c":
            names[path] = what
        elif op == "m":
            names[path] = ""
        elif op == "u":
            names.pop(path, None)
        elif op == "r" and path in names:
            names[what] = names.pop(path)

    def sync_folder(self, folder):
        """Changes of names in other folders stay as they are."""
        rest = []
        for change in self.changes:
            if os.path.dirname(change[1]) == folder:
                self.apply_name(self.names, change)
            else:
                rest.append(change)
        self.changes = rest

    def after_loss(self, random, target):
        names = dict(self.names)
        if random.random() < 0.5:
            n = random.randint(0, len(self.changes))
            kept = self.changes[:n]
        else:
            share = random.choice((0.1, 0.5, 0.9))
            kept = [c for c in self.changes if random.random() < share]
        for change in kept:
            self.apply_name(names, change)
        shutil.rmtree(target, ignore_errors=True)
        for path in sorted(names):
            if not path.startswith(self.root):
                continue
            place = target + path[len(self.root):]
            if names[path] == "":
                os.makedirs(place, exist_ok=True)
            elif os.path.isdir(os.path.dirname(place)):
                data = self.files[names[path]].after_loss(random)
                if os.path.basename(path) not in LOCK_FILES:
                    with open(place, "wb") as f:
                        f.write(data)


class Before:
    """A copy of a folder whose bytes are all safe."""

    def __init__(self, folder, copy):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        self.folder, self.copy = folder, copy
        self.numbers = numbers_below(folder)


def replay(before, logs, points, random, target):
    """Yields the acknowledged lines of the last log, with `target` made anew
    as after a power loss behind that many rows of it."""
    disk, n_acked, at = Disk(before.folder), 0, 0
    disk.names[os.path.dirname(before.folder)] = ""
    disk.load(before.copy, before.numbers)
    for log in logs[:-1]:
        for row in read_log(log):
            disk.do(row)
    rows = read_log(logs[-1])
    for point in sorted(points):
        while at < min(point, len(rows)):
            n_acked += rows[at][0] == "a"
            disk.do(rows[at])
            at += 1
        disk.after_loss(random, target)
        yield n_acked
