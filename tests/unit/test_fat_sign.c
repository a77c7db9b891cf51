/* Programs for several targets in host files: signed for each target, verified, changed
 * (signing(7)). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fat/fat.h"
#include "hostsign.h"

#define ROOM 8192

enum { ELFS, ROOMS, ATTRIBUTES, SECTIONS };

/* A program of two targets, and what its sections hold. */
struct fixture {
    struct dpk_buf section[SECTIONS];
    struct host_layout at;
    struct dpk_buf file;
};

static struct dpk_buf area(const struct dpk_fat_member *members, size_t count)
{
    struct dpk_buf out = {0};
    assert_int_equal(dpk_fat_build(members, count, &out, NULL), DPK_OK);
    return out;
}

static struct fixture fixture_with(size_t room)
{
    static const uint32_t targets[] = {DPK_TARGET_CX7, DPK_TARGET_BF3};
    struct dpk_buf first = device_elf(3000), second = device_elf(9);
    struct fixture f = {0};
    f.section[ELFS] = area((struct dpk_fat_member[]){{DPK_TARGET_CX7, first.data, first.size, 0},
                                                     {DPK_TARGET_BF3, second.data, second.size, 0}},
                           2);
    f.section[ROOMS] = area(
        (struct dpk_fat_member[]){{DPK_TARGET_CX7, NULL, room, 0}, {DPK_TARGET_BF3, NULL, room, 0}},
        2);
    assert_int_equal(
        dpk_attributes_build(targets, 2, "attributes", 10, &f.section[ATTRIBUTES], NULL), DPK_OK);
    dpk_buf_free(&first);
    dpk_buf_free(&second);
    return f;
}

/* The first `count` sections in a host file. */
static void make_file(struct fixture *f, size_t count)
{
    const struct host_section s[] = {
        {.name = ".dpa_bin_a", .data = f->section[0].data, .size = f->section[0].size},
        {.name = ".dpa_sig_a", .data = f->section[1].data, .size = f->section[1].size},
        {.name = ".dpa_proc_attr_a", .data = f->section[2].data, .size = f->section[2].size}};
    f->file = make_host(s, count, &f->at);
}

static struct fixture fixture(void)
{
    struct fixture f = fixture_with(ROOM);
    make_file(&f, SECTIONS);
    return f;
}

static void fixture_free(struct fixture *f)
{
    for (size_t i = 0; i < SECTIONS; i++)
        dpk_buf_free(&f->section[i]);
    dpk_buf_free(&f->file);
}

/* Verdicts of both targets. */
static void judged(const struct dpk_buf *file, enum dpk_verdict cx7, enum dpk_verdict bf3)
{
    struct dpk_hostfile *host = parsed(file);
    struct dpk_der der = {root.data, root.size};
    struct dpk_trust trust = {.roots = &der, .count = 1};
    struct dpk_result *r = NULL;
    size_t count = 0;
    assert_int_equal(dpk_hostfile_verify(host, &trust, 2, &r, &count, NULL), DPK_OK);
    assert_int_equal(count, 2);
    assert_string_equal(r[0].subject->target, "cx7");
    assert_string_equal(r[1].subject->target, "bf3");
    assert_int_equal(r[0].verdict, cx7);
    assert_int_equal(r[1].verdict, bf3);
    free(r);
    dpk_hostfile_close(host);
}

/* Checks that a program with unreadable targets gets a single verdict, with this reason. */
static void one_fault(const struct dpk_buf *file, const char *check, const char *why)
{
    struct dpk_hostfile *host = parsed(file);
    struct dpk_result *r = NULL;
    size_t count = 0;
    assert_int_equal(dpk_hostfile_verify(host, NULL, 1, &r, &count, NULL), DPK_OK);
    for (size_t i = 0; i < count; i++) {
        const struct dpk_check *last = &r[i].report.checks[r[i].report.count - 1];
        assert_int_equal(r[i].verdict, DPK_VERDICT_BAD_FORMAT);
        assert_string_equal(last->name, check);
        if (!strstr(last->detail, why))
            fail_msg("'%s' does not say '%s'", last->detail, why);
    }
    free(r);
    dpk_hostfile_close(host);
}

static void a_program_is_signed_for_every_target(void **state)
{
    (void)state;
    static const struct dpk_hostfile_options *const profiles[] = {&plain, &compact};
    for (size_t i = 0; i < 2; i++) {
        struct fixture f = fixture();
        judged(&f.file, DPK_VERDICT_UNSIGNED, DPK_VERDICT_UNSIGNED);
        struct dpk_buf out = signed_with(&f.file, profiles[i]);
        assert_int_equal(out.size, f.file.size);
        judged(&out, DPK_VERDICT_OK, DPK_VERDICT_OK);
        dpk_buf_free(&out);
        fixture_free(&f);
    }
}

/* One byte is another: in a section, counted from its end. */
static void change(enum dpk_verdict cx7, enum dpk_verdict bf3, size_t section, size_t from_end)
{
    struct fixture f = fixture();
    struct dpk_buf out = signed_with(&f.file, &compact);
    out.data[f.at.offsets[section] + f.section[section].size - from_end] ^= 1;
    judged(&out, cx7, bf3);
    dpk_buf_free(&out);
    fixture_free(&f);
}

static void a_changed_target_is_refused_the_other_is_not(void **state)
{
    (void)state;
    change(DPK_VERDICT_OK, DPK_VERDICT_DIGEST_MISMATCH, ELFS, 1);
    change(DPK_VERDICT_OK, DPK_VERDICT_DIGEST_MISMATCH, ATTRIBUTES, 1);
    change(DPK_VERDICT_DIGEST_MISMATCH, DPK_VERDICT_OK, ATTRIBUTES, 26 + 6 + 1);
}

static void crypto_data_of_one_target_is_not_that_of_another(void **state)
{
    (void)state;
    struct fixture f = fixture();
    struct dpk_buf out = signed_with(&f.file, &compact);
    uint8_t *table = out.data + f.at.offsets[ROOMS] + 24;
    table[0] = DPK_TARGET_BF3;
    table[32] = DPK_TARGET_CX7;
    judged(&out, DPK_VERDICT_DIGEST_MISMATCH, DPK_VERDICT_DIGEST_MISMATCH);
    table[0] = DPK_TARGET_CX8; /* no room for bf3 */
    judged(&out, DPK_VERDICT_DIGEST_MISMATCH, DPK_VERDICT_UNSIGNED);
    dpk_buf_free(&out);
    fixture_free(&f);
}

static void length_in_a_room_is_exact(void **state)
{
    (void)state;
    struct fixture f = fixture();
    struct dpk_buf out = signed_with(&f.file, &plain);
    uint8_t *length = out.data + f.at.offsets[ROOMS] + 24 + 2 * 32;
    struct dpk_reader r = dpk_reader(length, 8);
    uint64_t size = dpk_read_le64(&r);
    const struct {
        uint64_t length;
        enum dpk_verdict verdict;
    } lengths[] = {
        {size, DPK_VERDICT_OK},
        {size + 1, DPK_VERDICT_BAD_FORMAT},
        {size + 4, DPK_VERDICT_BAD_FORMAT},
        {size - 4, DPK_VERDICT_CHAIN_FORMAT},
        {size + ((uint64_t)1 << 32), DPK_VERDICT_BAD_FORMAT},
        {ROOM - 8, DPK_VERDICT_BAD_FORMAT},
        {ROOM - 7, DPK_VERDICT_BAD_FORMAT},
        {UINT64_MAX, DPK_VERDICT_BAD_FORMAT},
        {0, DPK_VERDICT_UNSIGNED},
    };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        dpk_store_le64(length, lengths[i].length);
        judged(&out, lengths[i].verdict, DPK_VERDICT_OK);
    }
    dpk_buf_free(&out);
    fixture_free(&f);
}

/* Crypto data fill their room to its last byte: a greater length is refused. */
static void length_beyond_a_room_that_is_full_is_refused(void **state)
{
    (void)state;
    struct dpk_buf elf = device_elf(9);
    const struct dpk_subject subject = subject_of(elf.data, elf.size, NULL, 0);
    struct dpk_buf room = {0};
    dpk_put_le64(&room, 0);
    assert_int_equal(dpk_crypto_build(&subject, chain, signer, &plain.crypto, &room, NULL), DPK_OK);
    for (int i = 0; i < 2; i++) {
        dpk_store_le64(room.data, i ? UINT64_MAX : room.size - 8);
        const struct host_section s[] = {
            {.name = ".dpa_bin_a", .data = elf.data, .size = elf.size},
            {.name = ".dpa_sig_a", .data = room.data, .size = room.size}};
        struct dpk_buf file = make_host(s, 2, NULL);
        if (i)
            one_fault(&file, "crypto data", "a length of 18446744073709551615 bytes");
        else
            assert_int_equal(verifies(&file, DPK_PLACEMENT_RESERVED), 1);
        dpk_buf_free(&file);
    }
    dpk_buf_free(&room);
    dpk_buf_free(&elf);
}

static void stripping_gives_the_file_before(void **state)
{
    (void)state;
    size_t count = 0, at = 0;
    struct dpk_edited *e = NULL;
    struct fixture f = fixture();
    struct dpk_buf out = signed_with(&f.file, &compact);
    struct dpk_hostfile *host = parsed(&out);
    assert_int_equal(dpk_hostfile_stripped(host, NULL, 0, &e, NULL), DPK_OK);
    const struct dpk_piece *pieces = dpk_edited_pieces(e, &count);
    for (size_t i = 0; i < count; at += pieces[i++].size)
        assert_memory_equal(pieces[i].data, f.file.data + at, pieces[i].size);
    assert_int_equal(at, f.file.size);
    dpk_edited_free(e);
    dpk_hostfile_close(host);
    dpk_buf_free(&out);
    fixture_free(&f);
}

static void every_target_needs_its_room(void **state)
{
    (void)state;
    struct fixture f = fixture_with(1500);
    make_file(&f, SECTIONS);
    sign_gives(&f.file, DPK_ERR_RANGE, ".dpa_sig_a has room for 1500 bytes for target cx7");
    dpk_buf_free(&f.file);
    make_file(&f, 1);
    sign_gives(&f.file, DPK_ERR_UNSUPPORTED, "needs a reserved section");
    dpk_buf_free(&f.file);
    dpk_buf_free(&f.section[ROOMS]);
    f.section[ROOMS] = area((struct dpk_fat_member[]){{DPK_TARGET_CX7, NULL, ROOM, 0}}, 1);
    make_file(&f, 2);
    sign_gives(&f.file, DPK_ERR_RANGE, ".dpa_sig_a has room for 0 bytes for target bf3");
    dpk_buf_free(&f.file);
    memset(f.section[ROOMS].data, 0, f.section[ROOMS].size);
    make_file(&f, 2);
    sign_gives(&f.file, DPK_ERR_FORMAT, ".dpa_sig_a: no multi-target area");
    fixture_free(&f);
}

static void a_damaged_area_is_a_fault_of_its_program_alone(void **state)
{
    (void)state;
    static const struct {
        size_t section;
        const char *check;
    } areas[] = {{ELFS, "program"}, {ROOMS, "crypto data"}, {ATTRIBUTES, "attributes"}};
    for (size_t i = 0; i < sizeof areas / sizeof *areas; i++) {
        struct fixture f = fixture();
        dpk_store_le64(f.file.data + f.at.offsets[areas[i].section] + 24 + 16, UINT64_MAX);
        one_fault(&f.file, areas[i].check, "member 0: its bytes are not inside the area");
        if (areas[i].section != ROOMS)
            sign_gives(&f.file, DPK_ERR_FORMAT, "member 0");
        fixture_free(&f);
    }
}

static void attributes_of_one_target_stand_in_an_area_of_one(void **state)
{
    (void)state;
    static const uint32_t targets[] = {DPK_TARGET_CX7, DPK_TARGET_BF3};
    for (size_t count = 1; count <= 2; count++) {
        struct dpk_buf elf = device_elf(9), attributes = {0};
        assert_int_equal(dpk_attributes_build(targets, count, "a", 1, &attributes, NULL), DPK_OK);
        const struct host_section s[] = {
            {.name = ".dpa_bin_a", .data = elf.data, .size = elf.size},
            {.name = ".dpa_sig_a", .size = ROOM},
            {.name = ".dpa_proc_attr_a", .data = attributes.data, .size = attributes.size}};
        struct dpk_buf file = make_host(s, 3, NULL);
        struct dpk_hostfile *host = parsed(&file);
        const struct dpk_program *p = dpk_hostfile_program(host, 0);
        assert_int_equal(p->subject_count, 1);
        assert_int_equal(p->subjects[0].manifest_size, count == 1 ? 1 : 0);
        dpk_hostfile_close(host);
        if (count == 2)
            one_fault(&file, "attributes", "for several targets, the program is for one");
        dpk_buf_free(&file);
        dpk_buf_free(&attributes);
        dpk_buf_free(&elf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_signed_for_every_target),
        cmocka_unit_test(a_changed_target_is_refused_the_other_is_not),
        cmocka_unit_test(crypto_data_of_one_target_is_not_that_of_another),
        cmocka_unit_test(length_in_a_room_is_exact),
        cmocka_unit_test(length_beyond_a_room_that_is_full_is_refused),
        cmocka_unit_test(stripping_gives_the_file_before),
        cmocka_unit_test(every_target_needs_its_room),
        cmocka_unit_test(a_damaged_area_is_a_fault_of_its_program_alone),
        cmocka_unit_test(attributes_of_one_target_stand_in_an_area_of_one),
    };
    return cmocka_run_group_tests_name("fat_sign", tests, make_keys, free_keys);
}
