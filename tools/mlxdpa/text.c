/* What commands print. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "mlxdpa.h"

const char *mlxdpa_clean(const char *text, char *out, size_t size)
{
    snprintf(out, size, "%s", text);
    return dpk_text_clean(out);
}

enum dpk_status mlxdpa_print_json(struct cJSON *value, struct dpk_error *err)
{
    char *text = value ? cJSON_Print(value) : NULL;
    cJSON_Delete(value);
    if (!text)
        return dpk_fail_nomem(err);
    puts(text);
    cJSON_free(text);
    return DPK_OK;
}
