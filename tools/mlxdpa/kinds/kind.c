/* What kinds of file share: reading a file, and the output of list. */
#include "kind.h"

#include <stdio.h>

enum dpk_status kinds_target_read(struct target *t, struct dpk_error *err)
{
    if (t->is_read)
        return DPK_OK;
    enum dpk_status status = dpk_file_read(t->path, t->kind->max, &t->file, err);
    return status == DPK_OK ? kinds_target_parse(t, err) : status;
}

enum dpk_status kinds_target_parse(struct target *t, struct dpk_error *err)
{
    t->is_read = true;
    return t->kind->open ? t->kind->open(t, err) : DPK_OK;
}

#define NAME_WIDTH 36

void kinds_listing_add(struct listing *l, const struct target *t, const char *name,
                       const uint8_t *at, size_t size, const char *what)
{
    char text[300];
    size_t offset = at ? (size_t)(at - t->file.data) : 0;
    mlxdpa_clean(name, text, sizeof text);
    if (!l->json) {
        if (l->count == 0)
            printf("%-5s  %-*s  %10s  %10s  %s\n", "Index", NAME_WIDTH, "Name", "Offset", "Size",
                   "What");
        printf("%-5u  %-*s  %10zu  %10zu  %s\n", l->count++, NAME_WIDTH, text, offset, size, what);
        return;
    }
    cJSON *o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "index", l->count++);
    cJSON_AddStringToObject(o, "name", text);
    cJSON_AddNumberToObject(o, "offset", (double)offset);
    cJSON_AddNumberToObject(o, "size", (double)size);
    cJSON_AddStringToObject(o, "what", what);
    cJSON_AddItemToArray(l->json, o);
}
