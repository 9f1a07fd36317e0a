#ifndef OG_DISK_JOURNAL_READ_H
#define OG_DISK_JOURNAL_READ_H

/*   in:  the journals of a store                            (lib/store)
 *   out: their records, in order                       (lib/store/store_disk.c)
 *
 * A reader may be called again after it returned OG_END: the writer may have
 * appended more meanwhile. It follows from one file to the next. */

#include "lib/base/memory.h"

struct og_journal_reader {
    const og_allocator *allocator;
    const char *folder; /* of the store */
    bool is_file;       /* `folder` is the name of the only file */
    uint32_t n_types;   /* of records */
    const uint8_t *uuid;
    char path[4096]; /* of the current file */
    int fd;          /* -1: none yet */
    uint64_t number;
    uint32_t version; /* of the file */
    uint64_t first_sequence;
    uint64_t next_sequence; /* the expected one */
    uint64_t off;           /* of the next record in the file */
    uint8_t *buffer;        /* bytes of the file from buffer_off on */
    size_t buffer_cap, buffer_len;
    uint64_t buffer_off;
    uint64_t torn_off; /* OG_UNKNOWN, or where a torn write at the end begins */
};

/* The range of existing files; *out_first 0: none. OG_ERR_IO. */
og_status og_journal_list(const char *folder, uint64_t *out_first,
                          uint64_t *out_last, og_error *err);

/* Finds the file that contains `sequence` or will contain it. OG_END: the store
 * has no journal that new; OG_ERR_STORE: the file that contained it is gone, or
 * is damaged. `folder` and `uuid` must outlive the reader. */
og_status og_journal_reader_open(struct og_journal_reader *reader,
                                 const char *folder, const uint8_t *uuid,
                                 uint64_t sequence,
                                 const og_allocator *allocator, og_error *err);
/* The same for a journal that is one file, from its first record on. OG_END:
 * there is no such file, or none whose head was ever finished. */
og_status og_journal_reader_open_file(struct og_journal_reader *reader,
                                      const char *path, const uint8_t *uuid,
                                      const og_allocator *allocator,
                                      og_error *err);
void og_journal_reader_close(struct og_journal_reader *reader);

struct og_journal_view {
    uint32_t type;
    uint64_t sequence;
    uint64_t durable;    /* the last sequence that was safe when the record was
                            written */
    const uint8_t *data; /* at a multiple of 8; valid until the next call */
    size_t len;
};

/* The next record. OG_END: there is none yet, or only the rest of a write that
 * a crash interrupted. OG_ERR_STORE: bytes that had been safe went bad; the
 * message names the file and the position. */
og_status og_journal_reader_next(struct og_journal_reader *reader,
                                 struct og_journal_view *out, og_error *err);

/* After OG_END: bytes after the last record, from an interrupted write. */
uint64_t og_journal_reader_torn(const struct og_journal_reader *reader);

/* ---- a damaged journal ---- */

typedef void og_journal_visit(void *ctx, const struct og_journal_view *record);
/* A range of bytes without a valid record. */
typedef void og_journal_gap(void *ctx, const char *path, uint64_t begin,
                            uint64_t end);

/* Visits every valid record of file `number`, whatever lies between them.
 * OG_ERR_IO, OG_ERR_MEMORY; damaged bytes are not a failure. */
og_status og_journal_salvage(const char *folder, uint64_t number,
                             const og_allocator *allocator,
                             og_journal_visit *visit, og_journal_gap *gap,
                             void *ctx, og_error *err);

#endif
