/* What commands print. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "mlxdpa.h"

/* cJSON says of most failures only that something is missing in the result. */
static void *must_allocate(size_t size)
{
    void *block = malloc(size);
    struct dpk_error err = {0};
    if (block)
        return block;
    dpk_fail_nomem(&err);
    exit(dpk_tool_fail(&err));
}

void mlxdpa_json_start(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = must_allocate, .free_fn = free});
}

void mlxdpa_say(const char *output, const char *format, ...)
{
    FILE *to = dpk_file_messages(output);
    va_list args;
    va_start(args, format);
    vfprintf(to, format, args);
    va_end(args);
    fputc('\n', to);
}

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
