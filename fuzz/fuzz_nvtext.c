/* Texts of NV configuration: TLV definitions, the raw form, the list of TLVs. The first byte says
 * which. */
#include <stdlib.h>
#include <string.h>

#include "nvconfig/nvconfig.h"

static const char small[] = "tlv nv_dpa_auth global 21 4\ndpa_auth_en bool 0x0[31] as "
                            "DPA_AUTHENTICATION\ntlv t file 2 32\npsid string 0x0+16\n"
                            "b bytes 0x10+16\n";

static void read_definitions(const char *text, size_t size)
{
    struct dpk_nv_defs *defs = NULL;
    if (dpk_nv_defs_new(&defs, NULL) != DPK_OK)
        return;
    if (dpk_nv_defs_parse(defs, "fuzz", text, size, NULL) == DPK_OK) {
        struct dpk_buf out = {0};
        dpk_nv_tlvs_text(defs, &out);
        uint8_t data[DPK_NV_DATA_MAX] = {0};
        for (size_t i = 0; i < dpk_nv_defs_count(defs); i++) {
            const struct dpk_nv_def *def = dpk_nv_defs_at(defs, i);
            for (size_t k = 0; k < def->param_count; k++) {
                dpk_nv_value_parse(&def->params[k], "1", data, NULL);
                dpk_nv_value_format(&def->params[k], data, DPK_NV_STYLE_QUERY, &out);
            }
        }
        dpk_buf_free(&out);
    }
    dpk_nv_defs_free(defs);
}

static void read_raw(const struct dpk_nv_defs *defs, const char *text, size_t size)
{
    struct dpk_nv_list list = {0};
    if (dpk_nv_raw_parse(text, size, &list, NULL) == DPK_OK) {
        struct dpk_buf out = {0};
        dpk_nv_xml_format(defs, &list, &out, NULL);
        dpk_nv_raw_format(&list, &out);
        dpk_buf_free(&out);
    }
    dpk_nv_list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_nv_defs *defs = NULL;
    struct dpk_buf out = {0};
    if (size == 0 || dpk_nv_defs_new(&defs, NULL) != DPK_OK)
        return 0;
    if (dpk_nv_defs_parse(defs, "small", small, sizeof small - 1, NULL) != DPK_OK)
        __builtin_trap();
    const char *text = (const char *)data + 1;
    switch (data[0] % 3) {
    case 0:
        read_definitions(text, size - 1);
        break;
    case 1:
        read_raw(defs, text, size - 1);
        break;
    default:
        dpk_nv_xml_template(defs, text, size - 1, data[0] & 1, &out, NULL);
    }
    dpk_buf_free(&out);
    dpk_nv_defs_free(defs);
    return 0;
}
