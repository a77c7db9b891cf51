/* NV configuration XML with the built-in definitions: an error, or TLVs that make a file. */
#include "nvconfig/nvconfig.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The built-in definitions have no such array. */
static const char array[] = "tlv fuzz_array global 0x7f0 16\n  numbers unsigned 0x0[31:24]*8\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct dpk_nv_defs *defs; /* loaded once, used for every input */
    struct dpk_error err = {0};
    struct dpk_nv_list tlvs = {0};
    struct dpk_buf bin = {0};
    if (!defs && (dpk_nv_defs_load("share/nvconfig", &defs, &err) != DPK_OK ||
                  dpk_nv_defs_parse(defs, "array", array, sizeof array - 1, &err) != DPK_OK))
        abort();
    if (dpk_nv_xml_parse(defs, data, size, &tlvs, &err) == DPK_OK) {
        dpk_nv_list_limits(defs, &tlvs, &bin);
        (void)dpk_nv_file_make(&tlvs, NULL, NULL, &bin, &err);
    }
    dpk_buf_free(&bin);
    dpk_nv_list_free(&tlvs);
    return 0;
}
