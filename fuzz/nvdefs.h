/* Shared by the fuzzers of NV configuration texts. */
#ifndef FUZZ_NVDEFS_H
#define FUZZ_NVDEFS_H

#include "nvconfig/nvconfig.h"

#include <stdlib.h>

/* Returns the built-in definitions, which are loaded once. */
static inline const struct dpk_nv_defs *built_in(void)
{
    static struct dpk_nv_defs *defs;
    if (!defs && dpk_nv_defs_load("share/nvconfig", &defs, NULL) != DPK_OK)
        abort();
    return defs;
}

static inline bool nothing_there(void *context, const struct dpk_nv_def *def, uint8_t *data)
{
    (void)context, (void)def, (void)data;
    return false;
}

/* Formats every value of every definition, and checks it against its rules. */
static inline void use_definitions(const struct dpk_nv_defs *defs)
{
    struct dpk_buf out = {0};
    dpk_nv_tlvs_text(defs, &out);
    for (size_t i = 0; i < dpk_nv_defs_count(defs); i++) {
        const struct dpk_nv_def *def = dpk_nv_defs_at(defs, i);
        uint8_t data[DPK_NV_DATA_MAX] = {0};
        const struct dpk_nv_rules rules = {
            .defs = defs, .def = def, .data = data, .look = nothing_there};
        for (size_t k = 0; k < def->param_count; k++) {
            const struct dpk_nv_param *p = &def->params[k];
            (void)dpk_nv_value_parse(p, "1", data, NULL);
            dpk_nv_value_format(p, data, DPK_NV_STYLE_QUERY, &out);
            (void)dpk_nv_rules_depend(&rules, p);
            (void)dpk_nv_rules_check(&rules, p, NULL);
        }
    }
    dpk_buf_free(&out);
}

#endif
