/* lib/elfcrypto against the reference tool's files: crypto data, signed host files, verification.
 */
#include "hostfile/hostfile.h"

#include <string.h>

#include "golden_keys.h"

static const struct dpk_sign_options ours = {.profile = DPK_PROFILE_FULL};

static struct dpk_buf built(const struct dpk_buf *elf, const struct dpk_sign_options *options)
{
    struct dpk_error err = {0};
    struct dpk_buf out = {0};
    if (build_bytes(elf->data, elf->size, chain, signer, options, &out, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return out;
}

static enum dpk_verdict verify(const struct dpk_buf *elf, const struct dpk_buf *crypto,
                               struct dpk_report *report)
{
    struct dpk_der der = {root.data, root.size};
    struct dpk_trust trust = {.roots = &der, .count = 1};
    return verify_bytes(elf->data, elf->size, crypto->data, crypto->size, &trust, report);
}

/* ---- Making ---- */

static void crypto_data_equals_the_reference(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"hostelf/dev1.elf", "hostelf/one.full.blob"},
        {"hostelf/dev2.elf", "hostelf/two.full.blob"},
        {"edge/empty-sections.elf", "edge/empty-sections.full.blob"}};
    for (size_t i = 0; i < 3; i++) {
        struct dpk_buf elf = golden(names[i][0]), expected = golden(names[i][1]);
        struct dpk_buf got = built(&elf, &mft_full);
        same_bytes(&got, &expected);
        dpk_buf_free(&elf);
        dpk_buf_free(&expected);
        dpk_buf_free(&got);
    }
}

static void signed_file_of_the_named_placement_equals_the_reference(void **state)
{
    (void)state;
    struct dpk_buf got = signed_file("hostelf/host-named.elf", &mft_full);
    struct dpk_buf expected = golden("hostelf/host-named.signed");
    same_bytes(&got, &expected);
    dpk_buf_free(&got);
    dpk_buf_free(&expected);
}

static void signed_file_of_the_reserved_placement_equals_the_reference(void **state)
{
    (void)state;
    struct dpk_buf got = signed_file("hostelf/host-reserved.elf", &mft_compact);
    struct dpk_buf expected = golden("hostelf/host-reserved.signed");
    same_bytes(&got, &expected);
    dpk_buf_free(&got);
    dpk_buf_free(&expected);
}

static void signing_a_signed_file_again_gives_the_same_file(void **state)
{
    (void)state;
    static const char *const names[] = {"hostelf/host-named.signed",
                                        "hostelf/host-reserved.signed"};
    const struct dpk_sign_options *const options[] = {&mft_full, &mft_compact};
    for (size_t i = 0; i < 2; i++) {
        struct dpk_buf got = signed_file(names[i], options[i]), expected = golden(names[i]);
        same_bytes(&got, &expected);
        dpk_buf_free(&got);
        dpk_buf_free(&expected);
    }
}

/* ---- Verification ---- */

static void reference_files_are_accepted(void **state)
{
    (void)state;
    static const char *const names[] = {"hostelf/host-named.signed",
                                        "hostelf/host-reserved.signed"};
    static const enum dpk_placement placements[] = {DPK_PLACEMENT_NAMED, DPK_PLACEMENT_RESERVED};
    for (size_t i = 0; i < 2; i++) {
        struct dpk_hostfile *host = opened(names[i]);
        struct dpk_der der = {root.data, root.size};
        struct dpk_trust trust = {.roots = &der, .count = 1};
        assert_int_equal(dpk_hostfile_count(host), 2);
        for (size_t j = 0; j < 2; j++) {
            struct dpk_report report;
            const struct dpk_program *p = dpk_hostfile_program(host, j);
            assert_int_equal(p->placement, placements[i]);
            enum dpk_verdict v = dpk_verify(&p->subjects[0], &trust, &report);
            assert_int_equal(v, DPK_VERDICT_OK);
            assert_int_equal(report.count, p->sections.unmapped ? 8 : 7); /* which is a warning */
        }
        dpk_hostfile_close(host);
    }
}

static void reference_file_under_another_ca_is_refused(void **state)
{
    (void)state;
    struct dpk_hostfile *host = opened("hostelf/host-named.signed");
    const struct dpk_program *p = dpk_hostfile_program(host, 0);
    struct dpk_buf other = golden("keys/inter.der");
    struct dpk_der der = {other.data, other.size};
    struct dpk_trust trust = {.roots = &der, .count = 1}, none = {0};
    struct dpk_report report;
    assert_int_equal(dpk_verify(&p->subjects[0], &trust, &report), DPK_VERDICT_UNKNOWN_CA);
    assert_int_equal(dpk_verify(&p->subjects[0], &none, &report), DPK_VERDICT_UNKNOWN_CA);
    assert_int_equal(dpk_verify(&p->subjects[0], NULL, NULL), DPK_VERDICT_UNKNOWN_CA);
    dpk_buf_free(&other);
    dpk_hostfile_close(host);
}

static void count_by_mft_is_a_warning(void **state)
{
    (void)state;
    struct dpk_report report;
    struct dpk_buf elf = golden("hostelf/dev1.elf");
    const struct dpk_sign_options four = {.mft_compat = true, .mft_chain_count = 4};
    struct dpk_buf crypto = built(&elf, &four);
    assert_int_equal(verify(&elf, &crypto, &report), DPK_VERDICT_OK);
    assert_string_equal(report.checks[3].name, "chain");
    assert_true(report.checks[3].warning);
    dpk_buf_free(&elf);
    dpk_buf_free(&crypto);
}

static void program_without_crypto_data_is_unsigned(void **state)
{
    (void)state;
    struct dpk_report report;
    struct dpk_buf elf = golden("hostelf/dev1.elf"), none = {0};
    assert_int_equal(verify(&elf, &none, &report), DPK_VERDICT_UNSIGNED);
    assert_int_equal(report.count, 1);
    assert_int_equal(report.checks[0].verdict, DPK_VERDICT_UNSIGNED);
    dpk_buf_free(&elf);
}

static void crypto_data_of_another_program_is_refused(void **state)
{
    (void)state;
    struct dpk_report report;
    struct dpk_buf elf = golden("hostelf/dev2.elf"), crypto = golden("hostelf/one.full.blob");
    assert_int_equal(verify(&elf, &crypto, &report), DPK_VERDICT_DIGEST_MISMATCH);
    assert_string_equal(report.checks[report.count - 1].name, "hash list");
    dpk_buf_free(&elf);
    dpk_buf_free(&crypto);
}

/* Verdicts that a flipped bit at `offset` of full-profile crypto data may get. */
static bool fits(size_t offset, size_t signature_at, enum dpk_verdict v)
{
    if (offset < 0x40)
        return v == DPK_VERDICT_BAD_FORMAT || v == DPK_VERDICT_UNSUPPORTED;
    if (offset < signature_at)
        return v == DPK_VERDICT_BAD_FORMAT || v == DPK_VERDICT_DIGEST_MISMATCH ||
               v == DPK_VERDICT_CHAIN_FORMAT;
    if (offset < signature_at + 512)
        return v == DPK_VERDICT_AUTH_FAILED;
    if (offset < signature_at + 512 + 12)
        return v == DPK_VERDICT_CHAIN_FORMAT;
    return v == DPK_VERDICT_CHAIN_FORMAT || v == DPK_VERDICT_UNKNOWN_CA ||
           v == DPK_VERDICT_CERT_INVALID || v == DPK_VERDICT_KEY_NOT_APPLICABLE ||
           v == DPK_VERDICT_BAD_FORMAT;
}

/* Every `step`th of the bits; with DPAKIT_ALL_BITS in the environment each one, which takes long.
 */
static size_t stride(size_t step)
{
    return getenv("DPAKIT_ALL_BITS") ? 1 : step;
}

static void flip(struct dpk_buf *b, size_t bit)
{
    b->data[bit / 8] ^= (uint8_t)(1 << bit % 8);
}

static void no_flipped_bit_passes(const struct dpk_sign_options *options, size_t hashes)
{
    struct dpk_buf elf = golden("hostelf/dev1.elf"), crypto = built(&elf, options);
    struct dpk_report report;
    assert_int_equal(verify(&elf, &crypto, &report), DPK_VERDICT_OK);
    for (size_t bit = 0; bit < crypto.size * 8; bit += stride(13)) {
        flip(&crypto, bit);
        enum dpk_verdict v = verify(&elf, &crypto, &report);
        if (!fits(bit / 8, 0x40 + 0xA0 + 32 * hashes, v))
            fail_msg("bit %zu of crypto data byte %#zx: %s", bit % 8, bit / 8, dpk_verdict_name(v));
        assert_int_equal(report.checks[report.count - 1].verdict, v);
        flip(&crypto, bit);
    }
    for (size_t bit = 0; bit < elf.size * 8; bit += stride(13)) {
        flip(&elf, bit);
        enum dpk_verdict v = verify(&elf, &crypto, NULL);
        if (v != DPK_VERDICT_DIGEST_MISMATCH)
            fail_msg("bit %zu of ELF byte %#zx: %s", bit % 8, bit / 8, dpk_verdict_name(v));
        flip(&elf, bit);
    }
    dpk_buf_free(&elf);
    dpk_buf_free(&crypto);
}

static void flipped_bits_of_the_full_profile_are_refused(void **state)
{
    (void)state;
    no_flipped_bit_passes(&ours, 12);
}

static void flipped_bits_of_the_compact_profile_are_refused(void **state)
{
    (void)state;
    const struct dpk_sign_options compact = {.profile = DPK_PROFILE_COMPACT};
    no_flipped_bit_passes(&compact, 2);
}

static void flipped_bits_of_reference_crypto_data_are_refused(void **state)
{
    (void)state;
    no_flipped_bit_passes(&mft_full, 12);
    no_flipped_bit_passes(&mft_compact, 2);
}

static void truncated_and_longer_crypto_data_is_refused(void **state)
{
    (void)state;
    struct dpk_buf elf = golden("hostelf/dev1.elf"), crypto = built(&elf, &ours);
    for (size_t size = 0; size < crypto.size; size++) {
        uint8_t *exact = malloc(size + !size);
        memcpy(exact, crypto.data, size);
        struct dpk_buf cut = {.data = exact, .size = size};
        enum dpk_verdict v = verify(&elf, &cut, NULL);
        assert_true(v == DPK_VERDICT_UNSIGNED || v == DPK_VERDICT_BAD_FORMAT ||
                    v == DPK_VERDICT_CHAIN_FORMAT);
        free(exact);
    }
    for (size_t more = 1; more <= 9; more++) {
        dpk_put_u8(&crypto, 0xFF);
        assert_int_equal(verify(&elf, &crypto, NULL), DPK_VERDICT_BAD_FORMAT);
    }
    dpk_buf_free(&elf);
    dpk_buf_free(&crypto);
}

static void header_of_another_kind_is_refused_as_such(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        uint8_t value;
        enum dpk_verdict verdict;
    } cases[] = {
        {0x03, 1, DPK_VERDICT_UNSUPPORTED},    /* metadata version */
        {0x04, 0x20, DPK_VERDICT_UNSUPPORTED}, /* manifest */
        {0x04, 0x80, DPK_VERDICT_UNSUPPORTED}, /* encryption */
        {0x06, 1, DPK_VERDICT_BAD_FORMAT},     /* reserved */
        {0x0B, 1, DPK_VERDICT_BAD_FORMAT},     /* another program's size */
        {0x20, 1, DPK_VERDICT_BAD_FORMAT},     /* reserved */
        {0x3F, 3, DPK_VERDICT_UNSUPPORTED},    /* signature type */
        {0x3F, 0, DPK_VERDICT_UNSUPPORTED},
        {0x40, 'h', DPK_VERDICT_BAD_FORMAT}, /* no HASHLIST */
        {0x4B, 4, DPK_VERDICT_DIGEST_MISMATCH},
    };
    struct dpk_buf elf = golden("hostelf/dev1.elf"), crypto = built(&elf, &ours);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t before = crypto.data[cases[i].offset];
        crypto.data[cases[i].offset] = cases[i].value;
        assert_int_equal(verify(&elf, &crypto, NULL), cases[i].verdict);
        crypto.data[cases[i].offset] = before;
    }
    dpk_buf_free(&elf);
    dpk_buf_free(&crypto);
}

static void verdicts_have_names(void **state)
{
    (void)state;
    assert_string_equal(dpk_verdict_name(DPK_VERDICT_DIGEST_MISMATCH), "DIGEST_MISMATCH");
    assert_string_equal(dpk_verdict_name(DPK_VERDICT_AUTH_FAILED), "AUTH_FAILED");
    assert_string_equal(dpk_verdict_name((enum dpk_verdict)77), "UNKNOWN");
}

/* ---- Refusals of signing ---- */

static void build_gives(const struct dpk_certchain *with, const struct dpk_signer *by,
                        enum dpk_status status, const char *why)
{
    struct dpk_error err = {0};
    struct dpk_buf out = {0}, elf = golden("hostelf/dev1.elf");
    assert_int_equal(build_bytes(elf.data, elf.size, with, by, &ours, &out, &err), status);
    assert_int_equal(out.size, 0);
    if (!strstr(err.message, why))
        fail_msg("'%s' does not say '%s'", err.message, why);
    dpk_buf_free(&elf);
}

static void key_of_another_certificate_is_refused(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_signer *other = NULL;
    assert_int_equal(dpk_signer_open(golden_path("keys/owner.pem"), NULL, &other, &err), DPK_OK);
    build_gives(chain, other, DPK_ERR_MISMATCH, "DPA leaf");
    dpk_signer_close(other);
}

static void program_that_is_no_elf_is_not_signed(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_buf out = {0};
    assert_int_equal(build_bytes((const uint8_t *)"junk", 4, chain, signer, &ours, &out, &err),
                     DPK_ERR_FORMAT);
    assert_int_equal(build_bytes((const uint8_t *)"NVDPAFBF", 8, chain, signer, &ours, &out, &err),
                     DPK_ERR_UNSUPPORTED);
    assert_int_equal(out.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crypto_data_equals_the_reference),
        cmocka_unit_test(signed_file_of_the_named_placement_equals_the_reference),
        cmocka_unit_test(signed_file_of_the_reserved_placement_equals_the_reference),
        cmocka_unit_test(signing_a_signed_file_again_gives_the_same_file),
        cmocka_unit_test(reference_files_are_accepted),
        cmocka_unit_test(reference_file_under_another_ca_is_refused),
        cmocka_unit_test(count_by_mft_is_a_warning),
        cmocka_unit_test(program_without_crypto_data_is_unsigned),
        cmocka_unit_test(crypto_data_of_another_program_is_refused),
        cmocka_unit_test(flipped_bits_of_the_full_profile_are_refused),
        cmocka_unit_test(flipped_bits_of_the_compact_profile_are_refused),
        cmocka_unit_test(flipped_bits_of_reference_crypto_data_are_refused),
        cmocka_unit_test(truncated_and_longer_crypto_data_is_refused),
        cmocka_unit_test(header_of_another_kind_is_refused_as_such),
        cmocka_unit_test(verdicts_have_names),
        cmocka_unit_test(key_of_another_certificate_is_refused),
        cmocka_unit_test(program_that_is_no_elf_is_not_signed),
    };
    return cmocka_run_group_tests_name("elfcrypto", tests, open_keys, close_keys);
}
