#include "device_elf.h"

#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "hashlist/hashlist.h"

bool dpk_device_elf_is(const void *bytes, size_t size)
{
    struct dpk_reader r = dpk_reader(bytes, size);
    const uint8_t *magic = dpk_read_bytes(&r, SELFMAG);
    if (!magic || memcmp(magic, ELFMAG, SELFMAG) != 0)
        return false;
    dpk_read_skip(&r, EI_NIDENT - SELFMAG + 2); /* the rest of e_ident, e_type */
    return dpk_read_le16(&r) == EM_RISCV;
}

/* Bytes [offset, offset+size); no bytes are nowhere, whatever the offset. */
static enum dpk_status span_at(const struct device_elf *e, uint64_t offset, uint64_t size,
                               const char *what, struct span *out, struct dpk_error *err)
{
    *out = (struct span){0};
    if (size == 0)
        return DPK_OK;
    struct dpk_reader r = dpk_reader_slice(&e->file, offset, size);
    if (r.failed)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "device ELF: %s is outside the file (offset %#" PRIx64 ", %" PRIu64
                        " bytes)",
                        what, offset, size);
    out->data = r.begin;
    out->size = (size_t)size;
    return DPK_OK;
}

static enum dpk_status check_ident(const struct dpk_reader *file, struct dpk_error *err)
{
    struct dpk_reader r = *file;
    const uint8_t *ident = dpk_read_bytes(&r, EI_NIDENT);
    if (!ident || memcmp(ident, ELFMAG, SELFMAG) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "device ELF: no ELF magic");
    if (ident[EI_CLASS] != ELFCLASS64)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "device ELF: not a 64-bit ELF");
    if (ident[EI_DATA] != ELFDATA2LSB)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "device ELF: not little-endian");
    return DPK_OK;
}

static enum dpk_status find_section_names(struct device_elf *e, unsigned index,
                                          struct dpk_error *err)
{
    struct device_section s;
    if (index == SHN_UNDEF)
        return DPK_OK;
    if (index >= e->section_count)
        return dpk_fail(err, DPK_ERR_FORMAT, "device ELF: e_shstrndx %u, but %u sections", index,
                        e->section_count);
    enum dpk_status status = device_elf_section(e, index, &s, err);
    if (status == DPK_OK)
        e->section_names = s.data;
    return status;
}

enum dpk_status device_elf_open(const uint8_t *elf, size_t size, struct device_elf *out,
                                struct dpk_error *err)
{
    struct device_elf e = {.file = dpk_reader(elf, size)};
    enum dpk_status status = check_ident(&e.file, err);
    if (status != DPK_OK)
        return status;

    struct dpk_reader r = e.file;
    dpk_read_skip(&r, EI_NIDENT + 2 + 2 + 4 + 8); /* e_type, e_machine, e_version, e_entry */
    uint64_t phoff = dpk_read_le64(&r), shoff = dpk_read_le64(&r);
    dpk_read_skip(&r, 4); /* e_flags */
    unsigned ehsize = dpk_read_le16(&r);
    unsigned phentsize = dpk_read_le16(&r), phnum = dpk_read_le16(&r);
    unsigned shentsize = dpk_read_le16(&r), shnum = dpk_read_le16(&r);
    unsigned shstrndx = dpk_read_le16(&r);
    if (r.failed)
        return dpk_fail(err, DPK_ERR_FORMAT, "device ELF: %zu bytes, shorter than its header",
                        size);
    if (ehsize != sizeof(Elf64_Ehdr))
        return dpk_fail(err, DPK_ERR_FORMAT, "device ELF: e_ehsize %u, not %zu", ehsize,
                        sizeof(Elf64_Ehdr));
    if (phnum && phentsize != sizeof(Elf64_Phdr))
        return dpk_fail(err, DPK_ERR_FORMAT, "device ELF: e_phentsize %u, not %zu", phentsize,
                        sizeof(Elf64_Phdr));
    if (shnum && shentsize != sizeof(Elf64_Shdr))
        return dpk_fail(err, DPK_ERR_FORMAT, "device ELF: e_shentsize %u, not %zu", shentsize,
                        sizeof(Elf64_Shdr));
    e.header = (struct span){elf, ehsize};
    e.extended = phnum == PN_XNUM || (shnum == 0 && shoff != 0) || shstrndx == SHN_XINDEX;
    if (e.extended) {
        *out = e;
        return DPK_OK;
    }

    e.segment_count = phnum;
    e.section_count = shnum;
    status = span_at(&e, phoff, (uint64_t)phnum * phentsize, "program header table",
                     &e.program_headers, err);
    if (status == DPK_OK)
        status = span_at(&e, shoff, (uint64_t)shnum * shentsize, "section header table",
                         &e.section_headers, err);
    if (status == DPK_OK)
        status = find_section_names(&e, shstrndx, err);
    if (status == DPK_OK)
        *out = e;
    return status;
}

enum dpk_status device_elf_segment(const struct device_elf *e, unsigned index, struct span *out,
                                   struct dpk_error *err)
{
    struct dpk_reader r = dpk_reader(e->program_headers.data, e->program_headers.size);
    char what[32];
    dpk_read_skip(&r, (size_t)index * sizeof(Elf64_Phdr) + 4 + 4); /* p_type, p_flags */
    uint64_t offset = dpk_read_le64(&r);
    dpk_read_skip(&r, 8 + 8); /* p_vaddr, p_paddr */
    uint64_t size = dpk_read_le64(&r);
    snprintf(what, sizeof what, "segment %u", index);
    return span_at(e, offset, size, what, out, err);
}

static struct span name_at(const struct span *names, uint32_t offset)
{
    if (offset >= names->size)
        return (struct span){0};
    const uint8_t *begin = names->data + offset;
    const uint8_t *end = memchr(begin, 0, names->size - offset);
    return end ? (struct span){begin, (size_t)(end - begin)} : (struct span){0};
}

enum dpk_status device_elf_section(const struct device_elf *e, unsigned index,
                                   struct device_section *out, struct dpk_error *err)
{
    struct dpk_reader r = dpk_reader(e->section_headers.data, e->section_headers.size);
    char what[32];
    *out = (struct device_section){0};
    dpk_read_skip(&r, (size_t)index * sizeof(Elf64_Shdr));
    uint32_t name = dpk_read_le32(&r), type = dpk_read_le32(&r);
    dpk_read_skip(&r, 8 + 8); /* sh_flags, sh_addr */
    uint64_t offset = dpk_read_le64(&r), size = dpk_read_le64(&r);
    out->name = name_at(&e->section_names, name);
    out->hashed = type != SHT_NULL && type != SHT_NOBITS;
    if (!out->hashed)
        return DPK_OK;
    snprintf(what, sizeof what, "section %u", index);
    return span_at(e, offset, size, what, &out->data, err);
}

const uint8_t *dpk_device_elf_section(const uint8_t *elf, size_t size, const char *name,
                                      size_t *section_size)
{
    struct device_elf e;
    if (device_elf_open(elf, size, &e, NULL) != DPK_OK)
        return NULL;
    for (unsigned i = 0; i < e.section_count; i++) {
        struct device_section s;
        if (device_elf_section(&e, i, &s, NULL) != DPK_OK || !s.hashed ||
            s.name.size != strlen(name) || memcmp(s.name.data, name, s.name.size) != 0)
            continue;
        *section_size = s.data.size;
        return s.data.data;
    }
    return NULL;
}
