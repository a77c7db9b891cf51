/* Lists of TLVs, and payloads for them. An input is a list, an empty line and a payload. */
#include <string.h>

#include "nvdefs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct dpk_nv_def **defs = NULL;
    size_t count = 0;
    struct dpk_nv_list list = {0};
    struct dpk_buf out = {0};
    const char *text = (const char *)data;
    const uint8_t *end = size ? memmem(data, size, "\n\n", 2) : NULL;
    size_t length = end ? (size_t)(end - data) + 1 : size;
    const uint8_t *payload = end ? end + 2 : data;
    size_t payload_size = end ? size - length - 1 : 0;
    if (dpk_nv_tlvs_parse(built_in(), text, length, &defs, &count, NULL) == DPK_OK &&
        dpk_nv_payload_parse(defs, count, payload, payload_size, &list, NULL) == DPK_OK) {
        dpk_nv_payload_format(&list, &out);
        if (!out.failed && out.size != payload_size)
            abort();
    }
    free(defs);
    dpk_nv_list_free(&list);
    (void)dpk_nv_xml_template(built_in(), text, length, size & 1, &out, NULL);
    dpk_buf_free(&out);
    return 0;
}
