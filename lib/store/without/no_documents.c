/* A library that was built without LMDB (-Dstore=disabled): stores in memory,
 * none on disk. Opening says so; nothing else here is ever reached. */

#include "lib/store/catalogue/documents.h"

static og_status refuse(og_error *err)
{
    return og_error_set(err, OG_ERR_USAGE,
                        "this build has no stores on disk, only ':memory:'");
}

og_status og_documents_can_open(og_error *err)
{
    return refuse(err);
}

og_status og_documents_open(const char *folder,
                            const struct og_documents_options *options,
                            struct og_documents **out, og_error *err)
{
    (void)folder, (void)options;
    *out = NULL;
    return refuse(err);
}

og_status og_documents_close(struct og_documents *db, og_error *err)
{
    (void)db, (void)err;
    return OG_OK;
}

og_status og_documents_seal(struct og_documents *db, og_error *err)
{
    (void)db;
    return refuse(err);
}

uint64_t og_documents_pages(struct og_documents *db)
{
    (void)db;
    return 0;
}

void og_documents_let_go(struct og_documents *db)
{
    (void)db;
}

og_status og_documents_write(struct og_documents *db,
                             const struct og_documents_batch *batch,
                             og_error *err)
{
    (void)db, (void)batch;
    return refuse(err);
}

og_status og_documents_audit(struct og_documents *db, og_error *err)
{
    (void)db;
    return refuse(err);
}

void og_documents_view_init(struct og_documents_view *view,
                            struct og_documents *db)
{
    *view = (struct og_documents_view){.db = db};
}

og_status og_documents_view_begin(struct og_documents_view *view, og_error *err)
{
    (void)view;
    return refuse(err);
}

og_status og_documents_view_begin_for(struct og_documents_view *view,
                                      uint32_t number, og_error *err)
{
    (void)number;
    return og_documents_view_begin(view, err);
}

void og_documents_view_end(struct og_documents_view *view)
{
    (void)view;
}

void og_documents_view_release(struct og_documents_view *view)
{
    (void)view;
}

uint64_t og_documents_view_sequence(const struct og_documents_view *view)
{
    (void)view;
    return 0;
}

uint32_t og_documents_view_count(const struct og_documents_view *view)
{
    (void)view;
    return 0;
}

og_status og_documents_get(struct og_documents_view *view, uint32_t number,
                           og_bytes *out, og_error *err)
{
    (void)view, (void)number;
    *out = (og_bytes){0};
    return refuse(err);
}

og_status og_documents_latest(struct og_documents_view *view, og_bytes id,
                              uint32_t *out, og_error *err)
{
    (void)view, (void)id;
    *out = OG_NO_DOC;
    return refuse(err);
}

og_status og_documents_with_id(struct og_documents_view *view, og_bytes id,
                               og_document_visit *visit, void *ctx,
                               og_error *err)
{
    (void)view, (void)id, (void)visit, (void)ctx;
    return refuse(err);
}

og_status og_documents_copiers(struct og_documents_view *view, uint32_t origin,
                               size_t max, og_copier_visit *visit, void *ctx,
                               og_error *err)
{
    (void)view, (void)origin, (void)max, (void)visit, (void)ctx;
    return refuse(err);
}

og_status og_documents_is_removed(struct og_documents_view *view,
                                  uint32_t number, bool *out, og_error *err)
{
    (void)view, (void)number;
    *out = false;
    return refuse(err);
}

og_status og_documents_removed(struct og_documents_view *view,
                               og_document_visit *visit, void *ctx,
                               og_error *err)
{
    (void)view, (void)visit, (void)ctx;
    return refuse(err);
}
