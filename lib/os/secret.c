#define _GNU_SOURCE
#include "lib/os/secret.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/bits.h"

/* For a system without random numbers: only hard to guess remotely. */
static uint64_t guess(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t state = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^
                     (uint64_t)getpid() << 16 ^ (uint64_t)(uintptr_t)&now;
    return og_random_next(&state);
}

uint64_t og_secret_draw(void)
{
    uint8_t bytes[8];
    const bool has_drawn =
        getrandom(bytes, sizeof(bytes), 0) == (ssize_t)sizeof(bytes);
    const uint64_t key = has_drawn ? og_load64(bytes) : guess();
    return key != 0 ? key : 1;
}

uint64_t og_secret(void)
{
    static _Atomic uint64_t secret;
    uint64_t none = 0;
    if (atomic_load(&secret) == 0)
        atomic_compare_exchange_strong(&secret, &none, og_secret_draw());
    return atomic_load(&secret);
}
