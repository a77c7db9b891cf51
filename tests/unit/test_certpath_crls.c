/* lib/certchain: revocation lists: in any order of lists, one list that revokes is enough. */
#include "testchain.h"

#define SIGNS_LISTS "critical,keyCertSign,cRLSign"

/* The chain again, of CAs that may sign lists. */
static int make_listing_chain(void **state)
{
    make_chain(state);
    X509_free(root);
    X509_free(inter);
    X509_free(leaf);
    root = make_cert(&(struct cert_spec){
        .subject = "Root", .key = key, .constraints = CA, .usage = SIGNS_LISTS});
    inter = make_cert(&(struct cert_spec){
        .subject = "Inter", .issuer = root, .key = key, .constraints = CA, .usage = SIGNS_LISTS});
    leaf = make_cert(
        &(struct cert_spec){.subject = "Leaf", .issuer = inter, .key = key, .usage = SIGNS_DATA});
    return 0;
}

/* What a list says: who made it, when, and which certificate it revokes. */
struct list_spec {
    const X509 *issuer;
    EVP_PKEY *key;       /* NULL: the issuer's, `key` */
    const X509 *revoked; /* NULL: nothing */
    long from_days, until_days;
    const char *other_name, *other_value; /* an extension, may be NULL */
};

static X509_CRL *make_list(const struct list_spec *s)
{
    X509_CRL *crl = X509_CRL_new();
    ASN1_TIME *from = ASN1_TIME_new(), *until = ASN1_TIME_new();
    assert_non_null(crl);
    /* Dates to the minute: two lists of one test have the same. */
    time_t now = time(NULL) / 60 * 60;
    ASN1_TIME_set(from, now + s->from_days * 86400);
    ASN1_TIME_set(until, now + (s->until_days ? s->until_days : 30) * 86400);
    X509_CRL_set_version(crl, X509_CRL_VERSION_2);
    X509_CRL_set_issuer_name(crl, X509_get_subject_name(s->issuer));
    X509_CRL_set1_lastUpdate(crl, from);
    X509_CRL_set1_nextUpdate(crl, until);
    if (s->revoked) {
        X509_REVOKED *r = X509_REVOKED_new();
        X509_REVOKED_set_serialNumber(r, (ASN1_INTEGER *)X509_get0_serialNumber(s->revoked));
        X509_REVOKED_set_revocationDate(r, from);
        assert_int_equal(X509_CRL_add0_revoked(crl, r), 1);
    }
    if (s->other_name) {
        X509V3_CTX context;
        X509V3_set_ctx(&context, NULL, NULL, NULL, crl, 0);
        X509V3_set_ctx_nodb(&context);
        X509_EXTENSION *e = X509V3_EXT_conf(NULL, &context, s->other_name, s->other_value);
        assert_non_null(e);
        assert_int_equal(X509_CRL_add_ext(crl, e, -1), 1);
        X509_EXTENSION_free(e);
    }
    assert_true(X509_CRL_sign(crl, s->key ? s->key : key, EVP_sha256()) > 0);
    ASN1_TIME_free(from);
    ASN1_TIME_free(until);
    /* As a file brings it: only what is parsed knows its extensions. */
    unsigned char *der = NULL;
    int size = i2d_X509_CRL(crl, &der);
    const unsigned char *p = der;
    X509_CRL_free(crl);
    crl = d2i_X509_CRL(NULL, &p, size);
    assert_non_null(crl);
    OPENSSL_free(der);
    return crl;
}

/* Judges Root, Inter, Leaf by a list of the root that revokes nothing and these two of Inter, in both
 * orders. */
static void lists_give(const struct list_spec *one, const struct list_spec *two,
                       enum dpk_path_result expected, const char *reason)
{
    X509_CRL *top = make_list(&(struct list_spec){.issuer = root}), *a = make_list(one),
             *b = make_list(two);
    X509_CRL *orders[2][3] = {{top, a, b}, {b, a, top}};
    struct dpk_buf der = DER(root);
    struct dpk_der trusted = {der.data, der.size};
    for (size_t i = 0; i < 2; i++) {
        char why[256] = "";
        struct dpk_certchain *chain = parsed(DER(inter, leaf));
        const struct dpk_path_rules rules = {.crls = orders[i], .crl_count = 3};
        enum dpk_path_result got =
            dpk_certchain_validate_by(chain, &trusted, 1, &rules, why, sizeof why);
        if (got != expected || !strstr(why, reason))
            fail_msg("order %zu: result %d, '%s'; not %d, '%s'", i, got, why, expected, reason);
        dpk_certchain_free(chain);
    }
    dpk_buf_free(&der);
    X509_CRL_free(top);
    X509_CRL_free(a);
    X509_CRL_free(b);
}

static void of_two_lists_with_one_date_that_which_revokes_decides(void **state)
{
    (void)state;
    const struct list_spec clean = {.issuer = inter}, revokes = {.issuer = inter, .revoked = leaf};
    lists_give(&clean, &clean, DPK_PATH_OK, "Root");
    lists_give(&clean, &revokes, DPK_PATH_INVALID, "certificate revoked: CN=Leaf");
    lists_give(&revokes, &revokes, DPK_PATH_INVALID, "certificate revoked: CN=Leaf");
}

static void list_that_revokes_decides_whatever_its_dates_are(void **state)
{
    (void)state;
    const struct list_spec clean = {.issuer = inter, .from_days = -2};
    const struct list_spec older = {.issuer = inter, .revoked = leaf, .from_days = -5};
    const struct list_spec newer = {.issuer = inter, .revoked = leaf, .from_days = -1};
    const struct list_spec expired = {
        .issuer = inter, .revoked = leaf, .from_days = -9, .until_days = -3};
    lists_give(&clean, &older, DPK_PATH_INVALID, "revoked: CN=Leaf");
    lists_give(&clean, &newer, DPK_PATH_INVALID, "revoked: CN=Leaf");
    lists_give(&clean, &expired, DPK_PATH_INVALID, "revoked: CN=Leaf");
}

static void list_for_other_certificates_that_revokes_decides_too(void **state)
{
    (void)state;
    const struct list_spec clean = {.issuer = inter};
    const struct list_spec scoped = {.issuer = inter,
                                     .revoked = leaf,
                                     .other_name = "issuingDistributionPoint",
                                     .other_value = "critical,onlyCA:TRUE"};
    const struct list_spec unknown = {.issuer = inter,
                                      .revoked = leaf,
                                      .other_name = "1.2.3.4",
                                      .other_value = "critical,DER:0500"};
    lists_give(&clean, &scoped, DPK_PATH_INVALID, "revoked: CN=Leaf");
    lists_give(&clean, &unknown, DPK_PATH_INVALID, "revoked: CN=Leaf");
}

/* Anybody can make a list in the name of a CA. */
static void list_of_anothers_key_neither_revokes_nor_vouches(void **state)
{
    (void)state;
    const struct list_spec clean = {.issuer = inter};
    const struct list_spec fake = {.issuer = inter, .key = other_key};
    const struct list_spec slander = {.issuer = inter, .key = other_key, .revoked = leaf};
    lists_give(&clean, &fake, DPK_PATH_OK, "Root");
    lists_give(&clean, &slander, DPK_PATH_OK, "Root");
    lists_give(&fake, &fake, DPK_PATH_INVALID, "unable to get certificate CRL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_two_lists_with_one_date_that_which_revokes_decides),
        cmocka_unit_test(list_that_revokes_decides_whatever_its_dates_are),
        cmocka_unit_test(list_for_other_certificates_that_revokes_decides_too),
        cmocka_unit_test(list_of_anothers_key_neither_revokes_nor_vouches),
    };
    return cmocka_run_group_tests_name("certpath_crls", tests, make_listing_chain, free_chain);
}
