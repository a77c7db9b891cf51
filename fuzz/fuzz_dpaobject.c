/* Device objects and libraries for dpacc: an error, or the member for a target. The same bytes as a linked
 * executable, in which it notes the target, and which has no labels to remove after they were removed. */
#include <stdlib.h>
#include <string.h>

#include "dpacc/dpaobject.h"
#include "dpacc/labels.h"
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
    struct dpk_buf again = {0};
    dpacc_labels_remove(&file, "_dpacc_register_");
    dpk_put(&again, file.data, file.size);
    dpacc_labels_remove(&again, "_dpacc_register_");
    if (!file.failed && !again.failed && file.size > 0 &&
        (again.size != file.size || memcmp(again.data, file.data, file.size) != 0))
        abort();
    dpk_buf_free(&again);
    dpk_buf_free(&file);
    return 0;
}
