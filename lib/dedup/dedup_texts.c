/* Texts that are read again. The cache is a table of slots with a set of places
 * for each number; when it exceeds its size, the clock hand advances and
 * empties slots that were not used since its last round. */

#include "lib/dedup/dedup_texts.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/packing.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/os/pages.h"
#include "lib/os/secret.h"
#include "lib/os/temp_file.h"
#include "lib/source/json/jsonl.h"
#include "lib/source/members.h"
#include "lib/source/recode.h"
#include "lib/source/source.h"

#define N_SLOTS    32768
#define WAYS       4  /* slots for each number */
#define MOST_FILES 32 /* open at a time */

struct slot {
    struct og_known_document known;
    size_t bytes;
    bool is_used;
};

struct file {
    char *path;
    uint64_t len;
    struct timespec time;
    bool is_plain;
};

struct lent {
    uint64_t number;
    const uint64_t *words;
    size_t n_tokens;
    og_bytes id;
};

struct og_dedup_texts {
    _Alignas(64) uint64_t keys[N_SLOTS]; /* number + 1; 0: empty */
    struct og_pages pages;               /* the object itself */
    const struct og_dedup_texts *base;   /* owner of files and spool: itself, or
                                            the object of which it is a
                                            reader */
    const og_fields *fields;
    const char *folder;
    struct og_stored_texts *const *stores;
    struct og_shingler shingler;
    struct og_shingle_set set;
    struct file *files;
    size_t n_files, files_cap, last_file;
    int *fds; /* by file; -1: not open */
    size_t n_fds, fds_cap, n_open, next_closed;
    int spool_fd;
    uint64_t spool_len;
    struct og_pack spool_buffer; /* not written yet: ends at spool_len */
    char *line, *unescaped;
    size_t line_cap, unescaped_cap;
    char *made_id;
    size_t made_id_cap;
    struct slot slots[N_SLOTS];
    size_t memory, bytes, hand;
    struct lent *lent; /* by number */
    size_t n_lent, lent_cap;
    struct og_known_document giant; /* a document too large for the cache */
};

og_status og_dedup_texts_new(const og_fields *fields, og_token_kind tokens,
                             const struct og_shingle_factors *key,
                             size_t memory, const char *folder,
                             struct og_dedup_texts **out, og_error *err)
{
    struct og_pages pages;
    TRY(og_pages_init(&pages, sizeof(struct og_dedup_texts), NULL, err));
    struct og_dedup_texts *t = pages.data;
    t->pages = pages;
    t->base = t;
    t->fields = fields;
    t->folder = folder;
    t->memory = memory;
    t->spool_fd = -1;
    og_shingler_init(&t->shingler, tokens, key, NULL);
    t->shingler.token_key = og_secret();
    og_shingle_set_init(&t->set, NULL);
    *out = t;
    return OG_OK;
}

og_status og_dedup_texts_reader(const struct og_dedup_texts *base,
                                size_t memory, struct og_dedup_texts **out,
                                og_error *err)
{
    TRY(og_dedup_texts_new(base->fields, base->shingler.kind,
                           base->shingler.key, memory, base->folder, out, err));
    (*out)->base = base;
    return OG_OK;
}

void og_dedup_texts_stores(struct og_dedup_texts *t,
                           struct og_stored_texts *const *stores)
{
    t->stores = stores;
}

static void forget_known(struct og_known_document *known)
{
    if (known->fps == NULL && known->id == NULL) return; /* most of them */
    og_release(NULL, known->fps, known->n_fps * sizeof(*known->fps));
    og_release(NULL, known->tags, known->n * sizeof(*known->tags));
    og_release(NULL, known->id, known->id_len + 1);
    *known = (struct og_known_document){0};
}

void og_dedup_texts_free(struct og_dedup_texts *t)
{
    if (t == NULL) return;
    for (size_t i = 0; i < N_SLOTS; i++)
        if (t->keys[i] != 0) forget_known(&t->slots[i].known);
    forget_known(&t->giant);
    for (size_t i = 0; i < t->n_fds; i++)
        if (t->fds[i] >= 0) close(t->fds[i]);
    for (size_t i = 0; i < t->n_files; i++)
        free(t->files[i].path);
    if (t->spool_fd >= 0) close(t->spool_fd);
    OG_UNGROW(NULL, t->files, t->files_cap);
    OG_UNGROW(NULL, t->fds, t->fds_cap);
    OG_UNGROW(NULL, t->lent, t->lent_cap);
    OG_UNGROW(NULL, t->line, t->line_cap);
    OG_UNGROW(NULL, t->unescaped, t->unescaped_cap);
    OG_UNGROW(NULL, t->made_id, t->made_id_cap);
    og_pack_release(&t->spool_buffer);
    og_shingle_set_release(&t->set);
    og_shingler_release(&t->shingler);
    struct og_pages pages = t->pages;
    og_pages_release(&pages);
}

/* ---- files ---- */

/* Whether its bytes differ from those that the reader returns: packed, an
 * archive, or recoded. */
static bool is_packed(int fd)
{
    char head[512];
    size_t mark_len;
    const int64_t n = og_file_read_at(fd, head, sizeof(head), 0);
    if (n <= 0) return false;
    const og_bytes front = {head, (size_t)n};
    return og_unpack_is_packed(front) || og_members_is_archive(front) ||
           og_recode_of_mark(front, &mark_len) != NULL ||
           memchr(head, 0, (size_t)n) != NULL;
}

/* -1: it cannot be read. Closes another one if there are many. */
static int open_again(struct og_dedup_texts *t, size_t file)
{
    if (!OG_GROW(NULL, t->fds, t->fds_cap, file + 1)) return -1;
    while (t->n_fds <= file)
        t->fds[t->n_fds++] = -1;
    if (t->fds[file] >= 0) return t->fds[file];
    if (t->n_open >= MOST_FILES) {
        while (t->fds[t->next_closed] < 0)
            t->next_closed = (t->next_closed + 1) % t->n_fds;
        close(t->fds[t->next_closed]);
        t->fds[t->next_closed] = -1;
        t->n_open--;
    }
    t->fds[file] = og_file_open(t->base->files[file].path);
    if (t->fds[file] >= 0) t->n_open++;
    return t->fds[file];
}

og_status og_dedup_texts_file(struct og_dedup_texts *t, const char *path,
                              uint32_t *out_file, bool *out_is_plain,
                              og_error *err)
{
    struct stat st;
    if (t->n_files > 0 && strcmp(t->files[t->last_file].path, path) == 0) {
        *out_file = (uint32_t)t->last_file;
        *out_is_plain = t->files[t->last_file].is_plain;
        return OG_OK;
    }
    if (!OG_GROW(NULL, t->files, t->files_cap, t->n_files + 1))
        return og_error_memory(err, sizeof(*t->files), "files");
    struct file *file = &t->files[t->n_files];
    *file = (struct file){.path = strdup(path)};
    if (file->path == NULL) return og_error_memory(err, 1, "a file name");
    t->last_file = t->n_files++;
    if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
        file->len = (uint64_t)st.st_size;
        file->time = st.st_mtim;
        const int fd = open_again(t, t->last_file);
        file->is_plain = fd >= 0 && !is_packed(fd);
    }
    *out_file = (uint32_t)t->last_file;
    *out_is_plain = file->is_plain;
    return OG_OK;
}

og_status og_dedup_texts_check(struct og_dedup_texts *t, og_error *err)
{
    struct stat st;
    for (size_t i = 0; i < t->n_files; i++) {
        const struct file *f = &t->files[i];
        if (!f->is_plain) continue;
        if (stat(f->path, &st) != 0 || (uint64_t)st.st_size != f->len ||
            st.st_mtim.tv_sec != f->time.tv_sec ||
            st.st_mtim.tv_nsec != f->time.tv_nsec)
            return og_error_set(err, OG_ERR_INPUT,
                                "'%s' was changed while it was read", f->path);
    }
    return OG_OK;
}

bool og_dedup_is_plain(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return false;
    const int fd = og_file_open(path);
    const bool is_plain = fd >= 0 && !is_packed(fd);
    if (fd >= 0) close(fd);
    return is_plain;
}

/* ---- the temporary file ---- */

#define SPOOL_HEAD sizeof(uint32_t)

static og_status write_spool(struct og_dedup_texts *t, og_error *err)
{
    if (t->spool_fd < 0 &&
        (t->spool_fd = og_temp_file_open(t->folder, err)) < 0)
        return OG_ERR_IO;
    if (og_file_write_all(t->spool_fd, t->spool_buffer.data,
                          t->spool_buffer.len) != 0)
        return og_file_failure(err, "write a temporary file in", t->folder,
                               errno);
    t->spool_buffer.len = 0;
    return OG_OK;
}

og_status og_dedup_texts_flush(struct og_dedup_texts *t, og_error *err)
{
    return t->spool_buffer.len > 0 ? write_spool(t, err) : OG_OK;
}

og_status og_dedup_texts_spool(struct og_dedup_texts *t, og_bytes id,
                               og_bytes text, struct og_dedup_place *out,
                               og_error *err)
{
    const size_t len = SPOOL_HEAD + id.len + text.len;
    *out = (struct og_dedup_place){
        .offset = t->spool_len, .file = OG_PLACE_SPOOL, .len = (uint32_t)len};
    og_pack_fixed(&t->spool_buffer, id.len, SPOOL_HEAD);
    og_pack_bytes(&t->spool_buffer, id.data, id.len);
    og_pack_bytes(&t->spool_buffer, text.data, text.len);
    if (t->spool_buffer.failed) return og_error_memory(err, len, "a text");
    t->spool_len += len;
    return t->spool_buffer.len < 1 << 18 ? OG_OK : write_spool(t, err);
}

/* ---- reading again ---- */

static og_status changed(const char *path, og_error *err)
{
    return og_error_set(err, OG_ERR_INPUT, "'%s' was changed while it was read",
                        path);
}

static og_status read_bytes(struct og_dedup_texts *t,
                            const struct og_dedup_place *place, og_error *err)
{
    const size_t need = (size_t)place->len + OG_BLOCK_PADDING;
    const char *name = "the temporary file";
    int fd;
    if (!OG_GROW(NULL, t->line, t->line_cap, need) ||
        !OG_GROW(NULL, t->unescaped, t->unescaped_cap, need))
        return og_error_memory(err, need, "a text");
    if (place->file == OG_PLACE_SPOOL) {
        TRY(og_dedup_texts_flush(t, err));
        fd = t->base->spool_fd;
    } else {
        name = t->base->files[place->file].path;
        fd = open_again(t, place->file);
        if (fd < 0) return og_file_failure(err, "open", name, errno);
    }
    const int64_t n = og_file_read_at(fd, t->line, place->len, place->offset);
    if (n < 0) return og_file_failure(err, "read", name, errno);
    memset(t->line + place->len, 0, OG_BLOCK_PADDING);
    return n == (int64_t)place->len ? OG_OK : changed(name, err);
}

/* "mail.jsonl:17", as in lib/source/block.c, in memory of its own. */
static og_bytes made_up_id(struct og_dedup_texts *t,
                           const struct og_dedup_place *place)
{
    const char *path = t->base->files[place->file].path;
    const size_t room = strlen(path) + 24;
    if (!OG_GROW(NULL, t->made_id, t->made_id_cap, room))
        return (og_bytes){"", 0};
    const int len = snprintf(t->made_id, room, "%s:%llu", path,
                             (unsigned long long)place->line);
    return (og_bytes){t->made_id, (size_t)len};
}

static og_status read_stored(struct og_dedup_texts *t,
                             const struct og_dedup_place *place, og_bytes *id,
                             og_bytes *text, og_error *err)
{
    struct og_stored_texts *stored = t->stores[place->len];
    og_document doc;
    bool is_there;
    TRY(og_stored_texts_get(stored, (uint32_t)place->offset, &doc, &is_there,
                            err));
    if (!is_there) return changed(og_stored_texts_path(stored), err);
    *id = doc.id;
    *text = doc.text;
    return OG_OK;
}

static og_status read_document(struct og_dedup_texts *t,
                               const struct og_dedup_place *place, og_bytes *id,
                               og_bytes *text, og_error *err)
{
    struct og_record record;
    struct og_jsonl_problem problem;
    if (place->file == OG_PLACE_STORE)
        return read_stored(t, place, id, text, err);
    TRY(read_bytes(t, place, err));
    if (place->file == OG_PLACE_SPOOL) {
        const size_t id_len = og_load32(t->line);
        *id = (og_bytes){t->line + SPOOL_HEAD, id_len};
        *text = (og_bytes){t->line + SPOOL_HEAD + id_len,
                           place->len - SPOOL_HEAD - id_len};
        return OG_OK;
    }
    const og_bytes line = {t->line, place->len};
    if (og_jsonl_read(line, t->fields, t->unescaped, NULL, &record, &problem) ==
        NULL)
        return changed(t->base->files[place->file].path, err);
    *id = record.doc.id;
    *text = record.doc.text;
    if (id->len == 0) *id = made_up_id(t, place);
    return OG_OK;
}

/* ---- lent documents ---- */

og_status og_dedup_texts_lend(struct og_dedup_texts *t, uint64_t number,
                              const uint64_t *words, size_t n_tokens,
                              og_bytes id, og_error *err)
{
    assert(t->n_lent == 0 || t->lent[t->n_lent - 1].number < number);
    if (!OG_GROW(NULL, t->lent, t->lent_cap, t->n_lent + 1))
        return og_error_memory(err, sizeof(*t->lent), "documents");
    t->lent[t->n_lent++] = (struct lent){number, words, n_tokens, id};
    return OG_OK;
}

void og_dedup_texts_call_back(struct og_dedup_texts *t)
{
    t->n_lent = 0;
}

/* NULL: it is not lent. */
static const struct lent *find_lent(const struct og_dedup_texts *t,
                                    uint64_t number)
{
    size_t begin = 0, end = t->n_lent;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (t->lent[middle].number < number)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < t->n_lent && t->lent[begin].number == number
               ? &t->lent[begin]
               : NULL;
}

/* ---- sets of shingles ---- */

og_status og_dedup_texts_print(struct og_dedup_texts *t, const uint64_t *words,
                               size_t n_tokens, const struct og_fps **out,
                               og_error *err)
{
    *out = &t->shingler.fps;
    return og_shingler_reprint(&t->shingler, words, n_tokens, err);
}

static og_status copy_known(struct og_dedup_texts *t, og_bytes id,
                            struct og_known_document *known, og_error *err)
{
    const uint64_t *fps = t->shingler.fps.data;
    const size_t n_fps = t->shingler.fps.n;
    known->n_fps = n_fps;
    known->id_len = id.len;
    known->fps = og_allocate(NULL, n_fps * sizeof(*known->fps));
    known->id = og_allocate(NULL, id.len + 1);
    if (known->fps == NULL || known->id == NULL)
        return og_error_memory(err, n_fps * 8, "a set of shingles");
    if (id.len > 0) memcpy(known->id, id.data, id.len);
    TRY(og_shingle_set_fill(&t->set, fps, n_fps, known->fps, err));
    known->n = t->set.n;
    known->tags = og_allocate(NULL, known->n * sizeof(*known->tags));
    if (known->tags == NULL)
        return og_error_memory(err, known->n * 2, "a set of shingles");
    og_shingle_tags(known->fps, known->n, known->tags);
    return OG_OK;
}

static og_status make_known(struct og_dedup_texts *t, uint64_t number,
                            const struct og_dedup_place *place,
                            struct og_known_document *known, og_error *err)
{
    og_bytes id = {"", 0}, text = {"", 0};
    const struct lent *lent = find_lent(t->base, number);
    if (lent != NULL) {
        TRY(og_shingler_reprint(&t->shingler, lent->words, lent->n_tokens,
                                err));
        return copy_known(t, lent->id, known, err);
    }
    TRY(read_document(t, place, &id, &text, err));
    TRY(og_shingler_run(&t->shingler, text, err));
    TRY(copy_known(t, id, known, err));
    og_shingler_trim(&t->shingler);
    return OG_OK;
}

static void make_room(struct og_dedup_texts *t, size_t bytes)
{
    while (t->bytes > 0 && t->bytes + bytes > t->memory) {
        const size_t at = t->hand;
        struct slot *s = &t->slots[at];
        t->hand = (at + 1) % N_SLOTS;
        if (t->keys[at] == 0) continue;
        if (s->is_used) {
            s->is_used = false;
            continue;
        }
        t->bytes -= s->bytes;
        t->keys[at] = 0;
        forget_known(&s->known);
    }
}

static size_t first_way(uint64_t number)
{
    return (size_t)(og_mix64(number) % (N_SLOTS / WAYS) * WAYS);
}

/* N_SLOTS: not found. */
static size_t find(const struct og_dedup_texts *t, uint64_t number)
{
    const size_t first = first_way(number);
    for (size_t i = first; i < first + WAYS; i++)
        if (t->keys[i] == number + 1) return i;
    return N_SLOTS;
}

/* Its slot: one that is empty or was not used recently, if there is any. */
static size_t choose(const struct og_dedup_texts *t, uint64_t number)
{
    const size_t first = first_way(number);
    size_t best = first;
    for (size_t i = first; i < first + WAYS; i++) {
        if (t->keys[i] == 0) return i;
        if (t->slots[best].is_used && !t->slots[i].is_used) best = i;
    }
    return best;
}

void og_dedup_texts_expect(const struct og_dedup_texts *t, uint64_t number)
{
    const size_t at = first_way(number);
    __builtin_prefetch(&t->keys[at]);
    __builtin_prefetch(&t->slots[at]);
}

void og_dedup_texts_expect_tags(const struct og_dedup_texts *t, uint64_t number)
{
    const size_t at = find(t, number);
    if (at == N_SLOTS) return;
    const char *tags = (const char *)t->slots[at].known.tags;
    __builtin_prefetch(tags);
    __builtin_prefetch(tags + 64);
}

og_status og_dedup_texts_fetch(struct og_dedup_texts *t, uint64_t number,
                               const struct og_dedup_place *place,
                               const struct og_known_document **out,
                               og_error *err)
{
    size_t at = find(t, number);
    if (at != N_SLOTS) {
        t->slots[at].is_used = true;
        *out = &t->slots[at].known;
        return OG_OK;
    }
    struct og_known_document known = {0};
    const og_status status = make_known(t, number, place, &known, err);
    if (status != OG_OK) {
        forget_known(&known);
        return status;
    }
    const size_t bytes = known.n * 10 + known.id_len + 128;
    if (bytes > t->memory / 2) {
        forget_known(&t->giant);
        t->giant = known;
        *out = &t->giant;
        return OG_OK;
    }
    make_room(t, bytes);
    at = choose(t, number);
    if (t->keys[at] != 0) t->bytes -= t->slots[at].bytes;
    forget_known(&t->slots[at].known);
    t->slots[at] =
        (struct slot){.known = known, .bytes = bytes, .is_used = true};
    t->keys[at] = number + 1;
    t->bytes += bytes;
    *out = &t->slots[at].known;
    return OG_OK;
}

og_status og_dedup_texts_id(struct og_dedup_texts *t, uint64_t number,
                            const struct og_dedup_place *place, og_bytes *out,
                            og_error *err)
{
    const size_t at = find(t, number);
    const struct lent *lent = find_lent(t->base, number);
    og_bytes text;
    if (at != N_SLOTS) {
        *out = (og_bytes){t->slots[at].known.id, t->slots[at].known.id_len};
        return OG_OK;
    }
    if (lent == NULL) return read_document(t, place, out, &text, err);
    *out = lent->id;
    return OG_OK;
}
