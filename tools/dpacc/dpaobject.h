/* dpaobject: device objects and libraries inside the files that dpacc hands out. */
#ifndef DPK_DPACC_DPAOBJECT_H
#define DPK_DPACC_DPAOBJECT_H

#include "config.h"

bool dpaobject_is_elf(const struct dpk_buf *file);
/* What `file` holds for one target: the content of section .dpa_obj of a DPA object, or the file
 * itself, and of an area of several the member for that target; appended to `out`. `name` stands in error
 * messages. */
enum dpk_status dpaobject_member(const char *name, const struct dpk_buf *file,
                                 const struct target *target, struct dpk_buf *out,
                                 struct dpk_error *err);

#endif
