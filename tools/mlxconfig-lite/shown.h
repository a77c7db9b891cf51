/* Which parameters of a device are shown. */
#ifndef MLXCONFIG_SHOWN_H
#define MLXCONFIG_SHOWN_H

#include "mlxconfig.h"

/* An emulated BlueField-3 has two ports and two modules. */
#define SHOWN_PORTS   2
#define SHOWN_MODULES 2

struct shown {
    struct dpk_nv_name *names;
    size_t count, capacity;
};

/* The parameters named, or with no name all that have one, of each port and module. `elements`:
 * arrays one by one, even where no index is given. Free with shown_free, after failures too. */
enum dpk_status shown_choose(const struct dpk_nv_defs *defs, const char *const *words,
                             size_t word_count, bool elements, struct shown *out,
                             struct dpk_error *err);
void shown_free(struct shown *shown);

#endif
