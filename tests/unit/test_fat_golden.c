/* Programs for several targets, and attributes, against the files that NVIDIA's tool signed. */
#include "golden_keys.h"

static const char *const names[] = {"hostelf-fat/attr-one", "hostelf-fat/fat-two",
                                    "hostelf-fat/fat-three-and-plain", "hostelf-area/area-one",
                                    "hostelf-area/area-one-attr"};
#define NAMES (sizeof names / sizeof *names)

static const char *file_name(size_t i, const char *suffix)
{
    static char name[64];
    snprintf(name, sizeof name, "%s%s", names[i], suffix);
    return name;
}

static void signed_files_equal_the_reference(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        struct dpk_buf got = signed_file(file_name(i, ".elf"), &mft_compact);
        struct dpk_buf expected = golden(file_name(i, ".signed.elf"));
        same_bytes(&got, &expected);
        dpk_buf_free(&got);
        got = signed_file(file_name(i, ".signed.elf"), &mft_compact); /* signs it again */
        same_bytes(&got, &expected);
        dpk_buf_free(&got);
        dpk_buf_free(&expected);
    }
}

static void reference_files_are_accepted(void **state)
{
    (void)state;
    static const size_t subjects[] = {1, 2, 4, 1, 1}, attributes[] = {1, 2, 3, 0, 1};
    for (size_t i = 0; i < NAMES; i++) {
        struct dpk_hostfile *host = opened(file_name(i, ".signed.elf"));
        struct dpk_der der = {root.data, root.size};
        struct dpk_trust trust = {.roots = &der, .count = 1};
        struct dpk_result *r = NULL;
        size_t count = 0, some = 0;
        assert_int_equal(dpk_hostfile_verify(host, &trust, 2, &r, &count, NULL), DPK_OK);
        assert_int_equal(count, subjects[i]);
        for (size_t k = 0; k < count; k++) {
            assert_int_equal(r[k].verdict, DPK_VERDICT_OK);
            some += r[k].subject->manifest != NULL;
        }
        assert_int_equal(some, attributes[i]);
        free(r);
        dpk_hostfile_close(host);
    }
}

static void stripped_reference_files_are_the_inputs(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        struct dpk_hostfile *host = opened(file_name(i, ".signed.elf"));
        struct dpk_buf expected = golden(file_name(i, ".elf")), got = {0};
        struct dpk_edited *e = NULL;
        size_t count = 0;
        assert_int_equal(dpk_hostfile_stripped(host, NULL, 0, &e, NULL), DPK_OK);
        const struct dpk_piece *pieces = dpk_edited_pieces(e, &count);
        for (size_t k = 0; k < count; k++)
            dpk_put(&got, pieces[k].data, pieces[k].size);
        same_bytes(&got, &expected);
        dpk_buf_free(&got);
        dpk_buf_free(&expected);
        dpk_edited_free(e);
        dpk_hostfile_close(host);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signed_files_equal_the_reference),
        cmocka_unit_test(reference_files_are_accepted),
        cmocka_unit_test(stripped_reference_files_are_the_inputs),
    };
    return cmocka_run_group_tests_name("fat_golden", tests, open_keys, close_keys);
}
