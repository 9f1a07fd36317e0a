# What the tests of packages do in roots of their own; bash, sourced by them. They set
# `source` (the tree), `roots` (the folder of all roots) and `root` (theirs), and
# define say().

# copy_root RELEASE: `root` is a copy of a clean one until the script ends, with the
# settings for packages of this machine. Status 77 where it cannot be had.
copy_root()
{
    "$source/tests/packages/make_root" "$1" "$roots/$1" || exit $?
    remove_root
    trap remove_root EXIT
    cp -a "$roots/$1" "$root"
    mount -t proc proc "$root/proc"
    cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
    cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
    # No package starts a server in there: its port would be this machine's.
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
    inside apt-get -qq update ||
        { say "skipped: no packages can be had"; exit 77; }
}

remove_root()
{
    umount "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "$root"
}

# inside COMMAND...: in the root. What it printed is in $root/log, and is shown when
# it fails.
inside()
{
    chroot "$root" env -i HOME=/root LC_ALL=C.UTF-8 \
        PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        DEBIAN_FRONTEND=noninteractive "$@" >"$root/log" 2>&1 </dev/null || {
        say "failed: $*"
        tail -30 "$root/log"
        return 1
    }
}
