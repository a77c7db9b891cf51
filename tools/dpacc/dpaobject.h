/* dpaobject: device objects and libraries inside the files that dpacc makes. */
#ifndef DPK_DPACC_DPAOBJECT_H
#define DPK_DPACC_DPAOBJECT_H

#include "config.h"

bool dpacc_dpaobject_is_elf(const struct dpk_buf *file);
/* Appends the part of `file` for one target: the section .dpa_obj of a DPA object, or the file
 * itself; from an area of several targets, the member for the target. `name` is for error
 * messages. */
enum dpk_status dpacc_dpaobject_member(const char *name, const struct dpk_buf *file,
                                       const struct target *target, struct dpk_buf *out,
                                       struct dpk_error *err);

#endif
