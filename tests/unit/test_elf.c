/* lib/elf: file headers, tables, names, symbols and notes, and their errors. */
#include "elf/elf.h"

#include <string.h>

#include "golden.h"

#define SECTIONS_AT 64
#define SIZE        512

/* A file: its header, then as many section headers as wanted, and room for a name table. */
struct file {
    uint8_t bytes[SIZE];
};

static void put(struct file *f, size_t at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++)
        f->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

#define PUT_HEADER(f, field, value)                                                                \
    put(f, offsetof(Elf64_Ehdr, field), sizeof((Elf64_Ehdr *)0)->field, value)
#define PUT_SECTION(f, n, field, value)                                                            \
    put(f, SECTIONS_AT + (n) * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, field),                   \
        sizeof((Elf64_Shdr *)0)->field, value)

/* Sections: 0; .data with "hello" at 300; names at 400. */
static struct file three_sections(void)
{
    struct file f = {0};
    memcpy(f.bytes, "\177ELF\2\1\1", 7);
    PUT_HEADER(&f, e_type, ET_EXEC);
    PUT_HEADER(&f, e_machine, EM_RISCV);
    PUT_HEADER(&f, e_shoff, SECTIONS_AT);
    PUT_HEADER(&f, e_shentsize, sizeof(Elf64_Shdr));
    PUT_HEADER(&f, e_shnum, 3);
    PUT_HEADER(&f, e_shstrndx, 2);
    PUT_SECTION(&f, 1, sh_name, 1);
    PUT_SECTION(&f, 1, sh_type, SHT_PROGBITS);
    PUT_SECTION(&f, 1, sh_offset, 300);
    PUT_SECTION(&f, 1, sh_size, 5);
    PUT_SECTION(&f, 2, sh_type, SHT_STRTAB);
    PUT_SECTION(&f, 2, sh_offset, 400);
    PUT_SECTION(&f, 2, sh_size, 7);
    memcpy(f.bytes + 300, "hello", 5);
    memcpy(f.bytes + 400, "\0.data", 7);
    return f;
}

static void sections_have_names_and_contents(void **state)
{
    struct file f = three_sections();
    struct dpk_elf elf = dpk_elf(f.bytes, SIZE);
    (void)state;
    assert_int_equal(elf.flaw, DPK_ELF_SOUND);
    assert_int_equal(elf.section_count, 3);
    assert_int_equal(elf.segment_count, 0);
    struct dpk_elf_section s = dpk_elf_section(&elf, 1);
    struct dpk_reader content = dpk_elf_content(&elf, &s);
    assert_string_equal(dpk_elf_name(&elf, &s), ".data");
    assert_int_equal(dpk_reader_left(&content), 5);
    assert_memory_equal(content.begin, "hello", 5);
    content = dpk_elf_find(&elf, ".data");
    assert_false(content.failed);
    assert_ptr_equal(content.begin, f.bytes + 300);
    assert_true(dpk_elf_find(&elf, ".text").failed);
}

static void entries_beyond_the_tables_are_empty(void **state)
{
    struct file f = three_sections();
    struct dpk_elf elf = dpk_elf(f.bytes, SIZE);
    (void)state;
    for (size_t i = 3; i < 6; i++)
        assert_int_equal(dpk_elf_section(&elf, i).type, SHT_NULL);
    assert_int_equal(dpk_elf_section(&elf, SIZE_MAX).type, SHT_NULL);
    assert_int_equal(dpk_elf_segment(&elf, 0).type, PT_NULL);
    assert_int_equal(dpk_elf_segment(&elf, SIZE_MAX).type, PT_NULL);
}

static void flaw_of_the_file_header_is_told(void **state)
{
    struct file f = three_sections();
    (void)state;
    for (size_t size = 0; size < EI_NIDENT; size++) {
        struct dpk_elf elf = dpk_elf(f.bytes, size);
        assert_int_equal(elf.flaw, DPK_ELF_SHORT);
        assert_null(elf.ident);
    }
    for (size_t size = EI_NIDENT; size < sizeof(Elf64_Ehdr); size++) {
        struct dpk_elf elf = dpk_elf(f.bytes, size);
        assert_int_equal(elf.flaw, DPK_ELF_SHORT);
        assert_non_null(elf.ident);
        assert_int_equal(elf.section_count, 0);
    }
    static const struct {
        size_t at;
        enum dpk_elf_flaw flaw;
    } wrong[] = {{0, DPK_ELF_MAGIC}, {EI_CLASS, DPK_ELF_CLASS}, {EI_DATA, DPK_ELF_BYTE_ORDER}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        f = three_sections();
        f.bytes[wrong[i].at] ^= 3;
        struct dpk_elf elf = dpk_elf(f.bytes, SIZE);
        assert_int_equal(elf.flaw, wrong[i].flaw);
        assert_int_equal(elf.section_count, 0);
    }
}

static void table_outside_the_file_or_of_other_entries_is_empty(void **state)
{
    struct file f = three_sections();
    (void)state;
    PUT_HEADER(&f, e_shoff, SIZE - 3 * sizeof(Elf64_Shdr) + 1);
    PUT_HEADER(&f, e_phoff, UINT64_MAX);
    PUT_HEADER(&f, e_phentsize, sizeof(Elf64_Phdr));
    PUT_HEADER(&f, e_phnum, 1);
    struct dpk_elf elf = dpk_elf(f.bytes, SIZE);
    assert_int_equal(elf.sections_flaw, DPK_ELF_OUTSIDE);
    assert_int_equal(elf.segments_flaw, DPK_ELF_OUTSIDE);
    assert_int_equal(elf.section_count + elf.segment_count, 0);
    PUT_HEADER(&f, e_shentsize, 63);
    PUT_HEADER(&f, e_phentsize, 55);
    elf = dpk_elf(f.bytes, SIZE);
    assert_int_equal(elf.sections_flaw, DPK_ELF_ENTRY_SIZE);
    assert_int_equal(elf.segments_flaw, DPK_ELF_ENTRY_SIZE);
    assert_int_equal(elf.section_count + elf.segment_count, 0);
}

static void extended_numbers_are_those_of_section_0(void **state)
{
    struct file f = three_sections();
    (void)state;
    PUT_HEADER(&f, e_shnum, 0);
    PUT_HEADER(&f, e_shstrndx, SHN_XINDEX);
    PUT_SECTION(&f, 0, sh_size, 3);
    PUT_SECTION(&f, 0, sh_link, 2);
    struct dpk_elf elf = dpk_elf(f.bytes, SIZE);
    assert_true(elf.extended);
    assert_int_equal(elf.section_count, 3);
    assert_false(dpk_elf_find(&elf, ".data").failed);
    static const uint64_t impossible[] = {0,         8, SIZE, UINT64_MAX / 64, UINT64_MAX / 64 + 2,
                                          UINT64_MAX};
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
        PUT_SECTION(&f, 0, sh_size, impossible[i]);
        elf = dpk_elf(f.bytes, SIZE);
        assert_int_equal(elf.sections_flaw, DPK_ELF_COUNT);
        assert_int_equal(elf.section_count, 0);
    }
}

static void content_and_names_outside_are_not_there(void **state)
{
    struct file f = three_sections();
    (void)state;
    PUT_SECTION(&f, 1, sh_size, SIZE - 300 + 1);
    struct dpk_elf elf = dpk_elf(f.bytes, SIZE);
    struct dpk_elf_section s = dpk_elf_section(&elf, 1);
    assert_true(dpk_elf_content(&elf, &s).failed);
    PUT_SECTION(&f, 1, sh_size, 0); /* a section without bytes may have any offset */
    PUT_SECTION(&f, 1, sh_offset, UINT64_MAX);
    elf = dpk_elf(f.bytes, SIZE);
    s = dpk_elf_section(&elf, 1);
    assert_false(dpk_elf_content(&elf, &s).failed);
    PUT_SECTION(&f, 1, sh_type, SHT_NOBITS);
    s = dpk_elf_section(&elf, 1);
    assert_true(dpk_elf_content(&elf, &s).failed);
    static const uint32_t names[] = {7, 8, UINT32_MAX};
    for (size_t i = 0; i < 3; i++) {
        PUT_SECTION(&f, 1, sh_name, names[i]);
        s = dpk_elf_section(&elf, 1);
        assert_null(dpk_elf_name(&elf, &s));
    }
    PUT_SECTION(&f, 1, sh_name, 1);
    f.bytes[406] = 'x'; /* removes the NUL of the name */
    s = dpk_elf_section(&elf, 1);
    assert_null(dpk_elf_name(&elf, &s));
    PUT_SECTION(&f, 2, sh_type, SHT_NOBITS);
    elf = dpk_elf(f.bytes, SIZE);
    assert_int_equal(dpk_reader_left(&elf.names), 0);
}

static void notes_end_with_the_segment_or_with_damage(void **state)
{
    static const uint8_t two[] = "\5\0\0\0\3\0\0\0\1\0\0\0CORE\0\0\0\0abc\0"
                                 "\0\0\0\0\1\0\0\0\2\0\0\0z";
    struct dpk_elf_note note;
    (void)state;
    struct dpk_reader r = dpk_reader(two, sizeof two - 1);
    assert_true(dpk_elf_read_note(&r, &note));
    assert_int_equal(note.type, 1);
    assert_int_equal(note.name_size, 5);
    assert_string_equal((const char *)note.name, "CORE");
    assert_int_equal(dpk_reader_left(&note.content), 3);
    assert_true(dpk_elf_read_note(&r, &note)); /* the last note has no padding */
    assert_int_equal(note.type, 2);
    assert_int_equal(*note.content.begin, 'z');
    assert_false(dpk_elf_read_note(&r, &note));
    for (size_t size = 0; size < 23; size++) {
        r = dpk_reader(two, size);
        assert_false(dpk_elf_read_note(&r, &note));
    }
}

static void symbols_end_with_their_table(void **state)
{
    static const uint8_t bytes[24] = {1, 0, 0, 0, 0x12, 0, 3, 0, 0x34, [16] = 8};
    struct dpk_reader r = dpk_reader(bytes, sizeof bytes);
    (void)state;
    struct dpk_elf_symbol s = dpk_elf_read_symbol(&r);
    assert_false(r.failed);
    assert_int_equal(s.name, 1);
    assert_int_equal(s.info, 0x12);
    assert_int_equal(s.section, 3);
    assert_int_equal(s.value, 0x34);
    assert_int_equal(s.size, 8);
    s = dpk_elf_read_symbol(&r);
    assert_true(r.failed);
    assert_int_equal(s.value, 0);
}

static void headers_that_are_written_are_read_again(void **state)
{
    const struct dpk_elf_segment segment = {.type = PT_LOAD,
                                            .flags = PF_R,
                                            .offset = UINT64_MAX,
                                            .address = 1,
                                            .file_size = 2,
                                            .memory_size = UINT64_MAX - 1,
                                            .alignment = 4};
    const struct dpk_elf_section section = {.name = 1,
                                            .type = 2,
                                            .link = UINT32_MAX,
                                            .info = 4,
                                            .flags = 5,
                                            .address = UINT64_MAX,
                                            .offset = 7,
                                            .size = 8,
                                            .alignment = 9,
                                            .entry_size = 10};
    struct dpk_buf b = {0};
    struct dpk_elf elf = {.segment_count = 2, .section_count = 2};
    (void)state;
    dpk_elf_put_segment(&b, &(struct dpk_elf_segment){0});
    dpk_elf_put_segment(&b, &segment);
    elf.segments = dpk_reader(b.data, b.size);
    assert_int_equal(b.size, 2 * sizeof(Elf64_Phdr));
    struct dpk_elf_segment as = dpk_elf_segment(&elf, 1);
    assert_memory_equal(&as, &segment, sizeof as);
    dpk_buf_free(&b);
    dpk_elf_put_section(&b, &(struct dpk_elf_section){0});
    dpk_elf_put_section(&b, &section);
    elf.sections = dpk_reader(b.data, b.size);
    assert_int_equal(b.size, 2 * sizeof(Elf64_Shdr));
    struct dpk_elf_section read = dpk_elf_section(&elf, 1);
    assert_memory_equal(&read, &section, sizeof read);
    dpk_buf_free(&b);
}

static void a_file_header_is_written_as_it_was_read(void **state)
{
    struct file f = three_sections();
    struct dpk_buf b = {0};
    (void)state;
    for (size_t i = EI_VERSION; i < offsetof(Elf64_Ehdr, e_phoff); i++)
        f.bytes[i] = (uint8_t)(i + 1);
    PUT_HEADER(&f, e_flags, 0x12345678);
    PUT_HEADER(&f, e_ehsize, 65);
    const struct dpk_elf elf = dpk_elf(f.bytes, SIZE);
    dpk_elf_put_file_header(&b, &elf);
    assert_int_equal(b.size, sizeof(Elf64_Ehdr));
    assert_memory_equal(b.data, f.bytes, b.size);
    dpk_buf_free(&b);
}

static void section_0_takes_numbers_that_the_file_header_cannot(void **state)
{
    struct file f = three_sections();
    const struct dpk_elf elf = dpk_elf(f.bytes, SIZE);
    const struct dpk_elf_section used = {.size = 8, .link = 9};
    struct dpk_elf_section first = used;
    struct dpk_elf e = elf;
    (void)state;
    dpk_elf_set_sections(&e, &first, 77, SHN_LORESERVE - 1, SHN_LORESERVE - 2);
    assert_int_equal(e.shoff, 77);
    assert_int_equal(e.shnum, SHN_LORESERVE - 1);
    assert_int_equal(e.shstrndx, SHN_LORESERVE - 2);
    assert_memory_equal(&first, &used, sizeof used);
    dpk_elf_set_sections(&e, &first, 77, SHN_LORESERVE + 1, SHN_LORESERVE);
    assert_int_equal(e.shnum, 0);
    assert_int_equal(e.shstrndx, SHN_XINDEX);
    assert_int_equal(first.size, SHN_LORESERVE + 1);
    assert_int_equal(first.link, SHN_LORESERVE);
    dpk_elf_set_sections(&e, &first, 77, 3, 2); /* fewer sections than before */
    assert_int_equal(e.shnum, 3);
    assert_int_equal(e.shstrndx, 2);
    assert_int_equal(first.size + first.link, 0);
}

static void machine_is_told_by_the_first_bytes(void **state)
{
    struct file f = three_sections();
    (void)state;
    assert_true(dpk_elf_is_riscv(f.bytes, 20));
    assert_false(dpk_elf_is_riscv(f.bytes, 19));
    PUT_HEADER(&f, e_machine, EM_X86_64);
    assert_false(dpk_elf_is_riscv(f.bytes, SIZE));
    assert_false(dpk_elf_is_riscv(NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_have_names_and_contents),
        cmocka_unit_test(entries_beyond_the_tables_are_empty),
        cmocka_unit_test(flaw_of_the_file_header_is_told),
        cmocka_unit_test(table_outside_the_file_or_of_other_entries_is_empty),
        cmocka_unit_test(extended_numbers_are_those_of_section_0),
        cmocka_unit_test(content_and_names_outside_are_not_there),
        cmocka_unit_test(notes_end_with_the_segment_or_with_damage),
        cmocka_unit_test(symbols_end_with_their_table),
        cmocka_unit_test(headers_that_are_written_are_read_again),
        cmocka_unit_test(a_file_header_is_written_as_it_was_read),
        cmocka_unit_test(section_0_takes_numbers_that_the_file_header_cannot),
        cmocka_unit_test(machine_is_told_by_the_first_bytes),
    };
    return cmocka_run_group_tests_name("elf", tests, NULL, NULL);
}
