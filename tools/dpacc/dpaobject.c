#include "dpaobject.h"

#include "archive/archive.h"
#include "elf/elf.h"
#include "fat/fat.h"
#include "target_section.h"

#include <elf.h>
#include <endian.h>
#include <stddef.h>
#include <string.h>

bool dpacc_dpaobject_is_elf(const struct dpk_buf *file)
{
    return file->size >= 4 && memcmp(file->data, "\177ELF", 4) == 0;
}

/* Returns true if the object requires Zba, which not every target has. */
static bool needs_zba(const struct dpk_buf *object)
{
    const struct dpk_elf elf = dpk_elf(object->data, object->size);
    struct dpk_reader attributes = dpk_elf_find(&elf, ".riscv.attributes");
    return memmem(attributes.begin, dpk_reader_left(&attributes), "_zba", 4) != NULL;
}

static enum dpk_status take_bare(const char *name, const struct target *target,
                                 const struct dpk_buf *object, struct dpk_error *err)
{
    if (dpacc_dpaobject_is_elf(object) && !dpk_target_has_zba(target->id) && needs_zba(object))
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "%s: compiled for nv-dpa-cx8 or nv-dpa-cx9, cannot run on nv-dpa-%s", name,
                        target->name);
    return DPK_OK;
}

/* NVIDIA's sections .dpa.attributes have the type of RISC-V's attributes and another vendor. Linkers
 * warn of each, so the copy has them as plain bytes. */
static void make_attributes_plain(uint8_t *object, size_t size)
{
    const struct dpk_elf elf = dpk_elf(object, size);
    const uint32_t plain = htole32(SHT_PROGBITS);
    for (size_t i = 0; i < elf.section_count; i++) {
        const struct dpk_elf_section s = dpk_elf_section(&elf, i);
        const char *name = dpk_elf_name(&elf, &s);
        if (s.type == RISCV_ATTRIBUTES && name && strcmp(name, ".dpa.attributes") == 0)
            memcpy(object + elf.shoff + i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_type),
                   &plain, sizeof plain);
    }
}

static void make_objects_plain(uint8_t *archive, size_t size)
{
    struct dpk_archive_walk walk = dpk_archive_walk(archive, size);
    struct dpk_archive_object o;
    while (dpk_archive_is(archive, size) && dpk_archive_next_object(&walk, &o))
        if (o.size >= SELFMAG && memcmp(o.data, ELFMAG, SELFMAG) == 0)
            make_attributes_plain(archive + (o.data - archive), o.size);
}

static enum dpk_status take_member(const char *name, const struct target *target,
                                   const struct dpk_buf *file, struct dpk_buf *out,
                                   struct dpk_error *err)
{
    struct dpk_fat fat;
    enum dpk_status status = dpk_fat_parse(file->data, file->size, &fat, err);
    if (status != DPK_OK) {
        dpk_error_prefix(err, "%s", name);
        return status;
    }
    const struct dpk_fat_member *member = dpk_fat_find(&fat, target->id);
    if (!member)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: not compiled for nv-dpa-%s", name,
                        target->name);
    dpk_put(out, member->data, dpk_archive_length(member->data, member->size));
    if (out->failed)
        return dpk_fail_nomem(err);
    make_objects_plain(out->data, out->size);
    return DPK_OK;
}

/* Gets section .dpa_obj of a host object. */
static enum dpk_status open_object(const char *name, const struct dpk_buf *file,
                                   struct dpk_buf *out, struct dpk_error *err)
{
    const struct dpk_elf elf = dpk_elf(file->data, file->size);
    struct dpk_reader content = dpk_elf_find(&elf, ".dpa_obj");
    if (dpk_reader_left(&content) == 0)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "%s: neither a C source (.c), a device library (.a) nor a DPA object: "
                        "it has no section .dpa_obj",
                        name);
    dpk_put(out, content.begin, dpk_reader_left(&content));
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

enum dpk_status dpacc_dpaobject_member(const char *name, const struct dpk_buf *file,
                                       const struct target *target, struct dpk_buf *out,
                                       struct dpk_error *err)
{
    struct dpk_buf inside = {0};
    enum dpk_status status = DPK_OK;
    bool fat = dpk_fat_is(file->data, file->size);
    if (!fat)
        status = open_object(name, file, &inside, err);
    const struct dpk_buf *found = fat ? file : &inside;
    if (status == DPK_OK && dpk_fat_is(found->data, found->size)) {
        status = take_member(name, target, found, out, err);
    } else if (status == DPK_OK) {
        status = take_bare(name, target, found, err);
        if (status == DPK_OK)
            dpk_put(out, found->data, found->size);
    }
    dpk_buf_free(&inside);
    return status == DPK_OK && out->failed ? dpk_fail_nomem(err) : status;
}
