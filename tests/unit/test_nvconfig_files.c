/* lib/nvconfig: output from XML, and files as bytes, compared with NVIDIA's outputs. */
#include "nvconfig/nvconfig.h"

#include <string.h>

#include "nvdefs.h"

static const char *const names[] = {"auth-on", "auth-off-reordered", "owner-key", "remove-owner"};
#define NAMES (sizeof names / sizeof *names)

static const char *golden_name(const char *base, const char *suffix)
{
    static char path[128];
    snprintf(path, sizeof path, "nvconfig/%s%s", base, suffix);
    return path;
}

static void assert_same(const struct dpk_buf *have, const char *name)
{
    struct dpk_buf want = golden(name);
    assert_int_equal(have->size, want.size);
    assert_memory_equal(have->data, want.data, want.size);
    dpk_buf_free(&want);
}

static struct dpk_nv_list parse_golden_xml(const char *name)
{
    struct dpk_error err = {0};
    struct dpk_nv_list list = {0};
    struct dpk_buf xml = golden(golden_name(name, ".xml"));
    if (dpk_nv_xml_parse(defs, xml.data, xml.size, &list, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_buf_free(&xml);
    return list;
}

/* ---- As NVIDIA's tool ---- */

static void files_equal_nvidias(const char *key, const char *suffix)
{
    struct dpk_uuid uuid = {{0}};
    struct dpk_signer *s = NULL;
    assert_int_equal(dpk_uuid_parse("240a42de-3223-173e-9929-d51e6547f1bf", &uuid, NULL), DPK_OK);
    if (key)
        assert_int_equal(dpk_signer_open(golden_path(key), NULL, &s, NULL), DPK_OK);
    for (size_t i = 0; i < NAMES; i++) {
        struct dpk_nv_list list = parse_golden_xml(names[i]);
        struct dpk_buf made = {0};
        assert_int_equal(dpk_nv_file_make(&list, s, &uuid, &made, NULL), DPK_OK);
        assert_same(&made, golden_name(names[i], suffix));
        dpk_buf_free(&made);
        dpk_nv_list_free(&list);
    }
    dpk_signer_close(s);
}

static void unsigned_files_equal_nvidias(void **state)
{
    (void)state;
    files_equal_nvidias(NULL, ".bin");
}

static void files_signed_with_rsa_4096_equal_nvidias(void **state)
{
    (void)state;
    files_equal_nvidias("keys/owner.pem", ".signed4096.bin");
}

static void files_signed_with_rsa_2048_equal_nvidias(void **state)
{
    (void)state;
    files_equal_nvidias("keys/owner2048.pem", ".signed2048.bin");
}

static void raw_form_equals_nvidias_and_reads_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        struct dpk_nv_list list = parse_golden_xml(names[i]), back = {0};
        struct dpk_buf raw = {0}, xml = {0};
        dpk_nv_raw_format(&list, &raw);
        assert_same(&raw, golden_name(names[i], ".raw"));
        assert_int_equal(dpk_nv_raw_parse((char *)raw.data, raw.size, &back, NULL), DPK_OK);
        assert_int_equal(dpk_nv_xml_format(defs, &back, &xml, NULL), DPK_OK);
        assert_same(&xml, golden_name(names[i], ".fromraw.xml"));
        dpk_buf_free(&xml);
        dpk_buf_free(&raw);
        dpk_nv_list_free(&back);
        dpk_nv_list_free(&list);
    }
}

static void templates_equal_nvidias(void **state)
{
    (void)state;
    struct dpk_buf text = golden("nvconfig/tlvs.txt");
    for (int all = 0; all < 2; all++) {
        struct dpk_buf made = {0};
        assert_int_equal(dpk_nv_xml_template(defs, (char *)text.data, text.size, all, &made, NULL),
                         DPK_OK);
        assert_same(&made, all ? "nvconfig/template-all.xml" : "nvconfig/template.xml");
        dpk_buf_free(&made);
    }
    dpk_buf_free(&text);
}

/* ---- Files ---- */

static bool verifies(const uint8_t *bytes, size_t size, const struct dpk_uuid *uuid, EVP_PKEY *key)
{
    struct dpk_nv_file file;
    if (dpk_nv_file_parse(bytes, size, &file, NULL) != DPK_OK)
        return false;
    bool ok = dpk_uuid_equal(&file.keypair, uuid) && dpk_nv_file_verify(&file, key, NULL) == DPK_OK;
    dpk_nv_file_free(&file);
    return ok;
}

struct suite {
    const char *key, *suffix;
};
static const struct suite suites[] = {{"keys/owner.pem", ".signed4096.bin"},
                                      {"keys/owner2048.pem", ".signed2048.bin"}};

static void for_each_signed(void (*check)(struct dpk_buf *file, const struct dpk_uuid *uuid,
                                          EVP_PKEY *key))
{
    struct dpk_uuid uuid;
    assert_int_equal(dpk_uuid_parse("240a42de-3223-173e-9929-d51e6547f1bf", &uuid, NULL), DPK_OK);
    for (size_t k = 0; k < 2; k++) {
        struct dpk_signer *s = NULL;
        assert_int_equal(dpk_signer_open(golden_path(suites[k].key), NULL, &s, NULL), DPK_OK);
        for (size_t i = 0; i < NAMES; i++) {
            struct dpk_buf file = golden(golden_name(names[i], suites[k].suffix));
            assert_true(verifies(file.data, file.size, &uuid, dpk_signer_public(s)));
            check(&file, &uuid, dpk_signer_public(s));
            dpk_buf_free(&file);
        }
        dpk_signer_close(s);
    }
}

static void truncate_all(struct dpk_buf *file, const struct dpk_uuid *uuid, EVP_PKEY *key)
{
    for (size_t size = 0; size < file->size; size++) {
        uint8_t *copy = malloc(size ? size : 1);
        assert_non_null(copy);
        memcpy(copy, file->data, size);
        assert_false(verifies(copy, size, uuid, key));
        free(copy);
    }
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    for_each_signed(truncate_all);
}

static void flip_all(struct dpk_buf *file, const struct dpk_uuid *uuid, EVP_PKEY *key)
{
    for (size_t bit = 0; bit < 8 * file->size; bit++) {
        file->data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        if (verifies(file->data, file->size, uuid, key))
            fail_msg("bit %zu of byte %zu", bit % 8, bit / 8);
        file->data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
}

static void every_flipped_bit_of_a_signed_file_is_refused(void **state)
{
    (void)state;
    for_each_signed(flip_all);
}

static void every_flipped_bit_of_an_unsigned_file_breaks_its_digest(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        struct dpk_buf bytes = golden(golden_name(names[i], ".bin"));
        struct dpk_nv_file file;
        assert_int_equal(dpk_nv_file_parse(bytes.data, bytes.size, &file, NULL), DPK_OK);
        assert_true(file.has_digest && file.digest_right);
        assert_int_equal(file.signature_kind, DPK_NV_UNSIGNED_FILE);
        dpk_nv_file_free(&file);
        for (size_t bit = 0; bit < 8 * bytes.size; bit++) {
            bytes.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            if (dpk_nv_file_parse(bytes.data, bytes.size, &file, NULL) == DPK_OK) {
                assert_false(file.has_digest && file.digest_right);
                dpk_nv_file_free(&file);
            }
            bytes.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
        dpk_buf_free(&bytes);
    }
}

static void what_a_file_says_is_read(void **state)
{
    (void)state;
    struct dpk_buf bytes = golden("nvconfig/owner-key.signed4096.bin");
    struct dpk_nv_file file;
    struct dpk_nv_owner_key key;
    bool found = false;
    assert_int_equal(dpk_nv_file_parse(bytes.data, bytes.size, &file, NULL), DPK_OK);
    assert_false(file.mlnx);
    assert_true(file.keep_same_priority && file.per_tlv_priority && file.erase_lower_priority);
    assert_false(file.disable_override);
    assert_int_equal(file.version, 2);
    assert_string_equal(file.psid, "MT_0000006133");
    assert_string_equal(file.psid_branch, "");
    assert_int_equal(file.signature_kind, DPK_NV_RSA_4096);
    assert_int_equal(dpk_nv_owner_key_find(&file.tlvs, &found, &key, NULL), DPK_OK);
    assert_true(found);
    assert_int_equal(key.exponent, 65537);
    assert_int_equal(key.modulus[0], 0xe7);
    dpk_nv_file_free(&file);
    dpk_buf_free(&bytes);
}

/* The guide's manual recipe: the unsigned file, digest TLV included, with both halves of the
 * signature after it, their headers at priority USER and a random signature UUID. */
static void a_file_signed_by_hand_verifies(void **state)
{
    (void)state;
    static const uint8_t heads[2][12] = {{3, 0, 1, 0x20, 6, 0, 0, 0x0b},
                                         {3, 0, 1, 0x20, 6, 0, 0, 0x0c}};
    struct dpk_buf file = golden("nvconfig/auth-on.bin"), signature = {0};
    struct dpk_uuid random, key;
    struct dpk_signer *s = NULL;
    dpk_uuid_new_time(&random);
    dpk_uuid_parse("240a42de-3223-173e-9929-d51e6547f1bf", &key, NULL);
    assert_int_equal(dpk_signer_open(golden_path("keys/owner.pem"), NULL, &s, NULL), DPK_OK);
    assert_int_equal(dpk_signer_sign(s, DPK_SHA512, file.data, file.size, &signature, NULL),
                     DPK_OK);
    for (size_t i = 0; i < 2; i++) {
        dpk_put(&file, heads[i], sizeof heads[i]);
        dpk_put(&file, random.bytes, 16);
        dpk_put(&file, key.bytes, 16);
        dpk_put(&file, signature.data + 256 * i, 256);
    }
    assert_true(verifies(file.data, file.size, &key, dpk_signer_public(s)));
    dpk_buf_free(&signature);
    dpk_buf_free(&file);
    dpk_signer_close(s);
}

static void halves_that_name_different_keys_are_refused(void **state)
{
    (void)state;
    struct dpk_buf bytes = golden("nvconfig/auth-on.signed4096.bin");
    struct dpk_nv_file file;
    bytes.data[bytes.size - 256 - 1] ^= 1; /* last byte of the second half's key-pair UUID */
    assert_int_equal(dpk_nv_file_parse(bytes.data, bytes.size, &file, NULL), DPK_ERR_FORMAT);
    dpk_buf_free(&bytes);
}

static void a_file_with_both_identities_is_refused(void **state)
{
    (void)state;
    struct dpk_nv_list list = parse_golden_xml("auth-on");
    struct dpk_nv_tlv other = *dpk_nv_list_find(&list, DPK_NV_GLOBAL, DPK_NV_INDEX_ID_VENDOR);
    struct dpk_buf out = {0};
    other.index = DPK_NV_INDEX_ID_MLNX;
    assert_int_equal(dpk_nv_list_add(&list, &other, NULL), DPK_OK);
    assert_int_equal(dpk_nv_file_make(&list, NULL, NULL, &out, NULL), DPK_ERR_FORMAT);
    dpk_nv_list_free(&list);
}

static void an_rsa_2048_signature_does_not_pass_under_an_rsa_4096_key(void **state)
{
    (void)state;
    struct dpk_buf bytes = golden("nvconfig/auth-on.signed2048.bin");
    struct dpk_signer *s = NULL;
    struct dpk_nv_file file;
    assert_int_equal(dpk_signer_open(golden_path("keys/owner.pem"), NULL, &s, NULL), DPK_OK);
    assert_int_equal(dpk_nv_file_parse(bytes.data, bytes.size, &file, NULL), DPK_OK);
    assert_int_equal(dpk_nv_file_verify(&file, dpk_signer_public(s), NULL), DPK_ERR_MISMATCH);
    dpk_nv_file_free(&file);
    dpk_signer_close(s);
    dpk_buf_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsigned_files_equal_nvidias),
        cmocka_unit_test(files_signed_with_rsa_4096_equal_nvidias),
        cmocka_unit_test(files_signed_with_rsa_2048_equal_nvidias),
        cmocka_unit_test(raw_form_equals_nvidias_and_reads_back),
        cmocka_unit_test(templates_equal_nvidias),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(every_flipped_bit_of_a_signed_file_is_refused),
        cmocka_unit_test(every_flipped_bit_of_an_unsigned_file_breaks_its_digest),
        cmocka_unit_test(what_a_file_says_is_read),
        cmocka_unit_test(a_file_signed_by_hand_verifies),
        cmocka_unit_test(halves_that_name_different_keys_are_refused),
        cmocka_unit_test(a_file_with_both_identities_is_refused),
        cmocka_unit_test(an_rsa_2048_signature_does_not_pass_under_an_rsa_4096_key),
    };
    return cmocka_run_group_tests(tests, load_defs, free_defs);
}
