#include "lib/base/permits.h"

#include <stddef.h>

void og_permits_init(struct og_permits *permits, uint64_t most)
{
    permits->taken = 0;
    permits->most = most;
    pthread_mutex_init(&permits->lock, NULL);
    pthread_cond_init(&permits->is_less, NULL);
}

void og_permits_release(struct og_permits *permits)
{
    pthread_cond_destroy(&permits->is_less);
    pthread_mutex_destroy(&permits->lock);
}

static int has_room(const struct og_permits *permits, uint64_t len)
{
    return permits->taken == 0 ||
           (len <= permits->most && permits->taken <= permits->most - len);
}

void og_permits_take(struct og_permits *permits, uint64_t len)
{
    if (permits == NULL) return;
    pthread_mutex_lock(&permits->lock);
    while (!has_room(permits, len))
        pthread_cond_wait(&permits->is_less, &permits->lock);
    permits->taken += len;
    pthread_mutex_unlock(&permits->lock);
}

void og_permits_return(struct og_permits *permits, uint64_t len)
{
    if (permits == NULL) return;
    pthread_mutex_lock(&permits->lock);
    permits->taken -= len;
    pthread_cond_broadcast(&permits->is_less);
    pthread_mutex_unlock(&permits->lock);
}
