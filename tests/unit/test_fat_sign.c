/* Fat programs in host files: signed for every target, verified, changed (signing(7)). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fat/fat.h"
#include "hostsign.h"

#define ROOM 65536

static struct dpk_buf fat_program(bool compressed)
{
    struct dpk_buf first = device_elf(3000), second = device_elf(9), out = {0};
    const struct dpk_fat_input in[] = {{DPK_TARGET_CX7, first.data, first.size},
                                       {DPK_TARGET_BF3, second.data, second.size}};
    assert_int_equal(dpk_fat_build(in, 2, compressed, &out, NULL), DPK_OK);
    dpk_buf_free(&first);
    dpk_buf_free(&second);
    return out;
}

static struct dpk_buf fat_host(const struct dpk_buf *fat, size_t room)
{
    const struct host_section s[] = {{.name = ".dpa_bin_a", .data = fat->data, .size = fat->size},
                                     {.name = ".dpa_sig_a", .size = room}};
    return make_host(s, room ? 2 : 1, NULL);
}

/* Verdicts of both targets. */
static void judged(const struct dpk_buf *file, enum dpk_verdict cx7, enum dpk_verdict bf3)
{
    struct dpk_hostfile *host = parsed(file);
    struct dpk_der der = {root.data, root.size};
    struct dpk_trust trust = {&der, 1};
    struct dpk_result *r = NULL;
    size_t count = 0;
    assert_int_equal(dpk_hostfile_verify(host, &trust, 2, &r, &count, NULL), DPK_OK);
    assert_int_equal(count, 2);
    assert_string_equal(r[0].target, "cx7");
    assert_string_equal(r[1].target, "bf3");
    assert_int_equal(r[0].verdict, cx7);
    assert_int_equal(r[1].verdict, bf3);
    free(r);
    dpk_hostfile_close(host);
}

static void a_fat_program_is_signed_for_every_target(void **state)
{
    (void)state;
    for (int compressed = 0; compressed <= 1; compressed++) {
        struct dpk_buf fat = fat_program(compressed), file = fat_host(&fat, ROOM);
        judged(&file, DPK_VERDICT_UNSIGNED, DPK_VERDICT_UNSIGNED);
        struct dpk_buf out = signed_with(&file, &plain);
        assert_int_equal(out.size, file.size);
        judged(&out, DPK_VERDICT_OK, DPK_VERDICT_OK);
        dpk_buf_free(&fat);
        dpk_buf_free(&file);
        dpk_buf_free(&out);
    }
}

static void a_changed_target_is_refused_the_other_is_not(void **state)
{
    (void)state;
    struct dpk_buf fat = fat_program(false), file = fat_host(&fat, ROOM);
    struct dpk_buf out = signed_with(&file, &plain);
    const uint8_t *at = memmem(out.data, out.size, fat.data, fat.size);
    assert_non_null(at);
    out.data[(size_t)(at - out.data) + fat.size - 1] ^= 1;
    judged(&out, DPK_VERDICT_OK, DPK_VERDICT_DIGEST_MISMATCH);
    dpk_buf_free(&fat);
    dpk_buf_free(&file);
    dpk_buf_free(&out);
}

static void stripping_a_fat_program_gives_the_file_before(void **state)
{
    (void)state;
    size_t count = 0, at = 0;
    struct dpk_edited *e = NULL;
    struct dpk_buf fat = fat_program(true), file = fat_host(&fat, ROOM);
    struct dpk_buf out = signed_with(&file, &compact);
    struct dpk_hostfile *host = parsed(&out);
    assert_int_equal(dpk_hostfile_stripped(host, NULL, 0, &e, NULL), DPK_OK);
    const struct dpk_piece *pieces = dpk_edited_pieces(e, &count);
    for (size_t i = 0; i < count; at += pieces[i++].size)
        assert_memory_equal(pieces[i].data, file.data + at, pieces[i].size);
    assert_int_equal(at, file.size);
    dpk_edited_free(e);
    dpk_hostfile_close(host);
    dpk_buf_free(&fat);
    dpk_buf_free(&file);
    dpk_buf_free(&out);
}

static void a_fat_program_needs_a_reserved_section(void **state)
{
    (void)state;
    struct dpk_buf fat = fat_program(false), file = fat_host(&fat, 0), small = fat_host(&fat, 1500);
    sign_gives(&file, DPK_ERR_UNSUPPORTED, "needs a reserved section");
    sign_gives(&small, DPK_ERR_RANGE, ".dpa_sig_a has room for 1500 bytes");
    dpk_buf_free(&fat);
    dpk_buf_free(&file);
    dpk_buf_free(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fat_program_is_signed_for_every_target),
        cmocka_unit_test(a_changed_target_is_refused_the_other_is_not),
        cmocka_unit_test(stripping_a_fat_program_gives_the_file_before),
        cmocka_unit_test(a_fat_program_needs_a_reserved_section),
    };
    return cmocka_run_group_tests_name("fat_sign", tests, make_keys, free_keys);
}
