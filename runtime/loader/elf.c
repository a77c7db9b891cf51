/* The ELF header and program headers of a device executable (System V ABI, "Object Files"; RISC-V
 * ELF psABI). Every field is hostile until it is checked here. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "loader/image.h"

#define PAGE            4096ull
#define EHDR_SIZE       64
#define PHDR_SIZE       56
#define RISCV_FLOAT_ABI 0x6 /* e_flags, psABI: 0 is soft float, the only one the DPA has */
#define RISCV_RVE       0x8

struct program_header {
    uint32_t type, flags;
    uint64_t offset, vaddr, filesz, memsz, align;
};

static enum dpk_status check_ident(struct dpk_reader *r, struct dpk_error *err)
{
    static const uint8_t fat_magic[8] = "DPKFAT1";
    const uint8_t *ident = dpk_read_bytes(r, EI_NIDENT);
    if (!ident)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: %zu bytes, needs %d",
                        (size_t)(r->end - r->begin), EHDR_SIZE);
    if (memcmp(ident, fat_magic, sizeof fat_magic) == 0)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "a fat file: the program of one target must be taken out of it first");
    if (memcmp(ident, ELFMAG, SELFMAG) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: no ELF magic");
    if (ident[EI_CLASS] != ELFCLASS64)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "ELF header: EI_CLASS is %u, not ELFCLASS64",
                        ident[EI_CLASS]);
    if (ident[EI_DATA] != ELFDATA2LSB)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "ELF header: EI_DATA is %u, not little-endian",
                        ident[EI_DATA]);
    if (ident[EI_VERSION] != EV_CURRENT)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: EI_VERSION is %u", ident[EI_VERSION]);
    return DPK_OK;
}

static enum dpk_status check_header(struct dpk_reader *r, uint64_t *entry, uint64_t *phoff,
                                    unsigned *phnum, struct dpk_error *err)
{
    enum dpk_status status = check_ident(r, err);
    if (status != DPK_OK)
        return status;
    unsigned type = dpk_read_le16(r), machine = dpk_read_le16(r), version = dpk_read_le32(r);
    *entry = dpk_read_le64(r);
    *phoff = dpk_read_le64(r);
    dpk_read_skip(r, 8); /* e_shoff: the symbol reader's */
    unsigned flags = dpk_read_le32(r), ehsize = dpk_read_le16(r), phentsize = dpk_read_le16(r);
    *phnum = dpk_read_le16(r);
    dpk_read_skip(r, 6); /* e_shentsize, e_shnum, e_shstrndx */
    if (r->failed)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: %zu bytes, needs %d",
                        (size_t)(r->end - r->begin), EHDR_SIZE);
    if (machine != EM_RISCV)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "ELF header: e_machine is %u, not RISC-V (%d)",
                        machine, EM_RISCV);
    if (type != ET_EXEC)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "ELF header: e_type is %u, not ET_EXEC", type);
    if (version != EV_CURRENT)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: e_version is %u", version);
    if (flags & (RISCV_FLOAT_ABI | RISCV_RVE))
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "ELF header: e_flags 0x%x ask for a floating-point or embedded ABI", flags);
    if (ehsize != EHDR_SIZE)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: e_ehsize is %u, not %d", ehsize,
                        EHDR_SIZE);
    if (phentsize != PHDR_SIZE)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: e_phentsize is %u, not %d", phentsize,
                        PHDR_SIZE);
    if (*phnum == 0 || *phnum > IMAGE_SEGMENTS_MAX)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: e_phnum is %u, not 1 to %d", *phnum,
                        IMAGE_SEGMENTS_MAX);
    return DPK_OK;
}

static struct program_header read_program_header(struct dpk_reader *r)
{
    struct program_header h = {.type = dpk_read_le32(r), .flags = dpk_read_le32(r)};
    h.offset = dpk_read_le64(r);
    h.vaddr = dpk_read_le64(r);
    dpk_read_skip(r, 8); /* p_paddr: no meaning here */
    h.filesz = dpk_read_le64(r);
    h.memsz = dpk_read_le64(r);
    h.align = dpk_read_le64(r);
    return h;
}

static enum dpk_status check_load(const struct program_header *h, unsigned n, size_t file_size,
                                  struct dpk_error *err)
{
    if (h->filesz > h->memsz)
        return dpk_fail(err, DPK_ERR_FORMAT, "segment %u: p_filesz 0x%llx exceeds p_memsz 0x%llx",
                        n, (unsigned long long)h->filesz, (unsigned long long)h->memsz);
    bool in_file = h->filesz > 0; /* else p_offset means nothing */
    if (in_file && (h->offset > file_size || h->filesz > file_size - h->offset))
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "segment %u: p_offset 0x%llx, p_filesz 0x%llx reach beyond the file", n,
                        (unsigned long long)h->offset, (unsigned long long)h->filesz);
    if (h->vaddr < DPK_PROGRAM_BEGIN || h->vaddr > DPK_PROGRAM_END ||
        h->memsz > DPK_PROGRAM_END - h->vaddr)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "segment %u: p_vaddr 0x%llx, p_memsz 0x%llx leave the program's addresses "
                        "0x%llx to 0x%llx",
                        n, (unsigned long long)h->vaddr, (unsigned long long)h->memsz,
                        DPK_PROGRAM_BEGIN, DPK_PROGRAM_END);
    if (h->align & (h->align - 1))
        return dpk_fail(err, DPK_ERR_FORMAT, "segment %u: p_align 0x%llx is not a power of two", n,
                        (unsigned long long)h->align);
    if (in_file && h->align > 1 && ((h->vaddr ^ h->offset) & (h->align - 1)))
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "segment %u: p_vaddr and p_offset differ modulo p_align", n);
    if (!(h->flags & (PF_R | PF_W | PF_X)))
        return dpk_fail(err, DPK_ERR_FORMAT, "segment %u: p_flags grant nothing", n);
    if ((h->flags & PF_W) && (h->flags & PF_X))
        return dpk_fail(err, DPK_ERR_FORMAT, "segment %u: p_flags make code writable", n);
    return DPK_OK;
}

static enum dpk_status add_segment(struct dpk_image *image, const struct program_header *h,
                                   unsigned n, struct dpk_error *err)
{
    switch (h->type) {
    case PT_INTERP:
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "segment %u: p_type PT_INTERP: dynamic", n);
    case PT_DYNAMIC:
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "segment %u: p_type PT_DYNAMIC: dynamic", n);
    case PT_TLS: /* nobody sets tp */
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "segment %u: p_type PT_TLS: thread-local variables", n);
    case PT_LOAD:
        break;
    default:
        return DPK_OK;
    }
    enum dpk_status status = check_load(h, n, image->elf_size, err);
    if (status != DPK_OK || h->memsz == 0)
        return status;
    image->segments[image->segment_count++] = (struct dpk_segment){
        .address = h->vaddr,
        .memory_size = h->memsz,
        .data = image->elf + (h->filesz ? h->offset : 0),
        .data_size = h->filesz,
        .readable = h->flags & PF_R,
        .writable = h->flags & PF_W,
        .executable = h->flags & PF_X,
    };
    return DPK_OK;
}

static int by_address(const void *a, const void *b)
{
    const struct dpk_segment *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static enum dpk_status check_overlap(const struct dpk_image *image, struct dpk_error *err)
{
    for (size_t i = 1; i < image->segment_count; i++) {
        const struct dpk_segment *below = &image->segments[i - 1], *above = &image->segments[i];
        uint64_t last = (below->address + below->memory_size - 1) / PAGE;
        if (above->address / PAGE <= last)
            return dpk_fail(err, DPK_ERR_FORMAT,
                            "p_vaddr: the segments at 0x%llx and 0x%llx share a page",
                            (unsigned long long)below->address, (unsigned long long)above->address);
    }
    return DPK_OK;
}

const struct dpk_segment *image_text_at(const struct dpk_image *image, uint64_t address)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct dpk_segment *s = &image->segments[i];
        if (s->executable && address >= s->address && address - s->address < s->memory_size)
            return s;
    }
    return NULL;
}

enum dpk_status image_read_elf(struct dpk_image *image, struct dpk_error *err)
{
    struct dpk_reader r = dpk_reader(image->elf, image->elf_size);
    uint64_t phoff;
    unsigned phnum;
    enum dpk_status status = check_header(&r, &image->entry, &phoff, &phnum, err);
    if (status != DPK_OK)
        return status;
    struct dpk_reader table = dpk_reader_slice(&r, phoff, (uint64_t)phnum * PHDR_SIZE);
    if (table.failed)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "ELF header: e_phoff 0x%llx, e_phnum %u reach beyond the file",
                        (unsigned long long)phoff, phnum);
    for (unsigned n = 0; n < phnum; n++) {
        struct program_header h = read_program_header(&table);
        if ((status = add_segment(image, &h, n, err)) != DPK_OK)
            return status;
    }
    if (image->segment_count == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "program headers: nothing to load");
    qsort(image->segments, image->segment_count, sizeof *image->segments, by_address);
    if ((status = check_overlap(image, err)) != DPK_OK)
        return status;
    if (!image_text_at(image, image->entry) || image->entry % 2)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "ELF header: e_entry 0x%llx is not in an executable segment",
                        (unsigned long long)image->entry);
    return DPK_OK;
}
