/* Finds the programs of a host file or of a core file. */
#include <stdlib.h>
#include <string.h>

#include "extract.h"

static enum dpk_status take_program(const struct core_program *from, unsigned index,
                                    struct dpk_program *out, struct dpk_error *err)
{
    struct dpk_subject found[DPK_FAT_MAX];
    *out = (struct dpk_program){.index = index,
                                .name = from->name,
                                .offset = from->address,
                                .sections = {.name = from->name,
                                             .elf = from->elf.data,
                                             .elf_size = from->elf.size,
                                             .room = from->room.data,
                                             .room_size = from->room.size}};
    out->subject_count = dpk_subjects(&out->sections, found);
    out->subjects = calloc(out->subject_count, sizeof *out->subjects);
    if (!out->subjects)
        return dpk_fail_nomem(err);
    for (size_t i = 0; i < out->subject_count; i++) {
        out->subjects[i] = found[i];
        out->is_signed = out->is_signed || found[i].crypto;
    }
    return DPK_OK;
}

static enum dpk_status open_core(const char *path, struct source *s, struct dpk_error *err)
{
    enum dpk_status status = extract_core_parse(path, &s->file, &s->core, err);
    if (status != DPK_OK)
        return status;
    s->of_core = calloc(s->core.count, sizeof *s->of_core);
    if (!s->of_core)
        return dpk_fail_nomem(err);
    for (size_t i = 0; i < s->core.count && status == DPK_OK; i++)
        status = take_program(&s->core.programs[i], (unsigned)i, &s->of_core[i], err);
    return status;
}

enum dpk_status extract_source_open(const char *path, struct source *s, struct dpk_error *err)
{
    enum dpk_status status = dpk_file_read(path, DPK_FILE_MAX, &s->file, err);
    if (status != DPK_OK)
        return status;
    if (dpk_fat_is(s->file.data, s->file.size)) {
        status = dpk_fat_parse(s->file.data, s->file.size, &s->area, err);
        return status == DPK_OK ? status : dpk_error_prefix(err, "%s", path);
    }
    return extract_core_is(&s->file)
               ? open_core(path, s, err)
               : dpk_hostfile_borrow(path, s->file.data, s->file.size, &s->host, err);
}

void extract_source_close(struct source *s)
{
    if (s->host)
        dpk_hostfile_close(s->host);
    for (size_t i = 0; s->of_core && i < s->core.count; i++)
        free(s->of_core[i].subjects);
    free(s->of_core);
    extract_core_free(&s->core);
    dpk_buf_free(&s->file);
}

size_t extract_source_count(const struct source *s)
{
    return s->host ? dpk_hostfile_count(s->host) : s->core.count;
}

const struct dpk_program *extract_source_program(const struct source *s, size_t index)
{
    return s->host ? dpk_hostfile_program(s->host, index) : &s->of_core[index];
}

enum dpk_status extract_source_find(const struct source *s, const char *input, const char *app,
                                    const struct dpk_program **out, struct dpk_error *err)
{
    if (s->host)
        return dpk_hostfile_find(s->host, app, out, err);
    struct dpk_buf names = {0};
    for (size_t i = 0; i < s->core.count; i++) {
        dpk_put_format(&names, "%s%s", i ? ", " : "", s->of_core[i].name);
        if (app ? strcmp(app, s->of_core[i].name) == 0 : s->core.count == 1)
            *out = &s->of_core[i];
    }
    dpk_put_u8(&names, 0);
    enum dpk_status status = DPK_OK;
    if (names.failed)
        status = dpk_fail_nomem(err);
    else if (!*out && app)
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no DPA program %s; there are: %s", input,
                          app, (const char *)names.data);
    else if (!*out)
        status = dpk_fail(err, DPK_ERR_USAGE, "%s: several DPA programs, name one of: %s", input,
                          (const char *)names.data);
    dpk_buf_free(&names);
    return status;
}
