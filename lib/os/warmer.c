#define _GNU_SOURCE
#include "lib/os/warmer.h"

#include <stdint.h>
#include <sys/mman.h>

/* One huge page at a time: whoever wants to change the map of the process
 * meanwhile does not wait for long. */
#define STEP ((size_t)2 << 20)

#ifdef MADV_POPULATE_WRITE
static bool provide(uint8_t *at, size_t len)
{
    return madvise(at, len, MADV_POPULATE_WRITE) == 0;
}
#else
static bool provide(uint8_t *at, size_t len)
{
    (void)at;
    (void)len;
    return false;
}
#endif

static void *warm(void *ctx)
{
    struct og_warmer *w = ctx;
    uint8_t *data = w->pages->block;
    const size_t len = w->pages->block_len;
    for (size_t at = 0; at < len && !atomic_load(&w->stop); at += STEP)
        if (!provide(data + at, len - at < STEP ? len - at : STEP)) break;
    return NULL;
}

void og_warmer_start(struct og_warmer *warmer, const struct og_pages *pages)
{
    /* An allocator's memory begins anywhere, and may be in use already. */
    if (warmer->is_running || pages->block == NULL || pages->allocator != NULL)
        return;
    warmer->pages = pages;
    atomic_store(&warmer->stop, false);
    warmer->is_running =
        pthread_create(&warmer->thread, NULL, warm, warmer) == 0;
}

void og_warmer_stop(struct og_warmer *warmer)
{
    if (!warmer->is_running) return;
    atomic_store(&warmer->stop, true);
    pthread_join(warmer->thread, NULL);
    warmer->is_running = false;
}
