/* Any bytes may be the data file of a catalogue: the walk over its pages and
 * the readers end with a message or an answer. When the first byte is odd, the
 * rest are changes of a catalogue that LMDB made: offset 3, byte 1 each; else
 * they are the file. */

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/store/catalogue/documents.h"
#include "lib/store/catalogue/lmdb_format.h"
#include "lib/store/catalogue/lmdb_read.h"
#include "tests/fuzz/fuzz_support.h"

enum { MAX_LEN = 1 << 20, N_DOCUMENTS = 300 };

static uint8_t *sound; /* what LMDB made */
static size_t sound_len;

static void write_some(struct og_documents *db)
{
    struct og_pack bytes[N_DOCUMENTS] = {0};
    og_bytes list[N_DOCUMENTS];
    for (uint32_t i = 0; i < N_DOCUMENTS; i++) {
        const og_bytes id = OG_LITERAL("one of many versions");
        const struct og_entry entry = {.id = {id.data, i % 9 + 1},
                                       .title = {(const char *)bytes, i},
                                       .n_origins = i > 0,
                                       .origins = {{i / 200, i}}};
        og_entry_pack(&entry, &bytes[i]);
        list[i] = (og_bytes){(const char *)bytes[i].data, bytes[i].len};
    }
    const struct og_documents_batch batch = {
        .entries = list, .n_entries = N_DOCUMENTS, .sequence = N_DOCUMENTS};
    if (og_documents_write(db, &batch, NULL) != OG_OK) abort();
    for (uint32_t i = 0; i < N_DOCUMENTS; i++)
        og_pack_release(&bytes[i]);
}

static void make_sound(void)
{
    static const uint8_t uuid[16];
    char folder[128], path[256];
    struct og_documents *db;
    const struct og_documents_options options = {.uuid = uuid,
                                                 .writable = true};
    snprintf(folder, sizeof(folder), "%s/catalogue", fuzz_folder);
    if (og_documents_open(folder, &options, &db, NULL) != OG_OK) abort();
    write_some(db);
    if (og_documents_close(db, NULL) != OG_OK) abort();
    snprintf(path, sizeof(path), "%s/data.mdb", folder);
    FILE *f = fopen(path, "rb");
    sound = malloc(MAX_LEN);
    if (f == NULL || sound == NULL) abort();
    sound_len = fread(sound, 1, MAX_LEN, f);
    fclose(f);
}

static void apply_changes(uint8_t *file, const uint8_t *data, size_t len)
{
    for (; len >= 4; data += 4, len -= 4)
        file[(data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16) %
             sound_len] = data[3];
}

static bool touch(void *ctx, og_bytes key, og_bytes value)
{
    unsigned *sum = ctx;
    for (size_t i = 0; i < key.len; i++)
        *sum += (unsigned char)key.data[i];
    for (size_t i = 0; i < value.len; i++)
        *sum += (unsigned char)value.data[i];
    return true;
}

static void check(og_status status, const og_error *err)
{
    if (status != OG_OK && status != OG_END &&
        (status != OG_ERR_STORE || strchr(err->message, '\'') == NULL))
        abort();
}

static void read_all(int fd)
{
    struct og_lmdb_reader reader;
    og_error err = {0};
    unsigned sum = 0;
    og_lmdb_reader_init(&reader, fd, "data.mdb", NULL, NULL);
    og_status status = og_lmdb_reader_begin(&reader, &err);
    check(status, &err);
    for (int i = 0; i < 2 && status == OG_OK; i++) {
        const uint32_t from = 7;
        const og_bytes key = {(const char *)&from, sizeof(from)};
        const struct og_lmdb_tree tree = {reader.head.roots[1],
                                          i == 0 ? 0 : OG_LMDB_INTEGER_KEYS};
        struct og_lmdb_tree named;
        check(og_lmdb_scan(&reader, tree, i == 0 ? NULL : &key, touch, &sum,
                           &err),
              &err);
        check(og_lmdb_tree_find(&reader, "documents", &named, &err), &err);
    }
    og_lmdb_reader_release(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char path[128];
    og_error err = {0};
    if (len < 1 || len > MAX_LEN) return 0;
    make_fuzz_folder();
    if (sound == NULL) make_sound();
    const bool is_changed = (data[0] & 1) != 0;
    const size_t file_len = is_changed ? sound_len : len - 1;
    uint8_t *file = malloc(file_len + 1);
    if (file == NULL) return 0;
    memcpy(file, is_changed ? sound : data + 1, file_len);
    if (is_changed) apply_changes(file, data + 1, len - 1);
    write_fuzz_file("data.mdb", file, file_len);
    free(file);
    snprintf(path, sizeof(path), "%s/data.mdb", fuzz_folder);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) abort();
    check(og_lmdb_walk(fd, path, NULL, &err), &err);
    read_all(fd);
    close(fd);
    return 0;
}
