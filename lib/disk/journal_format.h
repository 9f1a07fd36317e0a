#ifndef OG_DISK_JOURNAL_FORMAT_H
#define OG_DISK_JOURNAL_FORMAT_H

/* The bytes of a journal, the log of everything that must survive a crash: a
 * head, then records, each at a multiple of 8.
 *
 *     head:    "origojnl" | version 4 | features 4 | uuid 16 |
 *              first sequence 8 | number 8 | 0 8 | checksum 8
 *     record:  length 4 | type 4 | sequence 8 | durable 8 | checksum 8 |
 *              length bytes | zeros up to a multiple of 8
 *
 * The checksum of a record covers its first 24 bytes and what follows it.
 * Little endian. `durable` is the last sequence that was known to be safe on
 * disk when the record was written: it distinguishes a write that was torn by a
 * crash, after which nothing was promised, from bytes that went bad later. The
 * uuid is that of the store, or identifies the owner of the records in another
 * way.
 *
 * Version 2: a file may be continued by a later session, and has records of
 * the types from OPENED on. Files of version 1 are read, never continued. */

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/checksum.h"

#define OG_JOURNAL_MAGIC   "origojnl"
#define OG_JOURNAL_VERSION 2

enum og_journal_type {
    OG_JOURNAL_DOCUMENT = 1, /* an entry and its additions */
    OG_JOURNAL_REMOVE, /* a document, and the new holders of its fingerprints */
    OG_JOURNAL_CLOSED, /* the writer closed the store in order */
    OG_JOURNAL_OPENED, /* another writer has begun */
    OG_JOURNAL_TEXTS,  /* bytes of a segment of texts, and their place */
    /* In a journal that is one file (og_journal_options.is_file). */
    OG_JOURNAL_MARK, /* how far a run has come */
    OG_JOURNAL_FILE_TYPES,
    /* In the journal of a store again. */
    OG_JOURNAL_SIGHTING =
        OG_JOURNAL_FILE_TYPES, /* fingerprints of a document that was looked up
                                  but not added */
    OG_JOURNAL_TYPES,
};

struct og_journal_head {
    char magic[8];
    uint32_t version, features;
    uint8_t uuid[16];
    uint64_t first_sequence, number;
    uint64_t zero;
    uint64_t checksum; /* of all before it */
};
_Static_assert(sizeof(struct og_journal_head) == 64, "drawn above");

struct og_journal_record {
    uint32_t len, type;
    uint64_t sequence, durable;
    uint64_t checksum;
};
_Static_assert(sizeof(struct og_journal_record) == 32, "drawn above");

static inline uint64_t og_journal_padded(uint64_t len)
{
    return (len + 7) / 8 * 8;
}

/* The sum of a record with `len` bytes of data and the zeros after them. */
static inline uint64_t og_journal_record_sum(const uint8_t *record,
                                             uint64_t len)
{
    struct og_checksum sum;
    og_checksum_init(&sum);
    og_checksum_add(&sum, record, 24);
    og_checksum_add(&sum, record + sizeof(struct og_journal_record),
                    og_journal_padded(len));
    return og_checksum_end(&sum);
}

/* Room for "/journal/123456.jnl" and longer numbers. */
#define OG_JOURNAL_NAME_LEN 40

#endif
