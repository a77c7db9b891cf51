/* The sections of one ELF object of a host file, each checked before anybody looks at it. */
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

/* Names of sections, together, have at most so many times the file's bytes. */
#define NAMES_TO_FILE 16u

static enum dpk_status libelf_failed(const char *what, struct dpk_error *err)
{
    const char *reason = elf_errmsg(-1);
    return dpk_fail(err, DPK_ERR_FORMAT, "%s: %s", what, reason ? reason : "damaged ELF");
}

static enum dpk_status check_kind(Elf *elf, GElf_Ehdr *header, struct dpk_error *err)
{
    if (!gelf_getehdr(elf, header))
        return libelf_failed("ELF header", err);
    if (header->e_ident[EI_CLASS] != ELFCLASS64)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "a 32-bit ELF; host files are ELF64");
    if (header->e_ident[EI_DATA] != ELFDATA2LSB)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "a big-endian ELF; host files are little-endian");
    if (header->e_type != ET_EXEC && header->e_type != ET_DYN && header->e_type != ET_REL)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "ELF type %u; host files are executables, shared objects or relocatable "
                        "objects",
                        header->e_type);
    return DPK_OK;
}

static bool inside(uint64_t offset, uint64_t size, uint64_t limit)
{
    return offset <= limit && size <= limit - offset;
}

/* libelf answers a table outside the file with "no sections", which would hide a truncation. */
static enum dpk_status count_sections(Elf *elf, const GElf_Ehdr *header, struct object *o,
                                      struct dpk_error *err)
{
    if (header->e_shoff == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "no sections, so no DPA programs can be found");
    uint64_t least = header->e_shnum ? header->e_shnum : 1;
    if (header->e_shentsize != sizeof(Elf64_Shdr))
        return dpk_fail(err, DPK_ERR_FORMAT, "e_shentsize is %u, not %zu", header->e_shentsize,
                        sizeof(Elf64_Shdr));
    if (!inside(header->e_shoff, least * sizeof(Elf64_Shdr), o->size))
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "section header table at %#" PRIx64 " is outside the file: truncated?",
                        header->e_shoff);
    if (elf_getshdrnum(elf, &o->count) != 0 || elf_getshdrstrndx(elf, &o->names_index) != 0)
        return libelf_failed("section header table", err);
    if (o->count == 0 || o->count > o->size / sizeof(Elf64_Shdr) ||
        !inside(header->e_shoff, o->count * sizeof(Elf64_Shdr), o->size))
        return dpk_fail(err, DPK_ERR_FORMAT, "section header table has no sound number of entries");
    o->table = o->base + header->e_shoff;
    o->extended = header->e_shnum == 0 || header->e_shstrndx == SHN_XINDEX;
    return DPK_OK;
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* We read programs from it, or write into it. */
static bool is_ours(const struct section *s)
{
    return starts_with(s->name, ".dpa_") || starts_with(s->name, "sig_");
}

static bool has_content(const struct section *s)
{
    return s->type != SHT_NULL && s->type != SHT_NOBITS && s->size > 0;
}

static enum dpk_status read_headers(Elf *elf, const struct object *o, struct dpk_error *err)
{
    for (size_t i = 0; i < o->count; i++) {
        GElf_Shdr h;
        struct section *s = &o->sections[i];
        Elf_Scn *scn = elf_getscn(elf, i);
        if (!scn || !gelf_getshdr(scn, &h))
            return libelf_failed("section header", err);
        *s = (struct section){.name = "",
                              .type = h.sh_type,
                              .link = h.sh_link,
                              .info = h.sh_info,
                              .flags = h.sh_flags,
                              .offset = h.sh_offset,
                              .size = h.sh_size,
                              .address = h.sh_addr,
                              .header = o->table + i * sizeof(Elf64_Shdr)};
        if (has_content(s) && !inside(s->offset, s->size, o->size))
            return dpk_fail(err, DPK_ERR_FORMAT,
                            "section %zu is outside the file (offset %#" PRIx64 ", %" PRIu64
                            " bytes): truncated?",
                            i, s->offset, s->size);
        if (has_content(s))
            s->offset += o->base;
    }
    return DPK_OK;
}

static enum dpk_status read_names(Elf *elf, const struct dpk_hostfile *host, const struct object *o,
                                  struct dpk_error *err)
{
    if (o->names_index == 0 || o->names_index >= o->count ||
        !has_content(&o->sections[o->names_index]))
        return dpk_fail(err, DPK_ERR_FORMAT, "no section name table (e_shstrndx %zu)",
                        o->names_index);
    const struct section *table = &o->sections[o->names_index];
    const char *names = (const char *)host->bytes.data + table->offset;
    /* Names may share their bytes; a long one shared by all keeps whoever sorts them busy. */
    uint64_t budget = NAMES_TO_FILE * o->size;
    for (size_t i = 1; i < o->count; i++) {
        GElf_Shdr h;
        if (!gelf_getshdr(elf_getscn(elf, i), &h))
            return libelf_failed("section header", err);
        if (h.sh_name >= table->size)
            return dpk_fail(err, DPK_ERR_FORMAT, "section %zu: its name is outside the name table",
                            i);
        const char *name = names + h.sh_name, *end = memchr(name, 0, table->size - h.sh_name);
        if (!end)
            return dpk_fail(err, DPK_ERR_FORMAT, "section %zu: its name is outside the name table",
                            i);
        uint64_t length = (uint64_t)(end - name);
        if (length > budget)
            return dpk_fail(err, DPK_ERR_FORMAT,
                            "section %zu: the sections' names are longer than the file allows", i);
        budget -= length;
        o->sections[i].name = name;
    }
    if (is_ours(table))
        return dpk_fail(err, DPK_ERR_FORMAT, "the section name table is called %s", table->name);
    return DPK_OK;
}

/* ---- Overlaps ---------------------------------------------------------------------------------
 */

struct extent {
    uint64_t begin, end;
    const char *name;
    bool ours;
};

static int by_begin(const void *a, const void *b)
{
    const struct extent *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Sorted by their begin: does one that is ours reach into another, or another into ours? */
static enum dpk_status find_overlap(const struct extent *e, size_t count, struct dpk_error *err)
{
    const struct extent *furthest = NULL, *furthest_ours = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct extent *before = e[i].ours ? furthest : furthest_ours;
        if (before && e[i].begin < before->end)
            return dpk_fail(err, DPK_ERR_FORMAT, "%s and %s overlap", before->name, e[i].name);
        if (!furthest || e[i].end > furthest->end)
            furthest = &e[i];
        if (e[i].ours && (!furthest_ours || e[i].end > furthest_ours->end))
            furthest_ours = &e[i];
    }
    return DPK_OK;
}

static enum dpk_status check_overlaps(const struct object *o, const GElf_Ehdr *header,
                                      uint64_t phnum, struct dpk_error *err)
{
    size_t n = 0;
    struct extent *e = calloc(o->count + 3, sizeof *e);
    if (!e)
        return dpk_fail_nomem(err);
    e[n++] = (struct extent){o->base, o->base + sizeof(Elf64_Ehdr), "ELF header", false};
    e[n++] = (struct extent){o->table, o->table + o->count * sizeof(Elf64_Shdr),
                             "section header table", false};
    if (phnum)
        e[n++] = (struct extent){o->base + header->e_phoff,
                                 o->base + header->e_phoff + phnum * sizeof(Elf64_Phdr),
                                 "program header table", false};
    for (size_t i = 1; i < o->count; i++) {
        const struct section *s = &o->sections[i];
        if (has_content(s))
            e[n++] = (struct extent){s->offset, s->offset + s->size, s->name, is_ours(s)};
    }
    qsort(e, n, sizeof *e, by_begin);
    enum dpk_status status = find_overlap(e, n, err);
    free(e);
    return status;
}

/* ---- Segments ---------------------------------------------------------------------------------
 */

static enum dpk_status read_segments(Elf *elf, const GElf_Ehdr *header, struct object *o,
                                     uint64_t *count, struct dpk_error *err)
{
    /* As who loads the file counts: libelf takes 0xffff for a number that stands elsewhere, and
     * finds nothing at offset 0. */
    size_t phnum = header->e_phnum;
    *count = phnum;
    if (!inside(header->e_phoff, (uint64_t)phnum * sizeof(Elf64_Phdr), o->size))
        return dpk_fail(err, DPK_ERR_FORMAT, "program header table is outside the file");
    o->runs = phnum > 0 && header->e_type != ET_REL;
    o->loads = phnum ? calloc(phnum, sizeof *o->loads) : NULL;
    if (phnum && !o->loads)
        return dpk_fail_nomem(err);
    /* An empty table must lie in the file, too. */
    uint64_t table_end = header->e_phoff + phnum * sizeof(Elf64_Phdr);
    o->segments_end = o->base + (table_end > sizeof(Elf64_Ehdr) ? table_end : sizeof(Elf64_Ehdr));
    for (size_t i = 0; i < phnum; i++) {
        GElf_Phdr p;
        if (!gelf_getphdr(elf, (int)i, &p))
            return libelf_failed("program header", err);
        /* A segment of debug files, or a damaged one: nothing behind it may be moved. */
        uint64_t end = inside(p.p_offset, p.p_filesz, o->size) ? p.p_offset + p.p_filesz : o->size;
        if (p.p_filesz && o->base + end > o->segments_end)
            o->segments_end = o->base + end;
        /* The dynamic linker maps what is in the file, whatever it takes in memory. */
        uint64_t memory_size = p.p_memsz > p.p_filesz ? p.p_memsz : p.p_filesz;
        if (p.p_type == PT_LOAD && memory_size)
            o->loads[o->load_count++] = (struct load){.index = (unsigned)i,
                                                      .offset = o->base + p.p_offset,
                                                      .address = p.p_vaddr,
                                                      .file_size = p.p_filesz,
                                                      .memory_size = memory_size};
    }
    return DPK_OK;
}

/* ---- All together -----------------------------------------------------------------------------
 */

static int by_name(const void *a, const void *b)
{
    const struct section *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static enum dpk_status index_names(struct object *o, struct dpk_error *err)
{
    o->by_name = calloc(o->count, sizeof(const struct section *));
    if (!o->by_name)
        return dpk_fail_nomem(err);
    for (size_t i = 0; i < o->count; i++)
        o->by_name[i] = &o->sections[i];
    qsort(o->by_name, o->count, sizeof(const struct section *), by_name);
    return DPK_OK;
}

enum dpk_status object_read(struct dpk_hostfile *host, Elf *elf, uint64_t base, uint64_t size,
                            struct object *o, struct dpk_error *err)
{
    GElf_Ehdr header;
    uint64_t phnum = 0;
    *o = (struct object){.base = base, .size = size};
    enum dpk_status status = check_kind(elf, &header, err);
    if (status == DPK_OK)
        status = count_sections(elf, &header, o, err);
    if (status != DPK_OK)
        return status;
    o->sections = calloc(o->count, sizeof *o->sections);
    if (!o->sections)
        return dpk_fail_nomem(err);
    status = read_headers(elf, o, err);
    if (status == DPK_OK)
        status = read_names(elf, host, o, err);
    if (status == DPK_OK)
        status = read_segments(elf, &header, o, &phnum, err);
    if (status == DPK_OK)
        status = check_overlaps(o, &header, phnum, err);
    if (status == DPK_OK)
        status = index_names(o, err);
    if (status != DPK_OK)
        object_free(o);
    return status;
}

void object_free(struct object *o)
{
    free(o->by_name);
    free(o->sections);
    free(o->loads);
    *o = (struct object){0};
}

static int compare_name(const void *key, const void *element)
{
    const struct section *const *s = element;
    return strcmp(key, (*s)->name);
}

enum dpk_status object_find(const struct object *o, const char *name, const struct section **out,
                            struct dpk_error *err)
{
    const struct section **found =
        bsearch(name, o->by_name, o->count, sizeof(const struct section *), compare_name);
    *out = found ? *found : NULL;
    if (!found)
        return DPK_OK;
    const struct section **end = o->by_name + o->count;
    if ((found > o->by_name && strcmp(found[-1]->name, name) == 0) ||
        (found + 1 < end && strcmp(found[1]->name, name) == 0))
        return dpk_fail(err, DPK_ERR_FORMAT, "two sections are named %s", name);
    return DPK_OK;
}
