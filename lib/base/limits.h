#ifndef OG_BASE_LIMITS_H
#define OG_BASE_LIMITS_H

/* Sizes at which a store does its rarer work: a batch for the catalogue, a
 * checkpoint, a new segment. The crash tests build it with small ones
 * (-DOG_SMALL_LIMITS), so that a stream of some hundred documents reaches all
 * of them many times. */
#ifdef OG_SMALL_LIMITS
#define OG_LIMIT(usual, small) (small)
#else
#define OG_LIMIT(usual, small) (usual)
#endif

#endif
