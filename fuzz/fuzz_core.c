/* Core files: an error without programs, or programs with readable bytes. */
#include <stdlib.h>
#include <string.h>

#include "dpacc-extract/core.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_buf file = {0};
    struct core core = {0};
    dpk_put(&file, data, size);
    if (file.failed)
        return 0;
    if (extract_core_is(&file)) {
        if (extract_core_parse("fuzz", &file, &core, NULL) != DPK_OK &&
            (core.programs || core.count))
            abort();
        for (size_t i = 0; i < core.count; i++)
            if (strlen(core.programs[i].name) == 0 || core.programs[i].elf.failed)
                abort();
        extract_core_free(&core);
    }
    dpk_buf_free(&file);
    return 0;
}
