/* Lists the programs of the input as a table or as JSON. */
#include <inttypes.h>
#include <string.h>

#include "extract.h"
#include "hashlist/hashlist.h"

/* Prints "nv-dpa-bf3,nv-dpa-cx8", or "-" for a program without an area. */
static void print_targets(const struct dpk_program *p)
{
    char name[EXTRACT_TARGET_TEXT];
    for (size_t i = 0; i < p->subject_count; i++)
        printf("%s%s", i ? "," : "", extract_target_name(&p->subjects[i], name));
    putchar('\n');
}

static void add_digest(cJSON *o, const struct dpk_subject *s)
{
    char digest[65];
    dpk_sha256_text(s->elf.file.begin, dpk_reader_left(&s->elf.file), digest);
    cJSON_AddStringToObject(o, "sha256", digest);
}

/* Returns the place of a target's device executable in the file, which is in the program's area. */
static double offset_of(const struct dpk_program *p, const struct dpk_subject *s)
{
    const uint8_t *area = p->sections.elf;
    return (double)(p->offset + (uint64_t)(s->elf.file.begin - area));
}

/* Adds each target with its digest; for a program without an area, only the digest. */
static void add_targets(cJSON *o, const struct dpk_program *p)
{
    if (!p->subjects[0].target[0]) {
        add_digest(o, &p->subjects[0]);
        return;
    }
    cJSON *targets = cJSON_AddArrayToObject(o, "targets");
    for (size_t i = 0; i < p->subject_count; i++) {
        const struct dpk_subject *s = &p->subjects[i];
        cJSON *member = cJSON_CreateObject();
        cJSON_AddStringToObject(member, "target", s->target);
        cJSON_AddNumberToObject(member, "offset", offset_of(p, s));
        cJSON_AddNumberToObject(member, "size", (double)dpk_reader_left(&s->elf.file));
        cJSON_AddBoolToObject(member, "signed", s->crypto != NULL);
        add_digest(member, s);
        cJSON_AddItemToArray(targets, member);
    }
}

static enum dpk_status list_json(const struct source *s, struct dpk_error *err)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < extract_source_count(s); i++) {
        const struct dpk_program *p = extract_source_program(s, i);
        cJSON *o = cJSON_CreateObject();
        cJSON_AddNumberToObject(o, "index", p->index);
        dpk_json_text(o, "name", p->name);
        cJSON_AddNumberToObject(o, "offset", (double)p->offset);
        cJSON_AddNumberToObject(o, "size", (double)p->sections.elf_size);
        cJSON_AddBoolToObject(o, "signed", p->is_signed);
        cJSON_AddItemToArray(list, o);
        add_targets(o, p);
    }
    return dpk_json_print(list, err);
}

static void list_text(const struct source *s)
{
    printf("%-5s %-32s %-12s %-10s %-6s %s\n", "Index", "Name", "Offset", "Size", "Signed",
           "Targets");
    for (size_t i = 0; i < extract_source_count(s); i++) {
        const struct dpk_program *p = extract_source_program(s, i);
        char name[256];
        snprintf(name, sizeof name, "%s", p->name);
        printf("%-5u %-32s 0x%-10" PRIx64 " %-10zu %-6s ", p->index, dpk_text_clean(name),
               p->offset, p->sections.elf_size, p->is_signed ? "yes" : "no");
        print_targets(p);
    }
}

enum dpk_status extract_list_programs(const struct source *s, bool json, struct dpk_error *err)
{
    if (json)
        return list_json(s, err);
    list_text(s);
    return DPK_OK;
}
