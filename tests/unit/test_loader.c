/* runtime/loader: which executables become images, and what is in them. */
#include "dpa.h"

#include <elf.h>

/* ---- A small executable of known layout -------------------------------------------------------
 */

enum {
    TEXT = 0x100, /* file offsets */
    DATA = 0x200,
    SYMTAB = 0x300,
    STRTAB = 0x378,
    SHDRS = 0x3a0,
    SIZE = SHDRS + 3 * 64,
    PHDR = 64,
    SHDR = SHDRS,
};

struct tiny {
    uint8_t bytes[SIZE];
};

static void put(struct tiny *t, size_t at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++)
        t->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static void put_segment(struct tiny *t, unsigned n, uint32_t flags, uint64_t offset, uint64_t vaddr,
                        uint64_t filesz, uint64_t memsz)
{
    size_t at = PHDR + n * 56u;
    put(t, at, 4, PT_LOAD);
    put(t, at + 4, 4, flags);
    put(t, at + 8, 8, offset);
    put(t, at + 16, 8, vaddr);
    put(t, at + 24, 8, vaddr);
    put(t, at + 32, 8, filesz);
    put(t, at + 40, 8, memsz);
    put(t, at + 48, 8, 0x100);
}

static void put_symbol(struct tiny *t, unsigned n, uint32_t name, unsigned bind, unsigned type,
                       uint64_t value, uint64_t size)
{
    size_t at = SYMTAB + n * 24u;
    put(t, at, 4, name);
    put(t, at + 4, 1, ELF64_ST_INFO(bind, type));
    put(t, at + 6, 2, 1);
    put(t, at + 8, 8, value);
    put(t, at + 16, 8, size);
}

static void put_section(struct tiny *t, unsigned n, uint32_t type, uint64_t offset, uint64_t size,
                        uint32_t link, uint64_t entsize)
{
    size_t at = SHDR + n * 64u;
    put(t, at + 4, 4, type);
    put(t, at + 24, 8, offset);
    put(t, at + 32, 8, size);
    put(t, at + 40, 4, link);
    put(t, at + 56, 8, entsize);
}

static struct tiny tiny(void)
{
    static const char names[] = "\0first\0second\0datum\0local";
    struct tiny t = {0};
    memcpy(t.bytes, ELFMAG, 4);
    t.bytes[EI_CLASS] = ELFCLASS64;
    t.bytes[EI_DATA] = ELFDATA2LSB;
    t.bytes[EI_VERSION] = EV_CURRENT;
    put(&t, 16, 2, ET_EXEC);
    put(&t, 18, 2, EM_RISCV);
    put(&t, 20, 4, EV_CURRENT);
    put(&t, 24, 8, 0x10004); /* e_entry */
    put(&t, 32, 8, PHDR);
    put(&t, 40, 8, SHDRS);
    put(&t, 48, 4, 1); /* e_flags: RVC */
    put(&t, 52, 2, 64);
    put(&t, 54, 2, 56);
    put(&t, 56, 2, 2);
    put(&t, 58, 2, 64);
    put(&t, 60, 2, 3);
    /* Higher address first: the image sorts them. */
    put_segment(&t, 0, PF_R | PF_W, DATA, 0x11000, 8, 0x2000);
    put_segment(&t, 1, PF_R | PF_X, TEXT, 0x10000, 0x20, 0x20);
    memset(t.bytes + TEXT, 0x13, 0x20);
    memset(t.bytes + DATA, 0xda, 8);
    put_symbol(&t, 1, 20, STB_LOCAL, STT_FUNC, 0x10018, 8);
    put_symbol(&t, 2, 7, STB_GLOBAL, STT_FUNC, 0x10010, 8);
    put_symbol(&t, 3, 1, STB_GLOBAL, STT_FUNC, 0x10004, 8);
    put_symbol(&t, 4, 14, STB_WEAK, STT_OBJECT, 0x11000, 8);
    memcpy(t.bytes + STRTAB, names, sizeof names);
    put_section(&t, 1, SHT_SYMTAB, SYMTAB, 5 * 24, 2, 24);
    put_section(&t, 2, SHT_STRTAB, STRTAB, sizeof names, 0, 0);
    return t;
}

/* An image of exactly these bytes, in memory of exactly that size. */
static enum dpk_status image_of(const void *bytes, size_t size, struct dpk_image **out,
                                struct dpk_error *err)
{
    struct dpk_image *image = image_create("tiny");
    uint8_t *copy = malloc(size ? size : 1);
    assert_true(image && copy);
    memcpy(copy, bytes, size);
    enum dpk_status status = image_fill(image, &copy, size, err);
    if (status != DPK_OK) {
        dpk_image_free(image);
        image = NULL;
    }
    *out = image;
    return status;
}

/* ---- What an image promises -------------------------------------------------------------------
 */

static void check_symbols(const struct dpk_image *image)
{
    const char *begin = (const char *)image->elf, *end = begin + image->elf_size;
    for (size_t i = 0; i < image->global_count; i++) {
        const char *name = image->globals[i].name;
        assert_true(name >= begin && name + strlen(name) < end);
        assert_true(dpk_image_symbol(image, name, NULL, NULL));
    }
    for (size_t i = 0; i < image->function_count; i++) {
        uint64_t offset;
        assert_non_null(dpk_image_function_at(image, image->functions[i].address, &offset));
        assert_int_equal(offset, 0);
    }
}

static void check_image(const struct dpk_image *image)
{
    uint64_t free_from = DPK_PROGRAM_BEGIN;
    bool entry = false;
    assert_true(dpk_image_segment_count(image) > 0);
    assert_null(dpk_image_segment(image, dpk_image_segment_count(image)));
    for (size_t i = 0; i < dpk_image_segment_count(image); i++) {
        const struct dpk_segment *s = dpk_image_segment(image, i);
        assert_true(s->memory_size > 0 && s->data_size <= s->memory_size);
        assert_true(s->address >= free_from && s->address < DPK_PROGRAM_END);
        assert_true(s->memory_size <= DPK_PROGRAM_END - s->address);
        assert_true(s->data >= image->elf && s->data <= image->elf + image->elf_size);
        assert_true(s->data_size <= (size_t)(image->elf + image->elf_size - s->data));
        assert_true(s->readable || s->writable || s->executable);
        assert_false(s->writable && s->executable);
        free_from = (s->address + s->memory_size + 0xfff) & ~0xfffull;
        entry |= s->executable && dpk_image_entry(image) - s->address < s->memory_size;
    }
    assert_true(entry);
    check_symbols(image);
}

static void segments_and_entry_are_read(void **state)
{
    (void)state;
    struct tiny t = tiny();
    struct dpk_image *image;
    struct dpk_error err = {0};
    if (image_of(t.bytes, SIZE, &image, &err) != DPK_OK)
        fail_msg("%s", err.message);
    check_image(image);
    assert_int_equal(dpk_image_segment_count(image), 2);
    const struct dpk_segment *text = dpk_image_segment(image, 0);
    const struct dpk_segment *data = dpk_image_segment(image, 1);
    assert_int_equal(text->address, 0x10000);
    assert_true(text->readable && text->executable && !text->writable);
    assert_int_equal(text->data_size, 0x20);
    assert_int_equal(text->data[0], 0x13);
    assert_int_equal(data->address, 0x11000);
    assert_true(data->readable && data->writable && !data->executable);
    assert_int_equal(data->data_size, 8);
    assert_int_equal(data->memory_size, 0x2000);
    assert_int_equal(dpk_image_entry(image), 0x10004);
    assert_string_equal(dpk_image_app(image), "tiny");
    dpk_image_free(image);
}

/* Where a segment without bytes would lie in the file means nothing; linkers put it behind the end.
 */
static void segment_of_zeros_needs_no_place_in_the_file(void **state)
{
    (void)state;
    struct tiny t = tiny();
    struct dpk_image *image;
    struct dpk_error err = {0};
    put_segment(&t, 0, PF_R | PF_W, UINT64_MAX - 0xff, 0x11010, 0, 0x2000);
    if (image_of(t.bytes, SIZE, &image, &err) != DPK_OK)
        fail_msg("%s", err.message);
    check_image(image);
    assert_int_equal(dpk_image_segment(image, 1)->data_size, 0);
    assert_int_equal(dpk_image_segment(image, 1)->memory_size, 0x2000);
    dpk_image_free(image);
}

static void program_may_have_128_segments(void **state)
{
    (void)state;
    enum { COUNT = 128, TABLE = SIZE, WHOLE = TABLE + COUNT * 56 };
    static struct {
        struct tiny head;
        uint8_t table[COUNT * 56];
    } t;
    struct dpk_image *image;
    struct dpk_process *p = NULL;
    struct dpk_error err = {0};
    t.head = tiny();
    put(&t.head, 32, 8, TABLE);
    put(&t.head, 56, 2, COUNT);
    for (unsigned n = 0; n < COUNT; n++) {
        struct tiny one = {0};
        put_segment(&one, 0, n == 0 ? PF_R | PF_X : PF_R, TEXT, 0x10000 + n * 0x1000, 0x20, 0x20);
        memcpy(t.table + n * 56, one.bytes + PHDR, 56);
    }
    if (image_of(&t, sizeof t, &image, &err) != DPK_OK ||
        dpk_process_create(image, NULL, &p, &err) != DPK_OK)
        fail_msg("%s", err.message);
    check_image(image);
    assert_int_equal(dpk_image_segment_count(image), COUNT);
    uint32_t word = 0;
    assert_int_equal(dpk_copy_out(p, &word, 0x10000 + 127 * 0x1000, 4, NULL), DPK_OK);
    assert_int_equal(word, 0x13131313);
    dpk_process_destroy(p);
    dpk_image_free(image);
}

/* 256 MiB that nobody touches cost address space only. */
static void large_bss_is_there_to_its_last_byte(void **state)
{
    (void)state;
    const uint64_t size = 256u << 20, end = 0x11000 + size;
    struct tiny t = tiny();
    struct dpk_image *image;
    struct dpk_process *p = NULL;
    uint8_t byte = 1;
    put_segment(&t, 0, PF_R | PF_W, DATA, 0x11000, 8, size);
    assert_int_equal(image_of(t.bytes, SIZE, &image, NULL), DPK_OK);
    assert_int_equal(dpk_process_create(image, NULL, &p, NULL), DPK_OK);
    assert_int_equal(dpk_copy_out(p, &byte, end - 1, 1, NULL), DPK_OK);
    assert_int_equal(byte, 0);
    assert_int_equal(dpk_fill(p, end - 1, 7, 1, NULL), DPK_OK);
    assert_int_equal(dpk_copy_out(p, &byte, end, 1, NULL), DPK_ERR_RANGE);
    dpk_process_destroy(p);
    dpk_image_free(image);
}

static void global_symbols_are_found_by_name(void **state)
{
    (void)state;
    struct tiny t = tiny();
    struct dpk_image *image;
    uint64_t address, size;
    assert_int_equal(image_of(t.bytes, SIZE, &image, NULL), DPK_OK);
    assert_true(dpk_image_symbol(image, "second", &address, &size));
    assert_int_equal(address, 0x10010);
    assert_int_equal(size, 8);
    assert_true(dpk_image_symbol(image, "first", &address, NULL));
    assert_true(dpk_image_symbol(image, "datum", &address, NULL));
    assert_int_equal(address, 0x11000);
    assert_false(dpk_image_symbol(image, "local", &address, NULL));
    assert_false(dpk_image_symbol(image, "firs", &address, NULL));
    assert_false(dpk_image_symbol(image, "", &address, NULL));
    dpk_image_free(image);
}

static void functions_are_found_by_address(void **state)
{
    (void)state;
    struct tiny t = tiny();
    struct dpk_image *image;
    uint64_t offset = 0;
    assert_int_equal(image_of(t.bytes, SIZE, &image, NULL), DPK_OK);
    assert_string_equal(dpk_image_function_at(image, 0x1000c, &offset), "first");
    assert_int_equal(offset, 8);
    assert_string_equal(dpk_image_function_at(image, 0x10010, &offset), "second");
    assert_string_equal(dpk_image_function_at(image, 0x1001f, &offset), "local");
    assert_int_equal(offset, 7);
    assert_null(dpk_image_function_at(image, 0x10000, &offset));
    assert_null(dpk_image_function_at(image, 0x10020, &offset)); /* behind the code */
    assert_null(dpk_image_function_at(image, 0x11000, &offset)); /* data */
    dpk_image_free(image);
}

static void stripped_program_has_no_symbols(void **state)
{
    (void)state;
    struct tiny t = tiny();
    struct dpk_image *image;
    put(&t, 40, 8, 0); /* e_shoff */
    put(&t, 60, 2, 0); /* e_shnum */
    assert_int_equal(image_of(t.bytes, SIZE, &image, NULL), DPK_OK);
    assert_false(dpk_image_symbol(image, "first", NULL, NULL));
    assert_null(dpk_image_function_at(image, 0x10004, NULL));
    dpk_image_free(image);
}

static void shared_image_lives_until_its_last_owner(void **state)
{
    (void)state;
    struct dpk_image *image = kernels_image();
    struct dpk_image *again = dpk_image_share(image);
    dpk_image_free(image);
    assert_true(dpk_image_symbol(again, "add", NULL, NULL));
    dpk_image_free(again);
    dpk_image_free(NULL);
}

static void name_is_made_printable(void **state)
{
    (void)state;
    char longest[400];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    struct dpk_image *image = image_create("a\n\x1b[2J b");
    assert_string_equal(dpk_image_app(image), "a??[2J?b");
    dpk_image_free(image);
    image = image_create(longest);
    assert_int_equal(strlen(dpk_image_app(image)), 255);
    dpk_image_free(image);
    image = image_create(NULL);
    assert_string_equal(dpk_image_app(image), "program");
    dpk_image_free(image);
}

/* ---- Each field, wrong ------------------------------------------------------------------------
 */

#define P(n, field) (PHDR + (n)*56u + offsetof(Elf64_Phdr, field))
#define S(n, field) (SHDR + (n)*64u + offsetof(Elf64_Shdr, field))

static void every_wrong_field_is_named(void **state)
{
    (void)state;
    const struct {
        size_t at;
        unsigned width;
        uint64_t value;
        enum dpk_status status;
        const char *says;
    } wrong[] = {
        {0, 1, 'x', DPK_ERR_FORMAT, "no ELF magic"},
        {0, 8, 0x00315441464b5044, DPK_ERR_UNSUPPORTED, "fat file"}, /* DPKFAT1 */
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
        {32, 8, SIZE, DPK_ERR_FORMAT, "e_phoff"},
        {32, 8, UINT64_MAX - 8, DPK_ERR_FORMAT, "e_phoff"},
        {40, 8, UINT64_MAX - 8, DPK_ERR_FORMAT, "e_shoff"},
        {40, 8, SHDRS + 1, DPK_ERR_FORMAT, "e_shoff"},
        {48, 4, 5, DPK_ERR_UNSUPPORTED, "e_flags 0x5"},
        {52, 2, 52, DPK_ERR_FORMAT, "e_ehsize is 52"},
        {54, 2, 32, DPK_ERR_FORMAT, "e_phentsize is 32"},
        {56, 2, 0, DPK_ERR_FORMAT, "e_phnum is 0"},
        {56, 2, 0xffff, DPK_ERR_FORMAT, "e_phnum is 65535"},
        {56, 2, 100, DPK_ERR_FORMAT, "e_phnum 100 reach beyond"},
        {58, 2, 40, DPK_ERR_FORMAT, "e_shentsize is 40"},
        {60, 2, 4, DPK_ERR_FORMAT, "e_shnum 4 reach beyond"},
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
        {P(0, p_vaddr), 8, 0x3ffff000, DPK_ERR_FORMAT, "leave the program's addresses"},
        {P(0, p_vaddr), 8, UINT64_MAX - 0xff, DPK_ERR_FORMAT, "leave the program's addresses"},
        {P(0, p_vaddr), 8, 0x10f00, DPK_ERR_FORMAT, "0x10000 and 0x10f00 share a page"},
        {P(0, p_vaddr), 8, 0xf000, DPK_ERR_FORMAT, "0xf000 and 0x10000 share a page"},
        {P(0, p_filesz), 8, 0x2001, DPK_ERR_FORMAT, "p_filesz 0x2001 exceeds p_memsz 0x2000"},
        {P(0, p_filesz), 8, 0x1000, DPK_ERR_FORMAT, "reach beyond the file"},
        {P(0, p_memsz), 8, 7, DPK_ERR_FORMAT, "p_filesz 0x8 exceeds p_memsz 0x7"},
        {P(0, p_memsz), 8, UINT64_MAX, DPK_ERR_FORMAT, "leave the program's addresses"},
        {P(0, p_memsz), 8, DPK_PROGRAM_END, DPK_ERR_FORMAT, "leave the program's addresses"},
        {P(0, p_align), 8, 3, DPK_ERR_FORMAT, "p_align 0x3 is not a power of two"},
        {S(0, sh_type), 4, SHT_SYMTAB, DPK_ERR_FORMAT, "section 0: sh_entsize"},
        {S(1, sh_entsize), 8, 23, DPK_ERR_FORMAT, "section 1: sh_entsize 23"},
        {S(1, sh_size), 8, 25, DPK_ERR_FORMAT, "sh_size 25"},
        {S(1, sh_size), 8, 24ull << 32, DPK_ERR_FORMAT, "more than 1000000 symbols"},
        {S(1, sh_offset), 8, SIZE, DPK_ERR_FORMAT, "symbol table: sh_offset"},
        {S(1, sh_link), 4, 3, DPK_ERR_FORMAT, "sh_link 3 is no section"},
        {S(1, sh_link), 4, 1, DPK_ERR_FORMAT, "sh_link 1 is no string table"},
        {S(2, sh_offset), 8, UINT64_MAX, DPK_ERR_FORMAT, "string table: sh_offset"},
        {S(2, sh_size), 8, 3, DPK_ERR_FORMAT, "last byte is not NUL"},
        {S(2, sh_size), 8, 0, DPK_ERR_FORMAT, "string table"},
        {SYMTAB + 24, 4, 1000, DPK_ERR_FORMAT, "symbol 1: st_name 1000"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct tiny t = tiny();
        struct dpk_image *image;
        struct dpk_error err = {0};
        put(&t, wrong[i].at, wrong[i].width, wrong[i].value);
        enum dpk_status status = image_of(t.bytes, SIZE, &image, &err);
        if (status != wrong[i].status || !strstr(err.message, wrong[i].says))
            fail_msg("%zu: wanted \"%s\", got %d: %s", i, wrong[i].says, (int)status, err.message);
    }
}

static void second_symbol_table_is_refused(void **state)
{
    (void)state;
    struct tiny t = tiny();
    struct dpk_image *image;
    struct dpk_error err = {0};
    put_section(&t, 0, SHT_SYMTAB, SYMTAB, 24, 2, 24);
    assert_int_equal(image_of(t.bytes, SIZE, &image, &err), DPK_ERR_FORMAT);
    assert_string_equal(err.message, "section 1: a second SHT_SYMTAB");
}

/* ---- Every truncation and every flipped bit ---------------------------------------------------
 */

static void truncations_never_make_a_broken_image(void **state)
{
    (void)state;
    struct tiny t = tiny();
    for (size_t size = 0; size < SIZE; size++) {
        struct dpk_image *image;
        /* The section headers stand last: without them it is no executable. */
        assert_int_not_equal(image_of(t.bytes, size, &image, NULL), DPK_OK);
    }
}

static void flipped_bits_never_make_a_broken_image(void **state)
{
    (void)state;
    unsigned loaded = 0, refused = 0;
    for (size_t bit = 0; bit < SIZE * 8; bit++) {
        struct tiny t = tiny();
        struct dpk_image *image;
        t.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (image_of(t.bytes, SIZE, &image, NULL) == DPK_OK) {
            check_image(image);
            loaded++;
        } else {
            refused++;
        }
        dpk_image_free(image);
    }
    assert_true(loaded > 1000 && refused > 500);
}

static void broken_compiler_output_never_makes_a_broken_image(void **state)
{
    (void)state;
    struct dpk_buf elf = kernels_elf();
    for (size_t n = 0; n < 2000; n++) {
        struct dpk_image *image;
        size_t at = n * 2654435761u % elf.size;
        uint8_t old = elf.data[at];
        elf.data[at] = (uint8_t)(n * 37);
        size_t size = n % 4 ? elf.size : at;
        if (image_of(elf.data, size, &image, NULL) == DPK_OK)
            check_image(image);
        dpk_image_free(image);
        elf.data[at] = old;
    }
    dpk_buf_free(&elf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_and_entry_are_read),
        cmocka_unit_test(segment_of_zeros_needs_no_place_in_the_file),
        cmocka_unit_test(program_may_have_128_segments),
        cmocka_unit_test(large_bss_is_there_to_its_last_byte),
        cmocka_unit_test(global_symbols_are_found_by_name),
        cmocka_unit_test(functions_are_found_by_address),
        cmocka_unit_test(stripped_program_has_no_symbols),
        cmocka_unit_test(shared_image_lives_until_its_last_owner),
        cmocka_unit_test(name_is_made_printable),
        cmocka_unit_test(every_wrong_field_is_named),
        cmocka_unit_test(second_symbol_table_is_refused),
        cmocka_unit_test(truncations_never_make_a_broken_image),
        cmocka_unit_test(flipped_bits_never_make_a_broken_image),
        cmocka_unit_test(broken_compiler_output_never_makes_a_broken_image),
    };
    return cmocka_run_group_tests_name("loader", tests, NULL, NULL);
}
