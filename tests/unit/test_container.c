/* lib/container: creating, signing, parsing, verifying; against NVIDIA's outputs where there are.
 */
#include "container/container.h"

#include <string.h>

#include <openssl/pem.h>

#include "golden.h"

static const char cert_uuid[] = "8b26fe1b-76dc-1ab2-943b-d07d92fd73d5";
static const char keypair_uuid[] = "240a42de-3223-173e-9929-d51e6547f1bf";

static struct dpk_uuid uuid(const char *text)
{
    struct dpk_uuid u;
    assert_int_equal(dpk_uuid_parse(text, &u, NULL), DPK_OK);
    return u;
}

static struct dpk_signer *golden_signer(const char *name)
{
    struct dpk_error err = {0};
    struct dpk_signer *s = NULL;
    if (dpk_signer_open(golden_path(name), NULL, &s, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return s;
}

static void assert_same(const struct dpk_buf *have, const char *name)
{
    struct dpk_buf want = golden(name);
    assert_int_equal(have->size, want.size);
    assert_memory_equal(have->data, want.data, want.size);
    dpk_buf_free(&want);
}

static struct dpk_container_plan add_plan(const struct dpk_buf *der, enum dpk_lifecycle priority)
{
    return (struct dpk_container_plan){
        .kind = DPK_CONTAINER_ADD, .priority = priority, .cert = der->data, .cert_size = der->size};
}

static struct dpk_buf create(const struct dpk_container_plan *plan)
{
    struct dpk_error err = {0};
    struct dpk_buf out = {0};
    if (dpk_container_create(plan, &out, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return out;
}

static struct dpk_container_signing owner_signing(const struct dpk_signer *s,
                                                  enum dpk_lifecycle priority)
{
    return (struct dpk_container_signing){.signer = s,
                                          .priority = priority,
                                          .cert_uuid = uuid(cert_uuid),
                                          .keypair_uuid = uuid(keypair_uuid)};
}

/* ---- As NVIDIA's tool ---- */

static void containers_that_add_equal_nvidias(void **state)
{
    (void)state;
    static const enum dpk_lifecycle all[] = {DPK_LIFECYCLE_USER, DPK_LIFECYCLE_OEM,
                                             DPK_LIFECYCLE_NVIDIA};
    struct dpk_buf der = golden("keys/root.der");
    struct dpk_signer *s = golden_signer("keys/owner.pem");
    for (size_t i = 0; i < 3; i++) {
        char name[64];
        struct dpk_error err = {0};
        struct dpk_buf made, signed_one = {0};
        struct dpk_container_plan plan = add_plan(&der, all[i]);
        struct dpk_container_signing how = owner_signing(s, all[i]);
        made = create(&plan);
        snprintf(name, sizeof name, "container/add-%s.bin", dpk_lifecycle_name(all[i]));
        assert_same(&made, name);
        assert_int_equal(dpk_container_sign(made.data, made.size, &how, &signed_one, &err), DPK_OK);
        snprintf(name, sizeof name, "container/add-%s.signed", dpk_lifecycle_name(all[i]));
        assert_same(&signed_one, name);
        dpk_buf_free(&signed_one);
        dpk_buf_free(&made);
    }
    dpk_signer_close(s);
    dpk_buf_free(&der);
}

static void keep_sig_equals_nvidias(void **state)
{
    (void)state;
    struct dpk_buf der = golden("keys/root.der");
    struct dpk_container_plan plan = add_plan(&der, DPK_LIFECYCLE_OEM);
    plan.keep_sig = true;
    struct dpk_buf made = create(&plan);
    assert_same(&made, "container/add-keepsig.bin");
    dpk_buf_free(&made);
    dpk_buf_free(&der);
}

static void uuids_at_creation_equal_nvidias(void **state)
{
    (void)state;
    struct dpk_buf der = golden("keys/root.der");
    struct dpk_container_plan plan = add_plan(&der, DPK_LIFECYCLE_OEM);
    plan.cert_uuid = uuid(cert_uuid);
    plan.keypair_uuid = uuid(keypair_uuid);
    struct dpk_buf made = create(&plan);
    assert_same(&made, "container/add-uuids.bin");
    dpk_buf_free(&made);
    dpk_buf_free(&der);
}

static void removals_equal_nvidias(void **state)
{
    (void)state;
    struct dpk_signer *s = golden_signer("keys/owner.pem");
    for (int all = 0; all < 2; all++) {
        struct dpk_container_plan plan = {
            .kind = DPK_CONTAINER_REMOVE, .priority = DPK_LIFECYCLE_OEM, .remove_all = all};
        if (!all)
            plan.cert_uuid = uuid(cert_uuid);
        struct dpk_buf made = create(&plan), signed_one = {0};
        struct dpk_container_signing how = owner_signing(s, DPK_LIFECYCLE_OEM);
        assert_same(&made, all ? "container/remove-all.bin" : "container/remove-one.bin");
        assert_int_equal(dpk_container_sign(made.data, made.size, &how, &signed_one, NULL), DPK_OK);
        assert_same(&signed_one,
                    all ? "container/remove-all.signed" : "container/remove-one.signed");
        dpk_buf_free(&signed_one);
        dpk_buf_free(&made);
    }
    dpk_signer_close(s);
}

/* ---- Parsing ---- */

static const char *const signed_files[] = {
    "container/add-User.signed", "container/add-OEM.signed", "container/add-Nvidia.signed",
    "container/remove-one.signed", "container/remove-all.signed"};
static const char *const unsigned_files[] = {
    "container/add-User.bin",  "container/add-OEM.bin",     "container/add-Nvidia.bin",
    "container/add-uuids.bin", "container/add-keepsig.bin", "container/remove-one.bin",
    "container/remove-all.bin"};

static void nvidias_signed_containers_verify(void **state)
{
    (void)state;
    struct dpk_signer *s = golden_signer("keys/owner.pem");
    for (size_t i = 0; i < 5; i++) {
        struct dpk_buf file = golden(signed_files[i]);
        struct dpk_container c;
        assert_int_equal(dpk_container_parse(file.data, file.size, &c, NULL), DPK_OK);
        assert_non_null(c.signature);
        assert_int_equal(dpk_container_verify(&c, dpk_signer_public(s), NULL), DPK_OK);
        assert_true(dpk_uuid_equal(&c.keypair_uuid, &(struct dpk_uuid){0}) == false);
        dpk_buf_free(&file);
    }
    dpk_signer_close(s);
}

static void the_certificate_comes_out_without_padding(void **state)
{
    (void)state;
    struct dpk_buf file = golden("container/add-keepsig.bin"), der = golden("keys/root.der");
    struct dpk_container c;
    const uint8_t *cert;
    size_t size;
    assert_int_equal(dpk_container_parse(file.data, file.size, &c, NULL), DPK_OK);
    assert_true(c.keep_sig && c.dpa_root && !c.nvidia_signed_oem && !c.signature);
    assert_int_equal(c.priority, DPK_LIFECYCLE_OEM);
    assert_int_equal(dpk_container_certificate(&c, &cert, &size, NULL), DPK_OK);
    assert_int_equal(size, der.size);
    assert_memory_equal(cert, der.data, size);
    dpk_buf_free(&der);
    dpk_buf_free(&file);
}

static bool accepted(const uint8_t *bytes, size_t size, EVP_PKEY *key)
{
    struct dpk_container c;
    return dpk_container_parse(bytes, size, &c, NULL) == DPK_OK && c.signature &&
           dpk_container_verify(&c, key, NULL) == DPK_OK;
}

/* From a copy at the end of its own allocation, so that a sanitizer sees every read past it. */
static bool accepted_copy(const uint8_t *bytes, size_t size, EVP_PKEY *key)
{
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    bool ok = accepted(copy, size, key);
    free(copy);
    return ok;
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    struct dpk_signer *s = golden_signer("keys/owner.pem");
    for (size_t i = 0; i < 5; i++) {
        struct dpk_buf file = golden(signed_files[i]);
        for (size_t size = 0; size < file.size; size++)
            assert_false(accepted_copy(file.data, size, dpk_signer_public(s)));
        dpk_buf_free(&file);
    }
    dpk_signer_close(s);
}

static void every_flipped_bit_of_a_signed_container_is_refused(void **state)
{
    (void)state;
    struct dpk_signer *s = golden_signer("keys/owner.pem");
    for (size_t i = 0; i < 5; i++) {
        struct dpk_buf file = golden(signed_files[i]);
        assert_true(accepted(file.data, file.size, dpk_signer_public(s)));
        for (size_t bit = 0; bit < 8 * file.size; bit++) {
            file.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            if (accepted(file.data, file.size, dpk_signer_public(s)))
                fail_msg("%s: bit %zu of byte %zu", signed_files[i], bit % 8, bit / 8);
            file.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
        dpk_buf_free(&file);
    }
    dpk_signer_close(s);
}

static void no_mutation_of_an_unsigned_container_counts_as_signed(void **state)
{
    (void)state;
    struct dpk_signer *s = golden_signer("keys/owner.pem");
    for (size_t i = 0; i < 7; i++) {
        struct dpk_buf file = golden(unsigned_files[i]);
        for (size_t bit = 0; bit < 8 * file.size; bit++) {
            file.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            assert_false(accepted(file.data, file.size, dpk_signer_public(s)));
            file.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
        dpk_buf_free(&file);
    }
    dpk_signer_close(s);
}

static void a_mutated_certificate_comes_out_whole_or_not_at_all(void **state)
{
    (void)state;
    struct dpk_buf file = golden("container/add-OEM.bin");
    for (size_t bit = 8 * 64; bit < 8 * file.size; bit++) {
        struct dpk_container c;
        const uint8_t *der;
        size_t size;
        file.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        if (dpk_container_parse(file.data, file.size, &c, NULL) == DPK_OK &&
            dpk_container_certificate(&c, &der, &size, NULL) == DPK_OK)
            assert_int_equal(size, 1357);
        file.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    dpk_buf_free(&file);
}

static void bytes_behind_the_signature_are_refused(void **state)
{
    (void)state;
    struct dpk_buf file = golden("container/add-OEM.signed");
    struct dpk_container c;
    dpk_put_u8(&file, 0);
    assert_int_equal(dpk_container_parse(file.data, file.size, &c, NULL), DPK_ERR_FORMAT);
    dpk_buf_free(&file);
}

/* ---- Bad certificates ---- */

static enum dpk_status create_status(const uint8_t *der, size_t size, char *message)
{
    struct dpk_error err = {0};
    struct dpk_buf out = {0};
    struct dpk_container_plan plan = {
        .kind = DPK_CONTAINER_ADD, .priority = DPK_LIFECYCLE_OEM, .cert = der, .cert_size = size};
    enum dpk_status status = dpk_container_create(&plan, &out, &err);
    assert_int_equal(out.size, 0);
    strcpy(message, err.message);
    dpk_buf_free(&out);
    return status;
}

static void a_certificate_must_be_one_small_der_certificate(void **state)
{
    (void)state;
    char message[1024];
    struct dpk_buf der = golden("keys/root.der"), two = golden("keys/chain2.der");
    static const char pem[] = "-----BEGIN CERTIFICATE-----\nMIIB\n";
    assert_int_equal(create_status((const uint8_t *)"", 0, message), DPK_ERR_FORMAT);
    assert_non_null(strstr(message, "empty"));
    assert_int_equal(create_status((const uint8_t *)"garbage", 7, message), DPK_ERR_FORMAT);
    assert_non_null(strstr(message, "not a DER certificate"));
    assert_int_equal(create_status((const uint8_t *)pem, sizeof pem - 1, message), DPK_ERR_FORMAT);
    assert_non_null(strstr(message, "PEM"));
    assert_int_equal(create_status(two.data, two.size, message), DPK_ERR_FORMAT);
    assert_non_null(strstr(message, "exactly one"));
    assert_int_equal(create_status(der.data, der.size - 1, message), DPK_ERR_FORMAT);
    dpk_buf_free(&two);
    dpk_buf_free(&der);
}

/* A well-formed certificate with a long subject, of about `size` bytes. */
static struct dpk_buf long_cert(size_t name_size)
{
    struct dpk_buf out = {0};
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = X509_new();
    unsigned char *der = NULL;
    char part[65];
    memset(part, 'x', 64);
    part[64] = 0;
    for (size_t left = name_size; left > 0; left -= left < 64 ? left : 64) {
        part[left < 64 ? left : 64] = 0;
        assert_int_equal(X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "OU", MBSTRING_ASC,
                                                    (unsigned char *)part, -1, -1, 0),
                         1);
    }
    X509_gmtime_adj(X509_getm_notBefore(cert), 0);
    X509_gmtime_adj(X509_getm_notAfter(cert), 1000);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_set_pubkey(cert, key);
    /* The signature's size varies by a few bytes: sign until the whole has an even length. */
    int size = 0;
    do {
        OPENSSL_free(der);
        der = NULL;
        assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
        size = i2d_X509(cert, &der);
    } while (size % 2 != 0);
    dpk_put(&out, der, (size_t)size);
    OPENSSL_free(der);
    X509_free(cert);
    EVP_PKEY_free(key);
    return out;
}

static void a_certificate_of_1792_bytes_is_too_large(void **state)
{
    (void)state;
    char message[1024];
    struct dpk_buf der = {0};
    size_t name = 1000;
    while (dpk_buf_free(&der), der = long_cert(name), der.size < 1790)
        name += 1790 - der.size > 80 ? 60 : 1;
    struct dpk_container_plan plan = add_plan(&der, DPK_LIFECYCLE_OEM);
    if (der.size < 1792) {
        struct dpk_buf made = create(&plan);
        dpk_buf_free(&made);
    }
    while (dpk_buf_free(&der), der = long_cert(name), der.size < 1792)
        name++;
    assert_int_equal(create_status(der.data, der.size, message), DPK_ERR_RANGE);
    assert_non_null(strstr(message, "1792"));
    dpk_buf_free(&der);
}

/* ---- Plans that contradict themselves ---- */

static void contradicting_plans_are_wrong_usage(void **state)
{
    (void)state;
    struct dpk_buf der = golden("keys/root.der"), out = {0};
    struct dpk_container_plan remove = {.kind = DPK_CONTAINER_REMOVE};
    assert_int_equal(dpk_container_create(&remove, &out, NULL), DPK_ERR_USAGE);
    remove.remove_all = true;
    remove.cert_uuid = uuid(cert_uuid);
    assert_int_equal(dpk_container_create(&remove, &out, NULL), DPK_ERR_USAGE);
    struct dpk_container_plan add = add_plan(&der, DPK_LIFECYCLE_USER);
    add.nvidia_signed_oem = true;
    assert_int_equal(dpk_container_create(&add, &out, NULL), DPK_ERR_USAGE);
    add = (struct dpk_container_plan){.kind = DPK_CONTAINER_ADD};
    assert_int_equal(dpk_container_create(&add, &out, NULL), DPK_ERR_USAGE);
    assert_int_equal(out.size, 0);
    dpk_buf_free(&out);
    dpk_buf_free(&der);
}

/* ---- Signing ---- */

static enum dpk_status sign_status(const char *file, const struct dpk_container_signing *how)
{
    struct dpk_buf in = golden(file), out = {0};
    enum dpk_status status = dpk_container_sign(in.data, in.size, how, &out, NULL);
    assert_true(status == DPK_OK || out.size == 0);
    dpk_buf_free(&out);
    dpk_buf_free(&in);
    return status;
}

static void a_signed_container_is_not_signed_again(void **state)
{
    (void)state;
    struct dpk_signer *s = golden_signer("keys/owner.pem");
    struct dpk_container_signing how = owner_signing(s, DPK_LIFECYCLE_OEM);
    assert_int_equal(sign_status("container/add-OEM.signed", &how), DPK_ERR_EXISTS);
    dpk_signer_close(s);
}

static void signing_needs_the_containers_priority(void **state)
{
    (void)state;
    struct dpk_signer *s = golden_signer("keys/owner.pem");
    struct dpk_container_signing how = owner_signing(s, DPK_LIFECYCLE_USER);
    assert_int_equal(sign_status("container/add-OEM.bin", &how), DPK_ERR_MISMATCH);
    how = owner_signing(s, DPK_LIFECYCLE_OEM);
    how.nvidia_signed_oem = true;
    assert_int_equal(sign_status("container/add-OEM.bin", &how), DPK_ERR_MISMATCH);
    dpk_signer_close(s);
}

static void signing_needs_both_uuids_from_somewhere(void **state)
{
    (void)state;
    struct dpk_signer *s = golden_signer("keys/owner.pem");
    struct dpk_container_signing how = owner_signing(s, DPK_LIFECYCLE_OEM);
    how.cert_uuid = (struct dpk_uuid){0};
    assert_int_equal(sign_status("container/add-OEM.bin", &how), DPK_ERR_USAGE);
    assert_int_equal(sign_status("container/add-uuids.bin", &how), DPK_OK);
    how.keypair_uuid = (struct dpk_uuid){0};
    assert_int_equal(sign_status("container/remove-one.bin", &how), DPK_ERR_USAGE);
    dpk_signer_close(s);
}

static void signing_writes_its_uuids_over_those_that_are_there(void **state)
{
    (void)state;
    struct dpk_signer *s = golden_signer("keys/owner.pem");
    struct dpk_container_signing how = owner_signing(s, DPK_LIFECYCLE_OEM);
    const struct dpk_uuid cert = how.cert_uuid, keypair = how.keypair_uuid;
    struct dpk_buf file = golden("container/add-uuids.bin"), other = {0}, made = {0};
    /* Another one's UUIDs first, then those of the golden file again. */
    how.cert_uuid.bytes[15] ^= 1;
    how.keypair_uuid.bytes[0] ^= 1;
    assert_int_equal(dpk_container_prepare(file.data, file.size, &how, &other, NULL), DPK_OK);
    assert_memory_not_equal(other.data, file.data, file.size);
    how.cert_uuid = cert;
    how.keypair_uuid = keypair;
    assert_int_equal(dpk_container_sign(other.data, other.size, &how, &made, NULL), DPK_OK);
    assert_same(&made, "container/add-OEM.signed");
    dpk_buf_free(&made);
    dpk_buf_free(&other);
    dpk_buf_free(&file);
    dpk_signer_close(s);
}

static void signing_does_not_change_what_is_removed(void **state)
{
    (void)state;
    struct dpk_signer *s = golden_signer("keys/owner.pem");
    struct dpk_container_signing how = owner_signing(s, DPK_LIFECYCLE_OEM);
    struct dpk_buf file = golden("container/remove-one.bin"), made = {0};
    how.cert_uuid.bytes[15] ^= 1;
    assert_int_equal(dpk_container_sign(file.data, file.size, &how, &made, NULL), DPK_OK);
    assert_same(&made, "container/remove-one.signed");
    dpk_buf_free(&made);
    dpk_buf_free(&file);
    dpk_signer_close(s);
}

static void signing_needs_an_rsa_4096_key(void **state)
{
    (void)state;
    struct dpk_signer *s = golden_signer("keys/owner2048.pem");
    struct dpk_container_signing how = owner_signing(s, DPK_LIFECYCLE_OEM);
    assert_int_equal(sign_status("container/add-OEM.bin", &how), DPK_ERR_UNSUPPORTED);
    dpk_signer_close(s);
}

static void a_foreign_key_does_not_verify(void **state)
{
    (void)state;
    struct dpk_signer *s = golden_signer("keys/leaf.pem");
    struct dpk_buf file = golden("container/add-OEM.signed");
    struct dpk_container c;
    assert_int_equal(dpk_container_parse(file.data, file.size, &c, NULL), DPK_OK);
    assert_int_equal(dpk_container_verify(&c, dpk_signer_public(s), NULL), DPK_ERR_MISMATCH);
    dpk_buf_free(&file);
    dpk_signer_close(s);
}

static void an_unsigned_container_does_not_verify(void **state)
{
    (void)state;
    struct dpk_signer *s = golden_signer("keys/owner.pem");
    struct dpk_buf file = golden("container/add-OEM.bin");
    struct dpk_container c;
    assert_int_equal(dpk_container_parse(file.data, file.size, &c, NULL), DPK_OK);
    assert_int_equal(dpk_container_verify(&c, dpk_signer_public(s), NULL), DPK_ERR_NOT_FOUND);
    dpk_buf_free(&file);
    dpk_signer_close(s);
}

static void nvidia_signed_oem_has_nvidias_priority_around_an_oem_certificate(void **state)
{
    (void)state;
    struct dpk_buf der = golden("keys/root.der"), out = {0};
    struct dpk_signer *s = golden_signer("keys/owner.pem");
    struct dpk_container_plan plan = add_plan(&der, DPK_LIFECYCLE_OEM);
    plan.nvidia_signed_oem = true;
    struct dpk_buf made = create(&plan);
    struct dpk_container_signing how = owner_signing(s, DPK_LIFECYCLE_OEM);
    struct dpk_container c;
    assert_int_equal(made.data[16] >> 4 & 3, 3);
    assert_int_equal(made.data[64] >> 4 & 3, 1);
    assert_int_equal(dpk_container_sign(made.data, made.size, &how, &out, NULL), DPK_OK);
    assert_int_equal(out.data[out.size - 524] >> 4 & 3, 3);
    assert_int_equal(dpk_container_parse(out.data, out.size, &c, NULL), DPK_OK);
    assert_true(c.nvidia_signed_oem);
    assert_int_equal(c.priority, DPK_LIFECYCLE_OEM);
    dpk_buf_free(&out);
    dpk_buf_free(&made);
    dpk_signer_close(s);
    dpk_buf_free(&der);
}

static void priorities_are_read_in_any_case(void **state)
{
    (void)state;
    enum dpk_lifecycle p;
    assert_int_equal(dpk_lifecycle_parse("nvidia", &p, NULL), DPK_OK);
    assert_int_equal(p, DPK_LIFECYCLE_NVIDIA);
    assert_int_equal(dpk_lifecycle_parse("OEM", &p, NULL), DPK_OK);
    assert_int_equal(dpk_lifecycle_parse("root", &p, NULL), DPK_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(containers_that_add_equal_nvidias),
        cmocka_unit_test(keep_sig_equals_nvidias),
        cmocka_unit_test(uuids_at_creation_equal_nvidias),
        cmocka_unit_test(removals_equal_nvidias),
        cmocka_unit_test(nvidias_signed_containers_verify),
        cmocka_unit_test(the_certificate_comes_out_without_padding),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(every_flipped_bit_of_a_signed_container_is_refused),
        cmocka_unit_test(no_mutation_of_an_unsigned_container_counts_as_signed),
        cmocka_unit_test(a_mutated_certificate_comes_out_whole_or_not_at_all),
        cmocka_unit_test(bytes_behind_the_signature_are_refused),
        cmocka_unit_test(a_certificate_must_be_one_small_der_certificate),
        cmocka_unit_test(a_certificate_of_1792_bytes_is_too_large),
        cmocka_unit_test(contradicting_plans_are_wrong_usage),
        cmocka_unit_test(a_signed_container_is_not_signed_again),
        cmocka_unit_test(signing_needs_the_containers_priority),
        cmocka_unit_test(signing_needs_both_uuids_from_somewhere),
        cmocka_unit_test(signing_writes_its_uuids_over_those_that_are_there),
        cmocka_unit_test(signing_does_not_change_what_is_removed),
        cmocka_unit_test(signing_needs_an_rsa_4096_key),
        cmocka_unit_test(a_foreign_key_does_not_verify),
        cmocka_unit_test(an_unsigned_container_does_not_verify),
        cmocka_unit_test(nvidia_signed_oem_has_nvidias_priority_around_an_oem_certificate),
        cmocka_unit_test(priorities_are_read_in_any_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
