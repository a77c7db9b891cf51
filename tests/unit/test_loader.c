/* runtime/engine/loader: executables that become images, and the content of the images. */
#include "tiny_elf.h"

/* ---- What an image promises ---- */

static void check_symbols(const struct dpk_image *image)
{
    const char *begin = (const char *)image->copy, *end = (const char *)image->elf.file.end;
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
        assert_true(s->data >= image->copy && s->data <= image->elf.file.end);
        assert_true(s->data_size <= (size_t)(image->elf.file.end - s->data));
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

/* Where a segment without bytes would lie in the file means nothing; linkers put it after the end.
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
    assert_null(dpk_image_function_at(image, 0x10020, &offset)); /* after the code */
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
    struct dpk_image *image = loader_image_create("a\n\x1b[2J b");
    assert_string_equal(dpk_image_app(image), "a??[2J?b");
    dpk_image_free(image);
    image = loader_image_create(longest);
    assert_int_equal(strlen(dpk_image_app(image)), 255);
    dpk_image_free(image);
    image = loader_image_create(NULL);
    assert_string_equal(dpk_image_app(image), "program");
    dpk_image_free(image);
}

/* ---- Every truncation and every flipped bit ---- */

static void truncations_never_make_a_broken_image(void **state)
{
    (void)state;
    struct tiny t = tiny();
    for (size_t size = 0; size < SIZE; size++) {
        struct dpk_image *image;
        /* The section headers are at the end: without them the file is not an executable. */
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
        cmocka_unit_test(truncations_never_make_a_broken_image),
        cmocka_unit_test(flipped_bits_never_make_a_broken_image),
        cmocka_unit_test(broken_compiler_output_never_makes_a_broken_image),
    };
    return cmocka_run_group_tests_name("loader", tests, NULL, NULL);
}
