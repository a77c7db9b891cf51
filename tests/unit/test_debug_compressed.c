/* runtime/engine/debug: lines from sections that are compressed. */
#include <unistd.h>

#include "dpa.h"
#include "engine/debug/debug.h"

/* The program with its debug sections compressed, by the tool that users have. */
static struct dpk_image *compressed_image(void)
{
    char in[4096], out[] = "/tmp/test_debug_XXXXXX", command[9000];
    const char *build = getenv("DPAKIT_BUILD");
    struct dpk_buf elf = {0};
    struct dpk_error err = {0};
    struct dpk_image *image = loader_image_create("kernels");
    int fd = mkstemp(out);
    assert_true(fd >= 0);
    close(fd);
    snprintf(in, sizeof in, "%s/obj/tests/data/kernels.elf", build ? build : "build");
    snprintf(command, sizeof command, "llvm-objcopy --compress-debug-sections=zlib '%s' %s", in,
             out);
    assert_int_equal(system(command), 0);
    assert_int_equal(dpk_file_read(out, DPK_FILE_MAX, &elf, &err), DPK_OK);
    unlink(out);
    const struct dpk_elf described = dpk_elf(elf.data, elf.size);
    assert_int_equal(loader_image_fill(image, &elf.data, &described, &err), DPK_OK);
    return image;
}

static void compressed_lines_are_found_as_plain_ones(void **state)
{
    (void)state;
    struct dpk_image *plain = kernels_image(), *image = compressed_image();
    struct dpk_line at, as;
    uint64_t begin, size;
    size_t raw = 0, inflated = 0, found = 0;
    const void *a = dpk_image_section(plain, ".debug_line", &raw);
    const void *b = dpk_image_section(image, ".debug_line", &inflated);
    assert_int_equal(raw, inflated);
    assert_memory_equal(a, b, raw);
    assert_ptr_equal(b, dpk_image_section(image, ".debug_line", &inflated)); /* kept */
    assert_true(dpk_reader_left(&image->elf.file) < dpk_reader_left(&plain->elf.file));
    assert_true(dpk_image_symbol(plain, "event_wait", &begin, &size));
    for (uint64_t pc = begin; pc < begin + size; pc += 2) {
        bool line = dpk_line_find(plain, pc, &at);
        assert_int_equal(line, dpk_line_find(image, pc, &as));
        found += line;
        if (line)
            assert_true(at.line == as.line && strcmp(at.file, as.file) == 0);
    }
    assert_true(found > 0);
    dpk_image_free(plain);
    dpk_image_free(image);
}

/* Wrong compression headers: each is refused quickly as a section. */
static void lying_compression_is_no_section(void **state)
{
    (void)state;
    const struct {
        size_t at;
        uint64_t value;
    } lies[] = {{0, 2}, {0, 0}, {8, 0}, {8, 1}, {8, UINT64_MAX}, {8, 65u << 20}, {24, 0}};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        struct dpk_image *image = compressed_image();
        struct dpk_reader r = dpk_elf_find(&image->elf, ".debug_line");
        struct dpk_line line;
        size_t size;
        assert_false(r.failed);
        memcpy(image->copy + (r.begin - image->copy) + lies[i].at, &lies[i].value,
               lies[i].at ? 8 : 4);
        assert_null(dpk_image_section(image, ".debug_line", &size));
        assert_null(dpk_image_section(image, ".debug_line", &size));
        assert_false(dpk_line_find(image, dpk_image_entry(image) + 64, &line));
        dpk_image_free(image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compressed_lines_are_found_as_plain_ones),
        cmocka_unit_test(lying_compression_is_no_section),
    };
    return cmocka_run_group_tests_name("debug compressed", tests, NULL, NULL);
}
