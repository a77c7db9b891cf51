/* The programs of the input, as a table or as JSON. */
#include <inttypes.h>
#include <string.h>

#include "extract.h"
#include "fat/fat.h"
#include "hashlist/hashlist.h"

/* "nv-dpa-bf3,nv-dpa-cx8", or "-" for a program of one target. */
static void print_targets(const struct dpk_program *p)
{
    struct dpk_fat fat;
    if (!dpk_fat_is(p->elf, p->elf_size) ||
        dpk_fat_parse(p->elf, p->elf_size, &fat, NULL) != DPK_OK) {
        puts("-");
        return;
    }
    for (size_t i = 0; i < fat.count; i++) {
        const char *name = dpk_target_name(fat.members[i].target);
        printf("%s%s%s", i ? "," : "", name ? "nv-dpa-" : "", name ? name : "unknown");
    }
    putchar('\n');
}

static void add_digest(cJSON *o, const uint8_t *elf, size_t size)
{
    char digest[65];
    dpk_sha256_text(elf, size, digest);
    cJSON_AddStringToObject(o, "sha256", digest);
}

/* The members of a fat program, each with its digest; of any other program, its own. */
static enum dpk_status add_members(cJSON *o, const struct dpk_program *p, struct dpk_error *err)
{
    struct dpk_fat fat;
    enum dpk_status status = DPK_OK;
    if (!dpk_fat_is(p->elf, p->elf_size) ||
        dpk_fat_parse(p->elf, p->elf_size, &fat, NULL) != DPK_OK) {
        add_digest(o, p->elf, p->elf_size);
        return DPK_OK;
    }
    cJSON *targets = cJSON_AddArrayToObject(o, "targets");
    for (size_t i = 0; i < fat.count && status == DPK_OK; i++) {
        struct dpk_buf elf = {0};
        const char *name = dpk_target_name(fat.members[i].target);
        cJSON *member = cJSON_CreateObject();
        cJSON_AddStringToObject(member, "target", name ? name : "unknown");
        cJSON_AddItemToArray(targets, member);
        status = dpk_fat_elf(&fat.members[i], &elf, err);
        cJSON_AddNumberToObject(member, "size", (double)elf.size);
        add_digest(member, elf.data, elf.size);
        dpk_buf_free(&elf);
    }
    return status;
}

static enum dpk_status list_json(const struct source *s, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < source_count(s) && status == DPK_OK; i++) {
        const struct dpk_program *p = source_program(s, i);
        cJSON *o = cJSON_CreateObject();
        cJSON_AddNumberToObject(o, "index", p->index);
        dpk_json_text(o, "name", p->name);
        cJSON_AddNumberToObject(o, "offset", (double)p->offset);
        cJSON_AddNumberToObject(o, "size", (double)p->elf_size);
        cJSON_AddBoolToObject(o, "signed", p->crypto != NULL);
        cJSON_AddItemToArray(list, o);
        status = add_members(o, p, err);
    }
    if (status == DPK_OK)
        return dpk_json_print(list, err);
    cJSON_Delete(list);
    return status;
}

static void list_text(const struct source *s)
{
    printf("%-5s %-32s %-12s %-10s %-6s %s\n", "Index", "Name", "Offset", "Size", "Signed",
           "Targets");
    for (size_t i = 0; i < source_count(s); i++) {
        const struct dpk_program *p = source_program(s, i);
        char name[256];
        snprintf(name, sizeof name, "%s", p->name);
        printf("%-5u %-32s 0x%-10" PRIx64 " %-10zu %-6s ", p->index, dpk_text_clean(name),
               p->offset, p->elf_size, p->crypto ? "yes" : "no");
        print_targets(p);
    }
}

enum dpk_status list_programs(const struct source *s, bool json, struct dpk_error *err)
{
    if (json)
        return list_json(s, err);
    list_text(s);
    return DPK_OK;
}
