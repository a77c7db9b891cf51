/* Binary NV configuration files: a parsed file that is written again parses to the same TLVs. */
#include "nvconfig/nvconfig.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_error err = {0};
    struct dpk_nv_file file, again;
    struct dpk_buf bin = {0};
    if (dpk_nv_file_parse(data, size, &file, &err) != DPK_OK)
        return 0;
    if (dpk_nv_file_make(&file.tlvs, NULL, NULL, &bin, &err) == DPK_OK) {
        if (dpk_nv_file_parse(bin.data, bin.size, &again, &err) != DPK_OK)
            abort();
        if (again.tlvs.count != file.tlvs.count)
            abort();
        dpk_nv_file_free(&again);
    }
    dpk_buf_free(&bin);
    dpk_nv_file_free(&file);
    return 0;
}
