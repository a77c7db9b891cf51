/* Definitions of TLVs as text: an error with a line, or definitions whose values can be queried. */
#include "nvdefs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_nv_defs *defs = NULL;
    if (dpk_nv_defs_new(&defs, NULL) != DPK_OK)
        return 0;
    if (dpk_nv_defs_parse(defs, "fuzz", (const char *)data, size, NULL) == DPK_OK)
        use_definitions(defs);
    dpk_nv_defs_free(defs);
    return 0;
}
