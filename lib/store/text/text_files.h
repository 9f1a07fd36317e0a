#ifndef OG_STORE_TEXT_TEXT_FILES_H
#define OG_STORE_TEXT_TEXT_FILES_H

/* The files in the folder of texts, one at a time: their names, their headers
 * (described in texts.h), and nothing after those. */

#include "lib/store/text/frames.h"

#define OG_TEXT_FORMAT  1
#define OG_SEGMENT_HEAD 64
#define OG_DICT_HEAD    48

/* More than any dictionary that is trained here. */
#define OG_DICT_MAX (1 << 20)

struct og_text_path {
    char name[4096];
};

/* "FOLDER/000001.seg"; a name that does not fit is cut, and opening it fails
 * for the system's own reason. */
const char *og_segment_path(struct og_text_path *path, const char *folder,
                            uint32_t number);
const char *og_dict_path(struct og_text_path *path, const char *folder,
                         uint32_t number);

/* The largest number of a segment and of a dictionary that has a file there; 0
 * for none. Other names are left alone. */
og_status og_text_files_last(const char *folder, uint32_t *out_segment,
                             uint32_t *out_dict, og_error *err);

struct og_segment_head {
    uint32_t before; /* the segment before it in the chain; 0: none */
    uint64_t before_end;
};

/* Makes the file, which must not be there, and writes its head. */
og_status og_segment_make(const char *folder, const uint8_t uuid[16],
                          uint32_t number, const struct og_segment_head *head,
                          int *out_fd, og_error *err);

/* Opens it for reading and checks the head. OG_ERR_STORE also when it is
 * missing: something refers to it. */
og_status og_segment_open(const char *folder, const uint8_t uuid[16],
                          uint32_t number, int *out_fd,
                          struct og_segment_head *out, og_error *err);

/* The same, for reading and writing at any place. */
og_status og_segment_amend(const char *folder, const uint8_t uuid[16],
                           uint32_t number, int *out_fd,
                           struct og_segment_head *out, og_error *err);

/* Opens it to be appended to; it must end at `end`. */
og_status og_segment_continue(const char *folder, const uint8_t uuid[16],
                              uint32_t number, uint64_t end, int *out_fd,
                              og_error *err);

/* Whole or not at all, synced. */
og_status og_dict_write(const char *folder, const uint8_t uuid[16],
                        uint32_t number, og_bytes bytes, og_error *err);

/* Reads and checks it. `out` is empty; what it contains after OG_OK is the
 * dictionary. */
og_status og_dict_read(const char *folder, const uint8_t uuid[16],
                       uint32_t number, struct og_pack *out, og_error *err);

/* "'FOLDER/000001.seg', byte 64: what" */
og_status og_segment_fault(og_error *err, const char *folder, uint32_t segment,
                           uint64_t off, const char *what);

/* A file that could not be read: if it is missing or a folder, the store is
 * damaged; else the system is to blame. */
og_status og_text_file_failure(og_error *err, const char *path, int error);

#endif
