/* The ELF header and program headers of a device executable (System V ABI, "Object Files"; RISC-V
 * ELF psABI). Every field is hostile until it is checked here. */
#include <stdlib.h>
#include <string.h>

#include "engine/loader/image.h"
#include "fat/fat.h"

#define PAGE            4096ull
#define RISCV_FLOAT_ABI 0x6 /* e_flags, psABI: 0 is soft float, the DPA's only ABI */
#define RISCV_RVE       0x8

static enum dpk_status check_ident(const struct dpk_elf *elf, struct dpk_error *err)
{
    const uint8_t *ident = elf->ident;
    size_t size = dpk_reader_left(&elf->file);
    if (!ident)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: %zu bytes, needs %zu", size,
                        sizeof(Elf64_Ehdr));
    if (dpk_fat_is(elf->file.begin, size))
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "a multi-target area inside another one");
    if (elf->flaw == DPK_ELF_MAGIC)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: no ELF magic");
    if (elf->flaw == DPK_ELF_CLASS)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "ELF header: EI_CLASS is %u, not ELFCLASS64",
                        ident[EI_CLASS]);
    if (elf->flaw == DPK_ELF_BYTE_ORDER)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "ELF header: EI_DATA is %u, not little-endian",
                        ident[EI_DATA]);
    if (ident[EI_VERSION] != EV_CURRENT)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: EI_VERSION is %u", ident[EI_VERSION]);
    if (elf->flaw != DPK_ELF_SOUND)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: %zu bytes, needs %zu", size,
                        sizeof(Elf64_Ehdr));
    return DPK_OK;
}

static enum dpk_status check_header(const struct dpk_elf *elf, struct dpk_error *err)
{
    enum dpk_status status = check_ident(elf, err);
    if (status != DPK_OK)
        return status;
    if (elf->machine != EM_RISCV)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "ELF header: e_machine is %u, not RISC-V (%d)",
                        elf->machine, EM_RISCV);
    if (elf->type != ET_EXEC)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "ELF header: e_type is %u, not ET_EXEC",
                        elf->type);
    if (elf->version != EV_CURRENT)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: e_version is %u", elf->version);
    if (elf->flags & (RISCV_FLOAT_ABI | RISCV_RVE))
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "ELF header: e_flags 0x%x ask for a floating-point or embedded ABI",
                        elf->flags);
    if (elf->ehsize != sizeof(Elf64_Ehdr))
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: e_ehsize is %u, not %zu", elf->ehsize,
                        sizeof(Elf64_Ehdr));
    if (elf->phentsize != sizeof(Elf64_Phdr))
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: e_phentsize is %u, not %zu",
                        elf->phentsize, sizeof(Elf64_Phdr));
    if (elf->phnum == 0 || elf->phnum > IMAGE_SEGMENTS_MAX)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: e_phnum is %u, not 1 to %d", elf->phnum,
                        IMAGE_SEGMENTS_MAX);
    if (elf->segments_flaw != DPK_ELF_SOUND)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "ELF header: e_phoff 0x%llx, e_phnum %u reach beyond the file",
                        (unsigned long long)elf->phoff, elf->phnum);
    return DPK_OK;
}

static enum dpk_status check_load(const struct dpk_elf_segment *h, unsigned n, size_t file_size,
                                  struct dpk_error *err)
{
    if (h->file_size > h->memory_size)
        return dpk_fail(err, DPK_ERR_FORMAT, "segment %u: p_filesz 0x%llx exceeds p_memsz 0x%llx",
                        n, (unsigned long long)h->file_size, (unsigned long long)h->memory_size);
    bool in_file = h->file_size > 0; /* otherwise p_offset has no meaning */
    if (in_file && (h->offset > file_size || h->file_size > file_size - h->offset))
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "segment %u: p_offset 0x%llx, p_filesz 0x%llx reach beyond the file", n,
                        (unsigned long long)h->offset, (unsigned long long)h->file_size);
    if (h->address < DPK_PROGRAM_BEGIN || h->address > DPK_PROGRAM_END ||
        h->memory_size > DPK_PROGRAM_END - h->address)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "segment %u: p_vaddr 0x%llx, p_memsz 0x%llx leave the program's addresses "
                        "0x%llx to 0x%llx",
                        n, (unsigned long long)h->address, (unsigned long long)h->memory_size,
                        DPK_PROGRAM_BEGIN, DPK_PROGRAM_END);
    if (h->alignment & (h->alignment - 1))
        return dpk_fail(err, DPK_ERR_FORMAT, "segment %u: p_align 0x%llx is not a power of two", n,
                        (unsigned long long)h->alignment);
    if (in_file && h->alignment > 1 && ((h->address ^ h->offset) & (h->alignment - 1)))
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "segment %u: p_vaddr and p_offset differ modulo p_align", n);
    if (!(h->flags & (PF_R | PF_W | PF_X)))
        return dpk_fail(err, DPK_ERR_FORMAT, "segment %u: p_flags grant nothing", n);
    if ((h->flags & PF_W) && (h->flags & PF_X))
        return dpk_fail(err, DPK_ERR_FORMAT, "segment %u: p_flags make code writable", n);
    return DPK_OK;
}

static enum dpk_status add_segment(struct dpk_image *image, const struct dpk_elf_segment *h,
                                   unsigned n, struct dpk_error *err)
{
    switch (h->type) {
    case PT_INTERP:
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "segment %u: p_type PT_INTERP: dynamic", n);
    case PT_DYNAMIC:
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "segment %u: p_type PT_DYNAMIC: dynamic", n);
    case PT_TLS: /* the start-up code does not set tp */
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "segment %u: p_type PT_TLS: thread-local variables", n);
    case PT_LOAD:
        break;
    default:
        return DPK_OK;
    }
    enum dpk_status status = check_load(h, n, dpk_reader_left(&image->elf.file), err);
    if (status != DPK_OK || h->memory_size == 0)
        return status;
    image->segments[image->segment_count++] = (struct dpk_segment){
        .address = h->address,
        .memory_size = h->memory_size,
        .data = image->elf.file.begin + (h->file_size ? h->offset : 0),
        .data_size = h->file_size,
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

const struct dpk_segment *loader_image_text_at(const struct dpk_image *image, uint64_t address)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct dpk_segment *s = &image->segments[i];
        if (s->executable && address >= s->address && address - s->address < s->memory_size)
            return s;
    }
    return NULL;
}

enum dpk_status loader_image_read_elf(struct dpk_image *image, struct dpk_error *err)
{
    const struct dpk_elf *elf = &image->elf;
    enum dpk_status status = check_header(elf, err);
    for (unsigned n = 0; n < elf->segment_count && status == DPK_OK; n++) {
        struct dpk_elf_segment h = dpk_elf_segment(elf, n);
        status = add_segment(image, &h, n, err);
    }
    if (status != DPK_OK)
        return status;
    image->entry = elf->entry;
    if (image->segment_count == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "program headers: nothing to load");
    qsort(image->segments, image->segment_count, sizeof *image->segments, by_address);
    if ((status = check_overlap(image, err)) != DPK_OK)
        return status;
    if (!loader_image_text_at(image, image->entry) || image->entry % 2)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "ELF header: e_entry 0x%llx is not in an executable segment",
                        (unsigned long long)image->entry);
    return DPK_OK;
}
