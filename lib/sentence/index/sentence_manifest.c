/* The fields of the manifest of sentences: sentence_manifest.h lists them. */

#include "lib/sentence/index/sentence_manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Version 1 had checksums of its own, version 2 called segments "image". */
const struct og_manifest_kind og_sentence_manifest_kind = {
    .name = "sentences", .version = 3, .old_sum_until = 1};

/* ---- reading ---- */

/* A language; "-" is none. */
static bool take_language(const char *text, char out[8])
{
    if (text == NULL || strlen(text) >= 8) return false;
    memset(out, 0, 8);
    if (strcmp(text, "-") != 0) memcpy(out, text, strlen(text));
    return true;
}

static bool take_signature(const char *text, struct og_sentence_manifest *m)
{
    int n = -1;
    if (text == NULL ||
        sscanf(text, "%" SCNu32 " %" SCNu32 "%n", &m->signature_bits,
               &m->word_bits, &n) != 2 ||
        text[n] != '\0')
        return false;
    return m->signature_bits == 0 ||
           (og_signature_bits_are(m->signature_bits) && m->word_bits != 0 &&
            m->word_bits <= m->signature_bits / 2);
}

bool og_sentence_manifest_take(struct og_sentence_manifest *m,
                               const char **out_key)
{
    const struct og_manifest *list = &m->list;
    uint64_t n = 0;
    m->is_old = list->version == 1;
    *out_key = "uuid";
    if (!m->is_old && !og_manifest_get_uuid(list, *out_key, m->uuid))
        return false;
    *out_key = "documents";
    if (!m->is_old &&
        !og_manifest_get_number(list, *out_key, UINT32_MAX - 1, &n))
        return false;
    m->n_documents = (uint32_t)n;
    *out_key = "stop";
    if (!take_language(og_manifest_get(list, *out_key), m->stop)) return false;
    *out_key = "stem";
    if (!take_language(og_manifest_get(list, *out_key), m->stem)) return false;
    *out_key = "signature";
    return take_signature(og_manifest_get(list, *out_key), m);
}

og_status og_sentence_manifest_read(struct og_sentence_manifest *m,
                                    const char *folder, og_error *err)
{
    const char *key;
    *m = (struct og_sentence_manifest){0};
    const og_status status =
        og_manifest_read(&m->list, &og_sentence_manifest_kind, folder, err);
    if (status == OG_ERR_NO_STORE) { /* there is a store, but no index */
        if (err != NULL) err->status = OG_ERR_IO;
        return OG_ERR_IO;
    }
    if (status != OG_OK) return status;
    if (og_sentence_manifest_take(m, &key)) return OG_OK;
    return og_manifest_bad_field(&m->list, folder, key, err);
}

/* ---- writing ---- */

static const char *or_dash(const char *s)
{
    return s[0] == '\0' ? "-" : s;
}

og_status og_sentence_manifest_write(struct og_sentence_manifest *m,
                                     const char *folder, og_error *err)
{
    char signature[24];
    snprintf(signature, sizeof(signature), "%" PRIu32 " %" PRIu32,
             m->signature_bits, m->word_bits);
    og_manifest_set_uuid(&m->list, "uuid", m->uuid);
    og_manifest_set_number(&m->list, "documents", m->n_documents);
    og_manifest_set(&m->list, "stop", or_dash(m->stop));
    og_manifest_set(&m->list, "stem", or_dash(m->stem));
    og_manifest_set(&m->list, "signature", signature);
    return og_manifest_write(&m->list, &og_sentence_manifest_kind, folder, err);
}
