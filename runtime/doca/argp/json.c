/* Values of parameters, from a JSON file. */
#include <cjson/cJSON.h>

#include "private.h"

#define FILE_MAX (1u << 20) /* bytes of a configuration */

static doca_error_t add_item(struct parser *p, struct param *a, const cJSON *item)
{
    char title[80];
    if (cJSON_IsString(item)) {
        if (a->type != DOCA_ARGP_TYPE_STRING)
            return complain(p, "%s: not a value of its type", param_title(a, title));
        return add_text(p, a, item->valuestring);
    }
    if (cJSON_IsBool(item))
        return add_bool(p, a, cJSON_IsTrue(item));
    if (cJSON_IsNumber(item))
        return add_number(p, a, item->valuedouble);
    return complain(p, "%s: not a value of its type", param_title(a, title));
}

/* One item, or each of an array, for a parameter that the command line does not give. */
static doca_error_t add_items(struct parser *p, struct param *a, const cJSON *item)
{
    if (!cJSON_IsArray(item))
        return add_item(p, a, item);
    const cJSON *each;
    cJSON_ArrayForEach(each, item)
    {
        doca_error_t result = add_item(p, a, each);
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}

static doca_error_t add_section(struct parser *p, const char *path, const cJSON *section)
{
    if (!cJSON_IsObject(section))
        return complain(p, "%s: %s is not an object", path, section->string);
    const cJSON *item;
    cJSON_ArrayForEach(item, section)
    {
        size_t length = strlen(item->string);
        struct param *a = find_long(p, item->string, length);
        if (!a)
            a = find_short(p, item->string, length);
        if (!a)
            return complain(p, "%s: unknown option %s", path, item->string);
        bool on_command_line = false;
        for (size_t i = 0; i < p->count; i++)
            on_command_line |= p->values[i].param == a;
        doca_error_t result = on_command_line ? DOCA_SUCCESS : add_items(p, a, item);
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}

static doca_error_t add_document(struct parser *p, const char *path, const cJSON *document)
{
    if (!cJSON_IsObject(document))
        return complain(p, "%s: not a JSON object", path);
    const cJSON *section;
    cJSON_ArrayForEach(section, document)
    {
        doca_error_t result = DOCA_SUCCESS;
        if (strcmp(section->string, "doca_general_flags") == 0 ||
            strcmp(section->string, "doca_program_flags") == 0)
            result = add_section(p, path, section);
        else if (strcmp(section->string, "doca_dpdk_flags") != 0) /* of no use here */
            result = complain(p, "%s: unknown section %s", path, section->string);
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}

doca_error_t parse_json(struct parser *p, const char *path)
{
    struct dpk_error err = {0};
    struct dpk_buf file = {0};
    if (dpk_file_read(path, FILE_MAX, &file, &err) != DPK_OK)
        return complain(p, "%s", err.message);
    dpk_put_u8(&file, 0);
    cJSON *document = NULL;
    if (!file.failed && strlen((char *)file.data) == file.size - 1) {
        cJSON_Minify((char *)file.data); /* DOCA's files have comments */
        document = cJSON_ParseWithOpts((char *)file.data, NULL, true);
    }
    doca_error_t result =
        document ? add_document(p, path, document) : complain(p, "%s: not JSON", path);
    cJSON_Delete(document);
    dpk_buf_free(&file);
    return result;
}
