/*
 * profile: where a program spent its instructions, by call stack: a tree of frames, and files made
 * from it.
 *
 *     struct dpk_profile *p = dpk_profile_create();
 *     unsigned at = dpk_profile_child(p, DPK_PROFILE_ROOT, "main", 0);
 *     at = dpk_profile_child(p, at, "work", 0);
 *     dpk_profile_count(p, at, 2000003);
 *     dpk_profile_write(p, "out.svg", &err);       // or .folded, .json
 *     dpk_profile_free(p);
 *
 * A frame is a function, or, below a function, the line of it that ran ("prime.c:14"). Weights are
 * instructions. Nothing here is safe for several threads.
 */
#ifndef DPK_PROFILE_PROFILE_H
#define DPK_PROFILE_PROFILE_H

#include "base/base.h"

struct dpk_profile;

#define DPK_PROFILE_ROOT 0u
#define DPK_PROFILE_NONE UINT32_MAX
enum { DPK_PROFILE_NAME = 256, DPK_PROFILE_DEPTH = 512 };

/* Returns NULL if there is no memory. */
struct dpk_profile *dpk_profile_create(void);
void dpk_profile_free(struct dpk_profile *p); /* NULL is allowed */

/* Returns the child of a frame with that name, and makes it at first use. The name is copied,
 * cleaned and cut to DPK_PROFILE_NAME - 1 bytes; ';' becomes ':', since it separates frames in
 * files. `line`: the frame is this line of the file `name`; 0: it is a function. Returns
 * DPK_PROFILE_NONE if there is no memory or the tree is too deep; counting there does nothing. */
unsigned dpk_profile_child(struct dpk_profile *p, unsigned parent, const char *name, unsigned line);
/* Adds `instructions` that ran in this frame, without its children. */
void dpk_profile_count(struct dpk_profile *p, unsigned frame, uint64_t instructions);

/* ---- Reading the tree ---- */

struct dpk_profile_frame {
    const char *name; /* "work", or "prime.c:14" */
    unsigned parent, depth;
    unsigned first, next; /* first child, next sibling; or DPK_PROFILE_NONE */
    uint64_t self, total; /* instructions of the frame; with all frames below it */
};
/* Sorts siblings by name and computes totals. Call it after the last count and before
 * dpk_profile_frame. */
void dpk_profile_settle(struct dpk_profile *p);
unsigned dpk_profile_frames(const struct dpk_profile *p); /* number of frames, root included */
/* Returns a frame, borrowed until the profile changes. */
const struct dpk_profile_frame *dpk_profile_frame(const struct dpk_profile *p, unsigned index);

/* ---- Files ----
 * The suffix of the name says which format:
 *   .folded  a line for each stack: frames from the outermost, separated by ';', a space, the
 *            instructions ("folded stacks", as flamegraph.pl and its successors read them)
 *   .json    the file format of speedscope (https://www.speedscope.app/file-format-schema.json)
 *   .svg     a flame graph that opens in a browser by itself */
enum dpk_profile_format {
    DPK_PROFILE_FOLDED,
    DPK_PROFILE_SPEEDSCOPE,
    DPK_PROFILE_FLAME,
};
/* Gets the format for a file name. Errors: DPK_ERR_USAGE if the suffix is not one of these. */
enum dpk_status dpk_profile_format_of(const char *path, enum dpk_profile_format *out,
                                      struct dpk_error *err);
/* Settles the profile and writes the file, whole or not at all. */
enum dpk_status dpk_profile_write(struct dpk_profile *p, const char *path, struct dpk_error *err);
/* Reads folded stacks, written by this room or by other tools, and adds them. The file is not
 * trusted. Errors: DPK_ERR_FORMAT with the line. */
enum dpk_status dpk_profile_read(struct dpk_profile *p, const char *path, struct dpk_error *err);

#endif
