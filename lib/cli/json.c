#include "line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Global, because cJSON's hooks have no context. */
static int code_without_memory = 1;

static void *must_allocate(size_t size)
{
    void *block = malloc(size);
    struct dpk_error err = {0};
    if (block)
        return block;
    dpk_fail_nomem(&err);
    dpk_tool_fail(&err);
    exit(code_without_memory);
}

void cli_json_start(int code)
{
    code_without_memory = code;
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
    char *clean = dpk_text_cleaned(text ? text : "");
    cJSON_AddStringToObject(object, key, clean ? clean : "?");
    free(clean);
}

void dpk_json_integer(cJSON *object, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    cJSON_AddRawToObject(object, key, text);
}

void dpk_json_uuid(cJSON *object, const char *key, const struct dpk_uuid *uuid)
{
    char text[DPK_UUID_TEXT];
    dpk_uuid_format(uuid, text);
    cJSON_AddStringToObject(object, key, text);
}
