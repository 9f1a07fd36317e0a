#ifndef ORIGO_H
#define ORIGO_H

/* origo finds out where text came from.
 *
 * The short course:
 *
 *     og_store *store;
 *     og_error err;
 *     og_store_open("letters.store", OG_CREATE, NULL, &store, &err);
 *
 *     og_document doc = {.id = OG_LITERAL("a"), .text = OG_LITERAL("...")};
 *     og_trace *trace = og_trace_new(store);
 *     og_store_trace(store, &doc, trace, &err);    where did it come from?
 *     og_store_add(store, &doc, NULL, &err);       from now on it is known
 *     og_store_commit(store, &err);                and will be after a crash
 *
 *     og_trace_free(trace);
 *     og_store_close(store, &err);
 *
 * Every function that can fail returns an og_status and, where it takes an
 * og_error, writes the message there (err may be NULL). The library never
 * prints and never exits. Views (og_bytes) are borrowed: each function says
 * how long they are valid.
 *
 * Options: start from the _default() of a struct and change what you need; a
 * struct without a _default() starts with all zeros. A new version may add
 * members, for which zero keeps the previous behaviour. It may add them
 * anywhere, so compile a program with the headers of the library that it runs
 * with, which has the same major and minor version (og_version_number(),
 * OG_VERSION_NUMBER).
 *
 * Memory: one allocator for the whole library (og_allocator_set()). Nothing
 * depends on the locale of the program.
 *
 * Threads: a store has one writer (og_store_add, og_stream_run); any number
 * of threads may call og_store_trace at the same time, each with its own
 * og_trace. */

/* The subjects. Each header can also be included alone, but include this one:
 * declarations may move between headers. */

/* Used by all others. */
#include <origo/document.h> /* documents and their times */
#include <origo/json.h>     /* untrusted JSON */
#include <origo/output.h>   /* atomic, compressed, sharded output */
#include <origo/params.h>   /* the parameters of a store */
#include <origo/reading.h>  /* how files become documents */
#include <origo/status.h>   /* statuses, errors, memory, bytes */

/* Where does a text come from? */
#include <origo/browse.h>  /* the documents of a store, one by one */
#include <origo/compare.h> /* two texts, without a store */
#include <origo/phrases.h> /* passages that many documents repeat */
#include <origo/report.h>  /* answers for people and programs */
#include <origo/store.h>   /* a store: open, close, maintain */
#include <origo/trace.h>   /* tracing one document, or a stream */

/* Similar documents, sentences and files. */
#include <origo/dedup.h>     /* deduplication */
#include <origo/files.h>     /* chunks, similar files, deltas, the exchange */
#include <origo/keys.h>      /* which documents may share text */
#include <origo/neighbour.h> /* codes within k bits, near-duplicates */
#include <origo/sentence.h>  /* reused sentences */
#include <origo/sketch.h>    /* features, simhash, min-hash, supershingles */

/* Interfaces to other programs. */
#include <origo/arrow.h>     /* Arrow: documents in, answers out */
#include <origo/partition.h> /* a partitioned table on servers */

#endif
