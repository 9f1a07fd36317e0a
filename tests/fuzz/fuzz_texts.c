/* Any bytes may be the frames of a segment, or a dictionary. The first byte
 * says whether the checksums are corrected first, so that the parts after them
 * are reached too. Either the reader refuses with a message, or it returns
 * bytes that are really there; and verifying always agrees with it. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/store/text/text_files.h"
#include "lib/store/text/texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { MEND = 1, AS_DICT = 2, MAX_LEN = 1 << 16 };

static const uint8_t uuid[16] = {1};
static char folder[64];

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    if (system(command) != 0) abort();
}

static void make_folder(void)
{
    if (folder[0] != '\0') return;
    strcpy(folder, "/dev/shm/origo-fuzz-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        strcpy(folder, "/tmp/origo-fuzz-XXXXXX");
        if (mkdtemp(folder) == NULL) abort();
    }
    atexit(remove_folder);
}

/* Frames of longer texts are not erased: each level of zstd is tried. */
#define BLANKED_MOST (16u << 10)

static void write_file(const char *path, const uint8_t *data, size_t len)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 1, len, f) != len || fclose(f) != 0) abort();
}

/* Frame after frame, as far as the lengths lead. */
static void mend_frames(uint8_t *data, size_t len)
{
    for (size_t at = 0; len - at >= OG_FRAME_HEADER;) {
        uint8_t *head = data + at;
        struct og_frame f;
        if (og_frame_unpack(head, &f) != NULL ||
            f.packed_len > len - at - OG_FRAME_HEADER)
            return;
        og_store64(head + 40,
                   og_checksum_after(og_checksum(head, 40),
                                     head + OG_FRAME_HEADER, f.packed_len));
        at += OG_FRAME_HEADER + f.packed_len;
    }
}

static void must_report(og_status status, const og_error *err)
{
    if (status == OG_OK) return;
    if (status != OG_ERR_STORE || strchr(err->message, '\'') == NULL) abort();
}

/* What is erased is zeros, and the rest is as long as it was. */
static void try_blank(const uint8_t *frame, size_t len,
                      const struct og_frame *f)
{
    struct og_pack out = {0};
    og_error err;
    const uint32_t off = f->raw_len / 3, n = f->raw_len / 2;
    const og_status status = og_frame_blank(
        (og_bytes){(const char *)frame, len}, off, n, &out, &err);
    if (status != OG_OK && status != OG_ERR_STORE && status != OG_ERR_LIMIT)
        abort();
    if (status == OG_OK && out.len != OG_FRAME_HEADER + (size_t)f->packed_len)
        abort();
    og_pack_release(&out);
}

static void try_segment(uint8_t *data, size_t len, bool mend)
{
    struct og_text_path path;
    const struct og_segment_head head = {0};
    og_error err;
    int fd;
    if (mend) mend_frames(data, len);
    unlink(og_segment_path(&path, folder, 1));
    if (og_segment_make(folder, uuid, 1, &head, &fd, &err) != OG_OK) abort();
    if (write(fd, data, len) != (ssize_t)len) abort();
    close(fd);

    struct og_texts_sums sums;
    const struct og_texts_end end = {1, OG_SEGMENT_HEAD + len};
    must_report(og_texts_check(folder, uuid, end, NULL, NULL, &sums, &err),
                &err);
    struct og_text_reader *reader;
    if (og_text_reader_open(folder, uuid, NULL, NULL, &reader, &err) != OG_OK)
        abort();
    volatile unsigned sum = 0; /* the bytes are looked at */
    for (size_t at = 0; at + OG_FRAME_HEADER <= len;) {
        const struct og_text_place place = {1, OG_SEGMENT_HEAD + at, 0};
        struct og_frame f;
        og_bytes got;
        if (og_frame_unpack(data + at, &f) != NULL || f.raw_len > 1 << 24)
            break;
        const og_status status =
            og_text_reader_get(reader, &place, f.raw_len, &got, NULL, &err);
        must_report(status, &err);
        for (size_t i = 0; i < got.len; i += 61)
            sum += (unsigned char)got.data[i];
        if (f.raw_len <= BLANKED_MOST) try_blank(data + at, len - at, &f);
        at += OG_FRAME_HEADER + (size_t)f.packed_len;
    }
    (void)sum;
    og_text_reader_close(reader);
}

static void try_dict(uint8_t *data, size_t len, bool mend)
{
    struct og_text_path path;
    struct og_pack out = {0};
    og_error err;
    if (mend && len >= OG_DICT_HEAD)
        og_store64(data + 40,
                   og_checksum_after(og_checksum(data, 40), data + OG_DICT_HEAD,
                                     len - OG_DICT_HEAD));
    write_file(og_dict_path(&path, folder, 1), data, len);
    const og_status status = og_dict_read(folder, uuid, 1, &out, &err);
    must_report(status, &err);
    if (status == OG_OK && out.len + OG_DICT_HEAD != len) abort();
    og_pack_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len < 1 || len > MAX_LEN) return 0;
    uint8_t *copy = malloc(len);
    if (copy == NULL) return 0;
    make_folder();
    memcpy(copy, data + 1, len - 1);
    const bool mend = (data[0] & MEND) != 0;
    if ((data[0] & AS_DICT) != 0)
        try_dict(copy, len - 1, mend);
    else
        try_segment(copy, len - 1, mend);
    free(copy);
    return 0;
}
