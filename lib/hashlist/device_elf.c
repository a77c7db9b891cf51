#include "device_elf.h"

#include <inttypes.h>

struct span hashlist_span_of(struct dpk_reader r)
{
    size_t size = dpk_reader_left(&r);
    return size ? (struct span){r.pos, size} : (struct span){0};
}

static enum dpk_status outside(const char *what, uint64_t offset, uint64_t size,
                               struct dpk_error *err)
{
    return dpk_fail(err, DPK_ERR_FORMAT,
                    "device ELF: %s is outside the file (offset %#" PRIx64 ", %" PRIu64 " bytes)",
                    what, offset, size);
}

static enum dpk_status check_file_header(const struct dpk_elf *elf, struct dpk_error *err)
{
    if (!elf->ident || elf->flaw == DPK_ELF_MAGIC)
        return dpk_fail(err, DPK_ERR_FORMAT, "device ELF: no ELF magic");
    if (elf->flaw == DPK_ELF_CLASS)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "device ELF: not a 64-bit ELF");
    if (elf->flaw == DPK_ELF_BYTE_ORDER)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "device ELF: not little-endian");
    if (elf->flaw != DPK_ELF_SOUND)
        return dpk_fail(err, DPK_ERR_FORMAT, "device ELF: %zu bytes, shorter than its header",
                        dpk_reader_left(&elf->file));
    if (elf->ehsize != sizeof(Elf64_Ehdr))
        return dpk_fail(err, DPK_ERR_FORMAT, "device ELF: e_ehsize %u, not %zu", elf->ehsize,
                        sizeof(Elf64_Ehdr));
    if (elf->segments_flaw == DPK_ELF_ENTRY_SIZE)
        return dpk_fail(err, DPK_ERR_FORMAT, "device ELF: e_phentsize %u, not %zu", elf->phentsize,
                        sizeof(Elf64_Phdr));
    if (elf->shnum && elf->sections_flaw == DPK_ELF_ENTRY_SIZE)
        return dpk_fail(err, DPK_ERR_FORMAT, "device ELF: e_shentsize %u, not %zu", elf->shentsize,
                        sizeof(Elf64_Shdr));
    return DPK_OK;
}

enum dpk_status hashlist_device_elf_check(const struct dpk_elf *elf, struct dpk_error *err)
{
    struct span names;
    enum dpk_status status = check_file_header(elf, err);
    /* An ELF with extended numbering is too large for a full hash list, and a compact list needs no
     * tables. */
    if (status != DPK_OK || elf->extended)
        return status;
    if (elf->segments_flaw != DPK_ELF_SOUND)
        return outside("program header table", elf->phoff, elf->phnum * sizeof(Elf64_Phdr), err);
    if (elf->sections_flaw != DPK_ELF_SOUND)
        return outside("section header table", elf->shoff, elf->shnum * sizeof(Elf64_Shdr), err);
    if (elf->shstrndx == SHN_UNDEF)
        return DPK_OK;
    if (elf->shstrndx >= elf->section_count)
        return dpk_fail(err, DPK_ERR_FORMAT, "device ELF: e_shstrndx %u, but %zu sections",
                        elf->shstrndx, elf->section_count);
    struct dpk_elf_section s = dpk_elf_section(elf, elf->shstrndx);
    return dpk_elf_has_content(&s) ? hashlist_device_elf_section(elf, elf->shstrndx, &names, err)
                                   : DPK_OK;
}

enum dpk_status hashlist_device_elf_segment(const struct dpk_elf *elf, unsigned index,
                                            struct span *out, struct dpk_error *err)
{
    struct dpk_elf_segment s = dpk_elf_segment(elf, index);
    struct dpk_reader content =
        dpk_reader_slice(&elf->file, s.file_size ? s.offset : 0, s.file_size);
    char what[32];
    snprintf(what, sizeof what, "segment %u", index);
    *out = hashlist_span_of(content);
    return content.failed ? outside(what, s.offset, s.file_size, err) : DPK_OK;
}

enum dpk_status hashlist_device_elf_section(const struct dpk_elf *elf, unsigned index,
                                            struct span *out, struct dpk_error *err)
{
    struct dpk_elf_section s = dpk_elf_section(elf, index);
    struct dpk_reader content = dpk_elf_content(elf, &s);
    char what[32];
    snprintf(what, sizeof what, "section %u", index);
    *out = hashlist_span_of(content);
    return content.failed ? outside(what, s.offset, s.size, err) : DPK_OK;
}
