/* Device libraries: an area with an archive of device objects for each target. */
#include <inttypes.h>
#include <string.h>

#include "archive/archive.h"
#include "cli/cli.h"
#include "elf/elf.h"
#include "fat/fat.h"
#include "kind.h"
#include "mlxdpa/program.h"

static bool recognise(const struct dpk_buf *file)
{
    return file->size > 0 && dpk_fat_is_library(file->data, file->size);
}

static enum dpk_status list(const struct target *t, struct listing *l, struct dpk_error *err)
{
    struct dpk_fat fat;
    enum dpk_status status = dpk_fat_parse(t->file.data, t->file.size, &fat, err);
    for (size_t i = 0; status == DPK_OK && i < fat.count; i++) {
        const struct dpk_fat_member *m = &fat.members[i];
        char name[DPK_TARGET_TEXT];
        kinds_listing_add(l, t, dpk_target_text(m->target, name), m->data, m->size, "archive");
    }
    return status;
}

static const char *format_of(const uint8_t *bytes, size_t size)
{
    static const uint8_t bitcode[] = {'B', 'C', 0xc0, 0xde}, wrapped[] = {0xde, 0xc0, 0x17, 0x0b};
    if (size >= sizeof bitcode && (memcmp(bytes, bitcode, sizeof bitcode) == 0 ||
                                   memcmp(bytes, wrapped, sizeof wrapped) == 0))
        return "LLVM bitcode";
    if (dpk_elf_is_riscv(bytes, size))
        return "RISC-V ELF";
    return "other";
}

/* Adds the objects of an archive to `o`. */
static enum dpk_status show_objects(const struct dpk_fat_member *m, cJSON *o, struct dpk_error *err)
{
    struct dpk_archive_walk walk = dpk_archive_walk(m->data, m->size);
    struct dpk_archive_object object;
    if (!dpk_archive_is(m->data, m->size))
        return dpk_fail(err, DPK_ERR_FORMAT, "not an archive");
    cJSON *objects = cJSON_AddArrayToObject(o, "objects");
    while (dpk_archive_next_object(&walk, &object)) {
        cJSON *at = cJSON_CreateObject();
        dpk_json_text(at, "name", object.name);
        cJSON_AddNumberToObject(at, "size", (double)object.size);
        cJSON_AddStringToObject(at, "format", format_of(object.data, object.size));
        cJSON_AddItemToArray(objects, at);
    }
    if (dpk_archive_is_damaged(&walk))
        return dpk_fail(err, DPK_ERR_FORMAT, "damaged archive: no member at offset %#" PRIx64,
                        walk.at);
    return DPK_OK;
}

static enum dpk_status show(const struct target *t, cJSON *o, struct dpk_error *err)
{
    struct dpk_fat fat;
    enum dpk_status status = dpk_fat_parse(t->file.data, t->file.size, &fat, err);
    cJSON_AddNumberToObject(o, "size", (double)t->file.size);
    mlxdpa_program_digest(o, t->file.data, t->file.size, NULL);
    cJSON *targets = cJSON_AddArrayToObject(o, "targets");
    for (size_t i = 0; status == DPK_OK && i < fat.count; i++) {
        const struct dpk_fat_member *m = &fat.members[i];
        char name[DPK_TARGET_TEXT];
        cJSON *at = cJSON_CreateObject();
        dpk_json_text(at, "target", dpk_target_text(m->target, name));
        cJSON_AddNumberToObject(at, "offset", (double)(m->data - t->file.data));
        cJSON_AddNumberToObject(at, "size", (double)m->size);
        mlxdpa_program_digest(at, m->data, m->size, NULL);
        cJSON_AddItemToArray(targets, at);
        status = show_objects(m, at, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "archive of target %s", name);
    }
    return status;
}

const struct kind kind_device_library = {.name = "device library",
                                         .max = DPK_FILE_MAX,
                                         .recognise = recognise,
                                         .list = list,
                                         .show = show};
