/* Opens host files and finds programs in them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "host.h"

static enum dpk_status add_object(struct dpk_hostfile *host, const struct object *o,
                                  struct dpk_error *err)
{
    /* The array doubles at powers of two. */
    size_t n = host->object_count;
    if ((n & (n - 1)) == 0) {
        struct object *more = reallocarray(host->objects, n ? 2 * n : 1, sizeof *more);
        if (!more)
            return dpk_fail_nomem(err);
        host->objects = more;
    }
    host->objects[host->object_count++] = *o;
    return DPK_OK;
}

/* `member` is allocated and becomes the object's; NULL for the whole file. */
static enum dpk_status read_object(struct dpk_hostfile *host, char *member, uint64_t base,
                                   uint64_t size, struct dpk_error *err)
{
    struct object o;
    enum dpk_status status = hostfile_object_read(host, base, size, &o, err);
    o.member = member;
    if (status == DPK_OK)
        status = add_object(host, &o, err);
    if (status != DPK_OK) {
        free(member);
        hostfile_object_free(&o);
        return status;
    }
    return hostfile_programs_collect(host, host->object_count - 1, err);
}

/* Returns true if the bytes start with an ELF header of any kind. */
static bool is_elf(const struct dpk_elf *elf)
{
    const uint8_t *ident = elf->ident;
    return ident && elf->flaw != DPK_ELF_MAGIC && elf->flaw != DPK_ELF_SHORT &&
           (ident[EI_CLASS] == ELFCLASS64 || ident[EI_CLASS] == ELFCLASS32) &&
           (ident[EI_DATA] == ELFDATA2LSB || ident[EI_DATA] == ELFDATA2MSB) &&
           ident[EI_VERSION] == EV_CURRENT;
}

static enum dpk_status read_member(struct dpk_hostfile *host, const struct dpk_archive_member *m,
                                   struct dpk_error *err)
{
    int length = m->name_size < 256 ? (int)m->name_size : 256;
    if (m->size > host->bytes.size - m->base)
        return dpk_fail(err, DPK_ERR_FORMAT, "member %.*s is longer than the archive: truncated?",
                        length, m->name);
    const struct dpk_elf elf = dpk_elf(host->bytes.data + m->base, (size_t)m->size);
    if (!is_elf(&elf)) /* a symbol index, a text or LLVM bitcode */
        return DPK_OK;
    char *name = strndup(m->name, m->name_size);
    if (!name)
        return dpk_fail_nomem(err);
    enum dpk_status status = read_object(host, name, m->base, m->size, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "member %.*s", length, m->name);
    return status;
}

static enum dpk_status read_archive(struct dpk_hostfile *host, struct dpk_error *err)
{
    struct dpk_archive_walk walk = dpk_archive_walk(host->bytes.data, host->bytes.size);
    struct dpk_archive_member member;
    host->archive = true;
    while (dpk_archive_next(&walk, &member)) {
        enum dpk_status status = read_member(host, &member, err);
        if (status != DPK_OK)
            return status;
    }
    if (walk.at < host->bytes.size)
        return dpk_fail(err, DPK_ERR_FORMAT, "damaged archive: no member at offset %#" PRIx64,
                        walk.at);
    return DPK_OK;
}

static int by_program_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static enum dpk_status check_names(const struct dpk_hostfile *host, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    const char **names = calloc(host->program_count + 1, sizeof *names);
    if (!names)
        return dpk_fail_nomem(err);
    for (size_t i = 0; i < host->program_count; i++)
        names[i] = host->programs[i].name;
    qsort(names, host->program_count, sizeof *names, by_program_name);
    for (size_t i = 1; i < host->program_count && status == DPK_OK; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            status = dpk_fail(err, DPK_ERR_FORMAT, "two programs are named %s", names[i]);
    free(names);
    return status;
}

static bool begins_with(const struct dpk_buf *bytes, const char magic[8])
{
    return bytes->size >= 8 && memcmp(bytes->data, magic, 8) == 0;
}

static enum dpk_status read_programs(struct dpk_hostfile *host, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    if (host->bytes.size == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "empty file");
    if (begins_with(&host->bytes, "!<thin>\n"))
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "a thin archive: it only names its members");
    const struct dpk_elf elf = dpk_elf(host->bytes.data, host->bytes.size);
    if (is_elf(&elf))
        status = read_object(host, NULL, 0, host->bytes.size, err);
    else if (dpk_archive_is(host->bytes.data, host->bytes.size))
        status = read_archive(host, err);
    else
        status = dpk_fail(err, DPK_ERR_FORMAT, "neither an ELF file nor an archive of them");
    return status == DPK_OK ? check_names(host, err) : status;
}

/* Takes ownership of the bytes, also on failure, unless they are borrowed. */
static enum dpk_status open_bytes(const char *name, struct dpk_buf *bytes, bool borrowed,
                                  struct dpk_hostfile **out, struct dpk_error *err)
{
    struct dpk_hostfile *host = calloc(1, sizeof *host);
    if (host)
        host->name = strdup(name);
    if (!host || !host->name) {
        free(host);
        if (!borrowed)
            dpk_buf_free(bytes);
        return dpk_fail_nomem(err);
    }
    host->bytes = *bytes;
    host->borrowed = borrowed;
    *bytes = (struct dpk_buf){0};
    enum dpk_status status = read_programs(host, err);
    if (status != DPK_OK) {
        dpk_error_prefix(err, "%s", name);
        dpk_hostfile_close(host);
        return status;
    }
    *out = host;
    return DPK_OK;
}

enum dpk_status dpk_hostfile_open(const char *path, struct dpk_hostfile **out,
                                  struct dpk_error *err)
{
    struct dpk_buf bytes = {0};
    *out = NULL;
    enum dpk_status status = dpk_file_read(path, DPK_FILE_MAX, &bytes, err);
    return status == DPK_OK ? open_bytes(path, &bytes, false, out, err) : status;
}

enum dpk_status dpk_hostfile_parse(const char *name, const void *bytes, size_t size,
                                   struct dpk_hostfile **out, struct dpk_error *err)
{
    struct dpk_buf copy = {0};
    *out = NULL;
    dpk_put(&copy, bytes, size);
    if (copy.failed)
        return dpk_fail_nomem(err);
    return open_bytes(name, &copy, false, out, err);
}

enum dpk_status dpk_hostfile_borrow(const char *name, const void *bytes, size_t size,
                                    struct dpk_hostfile **out, struct dpk_error *err)
{
    /* The cast is safe, because signing writes to a copy. */
    struct dpk_buf view = {.data = (uint8_t *)bytes, .size = size};
    *out = NULL;
    return open_bytes(name, &view, true, out, err);
}

void dpk_hostfile_close(struct dpk_hostfile *host)
{
    if (!host)
        return;
    for (size_t i = 0; i < host->program_count; i++) {
        free((char *)host->programs[i].crypto_section);
        free(host->programs[i].subjects);
    }
    for (size_t i = 0; i < host->object_count; i++) {
        free((char *)host->objects[i].member);
        hostfile_object_free(&host->objects[i]);
    }
    free(host->slots);
    free(host->programs);
    free(host->objects);
    if (!host->borrowed)
        dpk_buf_free(&host->bytes);
    free(host->name);
    free(host);
}

size_t dpk_hostfile_count(const struct dpk_hostfile *host)
{
    return host->program_count;
}

const struct dpk_program *dpk_hostfile_program(const struct dpk_hostfile *host, size_t index)
{
    return index < host->program_count ? &host->programs[index] : NULL;
}

/* Writes "one, two, three", cut at `size`. */
static void list_names(const struct dpk_hostfile *host, char *out, size_t size)
{
    size_t at = 0;
    out[0] = 0;
    for (size_t i = 0; i < host->program_count && at < size; i++) {
        int n = snprintf(out + at, size - at, "%s%s", i ? ", " : "", host->programs[i].name);
        at += n > 0 ? (size_t)n : 0;
    }
}

enum dpk_status dpk_hostfile_find(const struct dpk_hostfile *host, const char *name,
                                  const struct dpk_program **out, struct dpk_error *err)
{
    char names[512];
    *out = NULL;
    if (host->program_count == 0)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no DPA program in it", host->name);
    if (!name && host->program_count == 1) {
        *out = &host->programs[0];
        return DPK_OK;
    }
    for (size_t i = 0; name && i < host->program_count; i++) {
        if (strcmp(host->programs[i].name, name) != 0)
            continue;
        *out = &host->programs[i];
        return DPK_OK;
    }
    list_names(host, names, sizeof names);
    if (!name)
        return dpk_fail(err, DPK_ERR_USAGE, "%s: several DPA programs, name one of: %s", host->name,
                        names);
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no DPA program %s; there are: %s", host->name,
                    name, names);
}
