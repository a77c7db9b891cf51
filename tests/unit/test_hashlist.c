/* lib/hashlist: tables from device ELFs, as bytes, compared. */
#include "hashlist/hashlist.h"

#include <elf.h>
#include <string.h>

#include <openssl/evp.h>

#include "golden.h"

#define TABLE_AT 0x40 /* in crypto data */

static struct dpk_hashlist *built(const struct dpk_buf *elf, enum dpk_hash_profile profile)
{
    struct dpk_error err = {0};
    struct dpk_hashlist *h = NULL;
    if (dpk_hashlist_build(elf->data, elf->size, profile, &h, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return h;
}

static void matches_reference(const char *elf_name, const char *crypto_name, size_t at,
                              enum dpk_hash_profile profile)
{
    struct dpk_buf elf = golden(elf_name), crypto = golden(crypto_name), out = {0};
    struct dpk_hashlist *h = built(&elf, profile);
    dpk_hashlist_encode(h, &out);
    assert_int_equal(out.size, dpk_hashlist_encoded_size(h));
    assert_memory_equal(out.data, crypto.data + at, out.size);
    dpk_hashlist_free(h);
    dpk_buf_free(&elf);
    dpk_buf_free(&crypto);
    dpk_buf_free(&out);
}

static void full_table_equals_the_reference(void **state)
{
    (void)state;
    matches_reference("hostelf/dev1.elf", "hostelf/one.full.blob", TABLE_AT, DPK_PROFILE_FULL);
    matches_reference("hostelf/dev2.elf", "hostelf/two.full.blob", TABLE_AT, DPK_PROFILE_FULL);
}

static void compact_table_equals_the_reference(void **state)
{
    (void)state;
    matches_reference("hostelf/dev1.elf", "hostelf/one.compact.section", TABLE_AT + 8,
                      DPK_PROFILE_COMPACT);
    matches_reference("hostelf/dev2.elf", "hostelf/two.compact.section", TABLE_AT + 8,
                      DPK_PROFILE_COMPACT);
}

static void empty_tables_and_sections_are_hashed_as_no_bytes(void **state)
{
    (void)state;
    matches_reference("edge/empty-sections.elf", "edge/empty-sections.full.blob", TABLE_AT,
                      DPK_PROFILE_FULL);
}

static void table_that_is_decoded_encodes_to_the_same_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"hostelf/one.full.blob", "hostelf/one.compact.section"};
    static const size_t at[] = {TABLE_AT, TABLE_AT + 8};
    static const enum dpk_hash_profile profiles[] = {DPK_PROFILE_FULL, DPK_PROFILE_COMPACT};
    for (size_t i = 0; i < 2; i++) {
        struct dpk_error err = {0};
        struct dpk_hashlist *h = NULL;
        struct dpk_buf crypto = golden(names[i]), out = {0};
        struct dpk_reader r = dpk_reader(crypto.data + at[i], crypto.size - at[i]);
        assert_int_equal(dpk_hashlist_decode(&r, &h, &err), DPK_OK);
        assert_int_equal(dpk_hashlist_profile(h), profiles[i]);
        dpk_hashlist_encode(h, &out);
        assert_int_equal(out.size, dpk_reader_offset(&r));
        assert_memory_equal(out.data, crypto.data + at[i], out.size);
        dpk_hashlist_free(h);
        dpk_buf_free(&crypto);
        dpk_buf_free(&out);
    }
}

static void truncated_table_is_refused_at_every_length(void **state)
{
    (void)state;
    struct dpk_buf crypto = golden("hostelf/one.full.blob");
    for (size_t size = 0; size < 0xA0 + 12 * 32; size++) {
        struct dpk_error err = {0};
        struct dpk_hashlist *h = NULL;
        struct dpk_reader r = dpk_reader(crypto.data + TABLE_AT, size);
        assert_int_equal(dpk_hashlist_decode(&r, &h, &err), DPK_ERR_FORMAT);
        assert_null(h);
    }
    dpk_buf_free(&crypto);
}

static void table_with_wrong_fixed_bytes_is_refused(void **state)
{
    (void)state;
    struct dpk_buf crypto = golden("hostelf/one.full.blob");
    for (size_t i = 0; i < 0x20; i++) {
        if (i == 0x0B || i == 0x0F)
            continue; /* the counts */
        struct dpk_error err = {0};
        struct dpk_hashlist *h = NULL;
        crypto.data[TABLE_AT + i] ^= 0x10;
        struct dpk_reader r = dpk_reader(crypto.data + TABLE_AT, crypto.size - TABLE_AT);
        assert_int_equal(dpk_hashlist_decode(&r, &h, &err), DPK_ERR_FORMAT);
        crypto.data[TABLE_AT + i] ^= 0x10;
    }
    dpk_buf_free(&crypto);
}

/* ---- Comparing ---- */

static void change_is_named(const struct dpk_hashlist *recorded, struct dpk_buf *elf, size_t at,
                            const char *expected)
{
    char where[64] = "";
    elf->data[at] ^= 1;
    struct dpk_hashlist *now = built(elf, dpk_hashlist_profile(recorded));
    assert_int_equal(dpk_hashlist_compare(recorded, now, where, sizeof where), DPK_ERR_MISMATCH);
    assert_string_equal(where, expected);
    dpk_hashlist_free(now);
    elf->data[at] ^= 1;
}

static void first_entry_that_differs_is_named(void **state)
{
    (void)state;
    struct dpk_buf elf = golden("hostelf/dev1.elf");
    struct dpk_hashlist *then = built(&elf, DPK_PROFILE_FULL);
    change_is_named(then, &elf, 0x18, "ELF header");
    change_is_named(then, &elf, 0x40 + 4, "program header table");
    change_is_named(then, &elf, 0x160, "segment 1"); /* .rodata */
    change_is_named(then, &elf, 0x220, "segment 2"); /* .text */
    change_is_named(then, &elf, 0x290, "section 4 .comment");
    change_is_named(then, &elf, 0x2c0, "section 5 .riscv.attributes");
    change_is_named(then, &elf, 1128 + 64 * 8, "section header table");
    change_is_named(then, &elf, 0x465, "whole ELF"); /* between the last section and the table */
    dpk_hashlist_free(then);
    dpk_buf_free(&elf);
}

static void compact_table_names_the_whole_elf(void **state)
{
    (void)state;
    struct dpk_buf elf = golden("hostelf/dev1.elf");
    struct dpk_hashlist *then = built(&elf, DPK_PROFILE_COMPACT);
    change_is_named(then, &elf, 0x220, "whole ELF");
    dpk_hashlist_free(then);
    dpk_buf_free(&elf);
}

static void other_count_and_other_profile_are_named(void **state)
{
    (void)state;
    char where[64];
    struct dpk_buf a = golden("hostelf/dev1.elf"), b = golden("hostelf/dev2.elf");
    struct dpk_hashlist *x = built(&a, DPK_PROFILE_FULL), *y = built(&b, DPK_PROFILE_FULL),
                        *z = built(&a, DPK_PROFILE_COMPACT);
    assert_int_equal(dpk_hashlist_compare(x, x, where, sizeof where), DPK_OK);
    assert_int_equal(dpk_hashlist_compare(x, y, where, sizeof where), DPK_ERR_MISMATCH);
    assert_string_equal(where, "number of sections");
    assert_int_equal(dpk_hashlist_compare(x, z, where, sizeof where), DPK_ERR_MISMATCH);
    assert_string_equal(where, "profile");
    dpk_hashlist_free(x);
    dpk_hashlist_free(y);
    dpk_hashlist_free(z);
    dpk_buf_free(&a);
    dpk_buf_free(&b);
}

/* ---- Bad ELFs ---- */

/* An ELF header, `phnum` and `shnum` zeroed table entries, `tail` bytes. */
static struct dpk_buf made_elf(unsigned phnum, unsigned shnum, size_t tail)
{
    struct dpk_buf b = {0};
    Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
                    .e_type = ET_EXEC,
                    .e_machine = EM_RISCV,
                    .e_version = 1,
                    .e_phoff = phnum ? 64 : 0,
                    .e_shoff = shnum ? 64 + 56 * (uint64_t)phnum : 0,
                    .e_ehsize = 64,
                    .e_phentsize = 56,
                    .e_phnum = (uint16_t)phnum,
                    .e_shentsize = 64,
                    .e_shnum = (uint16_t)shnum};
    dpk_put(&b, &h, sizeof h);
    dpk_put_fill(&b, 0, 56 * (size_t)phnum + 64 * (size_t)shnum + tail);
    return b;
}

static void build_gives(struct dpk_buf *elf, enum dpk_status status)
{
    struct dpk_error err = {0};
    struct dpk_hashlist *h = NULL;
    assert_int_equal(dpk_hashlist_build(elf->data, elf->size, DPK_PROFILE_FULL, &h, &err), status);
    assert_true((h != NULL) == (status == DPK_OK));
    assert_true((err.message[0] != 0) == (status != DPK_OK));
    dpk_hashlist_free(h);
    dpk_buf_free(elf);
}

static void set_section_type(struct dpk_buf *elf, unsigned phnum, unsigned index, uint32_t type)
{
    memcpy(elf->data + 64 + 56 * phnum + 64 * index + 4, &type, 4);
}

static void as_many_entries_as_the_counts_hold_are_accepted(void **state)
{
    (void)state;
    struct dpk_buf elf = made_elf(255, 256, 0); /* section 0 is NULL */
    for (unsigned i = 1; i < 256; i++)
        set_section_type(&elf, 255, i, SHT_PROGBITS);
    build_gives(&elf, DPK_OK);
}

static void one_segment_more_than_the_count_holds_is_an_error(void **state)
{
    (void)state;
    struct dpk_buf elf = made_elf(256, 0, 0);
    build_gives(&elf, DPK_ERR_RANGE);
}

static void one_section_more_than_the_count_holds_is_an_error(void **state)
{
    (void)state;
    struct dpk_buf elf = made_elf(0, 257, 0);
    for (unsigned i = 1; i < 257; i++)
        set_section_type(&elf, 0, i, SHT_PROGBITS);
    build_gives(&elf, DPK_ERR_RANGE);
}

static void sections_without_content_do_not_count(void **state)
{
    (void)state;
    struct dpk_buf elf = made_elf(0, 1000, 0);
    for (unsigned i = 1; i < 1000; i++)
        set_section_type(&elf, 0, i, i % 2 ? SHT_NOBITS : SHT_NULL);
    build_gives(&elf, DPK_OK);
}

static void content_outside_the_file_is_an_error(void **state)
{
    (void)state;
    static const uint64_t offsets[] = {0, 200, UINT64_MAX, UINT64_MAX - 8};
    static const uint64_t sizes[] = {1000, 64, 16, UINT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        struct dpk_buf elf = made_elf(1, 0, 64);
        memcpy(elf.data + 64 + 8, &offsets[i], 8);
        memcpy(elf.data + 64 + 32, &sizes[i], 8);
        build_gives(&elf, DPK_ERR_FORMAT);
        elf = made_elf(0, 1, 64);
        set_section_type(&elf, 0, 0, SHT_PROGBITS);
        memcpy(elf.data + 64 + 24, &offsets[i], 8);
        memcpy(elf.data + 64 + 32, &sizes[i], 8);
        build_gives(&elf, DPK_ERR_FORMAT);
    }
}

/* Contents that begin at one place, in any order of lengths, and one in the middle of them. */
static void overlapping_contents_have_their_own_hashes(void **state)
{
    (void)state;
    static const struct {
        uint64_t offset, size;
    } at[] = {{0, 1000}, {0, 64}, {0, 0}, {0, 1000}, {0, 65}, {100, 700}, {100, 63}, {100, 64}};
    enum { COUNT = sizeof at / sizeof *at };
    struct dpk_buf elf = made_elf(COUNT, 0, 1000), out = {0};
    for (size_t i = 0; i < COUNT; i++) {
        memcpy(elf.data + 64 + 56 * i + 8, &at[i].offset, 8);
        memcpy(elf.data + 64 + 56 * i + 32, &at[i].size, 8);
    }
    struct dpk_hashlist *h = built(&elf, DPK_PROFILE_FULL);
    dpk_hashlist_encode(h, &out);
    for (size_t i = 0; i < COUNT; i++) {
        uint8_t expected[32];
        EVP_Digest(elf.data + at[i].offset, (size_t)at[i].size, expected, NULL, EVP_sha256(), NULL);
        assert_memory_equal(out.data + 0x80 + 32 * i, expected, 32);
    }
    dpk_hashlist_free(h);
    dpk_buf_free(&elf);
    dpk_buf_free(&out);
}

static void extended_numbering_is_refused_in_full_and_fine_in_compact(void **state)
{
    (void)state;
    static const size_t count_at[] = {offsetof(Elf64_Ehdr, e_phnum), offsetof(Elf64_Ehdr, e_shnum),
                                      offsetof(Elf64_Ehdr, e_shstrndx)};
    static const uint16_t counts[] = {PN_XNUM, 0, SHN_XINDEX};
    for (size_t i = 0; i < 3; i++) {
        struct dpk_error err = {0};
        struct dpk_hashlist *h = NULL;
        struct dpk_buf elf = made_elf(1, 3, 64);
        memcpy(elf.data + count_at[i], &counts[i], 2);
        assert_int_equal(dpk_hashlist_build(elf.data, elf.size, DPK_PROFILE_FULL, &h, &err),
                         DPK_ERR_RANGE);
        assert_non_null(strstr(err.message, "extended numbering"));
        assert_non_null(strstr(err.message, "compact"));
        dpk_hashlist_free(built(&elf, DPK_PROFILE_COMPACT));
        dpk_buf_free(&elf);
    }
}

static void elf_made_to_keep_its_verifier_busy_is_an_error(void **state)
{
    (void)state;
    struct dpk_buf elf = made_elf(255, 0, 100000);
    for (unsigned i = 0; i < 255; i++) {
        uint64_t size = elf.size;
        memcpy(elf.data + 64 + 56 * i + 32, &size, 8);
    }
    build_gives(&elf, DPK_ERR_RANGE);
}

static void other_classes_and_byte_orders_are_refused(void **state)
{
    (void)state;
    struct dpk_buf elf = made_elf(0, 0, 0);
    elf.data[EI_CLASS] = ELFCLASS32;
    build_gives(&elf, DPK_ERR_UNSUPPORTED);
    elf = made_elf(0, 0, 0);
    elf.data[EI_DATA] = ELFDATA2MSB;
    build_gives(&elf, DPK_ERR_UNSUPPORTED);
    elf = made_elf(0, 0, 0);
    elf.data[0] = 0;
    build_gives(&elf, DPK_ERR_FORMAT);
}

static void truncation_and_bit_flips_never_crash(void **state)
{
    (void)state;
    struct dpk_buf elf = golden("hostelf/dev1.elf");
    struct dpk_hashlist *h;
    for (size_t size = 0; size < elf.size; size++) {
        h = NULL;
        uint8_t *exact = malloc(size + !size);
        memcpy(exact, elf.data, size);
        assert_int_equal(dpk_hashlist_build(exact, size, DPK_PROFILE_FULL, &h, NULL),
                         DPK_ERR_FORMAT); /* the section header table is at the end */
        free(exact);
    }
    struct dpk_hashlist *then = built(&elf, DPK_PROFILE_FULL);
    for (size_t bit = 0; bit < elf.size * 8; bit++) {
        elf.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (dpk_hashlist_build(elf.data, elf.size, DPK_PROFILE_FULL, &h, NULL) == DPK_OK)
            assert_int_equal(dpk_hashlist_compare(then, h, NULL, 0), DPK_ERR_MISMATCH);
        dpk_hashlist_free(h);
        elf.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    dpk_hashlist_free(then);
    dpk_buf_free(&elf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_table_equals_the_reference),
        cmocka_unit_test(compact_table_equals_the_reference),
        cmocka_unit_test(empty_tables_and_sections_are_hashed_as_no_bytes),
        cmocka_unit_test(table_that_is_decoded_encodes_to_the_same_bytes),
        cmocka_unit_test(truncated_table_is_refused_at_every_length),
        cmocka_unit_test(table_with_wrong_fixed_bytes_is_refused),
        cmocka_unit_test(first_entry_that_differs_is_named),
        cmocka_unit_test(compact_table_names_the_whole_elf),
        cmocka_unit_test(other_count_and_other_profile_are_named),
        cmocka_unit_test(as_many_entries_as_the_counts_hold_are_accepted),
        cmocka_unit_test(one_segment_more_than_the_count_holds_is_an_error),
        cmocka_unit_test(one_section_more_than_the_count_holds_is_an_error),
        cmocka_unit_test(sections_without_content_do_not_count),
        cmocka_unit_test(content_outside_the_file_is_an_error),
        cmocka_unit_test(overlapping_contents_have_their_own_hashes),
        cmocka_unit_test(extended_numbering_is_refused_in_full_and_fine_in_compact),
        cmocka_unit_test(elf_made_to_keep_its_verifier_busy_is_an_error),
        cmocka_unit_test(other_classes_and_byte_orders_are_refused),
        cmocka_unit_test(truncation_and_bit_flips_never_crash),
    };
    return cmocka_run_group_tests_name("hashlist", tests, NULL, NULL);
}
