/* Ids by number, on disk. */

#include "lib/dedup/dedup_ids.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/os/temp_file.h"

#define BUFFER_LEN ((size_t)1 << 18)

/* A report names the same sources again and again, and a system call takes
 * longer than everything else about a line of it. */
#define PAGE_LEN 4096
#define N_PAGES  256

struct og_ids_page {
    uint64_t number; /* in the file, from 1; 0: empty */
    size_t len;      /* the last one grows */
    char data[PAGE_LEN];
};

void og_dedup_ids_init(struct og_dedup_ids *ids, const char *folder)
{
    *ids = (struct og_dedup_ids){.folder = folder, .fd = -1};
    pthread_mutex_init(&ids->lock, NULL);
}

void og_dedup_ids_release(struct og_dedup_ids *ids)
{
    if (ids->fd >= 0) close(ids->fd);
    OG_UNGROW(NULL, ids->begins, ids->begins_cap);
    og_pack_release(&ids->buffer);
    og_pack_release(&ids->asked);
    og_release(NULL, ids->pages, N_PAGES * sizeof(*ids->pages));
    pthread_mutex_destroy(&ids->lock);
    *ids = (struct og_dedup_ids){.folder = ids->folder, .fd = -1};
}

/* ---- adding ---- */

static og_status write_buffer(struct og_dedup_ids *ids, og_error *err)
{
    if (ids->fd < 0 && (ids->fd = og_temp_file_open(ids->folder, err)) < 0)
        return OG_ERR_IO;
    if (og_file_write_all(ids->fd, ids->buffer.data, ids->buffer.len) != 0)
        return og_file_failure(err, "write a temporary file in", ids->folder,
                               errno);
    ids->buffer.len = 0;
    return OG_OK;
}

static og_status add(struct og_dedup_ids *ids, og_bytes id, og_error *err)
{
    if (!OG_GROW(NULL, ids->begins, ids->begins_cap, ids->n + 2))
        return og_error_memory(err, ids->n * 8, "ids");
    if (ids->n == 0) ids->begins[0] = 0;
    og_pack_bytes(&ids->buffer, id.data, id.len);
    if (ids->buffer.failed) return og_error_memory(err, id.len, "an id");
    ids->begins[ids->n + 1] = ids->begins[ids->n] + id.len;
    ids->n++;
    return ids->buffer.len < BUFFER_LEN ? OG_OK : write_buffer(ids, err);
}

og_status og_dedup_ids_add(struct og_dedup_ids *ids, og_bytes id, og_error *err)
{
    pthread_mutex_lock(&ids->lock);
    const og_status status = add(ids, id, err);
    pthread_mutex_unlock(&ids->lock);
    return status;
}

/* ---- asking ---- */

/* Where the id is, and the id itself if it was not written yet. */
static og_status find(struct og_dedup_ids *ids, uint64_t number,
                      uint64_t *begin, size_t *len, bool *is_written,
                      og_error *err)
{
    *len = 0;
    if (number == 0 || number > ids->n) return OG_OK;
    const uint64_t written = ids->begins[ids->n] - ids->buffer.len;
    *begin = ids->begins[number - 1];
    *len = (size_t)(ids->begins[number] - *begin);
    *is_written = *begin < written;
    if (!OG_GROW(NULL, ids->asked.data, ids->asked.cap, *len + 1))
        return og_error_memory(err, *len, "an id");
    if (!*is_written && *len > 0)
        memcpy(ids->asked.data, ids->buffer.data + (*begin - written), *len);
    return OG_OK;
}

/* The page with at least `len` bytes. */
static og_status page_of(struct og_dedup_ids *ids, uint64_t number, size_t len,
                         const struct og_ids_page **out, og_error *err)
{
    if (ids->pages == NULL)
        ids->pages = og_allocate_zero(NULL, N_PAGES * sizeof(*ids->pages));
    if (ids->pages == NULL)
        return og_error_memory(err, N_PAGES * sizeof(*ids->pages), "ids");
    struct og_ids_page *page = &ids->pages[number % N_PAGES];
    *out = page;
    if (page->number == number + 1 && page->len >= len) return OG_OK;
    page->number = 0;
    const int64_t n =
        og_file_read_at(ids->fd, page->data, PAGE_LEN, number * PAGE_LEN);
    if (n < (int64_t)len)
        return og_file_failure(err, "read a temporary file in", ids->folder,
                               errno);
    page->len = (size_t)n;
    page->number = number + 1;
    return OG_OK;
}

/* An id may go from one page to the next. */
static og_status read_id(struct og_dedup_ids *ids, uint64_t begin, size_t len,
                         og_error *err)
{
    for (size_t done = 0; done < len;) {
        const size_t at = (size_t)((begin + done) % PAGE_LEN);
        size_t n = len - done;
        if (n > PAGE_LEN - at) n = PAGE_LEN - at;
        const struct og_ids_page *page = NULL;
        TRY(page_of(ids, (begin + done) / PAGE_LEN, at + n, &page, err));
        memcpy(ids->asked.data + done, page->data + at, n);
        done += n;
    }
    return OG_OK;
}

og_status og_dedup_ids_get(struct og_dedup_ids *ids, uint64_t number,
                           og_bytes *out, og_error *err)
{
    uint64_t begin = 0;
    bool is_written = false;
    if (number == 0 || number != ids->asked_number) {
        ids->asked_number = 0;
        pthread_mutex_lock(&ids->lock);
        const og_status status =
            find(ids, number, &begin, &ids->asked.len, &is_written, err);
        pthread_mutex_unlock(&ids->lock);
        TRY(status);
        if (is_written) TRY(read_id(ids, begin, ids->asked.len, err));
        ids->asked_number = number;
    }
    *out = ids->asked.len > 0
               ? (og_bytes){(const char *)ids->asked.data, ids->asked.len}
               : (og_bytes){"", 0};
    return OG_OK;
}
