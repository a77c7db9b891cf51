/* Opens files and finds their kinds. */
#include "target.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "kinds/kinds.h"

static bool is_of(const struct kind *k, const struct dpk_buf *file)
{
    if (k->magic)
        return file->size >= KIND_MAGIC_SIZE && memcmp(file->data, k->magic, KIND_MAGIC_SIZE) == 0;
    return k->recognise && k->recognise(file);
}

static const struct kind *kind_of(const struct dpk_buf *file)
{
    for (size_t i = 0; kinds[i]; i++)
        if (is_of(kinds[i], file))
            return kinds[i];
    return &kind_host;
}

/* Reads a file whose content says its kind. */
static enum dpk_status read_unknown(struct target *t, struct dpk_error *err)
{
    enum dpk_status status = dpk_file_read(t->path, DPK_FILE_MAX, &t->file, err);
    if (status != DPK_OK)
        return status;
    t->kind = kind_of(&t->file);
    if (t->file.size > t->kind->max)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: too large for a %s", t->path, t->kind->name);
    return kinds_target_parse(t, err);
}

enum dpk_status mlxdpa_target_open(const char *path, const struct kind *kind, struct target *t,
                                   struct dpk_error *err)
{
    *t = (struct target){.path = path, .kind = kind};
    return kind ? DPK_OK : read_unknown(t, err);
}

static void say_that_it_waits(const char *path)
{
    fprintf(stderr, "-I- %s: waiting for another program that changes it\n", path);
}

static void warn_of_links(const char *output)
{
    struct stat st;
    if (stat(output, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 1)
        fprintf(stderr,
                "-W- %s: the file has %ju names (hard links): the new file gets only this name, "
                "the other names keep the old file\n",
                output, (uintmax_t)st.st_nlink);
}

enum dpk_status mlxdpa_target_open_to_change(const char *path, const struct kind *kind,
                                             const struct mlxdpa_options *o, struct target *t,
                                             struct dpk_error *err)
{
    bool in_place = !o->output || dpk_file_apart(o->output, &path, 1, NULL) != DPK_OK;
    int lock = in_place ? dpk_file_lock(path, say_that_it_waits) : -1;
    warn_of_links(o->output ? o->output : path);
    enum dpk_status status = mlxdpa_target_open(path, kind, t, err);
    t->locked = lock >= 0;
    t->lock = lock;
    return status;
}

void mlxdpa_target_close(struct target *t)
{
    if (t->opened)
        t->kind->close(t->opened);
    dpk_buf_free(&t->file);
    if (t->locked)
        dpk_file_unlock(t->lock);
}

size_t mlxdpa_targets_by_option(const struct mlxdpa_options *o, struct target_name out[TARGETS_MAX])
{
    const struct target_name all[] = {
        {o->host_elf, &kind_host},
        {o->container, &kind_cert_container},
        {o->single_app, &kind_app},
        {o->nv_config, &kind_nv_config},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].path)
            out[count++] = all[i];
    return count;
}

enum dpk_status mlxdpa_targets_named(const char *command, size_t by_option, size_t words,
                                     const char *word, struct dpk_error *err)
{
    if (by_option + words == 0)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "%s needs -e HOST_ELF, --cert_container, -s, --nv_config or a FILE",
                        command);
    if (by_option && words)
        return dpk_fail(err, DPK_ERR_USAGE, "%s takes files by option or as words, not both: %s",
                        command, word);
    return DPK_OK;
}

enum dpk_status mlxdpa_targets_open(const char *command, const struct mlxdpa_options *o,
                                    struct targets *out, struct dpk_error *err)
{
    struct target_name given[TARGETS_MAX];
    *out = (struct targets){0};
    size_t count = mlxdpa_targets_by_option(o, given);
    enum dpk_status status = mlxdpa_targets_named(command, count, o->file != NULL, o->file, err);
    if (o->file && status == DPK_OK)
        given[count++] = (struct target_name){.path = o->file};
    for (size_t i = 0; i < count && status == DPK_OK; i++) {
        struct target *t = &out->list[out->count++];
        status = mlxdpa_target_open(given[i].path, given[i].kind, t, err);
        if (status == DPK_OK)
            status = kinds_target_read(t, err);
    }
    return status;
}

void mlxdpa_targets_close(struct targets *t)
{
    for (size_t i = 0; i < t->count; i++)
        mlxdpa_target_close(&t->list[i]);
    t->count = 0;
}

enum dpk_status mlxdpa_target_needs(const struct target *t, bool (*can)(const struct kind *k),
                                    const char *lacks, struct dpk_error *err)
{
    struct dpk_buf names = {0};
    if (can(t->kind))
        return DPK_OK;
    for (size_t i = 0; kinds[i]; i++)
        if (can(kinds[i]))
            dpk_put_format(&names, "%s%s", names.size ? ", " : "", kinds[i]->name);
    dpk_put_u8(&names, 0);
    enum dpk_status status = names.failed
                                 ? dpk_fail_nomem(err)
                                 : dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: a %s %s: %s", t->path,
                                            t->kind->name, lacks, (char *)names.data);
    dpk_buf_free(&names);
    return status;
}
