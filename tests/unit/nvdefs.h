/* The built-in TLV definitions, loaded once for the tests of lib/nvconfig. */
#ifndef TESTS_NVDEFS_H
#define TESTS_NVDEFS_H

#include "nvconfig/nvconfig.h"

#include "golden.h"
#include "skip.h"

static struct dpk_nv_defs *defs;

static int load_defs(void **state)
{
    struct dpk_error err = {0};
    (void)state;
    if (dpk_nv_defs_load(NULL, &defs, &err) != DPK_OK)
        print_error("%s\n", err.message);
    return defs ? 0 : -1;
}

static int free_defs(void **state)
{
    (void)state;
    dpk_nv_defs_free(defs);
    return 0;
}

/* Every TLV of the database that comes with NVIDIA's tools; without it the test is skipped. */
static inline struct dpk_nv_defs *nvidias_defs(void)
{
    const char *path = getenv("DPAKIT_TLV_DB");
    struct dpk_nv_defs *set = NULL;
    struct dpk_error err = {0};
    if (!path)
        skip_because("no database of NVIDIA's (DPAKIT_TLV_DB)");
    if (dpk_nv_defs_load_db(path, &set, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return set;
}

#endif
