/* Device objects and libraries for dpacc: an error, or the member for a target. The same bytes as a linked
 * executable, in which it notes the target. */
#include <stdlib.h>

#include "dpacc/dpaobject.h"
#include "dpacc/target_section.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct target targets[] = {{"bf3", "rv64imac", 1}, {"cx8", "rv64imac_zba", 2}};
    struct dpk_buf file = {0};
    dpk_put(&file, data, size);
    for (size_t i = 0; !file.failed && i < sizeof targets / sizeof *targets; i++) {
        struct dpk_buf out = {0};
        if (dpacc_dpaobject_member("fuzz", &file, &targets[i], &out, NULL) == DPK_OK && out.failed)
            abort();
        dpk_buf_free(&out);
    }
    dpacc_target_section_fill(&file, 2);
    if (file.size != size && !file.failed)
        abort();
    dpk_buf_free(&file);
    return 0;
}
