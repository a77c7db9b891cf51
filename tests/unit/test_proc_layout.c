/* runtime/engine/proc: where stacks and heap lie beside programs of either layout. */
#include "tiny_elf.h"

#include "engine/proc/layout.h"

enum { CODE = 1, DATA_SEGMENT = 0, AT_ADDRESS = 16, AT_MEMORY = 40, AT_ALIGN = 48 };

static void set(struct tiny *t, unsigned segment, size_t at, uint64_t value)
{
    put(t, PHDR + segment * 56u + at, 8, value);
}

/* An image with code at 1 GiB and `size` bytes of data at `data`. */
static struct dpk_image *image_at(uint64_t code, uint64_t data, uint64_t size)
{
    struct tiny t = tiny();
    struct dpk_image *image = NULL;
    struct dpk_error err = {0};
    set(&t, CODE, AT_ADDRESS, code);
    set(&t, CODE, AT_ALIGN, 1);
    set(&t, DATA_SEGMENT, AT_ADDRESS, data);
    set(&t, DATA_SEGMENT, AT_MEMORY, size);
    set(&t, DATA_SEGMENT, AT_ALIGN, 1);
    put(&t, 24, 8, code); /* e_entry */
    if (image_of(t.bytes, SIZE, &image, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return image;
}

static void stacks_and_heap_are_beside_the_program(void **state)
{
    (void)state;
    static const struct {
        uint64_t code, data, size, stacks, heap;
    } all[] = {
        {0x400000, 0x500000, 0x1000, 0x40000000, 0x80000000},
        {0x400000, 0x500000, 0x3fb00000, 0x40000000, 0x80000000}, /* ends at 1 GiB */
        {0x400000, 0x500000, 0x3fb00001, 0x90000000, 0xa0000000},
        {0x40000000, 0x80000000, 0x1000, 0x90000000, 0xa0000000},
        {0x40000000, 0x80000000, 0x10000000, 0x90000000, 0xa0000000},
        {0x40000000, 0x80000000, 0x10000001, 0xa0000000, 0xb0000000},
        {0x40000000, 0x80000000, 0x40000000, 0xc0000000, 0xd0000000},
        {0x80000000, 0x40000000, 0x1000, 0x90000000, 0xa0000000},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct dpk_image *image = image_at(all[i].code, all[i].data, all[i].size);
        const struct process_layout l = proc_process_layout_of(image);
        assert_int_equal(l.stacks, all[i].stacks);
        assert_int_equal(l.heap, all[i].heap);
        assert_int_equal(l.heap_max, 0xfffff000 - all[i].heap);
        dpk_image_free(image);
    }
}

static void a_heap_is_as_large_as_its_place(void **state)
{
    (void)state;
    struct dpk_image *image = image_at(0x40000000, 0x80000000, 0x40000000);
    struct dpk_process_options options = {0};
    struct dpk_process *p = NULL;
    struct dpk_error err = {0};
    struct dpk_heap_info info;
    assert_int_equal(dpk_process_create(image, NULL, &p, &err), DPK_OK);
    dpk_heap_info(p, &info);
    assert_int_equal(info.base, 0xd0000000);
    assert_int_equal(info.size, 0x2ffff000);
    dpk_process_destroy(p);
    options.heap_size = 0x2ffff001;
    assert_int_equal(dpk_process_create(image, &options, &p, &err), DPK_ERR_RANGE);
    assert_non_null(strstr(err.message, "at most 805302272 are there"));
    dpk_image_free(image);
}

static void programs_beyond_their_addresses_are_refused(void **state)
{
    (void)state;
    struct tiny t = tiny();
    struct dpk_image *image = NULL;
    struct dpk_error err = {0};
    set(&t, DATA_SEGMENT, AT_ADDRESS, 0xbffff000);
    set(&t, DATA_SEGMENT, AT_MEMORY, 0x1001);
    set(&t, DATA_SEGMENT, AT_ALIGN, 1);
    assert_int_equal(image_of(t.bytes, SIZE, &image, &err), DPK_ERR_FORMAT);
    assert_non_null(strstr(err.message, "leave the program's addresses 0x1000 to 0xc0000000"));
    assert_null(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_and_heap_are_beside_the_program),
        cmocka_unit_test(a_heap_is_as_large_as_its_place),
        cmocka_unit_test(programs_beyond_their_addresses_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
