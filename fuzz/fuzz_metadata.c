/* Metadata of a single program as YAML: an error, or numbers and a text that fit the binary
 * form. */
#include "appcontainer/appcontainer.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_app_metadata m;
    struct dpk_buf out = {0};
    if (dpk_app_metadata_yaml(data, size, &m, NULL) != DPK_OK)
        return 0;
    size_t length = strnlen(m.description, sizeof m.description);
    if (length == 0 || length == sizeof m.description || !dpk_uuid_is_zero(&m.uuid))
        abort();
    dpk_app_metadata_encode(&m, &out);
    if (!out.failed && out.size != DPK_APP_METADATA_SIZE)
        abort();
    dpk_buf_free(&out);
    return 0;
}
