/* lib/certchain: forged chains, which no trusted CA intended. */
#include "testchain.h"

#include <openssl/core_names.h>
#include <openssl/param_build.h>

static enum dpk_path_result judged(struct dpk_certchain *chain, struct dpk_buf *roots, size_t count,
                                   char why[256])
{
    struct dpk_der list[4] = {0};
    for (size_t i = 0; i < count; i++)
        list[i] = (struct dpk_der){roots[i].data, roots[i].size};
    enum dpk_path_result got = dpk_certchain_validate(chain, list, count, why, 256);
    for (size_t i = 0; i < count; i++)
        dpk_buf_free(&roots[i]);
    dpk_certchain_free(chain);
    return got;
}

static void path_gives(struct dpk_certchain *chain, X509 *trusted, enum dpk_path_result expected,
                       const char *reason)
{
    char why[256] = "";
    struct dpk_buf roots[] = {DER(trusted)};
    enum dpk_path_result got = judged(chain, roots, 1, why);
    if (got != expected || !strstr(why, reason))
        fail_msg("result %d, '%s'; not %d, '%s'", got, why, expected, reason);
}

/* The public half of `key` with another exponent. */
static EVP_PKEY *with_exponent(unsigned long exponent)
{
    BIGNUM *n = NULL, *e = BN_new();
    EVP_PKEY *out = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    assert_int_equal(EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &n), 1);
    BN_set_word(e, exponent);
    OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, n);
    OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, e);
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    assert_int_equal(EVP_PKEY_fromdata_init(context), 1);
    assert_int_equal(EVP_PKEY_fromdata(context, &out, EVP_PKEY_PUBLIC_KEY, params), 1);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    EVP_PKEY_CTX_free(context);
    BN_free(n);
    BN_free(e);
    return out;
}

/* A CA renews its key and keeps its name; both roots are installed for a while. */
static void roots_of_one_name_do_not_hide_each_other(void **state)
{
    (void)state;
    X509 *twin = make_cert(&(struct cert_spec){
        .subject = "Root", .key = other_key, .constraints = CA, .usage = SIGNS_CERTS});
    X509 *of_twin = make_cert(
        &(struct cert_spec){.subject = "End", .issuer = twin, .key = key, .issuer_key = other_key});
    for (int order = 0; order < 2; order++) {
        char why[256] = "";
        struct dpk_buf roots[] = {order ? DER(twin) : DER(root), order ? DER(root) : DER(twin)};
        if (judged(parsed(DER(inter, leaf)), roots, 2, why) != DPK_PATH_OK)
            fail_msg("order %d, old key: %s", order, why);
        struct dpk_buf again[] = {order ? DER(twin) : DER(root), order ? DER(root) : DER(twin)};
        if (judged(parsed(DER(of_twin)), again, 2, why) != DPK_PATH_OK)
            fail_msg("order %d, new key: %s", order, why);
    }
    X509_free(of_twin);
    X509_free(twin);
}

/* With exponent 1 every signature is right. */
static void keys_that_anybody_can_sign_for_are_refused(void **state)
{
    (void)state;
    static const unsigned long exponents[] = {1, 2, 65536};
    for (size_t i = 0; i < 3; i++) {
        EVP_PKEY *weak = with_exponent(exponents[i]);
        X509 *end = make_cert(&(struct cert_spec){.subject = "End",
                                                  .issuer = inter,
                                                  .key = weak,
                                                  .issuer_key = key,
                                                  .usage = SIGNS_DATA});
        path_gives(parsed(DER(inter, end)), root, DPK_PATH_INVALID, "exponent: CN=End");
        X509_free(end);
        EVP_PKEY_free(weak);
    }
}

/* A TLS server of the same CA is not a signer of programs. */
static void certificates_for_other_purposes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *purpose;
        bool good;
    } uses[] = {{"serverAuth,clientAuth", false},
                {"critical,timeStamping", false},
                {"codeSigning", true},
                {"serverAuth,codeSigning", true},
                {"anyExtendedKeyUsage", true}};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        X509 *end = make_cert(&(struct cert_spec){.subject = "End",
                                                  .issuer = inter,
                                                  .key = key,
                                                  .usage = SIGNS_DATA,
                                                  .other_name = "extendedKeyUsage",
                                                  .other_value = uses[i].purpose});
        path_gives(parsed(DER(inter, end)), root, uses[i].good ? DPK_PATH_OK : DPK_PATH_INVALID,
                   uses[i].good ? "Root" : "not for signing code: CN=End");
        X509_free(end);
        X509 *mid = make_cert(&(struct cert_spec){.subject = "Mid",
                                                  .issuer = root,
                                                  .key = key,
                                                  .constraints = CA,
                                                  .usage = SIGNS_CERTS,
                                                  .other_name = "extendedKeyUsage",
                                                  .other_value = uses[i].purpose});
        end = make_cert(
            &(struct cert_spec){.subject = "End", .issuer = mid, .key = key, .usage = SIGNS_DATA});
        path_gives(parsed(DER(mid, end)), root, uses[i].good ? DPK_PATH_OK : DPK_PATH_INVALID,
                   uses[i].good ? "Root" : "not for signing code: CN=Mid");
        X509_free(mid);
        X509_free(end);
    }
}

/* OpenSSL knows these, but looks at few of them unless it is asked to; who does not process a critical
 * extension refuses the certificate (RFC 5280, 4.2). */
static void critical_extensions_that_nothing_processes_are_refused(void **state)
{
    (void)state;
    static const char *const others[][2] = {
        {"policyConstraints", "critical,requireExplicitPolicy:0"},
        {"policyConstraints", "critical,requireExplicitPolicy:3,inhibitPolicyMapping:0"},
        {"policyMappings", "critical,1.2.3:1.2.4"},
        {"inhibitAnyPolicy", "critical,0"},
        {"certificatePolicies", "critical,1.2.3"},
        {"crlDistributionPoints", "critical,URI:http://ca.example/crl"},
        {"nsCertType", "critical,server"},
        {"tlsfeature", "critical,status_request"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        X509 *end = make_cert(&(struct cert_spec){.subject = "End",
                                                  .issuer = inter,
                                                  .key = key,
                                                  .usage = SIGNS_DATA,
                                                  .other_name = others[i][0],
                                                  .other_value = others[i][1]});
        path_gives(parsed(DER(inter, end)), root, DPK_PATH_INVALID, "critical extension");
        X509_free(end);
        X509 *mid = make_cert(&(struct cert_spec){.subject = "Mid",
                                                  .issuer = root,
                                                  .key = key,
                                                  .constraints = CA,
                                                  .usage = SIGNS_CERTS,
                                                  .other_name = others[i][0],
                                                  .other_value = others[i][1]});
        end = make_cert(
            &(struct cert_spec){.subject = "End", .issuer = mid, .key = key, .usage = SIGNS_DATA});
        path_gives(parsed(DER(mid, end)), root, DPK_PATH_INVALID, "critical extension");
        X509_free(end);
        X509_free(mid);
        X509 *top = make_cert(&(struct cert_spec){.subject = "Top",
                                                  .key = key,
                                                  .constraints = CA,
                                                  .usage = SIGNS_CERTS,
                                                  .other_name = others[i][0],
                                                  .other_value = others[i][1]});
        end = make_cert(
            &(struct cert_spec){.subject = "End", .issuer = top, .key = key, .usage = SIGNS_DATA});
        path_gives(parsed(DER(end)), top, DPK_PATH_INVALID, "critical extension");
        X509_free(end);
        X509_free(top);
    }
}

static void critical_extensions_that_are_processed_pass(void **state)
{
    (void)state;
    static const char *const others[][2] = {{"extendedKeyUsage", "critical,codeSigning"},
                                            {"subjectAltName", "critical,email:a@b.example"},
                                            {"policyConstraints", "requireExplicitPolicy:0"},
                                            {"certificatePolicies", "1.2.3"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        X509 *end = make_cert(&(struct cert_spec){.subject = "End",
                                                  .issuer = inter,
                                                  .key = key,
                                                  .usage = SIGNS_DATA,
                                                  .other_name = others[i][0],
                                                  .other_value = others[i][1]});
        path_gives(parsed(DER(inter, end)), root, DPK_PATH_OK, "Root");
        X509_free(end);
    }
}

static void leaf_is_no_ca(void **state)
{
    (void)state;
    X509 *under = make_cert(
        &(struct cert_spec){.subject = "Under", .issuer = leaf, .key = key, .usage = SIGNS_DATA});
    path_gives(parsed(DER(inter, leaf, under)), root, DPK_PATH_INVALID, "Leaf");
    X509_free(under);
}

static void certificates_twice_are_refused(void **state)
{
    (void)state;
    path_gives(stored(DER(inter, inter, leaf), 3), root, DPK_PATH_INVALID, "order");
    path_gives(stored(DER(inter, leaf, leaf), 3), root, DPK_PATH_INVALID, "order");
    path_gives(stored(DER(root, root, inter, leaf), 4), root, DPK_PATH_INVALID, "order");
}

static void weak_digests_are_refused(void **state)
{
    (void)state;
    const EVP_MD *weak[] = {EVP_sha1(), EVP_md5()};
    for (size_t i = 0; i < 2; i++) {
        X509 *end = make_cert(&(struct cert_spec){
            .subject = "End", .issuer = inter, .key = key, .usage = SIGNS_DATA});
        assert_true(X509_sign(end, key, weak[i]) > 0);
        path_gives(stored(DER(inter, end), 2), root, DPK_PATH_INVALID, "CN=End");
        X509_free(end);
    }
}

static void old_version_intermediate_is_refused(void **state)
{
    (void)state;
    X509 *mid = make_cert(&(struct cert_spec){.subject = "Mid", .issuer = root, .key = key});
    X509_set_version(mid, X509_VERSION_1);
    assert_true(X509_sign(mid, key, EVP_sha256()) > 0);
    X509 *end = make_cert(
        &(struct cert_spec){.subject = "End", .issuer = mid, .key = key, .usage = SIGNS_DATA});
    path_gives(stored(DER(mid, end), 2), root, DPK_PATH_INVALID, "Mid");
    X509_free(mid);
    X509_free(end);
}

/* A self-issued certificate between, of the root's name and another's key. */
static void self_issued_intermediate_needs_the_roots_signature(void **state)
{
    (void)state;
    X509 *twin = make_cert(&(struct cert_spec){
        .subject = "Root", .key = other_key, .constraints = CA, .usage = SIGNS_CERTS});
    X509 *end = make_cert(&(struct cert_spec){
        .subject = "End", .issuer = twin, .key = other_key, .usage = SIGNS_DATA});
    path_gives(stored(DER(twin, end), 2), root, DPK_PATH_UNKNOWN_CA, "Root");
    path_gives(stored(DER(root, twin, end), 3), root, DPK_PATH_INVALID, "");
    path_gives(stored(DER(end), 1), root, DPK_PATH_INVALID, "");
    X509_free(twin);
    X509_free(end);
}

static void names_do_not_reach_the_terminal_as_they_are(void **state)
{
    (void)state;
    char text[256];
    X509 *cert = make_cert(&(struct cert_spec){.subject = "A\033[2J\xc2\x9b"
                                                          "31m\xc3\xa9",
                                               .key = key});
    dpk_cert_subject(cert, text, sizeof text);
    for (const char *p = text; *p; p++)
        assert_true((unsigned char)*p >= 0x20 && (unsigned char)*p != 0x7f);
    assert_null(strstr(text, "\xc2\x9b"));
    assert_non_null(strstr(text, "\xc3\xa9"));
    X509_free(cert);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_of_one_name_do_not_hide_each_other),
        cmocka_unit_test(keys_that_anybody_can_sign_for_are_refused),
        cmocka_unit_test(certificates_for_other_purposes_are_refused),
        cmocka_unit_test(critical_extensions_that_nothing_processes_are_refused),
        cmocka_unit_test(critical_extensions_that_are_processed_pass),
        cmocka_unit_test(leaf_is_no_ca),
        cmocka_unit_test(certificates_twice_are_refused),
        cmocka_unit_test(weak_digests_are_refused),
        cmocka_unit_test(old_version_intermediate_is_refused),
        cmocka_unit_test(self_issued_intermediate_needs_the_roots_signature),
        cmocka_unit_test(names_do_not_reach_the_terminal_as_they_are),
    };
    return cmocka_run_group_tests_name("certpath_attacks", tests, make_chain, free_chain);
}
