/* The built-in TLV definitions, loaded once for the tests of lib/nvconfig. */
#ifndef TESTS_NVDEFS_H
#define TESTS_NVDEFS_H

#include "nvconfig/nvconfig.h"

#include "golden.h"

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

#endif
