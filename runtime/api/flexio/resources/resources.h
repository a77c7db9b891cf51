/*
 * resources: execution units that an administrator's file gives to a program (libflexio/flexio.h,
 * "Resources"). It is YAML, so this room is a library of its own, libdpakit-resources.so: libdoca_pcc is
 * linked with it, and libflexio loads it with the first such file, so that other programs need no libyaml.
 *
 *     struct dpk_resources res;
 *     if (dpk_resources_read("my_app", bytes, size, &res, &err) == DPK_OK)
 *         for (uint32_t i = 0; i < res.units.count; i++)
 *             use(res.units.numbers[i]);
 */
#ifndef DPK_API_FLEXIO_RESOURCES_RESOURCES_H
#define DPK_API_FLEXIO_RESOURCES_RESOURCES_H

#include "base/base.h"

#define DPK_RESOURCES_MAX      256               /* numbers in a list */
#define DPK_RESOURCES_FILE_MAX ((size_t)1 << 20) /* bytes of a file that libraries read */

struct dpk_numbers {
    uint32_t numbers[DPK_RESOURCES_MAX]; /* in the file's order */
    uint32_t count;
};

struct dpk_resources {
    struct dpk_numbers units;  /* 0 to 255 */
    struct dpk_numbers groups; /* any */
};

/* Reads the lists for program `app` from the file of `size` bytes. DPK_ERR_FORMAT: no YAML, or no lists
 * of numbers; DPK_ERR_RANGE: a number that is too large; DPK_ERR_NOT_FOUND: nothing for the program.
 * *out is whole only with DPK_OK. */
enum dpk_status dpk_resources_read(const char *app, const void *bytes, size_t size,
                                   struct dpk_resources *out, struct dpk_error *err);

/* The symbol that libflexio loads. Change its number with every change of the struct or the
 * function. */
#define DPK_RESOURCES_LIBRARY "libdpakit-resources.so.1"

#endif
