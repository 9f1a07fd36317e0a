/* The list of images: sentence_manifest.h shows one. */

#include "lib/sentence/index/sentence_manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/hamming/code_segment.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"

enum { TEXT_MOST = 8192 };

static const char first_line[] = "origo sentences 2\n";
static const char old_first_line[] = "origo sentences 1\n";

/* The end is padded, the length is part of it. */
uint64_t og_sum_bytes(const void *data, size_t len)
{
    struct og_code_sum sum;
    uint8_t line[64] = {0};
    const size_t whole = len / 64 * 64;
    og_code_sum_init(&sum);
    og_code_sum_add(&sum, data, whole);
    if (len != whole) memcpy(line, (const char *)data + whole, len - whole);
    og_code_sum_add(&sum, line, sizeof(line));
    return og_code_sum_end(&sum) ^ len;
}

/* ---- reading ---- */

struct lines {
    const char *at;
    size_t number;
};

/* The next line matches the format wholly. */
static bool take(struct lines *l, const char *format, void *a, void *b)
{
    int n = -1;
    l->number++;
    sscanf(l->at, format, a, b, &n);
    if (n <= 0 || l->at[n] != '\n') return false;
    l->at += n + 1;
    return true;
}

static bool take_word(struct lines *l, const char *format, char out[8])
{
    int n = -1;
    l->number++;
    sscanf(l->at, format, out, &n);
    if (n <= 0 || l->at[n] != '\n') return false;
    l->at += n + 1;
    if (strcmp(out, "-") == 0) out[0] = '\0';
    return true;
}

static bool take_number(struct lines *l, const char *format, uint64_t *out)
{
    int n = -1;
    l->number++;
    sscanf(l->at, format, out, &n);
    if (n <= 0 || l->at[n] != '\n') return false;
    l->at += n + 1;
    return true;
}

static bool take_uuid(struct lines *l, uint8_t out[OG_SENTENCES_UUID_LEN])
{
    l->number++;
    if (strncmp(l->at, "uuid ", 5) != 0) return false;
    l->at += 5;
    for (size_t i = 0; i < OG_SENTENCES_UUID_LEN; i++, l->at += 2)
        if (strspn(l->at, "0123456789abcdef") < 2 ||
            sscanf(l->at, "%2hhx", &out[i]) != 1)
            return false;
    return *l->at++ == '\n';
}

static bool take_store(struct og_sentence_manifest *m, struct lines *l)
{
    uint64_t n;
    if (m->is_old) return true;
    if (!take_uuid(l, m->uuid) ||
        !take_number(l, "documents %" SCNu64 "%n", &n) || n >= UINT32_MAX)
        return false;
    m->n_documents = (uint32_t)n;
    return true;
}

static bool parse_lines(struct og_sentence_manifest *m, struct lines *l)
{
    if (!take_store(m, l) || !take_word(l, "stop %7s%n", m->stop) ||
        !take_word(l, "stem %7s%n", m->stem) ||
        !take(l, "signature %" SCNu32 " %" SCNu32 "%n", &m->signature_bits,
              &m->word_bits))
        return false;
    if (m->signature_bits != 0 &&
        (!og_signature_bits_are(m->signature_bits) || m->word_bits == 0 ||
         m->word_bits > m->signature_bits / 2))
        return false;
    if (!take_number(l, "next %" SCNu64 "%n", &m->next) ||
        (m->is_old && !take_number(l, "journal %" SCNu64 "%n", &m->journal)))
        return false;
    for (; strncmp(l->at, "image ", 6) == 0; m->n_images++)
        if (m->n_images == OG_IMAGES_MOST ||
            !take(l, "image %" SCNu64 " %" SCNx64 "%n",
                  &m->image[m->n_images].number, &m->image[m->n_images].sum))
            return false;
    return true;
}

og_status og_sentence_manifest_parse(struct og_sentence_manifest *m,
                                     og_bytes text, const char *name,
                                     og_error *err)
{
    char copy[TEXT_MOST];
    uint64_t sum;
    *m = (struct og_sentence_manifest){0};
    if (text.len < sizeof(copy)) {
        memcpy(copy, text.data, text.len);
        copy[text.len] = '\0';
    }
    m->is_old = text.len < sizeof(copy) &&
                strncmp(copy, old_first_line, strlen(old_first_line)) == 0;
    if (text.len >= sizeof(copy) || strlen(copy) != text.len ||
        (!m->is_old && strncmp(copy, first_line, strlen(first_line)) != 0))
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is not of a version that this origo knows: "
                            "line 1 is not 'origo sentences 2'",
                            name);
    struct lines l = {copy + strlen(first_line), 1};
    bool good = parse_lines(m, &l);
    const size_t len = (size_t)(l.at - copy);
    good =
        good && take_number(&l, "sum %" SCNx64 "%n", &sum) && *l.at == '\0' &&
        sum == (m->is_old ? og_sum_bytes(copy, len) : og_checksum(copy, len));
    if (good) return OG_OK;
    return og_error_set(err, OG_ERR_STORE, "'%s' is damaged: line %zu", name,
                        l.number);
}

og_status og_sentence_manifest_read(struct og_sentence_manifest *m,
                                    const char *path, og_error *err)
{
    char text[TEXT_MOST];
    size_t len = 0;
    ssize_t n = 0;
    const int fd = og_file_open_own(path, O_RDONLY, 0);
    if (fd < 0) return og_file_failure(err, "open", path, errno);
    while (len < sizeof(text) &&
           (n = og_file_read(fd, text + len, sizeof(text) - len)) > 0)
        len += (size_t)n;
    const int error = errno;
    close(fd);
    if (n < 0) return og_file_failure(err, "read", path, error);
    return og_sentence_manifest_parse(m, (og_bytes){text, len}, path, err);
}

/* ---- writing ---- */

static const char *or_dash(const char *s)
{
    return s[0] == '\0' ? "-" : s;
}

og_status og_sentence_manifest_write(const struct og_sentence_manifest *m,
                                     const char *path, og_error *err)
{
    struct og_new_file file;
    char text[TEXT_MOST];
    char uuid[2 * OG_SENTENCES_UUID_LEN + 1];
    for (size_t i = 0; i < OG_SENTENCES_UUID_LEN; i++)
        snprintf(uuid + 2 * i, 3, "%02x", m->uuid[i]);
    size_t len = (size_t)snprintf(
        text, sizeof(text),
        "%suuid %s\ndocuments %" PRIu32 "\nstop %s\nstem %s\nsignature %" PRIu32
        " %" PRIu32 "\nnext %" PRIu64 "\n",
        first_line, uuid, m->n_documents, or_dash(m->stop), or_dash(m->stem),
        m->signature_bits, m->word_bits, m->next);
    for (size_t i = 0; i < m->n_images; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                "image %" PRIu64 " %016" PRIx64 "\n",
                                m->image[i].number, m->image[i].sum);
    len += (size_t)snprintf(text + len, sizeof(text) - len,
                            "sum %016" PRIx64 "\n", og_checksum(text, len));
    TRY(og_new_file_open(&file, path, 0666, err));
    og_status status = og_new_file_write(&file, text, len, err);
    if (status == OG_OK) status = og_new_file_commit(&file, err);
    og_new_file_discard(&file);
    return status;
}
