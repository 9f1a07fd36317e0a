/* Loaded before the C library: every store gets the same uuid, so that the
 * stores of two machines can be compared byte by byte. */

#include <stddef.h>
#include <string.h>
#include <sys/types.h>

ssize_t getrandom(void *buffer, size_t len, unsigned flags);

ssize_t getrandom(void *buffer, size_t len, unsigned flags)
{
    (void)flags;
    memset(buffer, 0x5a, len);
    return (ssize_t)len;
}
