/* Choosing the parameters of a device to show. */
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

/* Lists the parameters that are named, or without names all that have one, for each port and
 * module. `elements`: each element of an array by itself, even where no index is given. Free with
 * shown_free, after failures too. */
enum dpk_status shown_choose(const struct dpk_nv_defs *defs, const char *const *words,
                             size_t word_count, bool elements, struct shown *out,
                             struct dpk_error *err);
void shown_free(struct shown *shown);

#endif
