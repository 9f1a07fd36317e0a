/* The fingerprints of all shingles of a document.
 *
 * The usual way slides a window: fingerprint after fingerprint, each waiting
 * for the one before. Two ways out, both in fingerprint_x86.c and both giving
 * the same values. A fingerprint is a sum, the words of the shingle times fixed
 * powers of x plus the leading 1, so it can be had at once as a dot product in
 * GF(2^64) with a single reduction, many shingles side by side in the lanes of
 * a wide vector. Or several parts of the document slide side by side. The plain
 * twin slides by tables. */

#include "lib/fingerprint/fingerprint.h"

#include <assert.h>

#include "lib/os/cpu.h"

void og_fps_init(struct og_fps *fps, const og_allocator *allocator)
{
    *fps = (struct og_fps){.allocator = allocator};
}

void og_fps_release(struct og_fps *fps)
{
    OG_UNGROW(fps->allocator, fps->data, fps->cap);
    fps->n = 0;
}

void og_shingle_factors_init(struct og_shingle_factors *key,
                             const struct og_rabin *rabin, uint32_t shingle_len)
{
    assert(shingle_len >= 1 && shingle_len <= OG_SHINGLE_MAX);
    *key =
        (struct og_shingle_factors){.shingle_len = shingle_len, .rabin = rabin};
    /* Word j is followed by shingle_len - j - 1 more words and 64 zeros; one x
     * less, as clmul.h requires. */
    for (uint32_t j = 0; j < shingle_len; j++)
        key->factor[j] =
            og_field_pow_x(&rabin->field, 64 * (shingle_len - j) - 1);
    key->lead = og_field_pow_x(&rabin->field, 64 * (shingle_len + 1));
    /* A leaving word is shingle_len words and 64 zeros from the end when
     * the next one has come, and one x less. */
    key->leave = og_field_pow_x(&rabin->field, 64 * shingle_len + 63);
    key->turn = key->lead ^ og_field_pow_x(&rabin->field, 64 * shingle_len);
    key->turn = og_field_mul(&rabin->field, key->turn, rabin->empty);
    og_rabin_window_words(&key->window, rabin, shingle_len);
}

void og_fingerprint_plain(const uint64_t *hash, size_t n,
                          const struct og_shingle_factors *key, uint64_t *out)
{
    if (n == 0) return;
    out[0] = og_rabin_words(key->rabin, hash, key->shingle_len);
    for (size_t i = 1; i < n; i++)
        out[i] = og_rabin_slide_word(&key->window, out[i - 1], hash[i - 1],
                                     hash[i + key->shingle_len - 1]);
}

static void print_all(const uint64_t *hash, size_t n,
                      const struct og_shingle_factors *key, uint64_t *out)
{
#if defined(OG_X86)
    if (og_cpu_level() >= OG_CPU_AVX512) {
        og_fingerprint_avx512(hash, n, key, out);
        return;
    }
#endif
#if defined(OG_TARGET_CLMUL)
    if (og_cpu_level() >= OG_CPU_CLMUL) {
        og_fingerprint_clmul(hash, n, key, out);
        return;
    }
#endif
    og_fingerprint_plain(hash, n, key, out);
}

og_status og_tokens_fingerprint(const struct og_tokens *tokens,
                                const struct og_shingle_factors *key,
                                struct og_fps *fps, og_error *err)
{
    return og_words_fingerprint(tokens->hash, tokens->n, key, fps, err);
}

og_status og_words_fingerprint(const uint64_t *words, size_t n_words,
                               const struct og_shingle_factors *key,
                               struct og_fps *fps, og_error *err)
{
    const size_t n =
        n_words < key->shingle_len ? 0 : n_words - key->shingle_len + 1;
    fps->n = 0;
    if (!OG_GROW(fps->allocator, fps->data, fps->cap, n))
        return og_error_memory(err, n * sizeof(uint64_t), "fingerprints");
    if (n > 0) print_all(words, n, key, fps->data);
    fps->n = n;
    return OG_OK;
}
