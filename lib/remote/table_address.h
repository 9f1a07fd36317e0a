#ifndef OG_REMOTE_TABLE_ADDRESS_H
#define OG_REMOTE_TABLE_ADDRESS_H

/* The address of a table on a server:
 *
 *     redis://[[USER]:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]/TABLE[?OPTIONS]
 *
 * OPTIONS, with a '&' between them: timeout=SECONDS, mode=module or mode=plain,
 * ttl=SECONDS of the keys of a new plain table, wait=N replicas that must
 * acknowledge writes.
 * rediss:// is the same over TLS. An IPv6 address is in brackets. Of several
 * hosts any one that answers provides the other nodes of its cluster. The
 * password may be in the environment: ORIGO_REDIS_AUTH, "PASSWORD" or
 * "USER:PASSWORD"; the address takes precedence. */

#include "lib/base/status.h"

#include <origo/partition.h>

#define OG_ADDRESS_HOST_MAX  256 /* including the zero */
#define OG_ADDRESS_HOSTS_MAX 16
#define OG_ADDRESS_WORD_MAX  512 /* of user and password, including the zero */
#define OG_ADDRESS_PORT      6379

struct og_redis_host {
    char name[OG_ADDRESS_HOST_MAX];
    unsigned port;
};

/* The way a table is stored. */
enum og_table_mode {
    OG_TABLE_AS_FOUND, /* as it exists; a new one in partitions of the module */
    OG_TABLE_MODULE,
    OG_TABLE_PLAIN, /* one key per fingerprint: no module is needed */
};

struct og_table_address {
    bool is_tls;
    struct og_redis_host hosts[OG_ADDRESS_HOSTS_MAX];
    size_t n_hosts;
    char user[OG_ADDRESS_WORD_MAX], password[OG_ADDRESS_WORD_MAX];
    char table[OG_PARTITION_NAME_MAX + 1];
    enum og_table_mode mode;
    unsigned ttl;        /* seconds; 0: keys do not expire */
    double timeout;      /* seconds for a batch, with all retries */
    unsigned n_replicas; /* that acknowledge a write before it counts */
};

/* Whether the text begins like an address. */
bool og_table_address_is(const char *text);

/* OG_ERR_USAGE: it is not an address. No message contains the password. */
og_status og_table_address_parse(const char *text, struct og_table_address *out,
                                 og_error *err);

#endif
