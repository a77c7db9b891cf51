/* Finds the programs of an object and the places of their crypto data. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

#define BIN_PREFIX      ".dpa_bin_"
#define SIG_PREFIX      ".dpa_sig_"
#define ATTR_PREFIX     ".dpa_proc_attr_"
#define SIG_NAME_PREFIX ".dpa_sig_name_"
#define NAMED_PREFIX    "sig_"

#define HASH_LIST_AT 0x40 /* offset in crypto data (signing(7)) */

static char *joined(const char *a, const char *b)
{
    char *text = NULL;
    return asprintf(&text, "%s%s", a, b) < 0 ? NULL : text;
}

static bool readable(const struct section *s)
{
    return s->type != SHT_NULL && s->type != SHT_NOBITS && !(s->flags & SHF_COMPRESSED);
}

static enum dpk_status need_readable(const struct section *s, struct dpk_error *err)
{
    if (readable(s))
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_FORMAT, "%s has no plain content (%s)", s->name,
                    s->flags & SHF_COMPRESSED ? "SHF_COMPRESSED" : "SHT_NOBITS");
}

/* Returns true if the section has only crypto data, without a length before them. */
static bool holds_bare_crypto(const struct dpk_hostfile *host, const struct section *s)
{
    static const char magic[] = "HASHLIST";
    struct dpk_reader all = dpk_reader(host->bytes.data, host->bytes.size);
    struct dpk_reader r = dpk_reader_slice(&all, s->offset, s->size);
    dpk_read_skip(&r, HASH_LIST_AT);
    const uint8_t *p = dpk_read_bytes(&r, sizeof magic - 1);
    return p && memcmp(p, magic, sizeof magic - 1) == 0;
}

/* `.dpa_sig_<app>` is a reserved room, or a section that signing added for crypto data only. */
static void place_in_sig_section(const struct dpk_hostfile *host, const struct section *s,
                                 struct dpk_program *p, struct slot *slot)
{
    bool bare = holds_bare_crypto(host, s);
    slot->has_home = true;
    slot->home = *s;
    p->placement = bare ? DPK_PLACEMENT_ADDED : DPK_PLACEMENT_RESERVED;
    if (bare) {
        p->sections.crypto = host->bytes.data + s->offset;
        p->sections.crypto_size = (size_t)s->size;
    } else if (s->size) {
        p->sections.room = host->bytes.data + s->offset;
        p->sections.room_size = (size_t)s->size;
    }
}

static enum dpk_status place_by_name(const struct dpk_hostfile *host, const struct object *o,
                                     const struct section *name_section, struct dpk_program *p,
                                     struct slot *slot, struct dpk_error *err)
{
    const struct section *home = NULL;
    if (name_section->size != NAME_SLOT_SIZE)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s has %" PRIu64 " bytes, not %d", name_section->name,
                        name_section->size, NAME_SLOT_SIZE);
    p->placement = DPK_PLACEMENT_NAMED;
    slot->name_slot = name_section->offset;
    const char *name = (const char *)host->bytes.data + name_section->offset;
    if (!name[0] || !memchr(name, 0, NAME_SLOT_SIZE))
        return DPK_OK;
    enum dpk_status status = hostfile_object_find(o, name, &home, err);
    if (status == DPK_OK && home)
        status = need_readable(home, err);
    if (status != DPK_OK || !home)
        return status;
    free((char *)p->crypto_section);
    p->crypto_section = strdup(name);
    if (!p->crypto_section)
        return dpk_fail_nomem(err);
    slot->has_home = true;
    slot->home = *home;
    if (home->size > 0) {
        p->sections.crypto = host->bytes.data + home->offset;
        p->sections.crypto_size = (size_t)home->size;
    }
    return DPK_OK;
}

enum dpk_status hostfile_program_check_name(const struct dpk_program *p, struct dpk_error *err)
{
    const size_t prefix = sizeof NAMED_PREFIX - 1;
    const char *name = p->crypto_section;
    if (strncmp(name, NAMED_PREFIX, prefix) == 0 && strcmp(name + prefix, p->name) == 0)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_FORMAT, "program %s: its name section names %s, not %s%s", p->name,
                    name, NAMED_PREFIX, p->name);
}

static enum dpk_status find_section(const struct object *o, const char *prefix, const char *app,
                                    const struct section **out, struct dpk_error *err)
{
    char *name = joined(prefix, app);
    if (!name)
        return dpk_fail_nomem(err);
    enum dpk_status status = hostfile_object_find(o, name, out, err);
    if (status == DPK_OK && *out)
        status = need_readable(*out, err);
    free(name);
    return status;
}

static enum dpk_status place(const struct dpk_hostfile *host, const struct object *o,
                             struct dpk_program *p, struct slot *slot, struct dpk_error *err)
{
    const struct section *sig = NULL, *name = NULL;
    enum dpk_status status = find_section(o, SIG_PREFIX, p->name, &sig, err);
    if (status == DPK_OK)
        status = find_section(o, SIG_NAME_PREFIX, p->name, &name, err);
    if (status != DPK_OK)
        return status;
    /* `.dpa_sig_name_x` of a program `x` also looks like the section of a program `name_x`. */
    if (sig && sig->size == NAME_SLOT_SIZE && strncmp(p->name, "name_", 5) == 0)
        sig = NULL;
    p->crypto_section = joined(!sig && name ? NAMED_PREFIX : SIG_PREFIX, p->name);
    if (!p->crypto_section)
        return dpk_fail_nomem(err);
    if (sig)
        place_in_sig_section(host, sig, p, slot);
    else if (name)
        return place_by_name(host, o, name, p, slot, err);
    return DPK_OK;
}

/* Finds the program's attributes, which the compact profile hashes. */
static enum dpk_status find_attributes(const struct dpk_hostfile *host, const struct object *o,
                                       struct dpk_program *p, const struct section **section,
                                       struct dpk_error *err)
{
    const struct section *s = NULL;
    enum dpk_status status = find_section(o, ATTR_PREFIX, p->name, &s, err);
    if (status == DPK_OK && s)
        status = need_readable(s, err);
    if (status != DPK_OK || !s || s->size == 0)
        return status;
    p->sections.attributes = host->bytes.data + s->offset;
    p->sections.attributes_size = (size_t)s->size;
    *section = s;
    return DPK_OK;
}

/* Records the first of the program's sections that differs in the memory of the running file. */
static void check_mapping(const struct object *o, struct dpk_program *p,
                          const struct section *section)
{
    char why[sizeof p->not_mapped];
    if (!section || p->not_mapped[0])
        return;
    switch (hostfile_mapping_of(o, section, why, sizeof why)) {
    case MAPPING_SAME:
        break;
    case MAPPING_NONE:
        p->sections.unmapped = true;
        break;
    case MAPPING_OTHER:
        memcpy(p->not_mapped, why, sizeof why);
        break;
    }
}

/* Returns the used bytes of a room; its length field may be wrong. */
static uint64_t used_of(const struct dpk_fat_member *room)
{
    struct dpk_reader r = dpk_reader(room->data, room->size);
    uint64_t length = dpk_read_le64(&r), left = dpk_reader_left(&r);
    if (r.failed || length == 0)
        return 0;
    return DPK_ROOM_PREFIX + (length < left ? length : left);
}

enum dpk_status hostfile_program_rooms(const struct dpk_program *p, const struct slot *slot,
                                       struct room rooms[DPK_FAT_MAX], struct dpk_error *err)
{
    const struct dpk_sections *from = &p->sections;
    const struct dpk_fat_member whole = {.data = from->room, .size = from->room_size};
    bool several = dpk_fat_is(from->elf, from->elf_size);
    struct dpk_fat fat;
    rooms[0] = (struct room){0};
    if (several && !p->subjects[0].target[0]) /* damaged: the owners of the rooms are unknown */
        return DPK_OK;
    if (several && dpk_fat_parse(from->room, from->room_size, &fat, err) != DPK_OK)
        return dpk_error_prefix(err, "%s", p->crypto_section);
    for (size_t i = 0; i < p->subject_count; i++) {
        const struct dpk_subject *s = &p->subjects[i];
        const struct dpk_fat_member *m = several ? dpk_fat_find(&fat, s->target_id) : &whole;
        rooms[i] = (struct room){0};
        if (m && m->size)
            rooms[i] = (struct room){.at = slot->home.offset + (uint64_t)(m->data - from->room),
                                     .size = m->size,
                                     .used = used_of(m)};
    }
    return DPK_OK;
}

/* Returns true if the place of the crypto data is not empty. */
static bool holds_crypto(const struct dpk_program *p, const struct slot *slot)
{
    struct room rooms[DPK_FAT_MAX];
    if (p->sections.crypto)
        return true;
    if (!p->sections.room || hostfile_program_rooms(p, slot, rooms, NULL) != DPK_OK)
        return false;
    for (size_t i = 0; i < p->subject_count; i++)
        if (rooms[i].used)
            return true;
    return false;
}

/* Makes the subjects, after all sections of the program were found. */
static enum dpk_status find_subjects(struct dpk_program *p, const struct slot *slot,
                                     struct dpk_error *err)
{
    struct dpk_subject found[DPK_FAT_MAX];
    size_t count = dpk_subjects(&p->sections, found);
    p->subjects = calloc(count, sizeof *p->subjects);
    if (!p->subjects)
        return dpk_fail_nomem(err);
    p->subject_count = count;
    for (size_t i = 0; i < count; i++) {
        struct dpk_subject *s = &p->subjects[i];
        *s = found[i];
        if (!p->not_mapped[0])
            continue;
        /* Verification would check other bytes than those that run. */
        s->fault = (struct dpk_check){.name = "mapping", .verdict = DPK_VERDICT_BAD_FORMAT};
        snprintf(s->fault.detail, sizeof s->fault.detail, "%s", p->not_mapped);
    }
    p->is_signed = holds_crypto(p, slot);
    return DPK_OK;
}

static enum dpk_status make_room(struct dpk_hostfile *host, struct dpk_error *err)
{
    if (host->program_count < host->program_capacity)
        return DPK_OK;
    size_t capacity = host->program_capacity ? 2 * host->program_capacity : 16;
    struct dpk_program *programs = reallocarray(host->programs, capacity, sizeof *programs);
    if (programs)
        host->programs = programs;
    struct slot *slots = programs ? reallocarray(host->slots, capacity, sizeof *slots) : NULL;
    if (!slots)
        return dpk_fail_nomem(err);
    host->slots = slots;
    host->program_capacity = capacity;
    return DPK_OK;
}

enum dpk_status hostfile_programs_collect(struct dpk_hostfile *host, size_t index,
                                          struct dpk_error *err)
{
    const struct object *o = &host->objects[index];
    for (size_t i = 1; i < o->count; i++) {
        const struct section *s = &o->sections[i];
        if (strncmp(s->name, BIN_PREFIX, sizeof BIN_PREFIX - 1) != 0)
            continue;
        const char *app = s->name + sizeof BIN_PREFIX - 1;
        if (!*app)
            return dpk_fail(err, DPK_ERR_FORMAT, "section %zu: a program without a name", i);
        enum dpk_status status = need_readable(s, err);
        if (status == DPK_OK)
            status = make_room(host, err);
        if (status != DPK_OK)
            return status;
        struct dpk_program *p = &host->programs[host->program_count];
        struct slot *slot = &host->slots[host->program_count];
        *slot = (struct slot){.object = index};
        *p = (struct dpk_program){.index = (unsigned)host->program_count,
                                  .name = app,
                                  .member = o->member,
                                  .offset = s->size ? s->offset : 0};
        p->sections = (struct dpk_sections){
            .name = app, .elf = host->bytes.data + p->offset, .elf_size = (size_t)s->size};
        host->program_count++;
        const struct section *attributes = NULL;
        status = place(host, o, p, slot, err);
        if (status == DPK_OK)
            status = find_attributes(host, o, p, &attributes, err);
        if (status != DPK_OK)
            return status;
        check_mapping(o, p, s);
        check_mapping(o, p, attributes);
        /* Only tools read crypto data that signing added. */
        if (slot->has_home && p->placement == DPK_PLACEMENT_RESERVED)
            check_mapping(o, p, &slot->home);
        status = find_subjects(p, slot, err);
        if (status != DPK_OK)
            return status;
    }
    return DPK_OK;
}
