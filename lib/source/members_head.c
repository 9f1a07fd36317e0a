/* The first bytes of archives. */

#include <string.h>

#include "lib/source/members.h"

enum { TAR_HEADER = 512 };

static bool begins(og_bytes head, const char *mark, size_t len)
{
    return head.len >= len && memcmp(head.data, mark, len) == 0;
}

/* The checksum of the header, with its own field read as blanks. */
static bool is_tar(og_bytes head)
{
    enum { SUM_AT = 148, SUM_LEN = 8 };
    unsigned sum = 0, stored = 0;
    if (head.len < TAR_HEADER || head.data[0] == 0) return false;
    for (int i = 0; i < TAR_HEADER; i++) {
        const bool is_sum = i >= SUM_AT && i < SUM_AT + SUM_LEN;
        sum += is_sum ? ' ' : (unsigned char)head.data[i];
    }
    const char *p = head.data + SUM_AT;
    while (*p == ' ' && p < head.data + SUM_AT + SUM_LEN)
        p++;
    if (*p < '0' || *p > '7') return false;
    for (; p < head.data + SUM_AT + SUM_LEN && *p >= '0' && *p <= '7'; p++)
        stored = stored * 8 + (unsigned)(*p - '0');
    return sum == stored;
}

size_t og_members_head_len(og_bytes head)
{
    if (head.len == 0) return 1;
    if (strchr("{[ \t\r\n", head.data[0]) != NULL) return 0;
    return TAR_HEADER;
}

bool og_members_is_archive(og_bytes head)
{
    return begins(head, "PK\3\4", 4) || begins(head, "PK\5\6", 4) ||
           begins(head, "\xfd\x37zXZ\0", 6) ||
           (begins(head, "BZh", 3) && head.len >= 10 &&
            (memcmp(head.data + 4, "1AY&SY", 6) == 0 ||
             memcmp(head.data + 4, "\x17rE8P\x90", 6) == 0)) ||
           is_tar(head);
}
