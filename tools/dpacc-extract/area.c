/* Device libraries, and other bare areas: a member for each target. */
#include <inttypes.h>
#include <string.h>

#include "archive/archive.h"
#include "extract.h"
#include "hashlist/hashlist.h"

/* "nv-dpa-bf3" */
static const char *name_of(const struct dpk_fat_member *m, char out[EXTRACT_TARGET_TEXT])
{
    char text[DPK_TARGET_TEXT];
    snprintf(out, EXTRACT_TARGET_TEXT, "%s%s", dpk_target_name(m->target) ? "nv-dpa-" : "",
             dpk_target_text(m->target, text));
    return out;
}

static void print_objects(const struct dpk_fat_member *m)
{
    struct dpk_archive_walk walk = dpk_archive_walk(m->data, m->size);
    struct dpk_archive_object object;
    const char *before = "";
    while (dpk_archive_is(m->data, m->size) && dpk_archive_next_object(&walk, &object)) {
        printf("%s%s", before, dpk_text_clean(object.name));
        before = ", ";
    }
    puts(*before ? "" : "-");
}

static enum dpk_status list_json(const struct source *s, struct dpk_error *err)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < s->area.count; i++) {
        const struct dpk_fat_member *m = &s->area.members[i];
        struct dpk_archive_walk walk = dpk_archive_walk(m->data, m->size);
        struct dpk_archive_object object;
        char text[DPK_TARGET_TEXT], digest[65];
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "target", dpk_target_text(m->target, text));
        cJSON_AddNumberToObject(o, "offset", (double)(m->data - s->file.data));
        cJSON_AddNumberToObject(o, "size", (double)m->size);
        dpk_sha256_text(m->data, m->size, digest);
        cJSON_AddStringToObject(o, "sha256", digest);
        cJSON *objects = cJSON_AddArrayToObject(o, "objects");
        while (dpk_archive_is(m->data, m->size) && dpk_archive_next_object(&walk, &object))
            cJSON_AddItemToArray(objects, cJSON_CreateString(dpk_text_clean(object.name)));
        cJSON_AddItemToArray(list, o);
    }
    return dpk_json_print(list, err);
}

enum dpk_status extract_area_list(const struct source *s, bool json, struct dpk_error *err)
{
    char name[EXTRACT_TARGET_TEXT];
    if (json)
        return list_json(s, err);
    printf("%-12s %-12s %-10s %s\n", "Target", "Offset", "Size", "Objects");
    for (size_t i = 0; i < s->area.count; i++) {
        const struct dpk_fat_member *m = &s->area.members[i];
        printf("%-12s 0x%-10" PRIx64 " %-10zu ", name_of(m, name),
               (uint64_t)(m->data - s->file.data), m->size);
        print_objects(m);
    }
    return DPK_OK;
}

static enum dpk_status fail_choice(const struct source *s, const char *input, const char *wanted,
                                   struct dpk_error *err)
{
    char names[DPK_FAT_MAX * (EXTRACT_TARGET_TEXT + 2)] = "", name[EXTRACT_TARGET_TEXT];
    for (size_t i = 0; i < s->area.count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                 name_of(&s->area.members[i], name));
    }
    if (wanted)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: not for %s, but for: %s", input, wanted,
                        names);
    return dpk_fail(err, DPK_ERR_USAGE, "%s: for several targets, choose one with -mcpu: %s", input,
                    names);
}

enum dpk_status extract_area_extract(const struct extract_options *o, const char *input,
                                     const struct source *s, struct dpk_error *err)
{
    const struct dpk_fat_member *m = NULL;
    if (o->app || o->signature)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "%s: a device library, which has no programs: leave --app-name and "
                        "--signature out",
                        input);
    if (o->mcpu)
        m = dpk_fat_find(&s->area, o->target);
    else if (s->area.count == 1)
        m = &s->area.members[0];
    if (!m)
        return fail_choice(s, input, o->mcpu, err);
    const size_t size = dpk_archive_length(m->data, m->size);
    enum dpk_status status = dpk_file_apart(o->output, &input, 1, err);
    return status == DPK_OK ? dpk_file_replace(o->output, m->data, size, 0666, err) : status;
}
