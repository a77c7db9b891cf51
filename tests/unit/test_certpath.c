/* lib/certchain: chains that lead to a trusted root, and certificates that may be roots. */
#include "testchain.h"

/* ---- Validation ---- */

/* Validates `chain` (freed) under one trusted certificate. */
static void path_gives(struct dpk_certchain *chain, X509 *trusted, enum dpk_path_result expected,
                       const char *reason)
{
    char why[256] = "";
    struct dpk_buf der = DER(trusted);
    struct dpk_der d = {der.data, der.size};
    enum dpk_path_result got = dpk_certchain_validate(chain, &d, 1, why, sizeof why);
    if (got != expected || !strstr(why, reason))
        fail_msg("result %d, '%s'; not %d, '%s'", got, why, expected, reason);
    dpk_certchain_free(chain);
    dpk_buf_free(&der);
}

static void chain_up_to_the_root_is_valid_with_and_without_it(void **state)
{
    (void)state;
    path_gives(parsed(DER(root, inter, leaf)), root, DPK_PATH_OK, "Root");
    path_gives(parsed(DER(inter, leaf)), root, DPK_PATH_OK, "Root");
}

static void reference_chains_are_valid(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_buf der = golden("keys/root.der");
    struct dpk_der d = {der.data, der.size};
    static const char *const names[] = {"keys/chain2.der", "keys/chain3.der"};
    for (size_t i = 0; i < 2; i++) {
        char why[256];
        struct dpk_certchain *chain = NULL;
        assert_int_equal(dpk_certchain_load(golden_path(names[i]), &chain, &err), DPK_OK);
        assert_int_equal(dpk_certchain_validate(chain, &d, 1, why, sizeof why), DPK_PATH_OK);
        dpk_certchain_free(chain);
    }
    dpk_buf_free(&der);
}

static void no_trusted_root_is_an_unknown_ca(void **state)
{
    (void)state;
    char why[256];
    struct dpk_certchain *chain = parsed(DER(inter, leaf));
    assert_int_equal(dpk_certchain_validate(chain, NULL, 0, why, sizeof why), DPK_PATH_UNKNOWN_CA);
    dpk_certchain_free(chain);
    chain = parsed(DER(root, inter, leaf));
    assert_int_equal(dpk_certchain_validate(chain, NULL, 0, why, sizeof why), DPK_PATH_UNKNOWN_CA);
    dpk_certchain_free(chain);
}

static void chain_of_another_ca_is_an_unknown_ca(void **state)
{
    (void)state;
    X509 *foreign = make_cert(&(struct cert_spec){
        .subject = "Foreign", .key = other_key, .constraints = CA, .usage = SIGNS_CERTS});
    path_gives(parsed(DER(root, inter, leaf)), foreign, DPK_PATH_UNKNOWN_CA, "Root");
    path_gives(parsed(DER(inter, leaf)), foreign, DPK_PATH_UNKNOWN_CA, "");
    X509_free(foreign);
}

static void root_in_the_chain_that_only_looks_like_the_trusted_one_is_an_unknown_ca(void **state)
{
    (void)state;
    X509 *twin = make_cert(&(struct cert_spec){
        .subject = "Root", .key = key, .constraints = CA, .usage = SIGNS_CERTS});
    path_gives(parsed(DER(root, inter, leaf)), twin, DPK_PATH_UNKNOWN_CA,
               "root certificate that is not trusted");
    X509_free(twin);
}

static void ca_of_the_same_name_with_another_key_is_refused(void **state)
{
    (void)state;
    X509 *twin = make_cert(&(struct cert_spec){
        .subject = "Root", .key = other_key, .constraints = CA, .usage = SIGNS_CERTS});
    path_gives(parsed(DER(inter, leaf)), twin, DPK_PATH_INVALID, "signature");
    X509_free(twin);
}

static void intermediate_that_is_trusted_is_no_root(void **state)
{
    (void)state;
    path_gives(parsed(DER(inter, leaf)), inter, DPK_PATH_UNKNOWN_CA, "");
}

static void certificates_out_of_order_are_refused(void **state)
{
    (void)state;
    X509 *second = make_cert(&(struct cert_spec){
        .subject = "Second", .issuer = inter, .key = key, .constraints = CA, .usage = SIGNS_CERTS});
    X509 *end = make_cert(
        &(struct cert_spec){.subject = "End", .issuer = second, .key = key, .usage = SIGNS_DATA});
    path_gives(stored(DER(second, inter, end), 3), root, DPK_PATH_INVALID, "order");
    path_gives(stored(DER(inter, second, end), 3), root, DPK_PATH_OK, "Root");
    X509_free(second);
    X509_free(end);
}

static void certificate_that_is_not_part_of_the_path_is_refused(void **state)
{
    (void)state;
    X509 *stray = make_cert(&(struct cert_spec){
        .subject = "Stray", .issuer = root, .key = key, .constraints = CA, .usage = SIGNS_CERTS});
    path_gives(stored(DER(stray, inter, leaf), 3), root, DPK_PATH_INVALID, "order");
    X509_free(stray);
}

static void four_certificates_with_the_root_are_the_most(void **state)
{
    (void)state;
    X509 *a = make_cert(&(struct cert_spec){
        .subject = "A", .issuer = inter, .key = key, .constraints = CA, .usage = SIGNS_CERTS});
    X509 *b = make_cert(&(struct cert_spec){
        .subject = "B", .issuer = a, .key = key, .constraints = CA, .usage = SIGNS_CERTS});
    X509 *end = make_cert(
        &(struct cert_spec){.subject = "End", .issuer = b, .key = key, .usage = SIGNS_DATA});
    X509 *short_end = make_cert(
        &(struct cert_spec){.subject = "End", .issuer = a, .key = key, .usage = SIGNS_DATA});
    path_gives(parsed(DER(inter, a, short_end)), root, DPK_PATH_OK, "Root");
    path_gives(parsed(DER(root, inter, a, short_end)), root, DPK_PATH_OK, "Root");
    path_gives(parsed(DER(inter, a, b, end)), root, DPK_PATH_INVALID, "more than 4");
    X509_free(a);
    X509_free(b);
    X509_free(end);
    X509_free(short_end);
}

/* A chain of a special intermediate and a leaf under the usual root. */
static void special_intermediate_gives(struct cert_spec spec, enum dpk_path_result result,
                                       const char *reason)
{
    spec.subject = "Special";
    spec.issuer = root;
    spec.key = key;
    X509 *special = make_cert(&spec);
    X509 *end = make_cert(
        &(struct cert_spec){.subject = "End", .issuer = special, .key = key, .usage = SIGNS_DATA});
    path_gives(stored(DER(special, end), 2), root, result, reason);
    X509_free(special);
    X509_free(end);
}

static void intermediate_that_is_no_ca_is_refused(void **state)
{
    (void)state;
    special_intermediate_gives((struct cert_spec){.constraints = "critical,CA:FALSE"},
                               DPK_PATH_INVALID, "Special");
    special_intermediate_gives((struct cert_spec){0}, DPK_PATH_INVALID, "Special");
}

static void intermediate_that_may_not_sign_certificates_is_refused(void **state)
{
    (void)state;
    special_intermediate_gives((struct cert_spec){.constraints = CA, .usage = SIGNS_DATA},
                               DPK_PATH_INVALID, "");
}

static void intermediate_without_key_usage_is_valid(void **state)
{
    (void)state;
    special_intermediate_gives((struct cert_spec){.constraints = CA}, DPK_PATH_OK, "Root");
}

static void expired_certificate_is_refused(void **state)
{
    (void)state;
    special_intermediate_gives(
        (struct cert_spec){.constraints = CA, .from_days = -20, .until_days = -10},
        DPK_PATH_INVALID, "expired: CN=Special");
}

static void certificate_of_the_future_is_refused(void **state)
{
    (void)state;
    special_intermediate_gives(
        (struct cert_spec){.constraints = CA, .from_days = 10, .until_days = 20}, DPK_PATH_INVALID,
        "not yet valid: CN=Special");
}

static void unknown_critical_extension_is_refused(void **state)
{
    (void)state;
    special_intermediate_gives((struct cert_spec){.constraints = CA,
                                                  .other_name = "1.2.3.4",
                                                  .other_value = "critical,DER:0500"},
                               DPK_PATH_INVALID, "critical");
}

static void path_length_is_obeyed(void **state)
{
    (void)state;
    X509 *top = make_cert(&(struct cert_spec){.subject = "Top",
                                              .key = key,
                                              .constraints = "critical,CA:TRUE,pathlen:0",
                                              .usage = SIGNS_CERTS});
    X509 *mid = make_cert(&(struct cert_spec){
        .subject = "Mid", .issuer = top, .key = key, .constraints = CA, .usage = SIGNS_CERTS});
    X509 *end = make_cert(
        &(struct cert_spec){.subject = "End", .issuer = mid, .key = key, .usage = SIGNS_DATA});
    path_gives(parsed(DER(mid, end)), top, DPK_PATH_INVALID, "path length");
    X509_free(top);
    X509_free(mid);
    X509_free(end);
}

static void leaf_key_usage_counts_if_there_is_one(void **state)
{
    (void)state;
    X509 *mute = make_cert(
        &(struct cert_spec){.subject = "Mute", .issuer = inter, .key = key, .usage = SIGNS_CERTS});
    X509 *free_use = make_cert(&(struct cert_spec){.subject = "Any", .issuer = inter, .key = key});
    path_gives(parsed(DER(inter, mute)), root, DPK_PATH_INVALID, "may not sign data: CN=Mute");
    path_gives(parsed(DER(inter, free_use)), root, DPK_PATH_OK, "Root");
    X509_free(mute);
    X509_free(free_use);
}

static void flipped_bits_of_an_intermediate_are_refused(void **state)
{
    (void)state;
    struct dpk_buf trusted = DER(root), chain_der = DER(inter, leaf);
    struct dpk_der d = {trusted.data, trusted.size};
    struct dpk_buf b = {0};
    uint32_t first = 0xFF000000u | (uint32_t)(chain_der.size + 12) << 8 | 2u << 4 | 1;
    dpk_put_be32(&b, first);
    dpk_put_be32(&b, 0xFFFFFFFF);
    dpk_put_be32(&b, 0xFFFF0000u | dpk_crc16(b.data, 8));
    dpk_put(&b, chain_der.data, chain_der.size);
    for (size_t bit = 12 * 8; bit < b.size * 8; bit++) {
        struct dpk_certchain *chain = NULL;
        bool warning;
        char why[256];
        b.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        struct dpk_reader r = dpk_reader(b.data, b.size);
        if (dpk_certchain_decode(&r, &chain, &warning, NULL) == DPK_OK &&
            dpk_certchain_validate(chain, &d, 1, why, sizeof why) == DPK_PATH_OK)
            fail_msg("bit %zu of byte %#zx", bit % 8, bit / 8);
        dpk_certchain_free(chain);
        b.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    dpk_buf_free(&b);
    dpk_buf_free(&chain_der);
    dpk_buf_free(&trusted);
}

/* ---- Roots ---- */

static void root_check_gives(struct dpk_buf der, enum dpk_status status, const char *why)
{
    struct dpk_error err = {0};
    assert_int_equal(dpk_cert_check_root(der.data, der.size, &err), status);
    if (!strstr(err.message, why))
        fail_msg("'%s' does not say '%s'", err.message, why);
    dpk_buf_free(&der);
}

static void reference_root_can_be_a_root(void **state)
{
    (void)state;
    root_check_gives(golden("keys/root.der"), DPK_OK, "");
}

static void what_a_root_lacks_is_said(void **state)
{
    (void)state;
    X509 *plain = make_cert(&(struct cert_spec){.subject = "Plain", .key = key});
    X509 *forged = make_cert(&(struct cert_spec){
        .subject = "Forged", .key = key, .issuer_key = other_key, .constraints = CA});
    root_check_gives(DER(root), DPK_ERR_UNSUPPORTED, "RSA-2048");
    root_check_gives(DER(inter), DPK_ERR_REFUSED, "self-signed");
    root_check_gives(DER(plain), DPK_ERR_REFUSED, "not a CA");
    root_check_gives(DER(forged), DPK_ERR_REFUSED, "self-signed");
    root_check_gives(DER(root, root), DPK_ERR_FORMAT, "after");
    root_check_gives((struct dpk_buf){0}, DPK_ERR_FORMAT, "certificate");
    X509_free(plain);
    X509_free(forged);
}

static char *temp_file(const struct dpk_buf *b)
{
    struct dpk_error err = {0};
    char *path = strdup("/tmp/dpk-certchain-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(dpk_file_replace(path, b->data, b->size, 0600, &err), DPK_OK);
    return path;
}

static void roots_are_loaded_from_der_and_pem(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_roots *roots = NULL;
    size_t count;
    struct dpk_buf der = golden("keys/root.der"), pem = {0};
    const unsigned char *p = der.data;
    X509 *cert = d2i_X509(NULL, &p, (long)der.size);
    BIO *bio = BIO_new(BIO_s_mem());
    char *text;
    PEM_write_bio_X509(bio, cert);
    PEM_write_bio_X509(bio, cert);
    long size = BIO_get_mem_data(bio, &text);
    dpk_put(&pem, text, (size_t)size);
    BIO_free(bio);
    X509_free(cert);
    char *a = temp_file(&der), *b = temp_file(&pem);
    assert_int_equal(dpk_roots_load(&roots, a, &err), DPK_OK);
    assert_int_equal(dpk_roots_load(&roots, b, &err), DPK_OK);
    const struct dpk_der *list = dpk_roots_list(roots, &count);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(list[i].size, der.size);
        assert_memory_equal(list[i].data, der.data, der.size);
    }
    unlink(a);
    unlink(b);
    free(a);
    free(b);
    dpk_roots_free(roots);
    dpk_buf_free(&der);
    dpk_buf_free(&pem);
}

/* Whom no device can trust, the tools do not trust in its place. */
static void root_that_no_device_takes_is_not_loaded(void **state)
{
    (void)state;
    struct dpk_buf good = golden("keys/root.der"), bad = DER(root), both = {0};
    struct dpk_buf *files[] = {&bad, &both};
    struct dpk_roots *roots = NULL;
    size_t count = 9;
    BIO *bio = BIO_new(BIO_s_mem());
    const unsigned char *p = good.data;
    char *text;
    X509 *cert = d2i_X509(NULL, &p, (long)good.size);
    PEM_write_bio_X509(bio, cert);
    PEM_write_bio_X509(bio, root);
    long size = BIO_get_mem_data(bio, &text);
    dpk_put(&both, text, (size_t)size);
    for (size_t i = 0; i < 2; i++) {
        struct dpk_error err = {0};
        char *path = temp_file(files[i]);
        assert_int_equal(dpk_roots_load(&roots, path, &err), DPK_ERR_UNSUPPORTED);
        assert_non_null(strstr(err.message, "CN=Root: the certificate's key is RSA-2048"));
        dpk_roots_list(roots, &count);
        assert_int_equal(count, 0);
        unlink(path);
        free(path);
    }
    BIO_free(bio);
    X509_free(cert);
    dpk_roots_free(roots);
    dpk_buf_free(&good);
    dpk_buf_free(&bad);
    dpk_buf_free(&both);
}

static void file_that_is_no_root_is_not_loaded(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_roots *roots = NULL;
    size_t count;
    struct dpk_buf der = DER(inter);
    char *path = temp_file(&der);
    assert_int_equal(dpk_roots_load(&roots, path, &err), DPK_ERR_REFUSED);
    assert_non_null(strstr(err.message, path));
    assert_non_null(strstr(err.message, "CN=Inter"));
    assert_int_equal(dpk_roots_load(&roots, "/dev/null", &err), DPK_ERR_FORMAT);
    dpk_roots_list(roots, &count);
    assert_int_equal(count, 0);
    unlink(path);
    free(path);
    dpk_roots_free(roots);
    dpk_buf_free(&der);
}

/* ---- A chain by itself ---- */

static void chain_is_checked_without_its_root(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_certchain *chain = parsed(DER(inter, leaf));
    assert_int_equal(dpk_certchain_check(chain, &err), DPK_OK);
    dpk_certchain_free(chain);
    chain = parsed(DER(leaf));
    assert_int_equal(dpk_certchain_check(chain, &err), DPK_OK);
    dpk_certchain_free(chain);
    chain = parsed(DER(root, inter, leaf));
    assert_int_equal(dpk_certchain_check(chain, &err), DPK_OK);
    dpk_certchain_free(chain);
}

static void chain_with_an_expired_leaf_does_not_check(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    X509 *old = make_cert(&(struct cert_spec){
        .subject = "Old", .issuer = inter, .key = key, .from_days = -9, .until_days = -1});
    struct dpk_certchain *chain = parsed(DER(inter, old));
    assert_int_equal(dpk_certchain_check(chain, &err), DPK_ERR_CRYPTO);
    assert_non_null(strstr(err.message, "expired: CN=Old"));
    dpk_certchain_free(chain);
    X509_free(old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_up_to_the_root_is_valid_with_and_without_it),
        cmocka_unit_test(reference_chains_are_valid),
        cmocka_unit_test(no_trusted_root_is_an_unknown_ca),
        cmocka_unit_test(chain_of_another_ca_is_an_unknown_ca),
        cmocka_unit_test(root_in_the_chain_that_only_looks_like_the_trusted_one_is_an_unknown_ca),
        cmocka_unit_test(ca_of_the_same_name_with_another_key_is_refused),
        cmocka_unit_test(intermediate_that_is_trusted_is_no_root),
        cmocka_unit_test(certificates_out_of_order_are_refused),
        cmocka_unit_test(certificate_that_is_not_part_of_the_path_is_refused),
        cmocka_unit_test(four_certificates_with_the_root_are_the_most),
        cmocka_unit_test(intermediate_that_is_no_ca_is_refused),
        cmocka_unit_test(intermediate_that_may_not_sign_certificates_is_refused),
        cmocka_unit_test(intermediate_without_key_usage_is_valid),
        cmocka_unit_test(expired_certificate_is_refused),
        cmocka_unit_test(certificate_of_the_future_is_refused),
        cmocka_unit_test(unknown_critical_extension_is_refused),
        cmocka_unit_test(path_length_is_obeyed),
        cmocka_unit_test(leaf_key_usage_counts_if_there_is_one),
        cmocka_unit_test(flipped_bits_of_an_intermediate_are_refused),
        cmocka_unit_test(reference_root_can_be_a_root),
        cmocka_unit_test(what_a_root_lacks_is_said),
        cmocka_unit_test(roots_are_loaded_from_der_and_pem),
        cmocka_unit_test(root_that_no_device_takes_is_not_loaded),
        cmocka_unit_test(file_that_is_no_root_is_not_loaded),
        cmocka_unit_test(chain_is_checked_without_its_root),
        cmocka_unit_test(chain_with_an_expired_leaf_does_not_check),
    };
    return cmocka_run_group_tests_name("certpath", tests, make_chain, free_chain);
}
