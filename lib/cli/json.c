#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>

static void *must_allocate(size_t size)
{
    void *block = malloc(size);
    struct dpk_error err = {0};
    if (block)
        return block;
    dpk_fail_nomem(&err);
    exit(dpk_tool_fail(&err));
}

void dpk_json_start(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = must_allocate, .free_fn = free});
}

enum dpk_status dpk_json_print(cJSON *value, struct dpk_error *err)
{
    char *text = value ? cJSON_Print(value) : NULL;
    cJSON_Delete(value);
    if (!text)
        return dpk_fail_nomem(err);
    puts(text);
    cJSON_free(text);
    return DPK_OK;
}

void dpk_json_text(cJSON *object, const char *key, const char *text)
{
    char clean[1024];
    snprintf(clean, sizeof clean, "%s", text ? text : "");
    cJSON_AddStringToObject(object, key, dpk_text_clean(clean));
}
