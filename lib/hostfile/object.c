/* Reads and checks the sections of one ELF object. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

/* Maximum total length of section names, in multiples of the file size. */
#define NAMES_TO_FILE 16u

static enum dpk_status check_kind(const struct dpk_elf *elf, struct dpk_error *err)
{
    if (elf->flaw == DPK_ELF_CLASS)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "a 32-bit ELF; host files are ELF64");
    if (elf->flaw == DPK_ELF_BYTE_ORDER)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "a big-endian ELF; host files are little-endian");
    if (elf->flaw != DPK_ELF_SOUND)
        return dpk_fail(err, DPK_ERR_FORMAT, "neither an ELF file nor an archive of them");
    if (elf->type != ET_EXEC && elf->type != ET_DYN && elf->type != ET_REL)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "ELF type %u; host files are executables, shared objects or relocatable "
                        "objects",
                        elf->type);
    return DPK_OK;
}

static bool inside(uint64_t offset, uint64_t size, uint64_t limit)
{
    return offset <= limit && size <= limit - offset;
}

static enum dpk_status check_sections(const struct dpk_elf *elf, struct dpk_error *err)
{
    if (elf->shoff == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "no sections, so no DPA programs can be found");
    switch (elf->sections_flaw) {
    case DPK_ELF_SOUND:
        return DPK_OK;
    case DPK_ELF_ENTRY_SIZE:
        return dpk_fail(err, DPK_ERR_FORMAT, "e_shentsize is %u, not %zu", elf->shentsize,
                        sizeof(Elf64_Shdr));
    case DPK_ELF_OUTSIDE:
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "section header table at %#" PRIx64 " is outside the file: truncated?",
                        elf->shoff);
    default:
        return dpk_fail(err, DPK_ERR_FORMAT, "section header table has no sound number of entries");
    }
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Returns true for sections that this room reads programs from or writes into. */
static bool is_ours(const struct section *s)
{
    return starts_with(s->name, ".dpa_") || starts_with(s->name, "sig_");
}

static bool has_content(const struct section *s)
{
    return s->type != SHT_NULL && s->type != SHT_NOBITS && s->size > 0;
}

static enum dpk_status read_headers(const struct dpk_elf *elf, const struct object *o,
                                    struct dpk_error *err)
{
    for (size_t i = 0; i < o->count; i++) {
        struct dpk_elf_section h = dpk_elf_section(elf, i);
        struct section *s = &o->sections[i];
        *s = (struct section){.name = "",
                              .type = h.type,
                              .link = h.link,
                              .flags = h.flags,
                              .offset = h.offset,
                              .size = h.size,
                              .address = h.address,
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

static enum dpk_status read_names(const struct dpk_elf *elf, const struct object *o,
                                  struct dpk_error *err)
{
    if (o->names_index == 0 || o->names_index >= o->count ||
        !has_content(&o->sections[o->names_index]))
        return dpk_fail(err, DPK_ERR_FORMAT, "no section name table (e_shstrndx %zu)",
                        o->names_index);
    const struct section *table = &o->sections[o->names_index];
    /* Names may share bytes. A long name shared by all sections would make sorting slow. */
    uint64_t budget = NAMES_TO_FILE * o->size;
    for (size_t i = 1; i < o->count; i++) {
        struct dpk_elf_section h = dpk_elf_section(elf, i);
        const char *name = dpk_elf_name(elf, &h);
        if (!name)
            return dpk_fail(err, DPK_ERR_FORMAT, "section %zu: its name is outside the name table",
                            i);
        uint64_t length = strlen(name);
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

/* ---- Overlaps ---- */

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

/* Finds an overlap with a section of ours. The extents are sorted by their start. */
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

static enum dpk_status check_overlaps(const struct object *o, const struct dpk_elf *elf,
                                      struct dpk_error *err)
{
    size_t n = 0;
    struct extent *e = calloc(o->count + 3, sizeof *e);
    if (!e)
        return dpk_fail_nomem(err);
    e[n++] = (struct extent){o->base, o->base + sizeof(Elf64_Ehdr), "ELF header", false};
    e[n++] = (struct extent){o->table, o->table + o->count * sizeof(Elf64_Shdr),
                             "section header table", false};
    if (elf->phnum)
        e[n++] = (struct extent){o->base + elf->phoff,
                                 o->base + elf->phoff + elf->phnum * sizeof(Elf64_Phdr),
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

/* ---- Segments ---- */

/* Takes e_phnum literally, without PN_XNUM, as loaders do. */
static enum dpk_status read_segments(const struct dpk_elf *elf, struct object *o,
                                     struct dpk_error *err)
{
    size_t phnum = elf->phnum;
    if (elf->segments_flaw == DPK_ELF_ENTRY_SIZE)
        return dpk_fail(err, DPK_ERR_FORMAT, "e_phentsize is %u, not %zu", elf->phentsize,
                        sizeof(Elf64_Phdr));
    /* An empty table must be inside the file, too. */
    if (!inside(elf->phoff, phnum * sizeof(Elf64_Phdr), o->size))
        return dpk_fail(err, DPK_ERR_FORMAT, "program header table is outside the file");
    o->runs = phnum > 0 && elf->type != ET_REL;
    o->loads = phnum ? calloc(phnum, sizeof *o->loads) : NULL;
    if (phnum && !o->loads)
        return dpk_fail_nomem(err);
    uint64_t table_end = elf->phoff + phnum * sizeof(Elf64_Phdr);
    o->segments_end = o->base + (table_end > sizeof(Elf64_Ehdr) ? table_end : sizeof(Elf64_Ehdr));
    for (size_t i = 0; i < phnum; i++) {
        struct dpk_elf_segment p = dpk_elf_segment(elf, i);
        /* The segment may be damaged, or belong to a debug file: then nothing may move. */
        uint64_t end = inside(p.offset, p.file_size, o->size) ? p.offset + p.file_size : o->size;
        if (p.file_size && o->base + end > o->segments_end)
            o->segments_end = o->base + end;
        /* The dynamic linker maps all file bytes, even if p_memsz is smaller. */
        uint64_t memory_size = p.memory_size > p.file_size ? p.memory_size : p.file_size;
        if (p.type == PT_LOAD && memory_size)
            o->loads[o->load_count++] = (struct load){.index = (unsigned)i,
                                                      .offset = o->base + p.offset,
                                                      .address = p.address,
                                                      .file_size = p.file_size,
                                                      .memory_size = memory_size};
    }
    return DPK_OK;
}

/* ---- Whole object ---- */

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

enum dpk_status hostfile_object_read(const struct dpk_hostfile *host, uint64_t base, uint64_t size,
                                     struct object *o, struct dpk_error *err)
{
    const struct dpk_elf elf = dpk_elf(host->bytes.data + base, (size_t)size);
    *o = (struct object){.base = base, .size = size};
    enum dpk_status status = check_kind(&elf, err);
    if (status == DPK_OK)
        status = check_sections(&elf, err);
    if (status != DPK_OK)
        return status;
    o->table = base + elf.shoff;
    o->count = elf.section_count;
    o->names_index = elf.names_index;
    o->extended = elf.shnum == 0 || elf.shstrndx == SHN_XINDEX;
    o->sections = calloc(o->count, sizeof *o->sections);
    if (!o->sections)
        return dpk_fail_nomem(err);
    status = read_headers(&elf, o, err);
    if (status == DPK_OK)
        status = read_names(&elf, o, err);
    if (status == DPK_OK)
        status = read_segments(&elf, o, err);
    if (status == DPK_OK)
        status = check_overlaps(o, &elf, err);
    if (status == DPK_OK)
        status = index_names(o, err);
    if (status != DPK_OK)
        hostfile_object_free(o);
    return status;
}

void hostfile_object_free(struct object *o)
{
    free(o->by_name);
    free(o->sections);
    free(o->loads);
    *o = (struct object){0};
}

size_t hostfile_object_index(const struct object *o, const struct section *s)
{
    return (size_t)(s->header - o->table) / sizeof(Elf64_Shdr);
}

static int compare_name(const void *key, const void *element)
{
    const struct section *const *s = element;
    return strcmp(key, (*s)->name);
}

enum dpk_status hostfile_object_find(const struct object *o, const char *name,
                                     const struct section **out, struct dpk_error *err)
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
