#ifndef OG_SOURCE_MEMBERS_H
#define OG_SOURCE_MEMBERS_H

/*   in:  a file compressed by bzip2 or xz, or an archive: tar, zip
 *   out: the files in it, one after the other          (lib/source/source.c)
 *
 * libarchive does the work. Only regular files are read, and none whose name,
 * or a folder in it, begins with a dot: the same rule as for folders (walk.h).
 * Nothing is ever written to disk, so names in an archive can do no harm. */

#include "lib/source/unpack.h"

/* Output beyond this length and this ratio to its packed size is not text but a
 * bomb. */
#define OG_MEMBERS_BOMB_LEN   ((uint64_t)256 << 20)
#define OG_MEMBERS_BOMB_RATIO 500

struct og_members;

struct og_member {
    const char *name; /* NULL: the file as a whole, compressed; valid until the
                         next */
    int64_t time;     /* of the last change */
    bool has_time;
};

/* The bytes that og_members_is_archive() needs. 0: it is not an archive,
 * whatever follows. */
size_t og_members_head_len(og_bytes head);
bool og_members_is_archive(og_bytes head);

/* Reads from `unpack`, after `head`, which was already taken from it. It must
 * outlive the members. */
og_status og_members_open(struct og_unpack *unpack, og_bytes head,
                          const og_allocator *allocator,
                          struct og_members **out, og_error *err);
void og_members_free(struct og_members *members); /* NULL is fine */

/* OG_END after the last. OG_ERR_INPUT: the archive is broken; it ends here. */
og_status og_members_next(struct og_members *members, struct og_member *out,
                          og_error *err);

/* The bytes of the current member, like og_unpack_read(). */
og_status og_members_read(void *members, char *out, size_t cap, size_t *out_len,
                          og_error *err);

#endif
