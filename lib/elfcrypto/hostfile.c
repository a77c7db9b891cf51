/* Host files: opened, and asked for their programs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

static enum dpk_status add_object(struct dpk_hostfile *host, const struct object *o,
                                  struct dpk_error *err)
{
    /* Doubles at powers of two. */
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

static enum dpk_status read_object(struct dpk_hostfile *host, Elf *elf, const char *member,
                                   uint64_t base, uint64_t size, struct dpk_error *err)
{
    struct object o;
    enum dpk_status status = object_read(host, elf, base, size, &o, err);
    if (status != DPK_OK)
        return status;
    if (member) {
        o.member = strdup(member);
        status = o.member ? add_object(host, &o, err) : dpk_fail_nomem(err);
    } else {
        status = add_object(host, &o, err);
    }
    if (status != DPK_OK) {
        free((char *)o.member);
        object_free(&o);
        return status;
    }
    return programs_collect(host, host->object_count - 1, err);
}

#define AR_HEADER  60 /* bytes before a member's content */
#define AR_SIZE_AT 48 /* of its size in there: decimal digits, then blanks */
#define AR_DIGITS  10

/* The size that the member's header tells: libelf cuts it off at the archive's end, silently. */
static bool told_size(const struct dpk_hostfile *host, uint64_t base, uint64_t *size)
{
    struct dpk_reader all = dpk_reader(host->bytes.data, host->bytes.size);
    if (base < AR_HEADER)
        return false;
    struct dpk_reader r = dpk_reader_slice(&all, base - AR_HEADER + AR_SIZE_AT, AR_DIGITS);
    const uint8_t *digits = dpk_read_bytes(&r, AR_DIGITS);
    *size = 0;
    for (int i = 0; digits && i < AR_DIGITS && digits[i] != ' '; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return false;
        *size = 10 * *size + (uint64_t)(digits[i] - '0');
    }
    return digits != NULL;
}

static enum dpk_status read_member(struct dpk_hostfile *host, Elf *member, struct dpk_error *err)
{
    Elf_Arhdr *header = elf_getarhdr(member);
    int64_t base = elf_getbase(member);
    if (!header || !header->ar_name || base < 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "damaged archive member header");
    uint64_t told = 0;
    if (!told_size(host, (uint64_t)base, &told) ||
        told > host->bytes.size -
                   ((uint64_t)base < host->bytes.size ? (uint64_t)base : host->bytes.size))
        return dpk_fail(err, DPK_ERR_FORMAT, "member %s is longer than the archive: truncated?",
                        header->ar_name);
    if (elf_kind(member) != ELF_K_ELF) /* symbol index, text, LLVM bitcode */
        return DPK_OK;
    uint64_t at = (uint64_t)base,
             size = header->ar_size < 0 ? UINT64_MAX : (uint64_t)header->ar_size;
    if (at > host->bytes.size || size > host->bytes.size - at)
        return dpk_fail(err, DPK_ERR_FORMAT, "member %s is longer than the archive: truncated?",
                        header->ar_name);
    enum dpk_status status = read_object(host, member, header->ar_name, at, size, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "member %s", header->ar_name);
    return status;
}

static enum dpk_status read_archive(struct dpk_hostfile *host, Elf *archive, struct dpk_error *err)
{
    Elf_Cmd next = ELF_C_READ_MMAP; /* members out of memory; the other one wants a file */
    Elf *member;
    uint64_t end = 8; /* of what was read: the magic */
    host->archive = true;
    while ((member = elf_begin(-1, next, archive)) != NULL) {
        enum dpk_status status = read_member(host, member, err);
        Elf_Arhdr *header = elf_getarhdr(member);
        if (status == DPK_OK)
            end = (uint64_t)elf_getbase(member) + (uint64_t)header->ar_size;
        next = elf_next(member);
        elf_end(member);
        if (status != DPK_OK)
            return status;
    }
    /* libelf ends every walk with an error, the last member's end being out of range. */
    (void)elf_errno();
    if (end + end % 2 < host->bytes.size)
        return dpk_fail(err, DPK_ERR_FORMAT, "damaged archive: no member at offset %#" PRIx64,
                        end + end % 2);
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

static enum dpk_status read_programs(struct dpk_hostfile *host, struct dpk_error *err)
{
    static const char thin[] = "!<thin>\n";
    enum dpk_status status = DPK_OK;
    if (host->bytes.size == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "empty file");
    if (host->bytes.size >= sizeof thin - 1 && memcmp(host->bytes.data, thin, sizeof thin - 1) == 0)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "a thin archive: it only names its members");
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory((char *)host->bytes.data, host->bytes.size);
    Elf_Kind kind = elf ? elf_kind(elf) : ELF_K_NONE;
    if (kind == ELF_K_ELF)
        status = read_object(host, elf, NULL, 0, host->bytes.size, err);
    else if (kind == ELF_K_AR)
        status = read_archive(host, elf, err);
    else
        status = dpk_fail(err, DPK_ERR_FORMAT, "neither an ELF file nor an archive of them");
    elf_end(elf);
    if (status == DPK_OK)
        status = check_names(host, err);
    return status;
}

/* Takes the bytes over, also on failure, unless they are borrowed. */
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
    /* Nobody writes through it: signing works on a copy. */
    struct dpk_buf view = {.data = (uint8_t *)bytes, .size = size};
    *out = NULL;
    return open_bytes(name, &view, true, out, err);
}

void dpk_hostfile_close(struct dpk_hostfile *host)
{
    if (!host)
        return;
    for (size_t i = 0; i < host->program_count; i++)
        free((char *)host->programs[i].crypto_section);
    for (size_t i = 0; i < host->object_count; i++) {
        free((char *)host->objects[i].member);
        object_free(&host->objects[i]);
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

/* "one, two, three"; cut where there is no more room. */
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
