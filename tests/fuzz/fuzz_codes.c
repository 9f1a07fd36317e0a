/* An untrusted run of codes: bytes with the right checksums, so that all the
 * other checks are reached; if it opens, it is queried. And the manifest. */

#include <stdlib.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/base/checksum.h"
#include "lib/disk/segment_format.h"
#include "lib/hamming/code_merge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static bool count(void *ctx, size_t question, uint64_t code)
{
    (void)question, (void)code;
    return ++*(size_t *)ctx < 100000;
}

static bool count_entry(void *ctx, const struct og_code_entry *entry)
{
    *(size_t *)ctx += entry->id.len;
    return true;
}

static void use_segment(const struct og_code_segment *segment)
{
    const uint64_t questions[] = {0, UINT64_MAX, 0x123456789abcdef};
    size_t n = 0;
    if (segment->index.design.n_tables <= 4)
        og_code_index_ask(&segment->index, questions, 3,
                          segment->max_distance % 3, &n, count);
    for (size_t i = 0; i < segment->index.n; i++) {
        struct og_code_cursor cursor;
        og_code_cursor_init(&cursor, segment->ids + segment->offsets[i],
                            segment->ids + segment->offsets[i + 1]);
        og_code_entries_merge(&cursor, 1, &n, count_entry);
    }
}

/* The input is a head, sections and totals as one piece: what it says about
 * lengths is made to agree as far as it goes, then every checksum. */
static void mend(uint8_t *data, size_t len)
{
    struct og_segment_file_head head = {.version = 1};
    struct og_segment_file_foot foot = {.n_sections = OG_CODE_N_SECTIONS,
                                        .file_len = len};
    const size_t directory_len = og_segment_rounded(
        foot.n_sections * sizeof(struct og_segment_file_section));
    struct og_segment_file_section *s;
    memcpy(head.magic, OG_SEGMENT_HEAD_MAGIC, 8);
    memcpy(head.kind, og_code_segment_kind.name, 8);
    head.checksum = og_checksum(&head, sizeof(head) - 8);
    memcpy(data, &head, sizeof(head));
    foot.directory_off = len - sizeof(foot) - directory_len;
    s = (struct og_segment_file_section *)(void *)(data + foot.directory_off);
    uint64_t at = sizeof(head);
    for (unsigned i = 0; i < OG_CODE_N_SECTIONS; i++) {
        const uint64_t left = foot.directory_off - at;
        s[i].off = at;
        if (s[i].len > left || i + 1 == OG_CODE_N_SECTIONS) s[i].len = left;
        if (i == OG_CODE_TOTALS && left > sizeof(struct og_code_totals) &&
            og_segment_rounded(sizeof(struct og_code_totals)) == left)
            s[i].len = sizeof(struct og_code_totals);
        const uint64_t rounded = og_segment_rounded(s[i].len);
        s[i].checksum = og_checksum(data + at, rounded);
        at += rounded;
    }
    foot.directory_sum = og_checksum(s, directory_len);
    foot.head_sum = head.checksum;
    memcpy(foot.magic, OG_SEGMENT_FOOT_MAGIC, 8);
    foot.checksum = og_checksum(&foot, sizeof(foot) - 8);
    memcpy(data + len - sizeof(foot), &foot, sizeof(foot));
}

static void open_copy(const uint8_t *data, size_t len, bool mends)
{
    struct og_segment_file file;
    struct og_code_segment segment;
    og_error err;
    uint8_t *copy = malloc(len + 1);
    if (copy == NULL) return;
    memcpy(copy, data, len);
    if (mends) mend(copy, len);
    if (og_segment_file_take(&file, copy, len, len + 1, NULL,
                             &og_code_segment_kind, "fuzz", &err) != OG_OK ||
        og_code_segment_take(&segment, &file, "fuzz", &err) != OG_OK) {
        free(copy);
        return;
    }
    use_segment(&segment);
    og_code_segment_release(&segment);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const struct og_manifest_kind kind = {
        .name = "hamming", .version = 3, .old_sum_until = 2};
    struct og_manifest manifest;
    og_error err;
    og_manifest_parse(&manifest, &kind, (og_bytes){(const char *)data, len},
                      "fuzz", &err);
    if (len > 1 << 20) return 0;
    open_copy(data, len, false);
    if (len / 64 * 64 >= 64 * 8) open_copy(data, len / 64 * 64, true);
    return 0;
}
