/* Opens the program and the device of a command line. */
#include "common/source.h"

#include <string.h>

#include "common/device.h"
#include "elf/elf.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Opens a file that is a device executable; its crypto data are in another file. */
static enum dpk_status open_bare(const char *path, const char *app, const char *signature,
                                 struct dpk_source *s, struct dpk_error *err)
{
    if (signature) {
        enum dpk_status status = dpk_file_read(signature, DPK_FILE_MAX, &s->crypto, err);
        if (status != DPK_OK)
            return status;
        if (s->crypto.size == 0)
            return dpk_fail(err, DPK_ERR_FORMAT, "%s: empty, no crypto data", signature);
    }
    s->load = (struct dpk_load_request){.app = app ? app : base_name(path),
                                        .sections = {.elf = s->elf.data,
                                                     .elf_size = s->elf.size,
                                                     .crypto = s->crypto.data,
                                                     .crypto_size = s->crypto.size}};
    return DPK_OK;
}

static enum dpk_status open_embedded(const char *path, const char *app, const char *signature,
                                     struct dpk_source *s, struct dpk_error *err)
{
    const struct dpk_program *p = NULL;
    if (signature)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "--signature goes with a bare device executable; %s is a host file", path);
    s->no_program = dpk_hostfile_count(s->host) == 0;
    if (s->no_program)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no DPA program in it", path);
    enum dpk_status status = dpk_hostfile_find(s->host, app, &p, err);
    if (status != DPK_OK)
        return status;
    s->no_program = p->not_mapped[0] != 0;
    if (s->no_program)
        return dpk_fail(err, DPK_ERR_REFUSED, "%s: program %s: %s", path, p->name, p->not_mapped);
    s->load = (struct dpk_load_request){.app = p->name, .sections = p->sections};
    return DPK_OK;
}

enum dpk_status dpk_source_open(const char *path, const char *app, const char *signature,
                                struct dpk_source *s, struct dpk_error *err)
{
    struct dpk_error why = {0};
    enum dpk_status status = dpk_file_read(path, DPK_FILE_MAX, &s->elf, err);
    if (status != DPK_OK)
        return status;
    bool riscv = dpk_elf_is_riscv(s->elf.data, s->elf.size);
    status = dpk_hostfile_parse(path, s->elf.data, s->elf.size, &s->host, &why);
    /* A RISC-V file without programs is a device executable; the loader reports its faults. */
    if (riscv && (status != DPK_OK || dpk_hostfile_count(s->host) == 0))
        return open_bare(path, app, signature, s, err);
    s->no_program = status == DPK_ERR_FORMAT || status == DPK_ERR_UNSUPPORTED;
    if (status != DPK_OK)
        return dpk_fail(err, status, "%s", why.message);
    return open_embedded(path, app, signature, s, err);
}

void dpk_source_close(struct dpk_source *s)
{
    dpk_hostfile_close(s->host);
    dpk_buf_free(&s->crypto);
    dpk_buf_free(&s->elf);
}

enum dpk_status dpk_source_device(const char *name, struct dpk_device **out, struct dpk_error *err)
{
    enum dpk_status status = name ? DPK_OK : dpk_only_device(&name, err);
    return status == DPK_OK ? dpk_device_open(name, out, err) : status;
}
