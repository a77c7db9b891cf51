/* Reads units from the command line, and JSON files. */
#include "dpaeumgmt.h"

#include <string.h>

#define FILE_MAX_BYTES (1u << 20)

enum dpk_status dpaeumgmt_read_units(const char *text, struct dpk_units *out, struct dpk_error *err)
{
    if (dpk_units_parse(text, out))
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_USAGE,
                    "'%.100s' is not a list of execution units within 0-%d like 6-8,16,55", text,
                    DPK_UNITS_MAX - 1);
}

/* Returns the first duplicate key in `value` or in its members, or NULL. */
static const char *key_twice(const cJSON *value)
{
    const cJSON *item, *other;
    cJSON_ArrayForEach(item, value)
    {
        for (other = item->next; other && item->string; other = other->next)
            if (strcmp(item->string, other->string) == 0)
                return item->string;
        const char *below = key_twice(item);
        if (below)
            return below;
    }
    return NULL;
}

enum dpk_status dpaeumgmt_read_file(const char *path, const char *key, cJSON **root,
                                    const cJSON **out, struct dpk_error *err)
{
    struct dpk_buf file = {0};
    *root = NULL;
    enum dpk_status status = dpk_file_read(path, FILE_MAX_BYTES, &file, err);
    if (status == DPK_OK && !(*root = cJSON_ParseWithLength((const char *)file.data, file.size)))
        status = dpk_fail(err, DPK_ERR_FORMAT, "%s: no JSON", path);
    dpk_buf_free(&file);
    if (status != DPK_OK)
        return status;
    const char *twice = key_twice(*root);
    if (twice) {
        status = dpk_fail(err, DPK_ERR_FORMAT,
                          "%s: the key \"%s\" is there twice in one object: keep one", path, twice);
        cJSON_Delete(*root);
        *root = NULL;
        return status;
    }
    *out = cJSON_GetObjectItemCaseSensitive(*root, key);
    if (cJSON_IsArray(*out))
        return DPK_OK;
    cJSON_Delete(*root);
    *root = NULL;
    return dpk_fail(err, DPK_ERR_FORMAT, "%s: no array \"%s\"", path, key);
}

const char *dpaeumgmt_text(const cJSON *object, const char *key, struct dpk_error *err)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    if (!text)
        dpk_fail(err, DPK_ERR_FORMAT, "an entry has no text \"%s\"", key);
    return text;
}

enum dpk_status dpaeumgmt_print_units(const char *what, const struct dpk_units *units,
                                      struct dpk_error *err)
{
    struct dpk_buf text = {0};
    dpk_units_put(&text, units, false);
    if (!text.failed)
        printf("%s: %.*s\n", what, (int)text.size, (const char *)text.data);
    bool failed = text.failed;
    dpk_buf_free(&text);
    return failed ? dpk_fail_nomem(err) : DPK_OK;
}
