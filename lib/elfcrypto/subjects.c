/* Finds the subjects of signing and verification in a program's sections. Every field is
 * hostile. */
#include <string.h>

#include "crypto.h"

static void set_fault(struct dpk_subject *s, const char *what, const char *why)
{
    if (s->fault.name)
        return; /* keep the first fault */
    s->fault = (struct dpk_check){.name = what, .verdict = DPK_VERDICT_BAD_FORMAT};
    snprintf(s->fault.detail, sizeof s->fault.detail, "%.255s", why);
}

static void set_faults(struct dpk_subject *s, size_t count, const char *what, const char *why)
{
    for (size_t i = 0; i < count; i++)
        set_fault(&s[i], what, why);
}

/* Finds the device ELFs. Returns the number of subjects. */
static size_t find_elfs(const struct dpk_sections *from, struct dpk_subject *s)
{
    struct dpk_fat fat;
    struct dpk_error err = {0};
    s[0] = (struct dpk_subject){.name = from->name, .elf = dpk_elf(from->elf, from->elf_size)};
    if (!dpk_fat_is(from->elf, from->elf_size))
        return 1;
    if (dpk_fat_parse(from->elf, from->elf_size, &fat, &err) != DPK_OK) {
        set_fault(&s[0], "program", err.message);
        return 1;
    }
    for (size_t i = 0; i < fat.count; i++) {
        const struct dpk_fat_member *m = &fat.members[i];
        s[i] = (struct dpk_subject){
            .name = from->name, .target_id = m->target, .elf = dpk_elf(m->data, m->size)};
        dpk_target_text(m->target, s[i].target);
    }
    return fat.count;
}

/* A program without an area uses the only member, whatever target the member names. */
static void find_attributes(const struct dpk_sections *from, struct dpk_subject *s, size_t count)
{
    static const char what[] = "attributes";
    struct dpk_fat fat;
    struct dpk_error err = {0};
    if (from->attributes_size == 0)
        return;
    if (dpk_fat_parse(from->attributes, from->attributes_size, &fat, &err) != DPK_OK) {
        set_faults(s, count, what, err.message);
        return;
    }
    if (!s[0].target[0] && fat.count != 1) {
        set_fault(&s[0], what, "for several targets, the program is for one");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct dpk_fat_member *m =
            s[i].target[0] ? dpk_fat_find(&fat, s[i].target_id) : &fat.members[0];
        if (m && dpk_attributes_read(m, &s[i].manifest, &s[i].manifest_size, &err) != DPK_OK)
            set_fault(&s[i], what, err.message);
    }
}

/* A target without room for crypto data is unsigned. */
static void find_crypto(const struct dpk_sections *from, struct dpk_subject *s, size_t count)
{
    static const char what[] = "crypto data";
    struct dpk_fat fat;
    struct dpk_error err = {0};
    struct dpk_fat_member whole = {.data = from->room, .size = from->room_size};
    bool several = s[0].target[0];
    if (from->crypto && several)
        set_faults(s, count, what, "for one target, the program is for several");
    if (from->crypto && !several) {
        s[0].crypto = from->crypto;
        s[0].crypto_size = from->crypto_size;
    }
    if (!from->room)
        return;
    if (several && dpk_fat_parse(from->room, from->room_size, &fat, &err) != DPK_OK) {
        set_faults(s, count, what, err.message);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct dpk_fat_member *m = several ? dpk_fat_find(&fat, s[i].target_id) : &whole;
        if (m && dpk_room_read(m->data, m->size, &s[i].crypto, &s[i].crypto_size, &err) != DPK_OK)
            set_fault(&s[i], what, err.message);
    }
}

size_t dpk_subjects(const struct dpk_sections *from, struct dpk_subject out[DPK_FAT_MAX])
{
    size_t count = find_elfs(from, out);
    for (size_t i = 0; i < count; i++)
        out[i].unmapped = from->unmapped;
    if (out[0].fault.name)
        return count;
    find_attributes(from, out, count);
    find_crypto(from, out, count);
    return count;
}
