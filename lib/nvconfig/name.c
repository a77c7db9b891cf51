/* Parses the names for query and set: a parameter, its port or module, an array's numbers. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tlv.h"

/* Parses "[3]" and "[0..3]" after a name. */
static bool parse_range(const char *text, size_t *first, size_t *last)
{
    char *end = NULL;
    if (*text++ != '[' || !isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *first = *last = strtoul(text, &end, 10);
    if (strncmp(end, "..", 2) == 0 && isdigit((unsigned char)end[2]))
        *last = strtoul(end + 2, &end, 10);
    return !errno && strcmp(end, "]") == 0 && *first <= *last;
}

/* Cuts off "_P1" or "_M0" and gets its number. */
static bool cut_suffix(char *name, char letter, int least, int most, int *number)
{
    char *at = strrchr(name, '_'), *end = NULL;
    if (!at || toupper((unsigned char)at[1]) != letter || !isdigit((unsigned char)at[2]))
        return false;
    errno = 0;
    long value = strtol(at + 2, &end, 10);
    if (errno || *end || value < least || value > most)
        return false;
    *number = (int)value;
    *at = 0;
    return true;
}

static enum dpk_status find_parameter(const struct dpk_nv_defs *defs, const char *text,
                                      struct dpk_nv_name *out, struct dpk_error *err)
{
    const struct dpk_nv_def *def = NULL;
    const struct dpk_nv_param *param = NULL;
    struct dpk_nv_target target = {0};
    char name[sizeof out->text];
    int n = snprintf(name, sizeof name, "%s", text);
    if (n < 0 || (size_t)n >= sizeof name)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "unknown parameter %.80s", text);
    bool plain = dpk_nv_defs_find_config(defs, name, &def, &param, NULL) == DPK_OK;
    if (!plain && cut_suffix(name, 'P', 1, NV_PORT_MAX, &target.port)) {
        if (dpk_nv_defs_find_config(defs, name, &def, &param, NULL) != DPK_OK ||
            def->class_id != DPK_NV_PORT)
            return dpk_nv_defs_find_config(defs, text, &def, &param, err);
    } else if (!plain && cut_suffix(name, 'M', 0, NV_MODULE_MAX, &target.module)) {
        if (dpk_nv_defs_find_config(defs, name, &def, &param, NULL) != DPK_OK ||
            def->class_id != DPK_NV_MODULE)
            return dpk_nv_defs_find_config(defs, text, &def, &param, err);
    } else if (!plain) {
        return dpk_nv_defs_find_config(defs, text, &def, &param, err);
    } else if (def->class_id == DPK_NV_PORT) {
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s is a port's: %s_P1, %s_P2", text,
                        param->config_name, param->config_name);
    } else if (def->class_id == DPK_NV_MODULE) {
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s is a module's: %s_M0, %s_M1", text,
                        param->config_name, param->config_name);
    }
    dpk_nv_name_of(def, param, &target, out);
    return DPK_OK;
}

void dpk_nv_name_of(const struct dpk_nv_def *def, const struct dpk_nv_param *param,
                    const struct dpk_nv_target *target, struct dpk_nv_name *out)
{
    *out = (struct dpk_nv_name){.base = def, .param = *param, .target = *target};
    out->def = dpk_nv_def_bind(def, target);
    if (def->class_id == DPK_NV_PORT)
        snprintf(out->text, sizeof out->text, "%s_P%d", param->config_name, target->port);
    else if (def->class_id == DPK_NV_MODULE)
        snprintf(out->text, sizeof out->text, "%s_M%d", param->config_name, target->module);
    else
        snprintf(out->text, sizeof out->text, "%s", param->config_name);
    out->last = param->count ? param->count - 1 : 0;
}

enum dpk_status dpk_nv_name_parse(const struct dpk_nv_defs *defs, const char *text,
                                  struct dpk_nv_name *out, struct dpk_error *err)
{
    const char *bracket = strchr(text, '[');
    char *copy = bracket ? strndup(text, (size_t)(bracket - text)) : strdup(text);
    if (!copy)
        return dpk_fail_nomem(err);
    enum dpk_status status = find_parameter(defs, copy, out, err);
    free(copy);
    if (status != DPK_OK || !bracket)
        return status;
    if (!out->param.count)
        return dpk_fail(err, DPK_ERR_RANGE, "%s is not an array", out->text);
    if (!parse_range(bracket, &out->first, &out->last) || out->last >= out->param.count)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: legal: [0] to [%zu], or a range like [0..%zu]",
                        text, out->param.count - 1, out->param.count - 1);
    out->indexed = true;
    return DPK_OK;
}

struct dpk_nv_name dpk_nv_name_element(const struct dpk_nv_name *name, size_t i)
{
    struct dpk_nv_name one = *name;
    if (!name->param.count)
        return one;
    one.param = dpk_nv_param_element(&name->param, i);
    one.first = one.last = i;
    snprintf(one.text, sizeof one.text, "%.*s[%zu]", DPK_NV_NAME_MAX - 16, name->text, i);
    return one;
}
