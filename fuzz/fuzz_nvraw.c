/* NV configuration in the raw form: parsed TLVs can be written again as the same TLVs, and as
 * XML. */
#include "nvdefs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_nv_list list = {0}, again = {0};
    struct dpk_buf raw = {0}, xml = {0};
    if (dpk_nv_raw_parse((const char *)data, size, &list, NULL) == DPK_OK) {
        (void)dpk_nv_xml_format(built_in(), &list, &xml, NULL);
        dpk_nv_raw_format(&list, &raw);
        if (!raw.failed &&
            (dpk_nv_raw_parse((const char *)raw.data, raw.size, &again, NULL) != DPK_OK ||
             again.count != list.count))
            abort();
    }
    dpk_buf_free(&xml);
    dpk_buf_free(&raw);
    dpk_nv_list_free(&again);
    dpk_nv_list_free(&list);
    return 0;
}
