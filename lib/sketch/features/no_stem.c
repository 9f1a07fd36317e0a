/* For a library built without libstemmer (-Dstem=disabled). */

#include <origo/sketch.h>

#include "lib/sketch/features/stem.h"

const char *og_stem_languages(void)
{
    return "";
}

og_status og_stem_check(const char *language, og_error *err)
{
    return og_error_set(err, OG_ERR_USAGE,
                        "no stems of '%s': this build has no stemmer",
                        language);
}

og_status og_stemming_new(const char *language, uint64_t key,
                          const og_allocator *allocator,
                          struct og_stemming **out, og_error *err)
{
    (void)key, (void)allocator;
    *out = NULL;
    return og_stem_check(language, err);
}

void og_stemming_free(struct og_stemming *stemming)
{
    (void)stemming;
}

uint64_t og_stemming_hash(struct og_stemming *stemming, const char *word,
                          size_t len, uint64_t hash)
{
    (void)stemming, (void)word, (void)len;
    return hash;
}
