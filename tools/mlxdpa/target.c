/* Finding out what a file is, and what is in it. */
#include "target.h"

#include <string.h>

#include "appcontainer/appcontainer.h"
#include "hashlist/hashlist.h"
#include "nvconfig/nvconfig.h"

#define MAGIC_SIZE 16

static const struct kind {
    enum target_kind kind;
    const char *name;
    const char *magic; /* NULL: others tell */
    size_t max;        /* bytes */
} kinds[] = {
    {TARGET_HOST, "host file", NULL, DPK_FILE_MAX},
    {TARGET_CONTAINER, "certificate container", "CERTIFICATE.BIN!", DPK_CONTAINER_MAX},
    {TARGET_APP, "single-program container", DPK_APP_FINGERPRINT, DPK_APP_MAX},
    {TARGET_NV, "NV configuration file", "MLNX.CONFIG.BIN!", DPK_NV_FILE_BYTES_MAX},
    {TARGET_DEVICE_ELF, "device program", NULL, DPK_FILE_MAX},
};

const char *target_kind_name(enum target_kind kind)
{
    return kinds[kind].name;
}

/* RISC-V, or several such in a fat file: a program by itself. */
static bool is_device_program(const struct dpk_buf *file)
{
    return file->size &&
           (dpk_fat_is(file->data, file->size) || dpk_elf_is_riscv(file->data, file->size));
}

/* A host file when there are programs in it; so may be a RISC-V machine's. */
static enum dpk_status settle_host(struct target *t, bool told, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    bool fat = !told && t->file.size && dpk_fat_is(t->file.data, t->file.size);
    t->kind = TARGET_HOST;
    if (!fat)
        status = dpk_hostfile_borrow(t->path, t->file.data, t->file.size, &t->host, err);
    bool programs = t->host && dpk_hostfile_count(t->host) > 0;
    if (status == DPK_OK && !programs && !told && is_device_program(&t->file)) {
        dpk_hostfile_close(t->host);
        t->host = NULL;
        t->kind = TARGET_DEVICE_ELF;
    }
    return status;
}

/* `told`: the kind is that of an option; else `kind` is TARGET_HOST and the content tells. */
static enum dpk_status open_one(struct targets *out, const char *path, enum target_kind kind,
                                bool told, struct dpk_error *err)
{
    struct target *t = &out->list[out->count];
    *t = (struct target){.path = path, .kind = kind};
    enum dpk_status status = dpk_file_read(path, kinds[kind].max, &t->file, err);
    if (status != DPK_OK)
        return status;
    out->count++;
    for (size_t i = 0; !told && i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].magic && t->file.size >= MAGIC_SIZE &&
            memcmp(t->file.data, kinds[i].magic, MAGIC_SIZE) == 0)
            t->kind = kinds[i].kind;
    if (t->file.size > kinds[t->kind].max)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: too large for a %s", path, kinds[t->kind].name);
    return t->kind == TARGET_HOST ? settle_host(t, told, err) : DPK_OK;
}

enum dpk_status targets_open(const char *command, const struct mlxdpa_options *o,
                             struct targets *out, struct dpk_error *err)
{
    const struct {
        const char *path;
        enum target_kind kind;
        bool told;
    } given[TARGETS_MAX] = {
        {o->host_elf, TARGET_HOST, true},  {o->container, TARGET_CONTAINER, true},
        {o->single_app, TARGET_APP, true}, {o->nv_config, TARGET_NV, true},
        {o->file, TARGET_HOST, false},
    };
    size_t count = 0;
    *out = (struct targets){0};
    for (size_t i = 0; i < TARGETS_MAX; i++)
        count += given[i].path != NULL;
    if (count == 0)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "%s needs -e HOST_ELF, --cert_container, -s, --nv_config or a FILE",
                        command);
    if (o->file && count > 1)
        return dpk_fail(err, DPK_ERR_USAGE, "%s takes a file by option or as a word, not both: %s",
                        command, o->file);
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < TARGETS_MAX && status == DPK_OK; i++)
        if (given[i].path)
            status = open_one(out, given[i].path, given[i].kind, given[i].told, err);
    return status;
}

void targets_close(struct targets *t)
{
    for (size_t i = 0; i < t->count; i++) {
        dpk_hostfile_close(t->list[i].host);
        dpk_buf_free(&t->list[i].file);
    }
    t->count = 0;
}

static enum dpk_status fat_unit(const struct dpk_program *p, const struct dpk_fat_member *member,
                                unit_fn *each, void *context, struct dpk_error *err)
{
    struct dpk_buf elf = {0};
    struct dpk_program unit = *p;
    const char *name = dpk_target_name(member->target);
    enum dpk_status status = dpk_fat_elf(member, &elf, err);
    unit.elf = elf.data;
    unit.elf_size = elf.size;
    if (status == DPK_OK && p->crypto &&
        dpk_fat_crypto(p->crypto, p->crypto_size, member->target, &unit.crypto, &unit.crypto_size,
                       NULL) != DPK_OK) {
        /* Nothing, or nothing that can be read: unsigned. */
        unit.crypto = NULL;
        unit.crypto_size = 0;
    }
    if (status == DPK_OK)
        status = each(context, name ? name : "unknown target", &unit, err);
    dpk_buf_free(&elf);
    return status;
}

enum dpk_status units_of(const struct dpk_program *p, unit_fn *each, void *context,
                         struct dpk_error *err)
{
    struct dpk_fat fat;
    if (!dpk_fat_is(p->elf, p->elf_size) ||
        dpk_fat_parse(p->elf, p->elf_size, &fat, NULL) != DPK_OK)
        return each(context, NULL, p, err);
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < fat.count && status == DPK_OK; i++)
        status = fat_unit(p, &fat.members[i], each, context, err);
    return status;
}
