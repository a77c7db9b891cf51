/* The YAML of program attributes: an error, or a sorted list in which each name occurs once. */
#include <stdlib.h>
#include <string.h>

#include "dpa-app-attributes2blob/attributes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct attributes list = {0};
    struct dpk_buf blob = {0};
    if (attributes2blob_parse("fuzz", data, size, &list, NULL) != DPK_OK) {
        if (list.at || list.count)
            abort();
        return 0;
    }
    size_t wanted = 16;
    for (size_t i = 0; i < list.count; i++) {
        if (i && strcmp(list.at[i - 1].name, list.at[i].name) >= 0)
            abort();
        wanted += 2 + strlen(list.at[i].name);
    }
    attributes2blob_encode(&list, &blob);
    if (!blob.failed && blob.size != wanted)
        abort();
    dpk_buf_free(&blob);
    attributes2blob_free(&list);
    return 0;
}
