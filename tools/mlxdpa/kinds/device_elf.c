/* Device programs outside of host files: a RISC-V ELF, or an area of several. */
#include "hashlist/hashlist.h"
#include "hostfile/hostfile.h"

#include "fat/fat.h"
#include "kinds.h"
#include "mlxdpa/making.h"
#include "mlxdpa/program.h"

/* A host file for RISC-V is a RISC-V ELF, too, but contains programs. */
static bool recognise(const struct dpk_buf *file)
{
    struct dpk_hostfile *host = NULL;
    if (file->size == 0)
        return false;
    if (dpk_fat_is(file->data, file->size))
        return !dpk_fat_is_library(file->data, file->size);
    bool found = dpk_elf_is_riscv(file->data, file->size) &&
                 dpk_hostfile_borrow("", file->data, file->size, &host, NULL) == DPK_OK &&
                 dpk_hostfile_count(host) == 0;
    dpk_hostfile_close(host);
    return found;
}

static enum dpk_status list(const struct target *t, struct listing *l, struct dpk_error *err)
{
    struct dpk_fat fat;
    if (!dpk_fat_is(t->file.data, t->file.size)) {
        kinds_listing_add(l, t, "program", NULL, t->file.size, "ELF");
        return DPK_OK;
    }
    enum dpk_status status = dpk_fat_parse(t->file.data, t->file.size, &fat, err);
    for (size_t i = 0; status == DPK_OK && i < fat.count; i++) {
        const struct dpk_fat_member *m = &fat.members[i];
        char name[DPK_TARGET_TEXT];
        kinds_listing_add(l, t, dpk_target_text(m->target, name), m->data, m->size, "ELF");
    }
    return status;
}

static enum dpk_status show(const struct target *t, cJSON *o, struct dpk_error *err)
{
    const struct dpk_sections sections = {.elf = t->file.data, .elf_size = t->file.size};
    struct dpk_subject subjects[DPK_FAT_MAX];
    struct dpk_hashlist *hashes = NULL;
    struct dpk_fat fat;
    cJSON_AddNumberToObject(o, "size", (double)t->file.size);
    mlxdpa_program_digest(o, t->file.data, t->file.size, NULL);
    if (dpk_fat_is(t->file.data, t->file.size)) {
        enum dpk_status status = dpk_fat_parse(t->file.data, t->file.size, &fat, err);
        const struct dpk_program program = {.subjects = subjects,
                                            .subject_count = dpk_subjects(&sections, subjects)};
        if (status == DPK_OK)
            mlxdpa_program_show(&program, o);
        return status;
    }
    const struct dpk_elf described = dpk_elf(t->file.data, t->file.size);
    mlxdpa_making_show(&described, false, o);
    enum dpk_status status =
        dpk_hashlist_build(t->file.data, t->file.size, DPK_PROFILE_FULL, &hashes, err);
    if (status == DPK_OK)
        cJSON_AddNumberToObject(o, "hash_list_size", (double)dpk_hashlist_encoded_size(hashes));
    dpk_hashlist_free(hashes);
    return status;
}

const struct kind kind_device_elf = {.name = "device program",
                                     .max = DPK_FILE_MAX,
                                     .recognise = recognise,
                                     .list = list,
                                     .show = show};
