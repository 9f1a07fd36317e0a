#include "lib/source/members.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP = 64 << 10 };

struct og_members {
    const og_allocator *allocator;
    struct og_unpack *unpack;
    struct archive *archive;
    bool reads_file; /* libarchive reads the file itself, and may seek */
    char *head;
    size_t head_len, head_at;
    char *buffer;
    locale_t utf8;  /* for decoding names; (locale_t)0: there is none */
    char name[32];  /* for a member whose name cannot be decoded */
    og_error story; /* why unpack returned no more */
    uint64_t n_given, n_members;
};

/* ---- opening ---- */

static la_ssize_t give_packed(struct archive *a, void *ctx, const void **out)
{
    struct og_members *m = ctx;
    size_t n = 0;
    if (m->head_at < m->head_len) {
        *out = m->head + m->head_at;
        n = m->head_len - m->head_at;
        m->head_at = m->head_len;
        return (la_ssize_t)n;
    }
    const og_status status =
        og_unpack_read(m->unpack, m->buffer, STEP, &n, &m->story);
    *out = m->buffer;
    if (status == OG_OK) return (la_ssize_t)n;
    if (status == OG_END) return 0;
    archive_set_error(a, -1, "%s", m->story.message);
    return -1;
}

static og_status open_archive(struct og_members *m, og_error *err)
{
    struct stat info;
    m->reads_file = m->unpack->kind == OG_UNPACK_PLAIN &&
                    m->unpack->pull == NULL &&
                    fstat(m->unpack->fd, &info) == 0 && S_ISREG(info.st_mode) &&
                    lseek(m->unpack->fd, 0, SEEK_SET) == 0;
    const int result =
        m->reads_file
            ? archive_read_open_fd(m->archive, m->unpack->fd, STEP)
            : archive_read_open(m->archive, m, NULL, give_packed, NULL);
    if (result >= ARCHIVE_WARN) return OG_OK;
    const char *const why = archive_error_string(m->archive);
    return og_error_set(err, OG_ERR_INPUT, "the archive cannot be read: %s",
                        why != NULL ? why : "nobody knows why");
}

static og_status keep_head(struct og_members *m, og_bytes head, og_error *err)
{
    m->head = og_allocate(m->allocator, head.len + 1);
    m->buffer = og_allocate(m->allocator, STEP);
    if (m->head == NULL || m->buffer == NULL)
        return og_error_memory(err, head.len + STEP, "an archive");
    memcpy(m->head, head.data, head.len);
    m->head_len = head.len;
    return OG_OK;
}

og_status og_members_open(struct og_unpack *unpack, og_bytes head,
                          const og_allocator *allocator,
                          struct og_members **out, og_error *err)
{
    struct og_members *const m = og_allocate_zero(allocator, sizeof(*m));
    if (m == NULL) return og_error_memory(err, sizeof(*m), "an archive");
    m->allocator = allocator;
    m->unpack = unpack;
    m->archive = archive_read_new();
    m->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    og_status status = m->archive == NULL
                           ? og_error_memory(err, sizeof(*m), "an archive")
                           : keep_head(m, head, err);
    if (status == OG_OK) {
        archive_read_support_filter_bzip2(m->archive);
        archive_read_support_filter_xz(m->archive);
        archive_read_support_format_tar(m->archive);
        archive_read_support_format_zip(m->archive);
        archive_read_support_format_raw(m->archive);
        status = open_archive(m, err);
    }
    if (status != OG_OK)
        og_members_free(m);
    else
        *out = m;
    return status;
}

void og_members_free(struct og_members *m)
{
    if (m == NULL) return;
    archive_read_free(m->archive);
    if (m->utf8 != (locale_t)0) freelocale(m->utf8);
    og_release(m->allocator, m->head, m->head_len + 1);
    og_release(m->allocator, m->buffer, STEP);
    og_release(m->allocator, m, sizeof(*m));
}

/* ---- members ---- */

static og_status broken(struct og_members *m, og_error *err)
{
    if (m->story.status == OG_ERR_STOPPED || m->story.status == OG_ERR_MEMORY)
        return og_error_set(err, m->story.status, "%s", m->story.message);
    const char *const why = archive_error_string(m->archive);
    if (archive_errno(m->archive) == ENOMEM)
        return og_error_memory(err, STEP, "an archive");
    return og_error_set(err, OG_ERR_INPUT, "the archive is broken: %.150s",
                        why != NULL ? why : "it ends too early");
}

/* For the progress of the reader. */
static void count_read(struct og_members *m)
{
    if (m->reads_file)
        m->unpack->n_read = (uint64_t)archive_filter_bytes(m->archive, -1);
}

static const char *name_of(struct og_members *m, struct archive_entry *entry)
{
    const char *name = archive_entry_pathname(entry);
    if (name == NULL) name = archive_entry_pathname_utf8(entry);
    if (name == NULL) {
        snprintf(m->name, sizeof(m->name), "member-%llu",
                 (unsigned long long)m->n_members);
        return m->name;
    }
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    return name;
}

/* libarchive converts names to the charset of the locale, which is the host
 * program's to choose. */
static int next_header(struct og_members *m, struct archive_entry **out)
{
    const locale_t old = m->utf8 != (locale_t)0 ? uselocale(m->utf8) : NULL;
    const int result = archive_read_next_header(m->archive, out);
    if (old != NULL) uselocale(old);
    return result;
}

static bool is_hidden(const char *name)
{
    for (; name != NULL; name = strchr(name, '/')) {
        if (name[0] == '/') name++;
        if (name[0] == '.') return true;
    }
    return false;
}

og_status og_members_next(struct og_members *m, struct og_member *out,
                          og_error *err)
{
    struct archive_entry *entry;
    for (;;) {
        const int result = next_header(m, &entry);
        count_read(m);
        if (result == ARCHIVE_EOF) return OG_END;
        if (result == ARCHIVE_RETRY) continue;
        if (result < ARCHIVE_WARN) return broken(m, err);
        m->n_members++;
        const bool is_raw = archive_format(m->archive) == ARCHIVE_FORMAT_RAW;
        *out = (struct og_member){
            .name = is_raw ? NULL : name_of(m, entry),
            .time = (int64_t)archive_entry_mtime(entry) * 1000000 +
                    archive_entry_mtime_nsec(entry) / 1000,
            .has_time = !is_raw && archive_entry_mtime_is_set(entry) != 0};
        const bool is_file = archive_entry_filetype(entry) == AE_IFREG &&
                             archive_entry_hardlink(entry) == NULL;
        if (is_raw || (is_file && !is_hidden(out->name))) return OG_OK;
    }
}

static bool is_bomb(const struct og_members *m)
{
    const int64_t packed = archive_filter_bytes(m->archive, -1);
    return m->n_given > OG_MEMBERS_BOMB_LEN && packed >= 0 &&
           m->n_given / OG_MEMBERS_BOMB_RATIO > (uint64_t)packed;
}

og_status og_members_read(void *members, char *out, size_t cap, size_t *out_len,
                          og_error *err)
{
    struct og_members *const m = members;
    la_ssize_t n;
    do {
        n = archive_read_data(m->archive, out, cap);
    } while (n == ARCHIVE_RETRY);
    count_read(m);
    *out_len = 0;
    if (n == 0) return OG_END;
    if (n < 0) return broken(m, err);
    *out_len = (size_t)n;
    m->n_given += (uint64_t)n;
    if (!is_bomb(m)) return OG_OK;
    *out_len = 0;
    return og_error_set(err, OG_ERR_LIMIT,
                        "it unpacks to more than %d times its size: no text",
                        OG_MEMBERS_BOMB_RATIO);
}
