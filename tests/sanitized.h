#ifndef OG_TESTS_SANITIZED_H
#define OG_TESTS_SANITIZED_H

/* Sanitizers take ten times as long. What a test checks with many random inputs
 * it checks there with fewer of them: they look for reads and writes out of
 * place, which the same sizes and edges show; the other builds have them all.
 */

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OG_IS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OG_IS_SANITIZED 1
#endif
#ifndef OG_IS_SANITIZED
#define OG_IS_SANITIZED 0
#endif

#define OG_IF_SANITIZED(few, many) (OG_IS_SANITIZED ? (few) : (many))

#endif
