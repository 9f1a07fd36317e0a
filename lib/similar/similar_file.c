/* The index of similar files on disk: described in docs/format-similar.md.
 *
 *     header   64 bytes, below
 *     files    n_files records: name, length, root, keys and lengths of chunks
 *
 * Sketches are not stored: they are computed from the keys, so they cannot
 * disagree with them. The checksum covers every byte; a reader verifies it
 * first, and still checks every number, since an attacker can make a valid
 * checksum. */

#include "lib/similar/similar.h"

#include "lib/base/checksum.h"
#include "lib/base/packing.h"
#include "lib/chunk/sha256.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "origoSIM"
/* version 1, whose checksum was half a SHA-256, is still read */
#define VERSION        2
#define VERSION_SHA256 1

struct header {
    uint8_t magic[8];
    uint8_t version[2];
    uint8_t features[2]; /* none is defined yet */
    uint8_t cut_kind;
    uint8_t n_samples;
    uint8_t n_bits;
    uint8_t zero;
    uint8_t cut_min[4];
    uint8_t cut_average[4];
    uint8_t cut_max[4];
    uint8_t zero_too[4];
    uint8_t n_files[8];
    uint8_t body_len[8];
    uint8_t checksum[16]; /* of the whole file, with this field zero; the
                             second half is zero from version 2 on */
};
_Static_assert(sizeof(struct header) == 64, "the drawing says 64");
_Static_assert(offsetof(struct header, n_files) == 32, "drawing");
_Static_assert(offsetof(struct header, checksum) == 48, "drawing");

/* Name, length, root and number of chunks take at least this. */
enum { LEAST_RECORD = 1 + 1 + OG_HASH_LEN + 1, MOST_NAME = 65536 };

/* ---- writing ---- */

static void put_fixed(uint8_t *out, uint64_t v, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)(v >> 8 * i);
}

static void put_file(struct og_pack *out, const struct og_similar_file *f)
{
    const size_t name_len = strlen(f->name);
    og_pack_number(out, name_len);
    og_pack_bytes(out, f->name, name_len);
    og_pack_number(out, f->len);
    og_pack_bytes(out, f->hash, OG_HASH_LEN);
    og_pack_number(out, f->n_chunks);
    for (size_t i = 0; i < f->n_chunks; i++) {
        og_pack_fixed(out, f->keys[i], 8);
        og_pack_number(out, f->lens[i]);
    }
}

static void put_header(const struct og_similar *index, uint64_t n_files,
                       struct og_pack *out)
{
    const og_cut_options *cut = og_similar_chunking(index);
    const struct og_file_sketch_options *traits = og_similar_sketches(index);
    struct header h = {.cut_kind = (uint8_t)cut->kind,
                       .n_samples = (uint8_t)traits->n_samples,
                       .n_bits = (uint8_t)traits->n_bits};
    memcpy(h.magic, MAGIC, sizeof(h.magic));
    put_fixed(h.version, VERSION, sizeof(h.version));
    put_fixed(h.cut_min, cut->min_len, 4);
    put_fixed(h.cut_average, cut->average_len, 4);
    put_fixed(h.cut_max, cut->max_len, 4);
    put_fixed(h.n_files, n_files, 8);
    put_fixed(h.body_len, out->len - sizeof(h), 8);
    memcpy(out->data, &h, sizeof(h));
    put_fixed(out->data + offsetof(struct header, checksum),
              og_checksum(out->data, out->len), 8);
}

og_status og_similar_write(const struct og_similar *index, const char *path,
                           og_error *err)
{
    static const struct header none;
    struct og_pack pack = {0};
    struct og_new_file out;
    uint64_t n_files = 0;
    og_pack_bytes(&pack, &none, sizeof(none));
    for (size_t i = 0; i < og_similar_n_files(index); i++) {
        const struct og_similar_file f = og_similar_file_at(index, i);
        if (f.name == NULL) continue;
        put_file(&pack, &f);
        n_files++;
    }
    if (pack.failed) {
        og_pack_release(&pack);
        return og_error_memory(err, pack.len, "an index of files");
    }
    put_header(index, n_files, &pack);
    og_status status = og_output_open(&out, path, false, err);
    if (status == OG_OK)
        status = og_new_file_write(&out, pack.data, pack.len, err);
    if (status == OG_OK) status = og_new_file_commit(&out, err);
    og_new_file_discard(&out);
    og_pack_release(&pack);
    return status;
}

/* ---- reading ---- */

static og_status broken(og_error *err, const char *name, const char *why)
{
    return og_error_set(err, OG_ERR_STORE,
                        "'%s' is not a valid index of files: %s", name, why);
}

static uint64_t fixed(const uint8_t *p, size_t len)
{
    struct og_unpacker u = {p, p + len, false};
    return og_take_fixed(&u, len);
}

static void sum_sha256(const struct header *zeroed, const uint8_t *body,
                       size_t len, uint8_t out[16])
{
    struct og_sha256 sha256;
    uint8_t hash[OG_HASH_LEN];
    og_sha256_init(&sha256);
    og_sha256_add(&sha256, zeroed, sizeof(*zeroed));
    og_sha256_add(&sha256, body, len);
    og_sha256_end(&sha256, hash);
    memcpy(out, hash, 16);
}

static bool has_right_sum(const struct header *h, const uint8_t *data,
                          size_t len)
{
    struct header zeroed = *h;
    struct og_checksum checksum;
    uint8_t sum[16] = {0};
    memset(zeroed.checksum, 0, sizeof(zeroed.checksum));
    if (fixed(h->version, 2) == VERSION_SHA256) {
        sum_sha256(&zeroed, data + sizeof(*h), len - sizeof(*h), sum);
    } else {
        og_checksum_init(&checksum);
        og_checksum_add(&checksum, &zeroed, sizeof(zeroed));
        og_checksum_add(&checksum, data + sizeof(*h), len - sizeof(*h));
        put_fixed(sum, og_checksum_end(&checksum), 8);
    }
    return memcmp(sum, h->checksum, sizeof(sum)) == 0;
}

static og_status check_header(const struct header *h, const uint8_t *data,
                              size_t len, const char *name, og_error *err)
{
    if (len < sizeof(*h) || memcmp(h->magic, MAGIC, sizeof(h->magic)) != 0)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is not an index of files made by origo",
                            name);
    const uint64_t version = fixed(h->version, 2);
    if (version != VERSION && version != VERSION_SHA256)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is an index of version %u; this origo reads "
                            "versions %d and %d",
                            name, (unsigned)version, VERSION_SHA256, VERSION);
    if (fixed(h->features, 2) != 0)
        return broken(err, name, "it needs features that are not known");
    if (fixed(h->body_len, 8) != len - sizeof(*h))
        return broken(err, name, "its length is not what its header says");
    if (fixed(h->n_files, 8) > (len - sizeof(*h)) / LEAST_RECORD)
        return broken(err, name, "it says that it has more files than fit");
    return has_right_sum(h, data, len)
               ? OG_OK
               : broken(err, name, "its checksum does not match");
}

static og_status take_options(const struct header *h, const char *name,
                              og_cut_options *cut,
                              struct og_file_sketch_options *traits,
                              og_error *err)
{
    *cut = (og_cut_options){.kind = (og_cut_kind)h->cut_kind,
                            .min_len = (uint32_t)fixed(h->cut_min, 4),
                            .average_len = (uint32_t)fixed(h->cut_average, 4),
                            .max_len = (uint32_t)fixed(h->cut_max, 4)};
    *traits = (struct og_file_sketch_options){h->n_samples, h->n_bits};
    if (h->cut_kind > OG_CUT_WINNOW_FAST ||
        og_cut_options_check(cut, NULL) != OG_OK ||
        og_file_sketch_check(traits, NULL) != OG_OK)
        return broken(err, name, "its options are invalid");
    return OG_OK;
}

static og_status take_chunks(struct og_unpacker *u, const char *name,
                             struct og_file_chunks *chunks, og_error *err)
{
    const uint64_t n = og_take_number(u);
    uint64_t sum = 0;
    if (u->bad || n > og_unpacker_left(u) / 9)
        return broken(err, name, "a file has more chunks than fit");
    if (!OG_GROW(chunks->allocator, chunks->keys, chunks->keys_cap, n) ||
        !OG_GROW(chunks->allocator, chunks->lens, chunks->lens_cap, n))
        return og_error_memory(err, n * 12, "chunks of the index");
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t key = og_take_fixed(u, 8), len = og_take_number(u);
        if (len == 0 || len > UINT32_MAX)
            return broken(err, name, "a chunk has no length");
        chunks->keys[i] = key;
        chunks->lens[i] = (uint32_t)len;
        sum += len;
    }
    chunks->n = n;
    if (u->bad || sum != chunks->file_len)
        return broken(err, name, "the chunks of a file do not cover it");
    return OG_OK;
}

static og_status take_file(struct og_unpacker *u, const char *name,
                           struct og_file_chunks *chunks,
                           struct og_similar *index, og_error *err)
{
    const uint64_t name_len = og_take_number(u);
    const uint8_t *p = name_len > MOST_NAME ? NULL : og_take_bytes(u, name_len);
    chunks->file_len = og_take_number(u);
    const uint8_t *hash = og_take_bytes(u, OG_HASH_LEN);
    if (p == NULL || hash == NULL || name_len == 0 ||
        memchr(p, '\0', name_len) != NULL)
        return broken(err, name, "the name of a file is damaged");
    memcpy(chunks->hash, hash, OG_HASH_LEN);
    TRY(take_chunks(u, name, chunks, err));
    char *file_name = og_name_new(chunks->allocator, p, name_len);
    if (file_name == NULL) return og_error_memory(err, name_len, "a name");
    og_status status = og_similar_find(index, file_name) != SIZE_MAX
                           ? broken(err, name, "a file comes twice")
                           : og_similar_add(index, file_name, chunks, err);
    og_name_release(chunks->allocator, file_name);
    return status;
}

og_status og_similar_decode(const uint8_t *data, size_t len, const char *name,
                            const og_allocator *allocator,
                            struct og_similar **out, og_error *err)
{
    struct header h = {0};
    og_cut_options cut;
    struct og_file_sketch_options traits;
    struct og_file_chunks chunks;
    struct og_similar *index = NULL;
    if (len >= sizeof(h)) memcpy(&h, data, sizeof(h));
    TRY(check_header(&h, data, len, name, err));
    TRY(take_options(&h, name, &cut, &traits, err));
    TRY(og_similar_new(&traits, &cut, allocator, &index, err));
    og_file_chunks_init(&chunks, allocator);
    struct og_unpacker u = {data + sizeof(h), data + len, false};
    og_status status = OG_OK;
    for (uint64_t i = fixed(h.n_files, 8); status == OG_OK && i > 0; i--)
        status = take_file(&u, name, &chunks, index, err);
    if (status == OG_OK && og_unpacker_left(&u) > 0)
        status = broken(err, name, "something follows its last file");
    og_file_chunks_release(&chunks);
    if (status == OG_OK)
        *out = index;
    else
        og_similar_free(index);
    return status;
}

og_status og_similar_read(const char *path, const og_allocator *allocator,
                          struct og_similar **out, og_error *err)
{
    struct stat st;
    const int fd = og_file_open(path);
    if (fd < 0) return og_file_failure(err, "open", path, errno);
    const bool is_file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    const size_t cap = is_file ? (size_t)st.st_size + 1 : 0;
    uint8_t *data = is_file ? og_allocate(allocator, cap) : NULL;
    og_status status;
    if (!is_file) {
        status = og_error_set(err, OG_ERR_INPUT,
                              "'%s' is not a file: an index of similar files "
                              "is",
                              path);
    } else if (data == NULL) {
        status = og_error_memory(err, cap, "an index of files");
    } else {
        const int64_t n = og_file_read_at(fd, data, (size_t)st.st_size, 0);
        status = n < 0 ? og_file_failure(err, "read", path, errno)
                       : og_similar_decode(data, (size_t)n, path, allocator,
                                           out, err);
    }
    og_release(allocator, data, cap);
    close(fd);
    return status;
}
