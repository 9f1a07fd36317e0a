#ifndef OG_SYNC_SYNC_WIRE_H
#define OG_SYNC_SYNC_WIRE_H

/*   in:  messages of the exchange
 *   out: the same messages at the other end of a pipe
 *
 * docs/format-exchange.md. A greeting of 16 bytes each way, then frames (kind,
 * length, payload), all of one direction in one zstd stream unless either side
 * declines. A message is bounded by OG_WIRE_MAX_MESSAGE, and memory is only
 * allocated for bytes that have arrived. */

#include "lib/base/packing.h"

#include <origo/files.h>
#include <zstd.h>

enum {
    OG_WIRE_VERSION = 1,
    OG_WIRE_MAX_MESSAGE = 64 << 20,
    OG_WIRE_DATA_LEN = 1 << 17, /* of one frame of literal bytes */
    OG_WIRE_WINDOW_LOG = 22,
};

enum og_wire_kind {                    /* part of the format */
                    OG_WIRE_ERROR = 1, /* words */
                    OG_WIRE_OFFER =
                        2, /* sender: options, the list's length and root */
                    OG_WIRE_HAVE = 3, /* receiver: how many chunks it knows, and
                                         whether it knows the list */
                    OG_WIRE_WANT = 4, /* receiver: these files */
                    OG_WIRE_HASHES = 5, /* sender: hashes of a level */
                    OG_WIRE_MISS = 6, /* receiver: a bit for each, 1: unknown */
                    OG_WIRE_PIECES = 7, /* sender: hashes of small pieces */
                    OG_WIRE_HOLES =
                        8, /* sender: lengths of what follows as bytes */
                    OG_WIRE_BYTES = 9, /* sender: literal bytes */
                    OG_WIRE_REDO = 10, /* receiver: these came out wrong, send
                                          them whole */
                    OG_WIRE_DONE = 11, /* receiver: everything has its name */
};
const char *og_wire_kind_name(enum og_wire_kind kind);

struct og_wire {
    int in_fd, out_fd; /* in_fd -1: from `memory` */
    const uint8_t *memory;
    size_t memory_len;
    bool is_sender, compress;
    const og_allocator *allocator;
    uint64_t n_sent, n_received, n_round_trips;
    bool is_broken;   /* the peer is gone, or said why it stops */
    bool was_reading; /* a round trip ends when reading turns to writing */
    void *ctx;
    void (*on_message)(void *ctx, const og_sync_message *message);
    ZSTD_CCtx *packer;
    ZSTD_DCtx *unpacker;
    uint8_t *in, *plain, *out; /* buffers of BUFFER_LEN */
    size_t in_at, in_len, plain_at, plain_len, out_len;
    struct og_pack message; /* the last one received */
};

/* Exchanges the greetings. */
og_status og_wire_open(struct og_wire *wire, int in_fd, int out_fd,
                       bool is_sender, const og_sync_options *options,
                       og_error *err);
/* The same without a peer: `data` is what it sends, answers are discarded. */
og_status og_wire_open_memory(struct og_wire *wire, const uint8_t *data,
                              size_t len, bool is_sender,
                              const og_sync_options *options, og_error *err);
void og_wire_close(struct og_wire *wire);

/* Queues a message; og_wire_flush() sends it. n_items is for observers. */
og_status og_wire_put(struct og_wire *wire, enum og_wire_kind kind,
                      const struct og_pack *payload, uint64_t n_items,
                      og_error *err);
og_status og_wire_put_bytes(struct og_wire *wire, enum og_wire_kind kind,
                            const void *data, size_t len, uint64_t n_items,
                            og_error *err);
og_status og_wire_flush(struct og_wire *wire, og_error *err);

/* The next message, which must be of this kind; *out is valid until the next
 * call. An error message of the peer is OG_ERR_IO. */
og_status og_wire_get(struct og_wire *wire, enum og_wire_kind kind,
                      struct og_unpacker *out, og_error *err);
/* Any kind. */
og_status og_wire_get_any(struct og_wire *wire, enum og_wire_kind *kind,
                          struct og_unpacker *out, og_error *err);

/* Tells the peer why we stop; whether it arrives does not matter. */
void og_wire_send_error(struct og_wire *wire, const og_error *err);

/* After a failed write: the peer's last message, if there is one. */
void og_wire_hear_error(struct og_wire *wire, og_error *err);

#endif
