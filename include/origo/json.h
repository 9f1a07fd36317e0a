#ifndef ORIGO_JSON_H
#define ORIGO_JSON_H

/* JSON out of strangers' hands: the members of an object, the items of an
 * array. What is not JSON is refused, with its place. */

#include <origo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum og_json_kind {
    OG_JSON_NULL,
    OG_JSON_FALSE,
    OG_JSON_TRUE,
    OG_JSON_NUMBER, /* bytes: its text */
    OG_JSON_STRING, /* bytes: unescaped, without the quotes */
    OG_JSON_ARRAY,  /* bytes: its text, brackets and all; it is checked */
    OG_JSON_OBJECT,
} og_json_kind;

/* One member or item; views until the call returns. An item has no name.
 * Return false to stop (OG_ERR_STOPPED). */
typedef bool og_json_fn(void *ctx, og_bytes name, og_json_kind kind,
                        og_bytes value);

/* All of `json` is one object or one array, and spaces around it. What is
 * inside its values is checked, not reported: it can be asked about in turn.
 * OG_ERR_INPUT: it is neither; err->byte says where, and some of it may have
 * been reported by then. */
OG_API og_status og_json_each(og_bytes json, og_json_fn *on_value, void *ctx,
                              og_error *err);

#ifdef __cplusplus
}
#endif

#endif
