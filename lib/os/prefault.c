#define _GNU_SOURCE
#include "lib/os/prefault.h"

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
    struct og_prefault *w = ctx;
    uint8_t *data = w->pages->block;
    const size_t len = w->pages->block_len;
    for (size_t at = 0; at < len && !atomic_load(&w->stop); at += STEP)
        if (!provide(data + at, len - at < STEP ? len - at : STEP)) break;
    return NULL;
}

void og_prefault_start(struct og_prefault *prefault,
                       const struct og_pages *pages)
{
    /* An allocator's memory begins anywhere, and may be in use already. */
    if (prefault->is_running || pages->block == NULL ||
        pages->allocator != NULL)
        return;
    prefault->pages = pages;
    atomic_store(&prefault->stop, false);
    prefault->is_running =
        pthread_create(&prefault->thread, NULL, warm, prefault) == 0;
}

void og_prefault_stop(struct og_prefault *prefault)
{
    if (!prefault->is_running) return;
    atomic_store(&prefault->stop, true);
    pthread_join(prefault->thread, NULL);
    prefault->is_running = false;
}
