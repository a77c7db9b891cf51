/* Fields of the small executable that are put wrong, each so that the loader refuses it. */
#ifndef TESTS_WRONG_FIELDS_H
#define TESTS_WRONG_FIELDS_H

#include "tiny_elf.h"

#define P(n, field) (PHDR + (n)*56u + offsetof(Elf64_Phdr, field))
#define S(n, field) (SHDR + (n)*64u + offsetof(Elf64_Shdr, field))

static const struct {
    size_t at;
    unsigned width;
    uint64_t value;
    enum dpk_status status;
    const char *says;
} wrong[] = {
    {0, 1, 'x', DPK_ERR_FORMAT, "no ELF magic"},
    {0, 8, 0x464246415044564e, DPK_ERR_UNSUPPORTED, "multi-target area"}, /* NVDPAFBF */
    {EI_CLASS, 1, ELFCLASS32, DPK_ERR_UNSUPPORTED, "EI_CLASS is 1"},
    {EI_DATA, 1, ELFDATA2MSB, DPK_ERR_UNSUPPORTED, "EI_DATA is 2"},
    {EI_VERSION, 1, 0, DPK_ERR_FORMAT, "EI_VERSION is 0"},
    {16, 2, ET_DYN, DPK_ERR_UNSUPPORTED, "e_type is 3"},
    {18, 2, EM_X86_64, DPK_ERR_UNSUPPORTED, "e_machine is 62, not RISC-V"},
    {20, 4, 7, DPK_ERR_FORMAT, "e_version is 7"},
    {24, 8, 0x10020, DPK_ERR_FORMAT, "e_entry 0x10020 is not in an executable"},
    {24, 8, 0x11000, DPK_ERR_FORMAT, "e_entry 0x11000"},
    {24, 8, 0x10005, DPK_ERR_FORMAT, "e_entry 0x10005"},
    {24, 8, UINT64_MAX, DPK_ERR_FORMAT, "e_entry"},
    {24, 8, 0x0fffe, DPK_ERR_FORMAT, "e_entry 0xfffe"},
    {32, 8, SIZE, DPK_ERR_FORMAT, "e_phoff"},
    {32, 8, UINT64_MAX - 8, DPK_ERR_FORMAT, "e_phoff"},
    {40, 8, UINT64_MAX - 8, DPK_ERR_FORMAT, "e_shoff"},
    {40, 8, 1ull << 63, DPK_ERR_FORMAT, "e_shoff"},
    {32, 8, 1ull << 63, DPK_ERR_FORMAT, "e_phoff"},
    {32, 8, SIZE - 2 * 56 + 1, DPK_ERR_FORMAT, "e_phoff"},
    {40, 8, SHDRS + 1, DPK_ERR_FORMAT, "e_shoff"},
    {48, 4, 5, DPK_ERR_UNSUPPORTED, "e_flags 0x5"},
    {52, 2, 52, DPK_ERR_FORMAT, "e_ehsize is 52"},
    {54, 2, 32, DPK_ERR_FORMAT, "e_phentsize is 32"},
    {56, 2, 0, DPK_ERR_FORMAT, "e_phnum is 0"},
    {56, 2, 0xffff, DPK_ERR_FORMAT, "e_phnum is 65535"},
    {56, 2, 100, DPK_ERR_FORMAT, "e_phnum 100 reach beyond"},
    {58, 2, 40, DPK_ERR_FORMAT, "e_shentsize is 40"},
    {60, 2, 4, DPK_ERR_FORMAT, "e_shnum 4 reach beyond"},
    {60, 2, 0xffff, DPK_ERR_FORMAT, "e_shnum 65535 reach beyond"},
    {62, 2, 3, DPK_ERR_FORMAT, "e_shstrndx 3 is not a section"},
    {62, 2, 0xffff, DPK_ERR_FORMAT, "e_shstrndx 65535"},
    {P(0, p_type), 4, PT_TLS, DPK_ERR_UNSUPPORTED, "segment 0: p_type PT_TLS"},
    {P(1, p_type), 4, PT_NOTE, DPK_ERR_FORMAT, "e_entry"},
    {P(0, p_type), 4, PT_INTERP, DPK_ERR_UNSUPPORTED, "segment 0: p_type PT_INTERP"},
    {P(0, p_type), 4, PT_DYNAMIC, DPK_ERR_UNSUPPORTED, "segment 0: p_type PT_DYNAMIC"},
    {P(1, p_type), 4, PT_NULL, DPK_ERR_FORMAT, "e_entry"},
    {P(1, p_flags), 4, 0, DPK_ERR_FORMAT, "segment 1: p_flags grant nothing"},
    {P(1, p_flags), 4, 7, DPK_ERR_FORMAT, "segment 1: p_flags make code writable"},
    {P(0, p_flags), 4, PF_W | PF_X, DPK_ERR_FORMAT, "segment 0: p_flags make code writable"},
    {P(1, p_flags), 4, PF_R, DPK_ERR_FORMAT, "e_entry"},
    {P(0, p_offset), 8, SIZE, DPK_ERR_FORMAT, "segment 0: p_offset"},
    {P(0, p_offset), 8, UINT64_MAX - 3, DPK_ERR_FORMAT, "segment 0: p_offset"},
    {P(0, p_offset), 8, DATA + 1, DPK_ERR_FORMAT, "modulo p_align"},
    {P(0, p_vaddr), 8, 0, DPK_ERR_FORMAT, "segment 0: p_vaddr 0x0"},
    {P(0, p_vaddr), 8, 0xf00, DPK_ERR_FORMAT, "segment 0: p_vaddr 0xf00"},
    {P(0, p_vaddr), 8, 0xbffff000, DPK_ERR_FORMAT, "leave the program's addresses"},
    {P(0, p_vaddr), 8, UINT64_MAX - 0xff, DPK_ERR_FORMAT, "leave the program's addresses"},
    {P(0, p_vaddr), 8, 0x10f00, DPK_ERR_FORMAT, "0x10000 and 0x10f00 share a page"},
    {P(0, p_vaddr), 8, 0xf000, DPK_ERR_FORMAT, "0xf000 and 0x10000 share a page"},
    {P(0, p_filesz), 8, 0x2001, DPK_ERR_FORMAT, "p_filesz 0x2001 exceeds p_memsz 0x2000"},
    {P(0, p_filesz), 8, 0x1000, DPK_ERR_FORMAT, "reach beyond the file"},
    {P(0, p_memsz), 8, 7, DPK_ERR_FORMAT, "p_filesz 0x8 exceeds p_memsz 0x7"},
    {P(0, p_memsz), 8, UINT64_MAX, DPK_ERR_FORMAT, "leave the program's addresses"},
    {P(0, p_memsz), 8, DPK_PROGRAM_END, DPK_ERR_FORMAT, "leave the program's addresses"},
    {P(0, p_memsz), 8, 1ull << 63, DPK_ERR_FORMAT, "leave the program's addresses"},
    {P(0, p_filesz), 8, 1ull << 63, DPK_ERR_FORMAT, "p_filesz 0x8000000000000000 exceeds p_memsz"},
    {P(0, p_vaddr), 8, 1ull << 63, DPK_ERR_FORMAT, "p_vaddr 0x8000000000000000"},
    {P(0, p_offset), 8, 1ull << 63, DPK_ERR_FORMAT, "segment 0: p_offset 0x8000000000000000"},
    {P(0, p_align), 8, 1ull << 63, DPK_ERR_FORMAT, "modulo p_align"},
    {P(0, p_align), 8, 3, DPK_ERR_FORMAT, "p_align 0x3 is not a power of two"},
    {S(0, sh_type), 4, SHT_SYMTAB, DPK_ERR_FORMAT, "section 0: sh_entsize"},
    {S(1, sh_entsize), 8, 23, DPK_ERR_FORMAT, "section 1: sh_entsize 23"},
    {S(1, sh_size), 8, 25, DPK_ERR_FORMAT, "sh_size 25"},
    {S(1, sh_size), 8, 24ull << 32, DPK_ERR_FORMAT, "more than 1000000 symbols"},
    {S(1, sh_size), 8, 1ull << 63, DPK_ERR_FORMAT, "section 1: sh_entsize"},
    {S(1, sh_entsize), 8, 1ull << 63, DPK_ERR_FORMAT, "section 1: sh_entsize"},
    {S(1, sh_offset), 8, 1ull << 63, DPK_ERR_FORMAT, "symbol table: sh_offset"},
    {S(2, sh_offset), 8, 1ull << 63, DPK_ERR_FORMAT, "string table: sh_offset"},
    {S(2, sh_size), 8, 1ull << 63, DPK_ERR_FORMAT, "string table"},
    {S(1, sh_offset), 8, SIZE, DPK_ERR_FORMAT, "symbol table: sh_offset"},
    {S(1, sh_link), 4, 3, DPK_ERR_FORMAT, "sh_link 3 is not a section"},
    {S(1, sh_link), 4, 1, DPK_ERR_FORMAT, "sh_link 1 is not a string table"},
    {S(2, sh_offset), 8, UINT64_MAX, DPK_ERR_FORMAT, "string table: sh_offset"},
    {S(2, sh_size), 8, 3, DPK_ERR_FORMAT, "last byte is not NUL"},
    {S(2, sh_size), 8, 0, DPK_ERR_FORMAT, "string table"},
    {SYMTAB + 24, 4, 1000, DPK_ERR_FORMAT, "symbol 1: st_name 1000"},
};

#endif
