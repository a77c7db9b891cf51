/* Issues root, intermediate and leaf certificates. */
#include <string.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "chain.h"

#define SERIAL_BYTES 16

struct extension {
    int nid;
    const char *value;
};

static const struct extension root_has[] = {{NID_basic_constraints, "critical,CA:TRUE"},
                                            {NID_key_usage, "critical,keyCertSign,cRLSign"},
                                            {NID_subject_key_identifier, "hash"},
                                            {0, NULL}};
static const struct extension intermediate_has[] = {
    {NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
    {NID_key_usage, "critical,keyCertSign,cRLSign"},
    {NID_subject_key_identifier, "hash"},
    {NID_authority_key_identifier, "keyid"},
    {0, NULL}};
static const struct extension leaf_has[] = {
    {NID_basic_constraints, "critical,CA:FALSE"}, {NID_key_usage, "critical,digitalSignature"},
    {NID_ext_key_usage, "codeSigning"},           {NID_subject_key_identifier, "hash"},
    {NID_authority_key_identifier, "keyid"},      {0, NULL}};

static bool add_extensions(X509 *cert, X509 *issuer, enum dpk_cert_role role)
{
    static const struct extension *const of[] = {root_has, intermediate_has, leaf_has};
    for (const struct extension *e = of[role]; e->value; e++) {
        X509V3_CTX context;
        X509V3_set_ctx(&context, issuer ? issuer : cert, cert, NULL, NULL, 0);
        X509_EXTENSION *x = X509V3_EXT_conf_nid(NULL, &context, e->nid, e->value);
        bool added = x && X509_add_ext(cert, x, -1) == 1;
        X509_EXTENSION_free(x);
        if (!added)
            return false;
    }
    return true;
}

static bool add_name(X509_NAME *name, const char *field, const char *text)
{
    return !text || X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                               (const unsigned char *)text, -1, -1, 0) == 1;
}

static enum dpk_status make_name(const char *organization, const char *common, X509_NAME **out,
                                 struct dpk_error *err)
{
    *out = X509_NAME_new();
    if (!*out)
        return dpk_fail_nomem(err);
    if (add_name(*out, "O", organization) && add_name(*out, "CN", common))
        return DPK_OK;
    X509_NAME_free(*out);
    *out = NULL;
    return dpk_fail(err, DPK_ERR_RANGE, "'%s' is not a name for a certificate: %s", common,
                    dpk_openssl_reason());
}

enum dpk_status dpk_cert_name_check(const char *organization, const char *name,
                                    struct dpk_error *err)
{
    X509_NAME *made = NULL;
    enum dpk_status status = dpk_openssl_start(err);
    if (status == DPK_OK)
        status = make_name(organization, name, &made, err);
    X509_NAME_free(made);
    return status;
}

/* Positive, with the top bit set, and random: no two serial numbers are equal. */
static bool add_serial(X509 *cert)
{
    uint8_t bytes[SERIAL_BYTES];
    if (RAND_bytes(bytes, sizeof bytes) != 1)
        return false;
    bytes[0] = (bytes[0] & 0x3f) | 0x40;
    BIGNUM *number = BN_bin2bn(bytes, sizeof bytes, NULL);
    bool done = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(cert));
    BN_free(number);
    return done;
}

/* Signs like X509_sign, but with any signer: X509_sign needs the private key itself. */
static enum dpk_status sign(X509 *cert, const struct dpk_signer *issuer, struct dpk_error *err)
{
    const ASN1_BIT_STRING *bits = NULL;
    const X509_ALGOR *outer = NULL;
    unsigned char *tbs = NULL;
    struct dpk_buf signature = {0};
    enum dpk_status status = DPK_OK;
    ASN1_OBJECT *algorithm = OBJ_nid2obj(NID_sha256WithRSAEncryption);
    X509_get0_signature(&bits, &outer, cert);
    int size = -1;
    if (X509_ALGOR_set0((X509_ALGOR *)outer, algorithm, V_ASN1_NULL, NULL) == 1 &&
        X509_ALGOR_set0((X509_ALGOR *)X509_get0_tbs_sigalg(cert), algorithm, V_ASN1_NULL, NULL) ==
            1)
        size = i2d_re_X509_tbs(cert, &tbs);
    if (size <= 0)
        return dpk_fail_nomem(err);
    status = dpk_signer_sign(issuer, DPK_SHA256, tbs, (size_t)size, &signature, err);
    OPENSSL_free(tbs);
    ASN1_BIT_STRING *out = (ASN1_BIT_STRING *)bits;
    if (status == DPK_OK && ASN1_STRING_set(out, signature.data, (int)signature.size) != 1)
        status = dpk_fail_nomem(err);
    /* The last byte has no unused bits. */
    out->flags &= ~(ASN1_STRING_FLAG_BITS_LEFT | 7);
    out->flags |= ASN1_STRING_FLAG_BITS_LEFT;
    dpk_buf_free(&signature);
    return status;
}

enum dpk_status dpk_cert_issue(const struct dpk_cert_plan *plan, const struct dpk_signer *issuer,
                               X509 **out, struct dpk_error *err)
{
    *out = NULL;
    enum dpk_status status = dpk_openssl_start(err);
    if (status != DPK_OK)
        return status;
    X509 *cert = X509_new();
    X509_NAME *name = NULL;
    status = cert ? make_name(plan->organization, plan->name, &name, err) : dpk_fail_nomem(err);
    if (status != DPK_OK)
        goto out;
    const X509_NAME *above = plan->issuer ? X509_get_subject_name(plan->issuer) : name;
    if (X509_set_version(cert, X509_VERSION_3) != 1 || !add_serial(cert) ||
        X509_set_subject_name(cert, name) != 1 || X509_set_issuer_name(cert, above) != 1 ||
        !X509_gmtime_adj(X509_getm_notBefore(cert), 0) ||
        !X509_time_adj_ex(X509_getm_notAfter(cert), (int)plan->days, 0, NULL) ||
        X509_set_pubkey(cert, plan->key) != 1 || !add_extensions(cert, plan->issuer, plan->role)) {
        status = dpk_fail(err, DPK_ERR_CRYPTO, "%s: no certificate can be made: %s", plan->name,
                          dpk_openssl_reason());
    } else {
        status = sign(cert, issuer, err);
    }
out:
    X509_NAME_free(name);
    ERR_clear_error();
    if (status == DPK_OK)
        *out = cert;
    else
        X509_free(cert);
    return status;
}

enum dpk_status dpk_cert_der(X509 *cert, struct dpk_buf *out, struct dpk_error *err)
{
    unsigned char *der = NULL;
    int size = i2d_X509(cert, &der);
    if (size > 0)
        dpk_put(out, der, (size_t)size);
    OPENSSL_free(der);
    return size > 0 && !out->failed ? DPK_OK : dpk_fail_nomem(err);
}

enum dpk_status dpk_cert_pem(X509 *cert, struct dpk_buf *out, struct dpk_error *err)
{
    char *text = NULL;
    BIO *bio = BIO_new(BIO_s_mem());
    const bool done = bio && PEM_write_bio_X509(bio, cert) == 1;
    const long size = done ? BIO_get_mem_data(bio, &text) : 0;
    if (size > 0)
        dpk_put(out, text, (size_t)size);
    BIO_free(bio);
    ERR_clear_error();
    return size > 0 && !out->failed ? DPK_OK : dpk_fail_nomem(err);
}

/* ---- Requests ---- */

/* Adds the usage that the certificate should have. The CA chooses the key identifiers. */
static bool add_wishes(X509_REQ *request)
{
    static const struct extension wishes[] = {{NID_basic_constraints, "critical,CA:FALSE"},
                                              {NID_key_usage, "critical,digitalSignature"},
                                              {NID_ext_key_usage, "codeSigning"},
                                              {0, NULL}};
    STACK_OF(X509_EXTENSION) *all = sk_X509_EXTENSION_new_null();
    bool done = all != NULL;
    for (const struct extension *e = wishes; done && e->value; e++) {
        X509_EXTENSION *x = X509V3_EXT_conf_nid(NULL, NULL, e->nid, e->value);
        done = x && sk_X509_EXTENSION_push(all, x) > 0;
        if (!done)
            X509_EXTENSION_free(x);
    }
    done = done && X509_REQ_add_extensions(request, all) == 1;
    sk_X509_EXTENSION_pop_free(all, X509_EXTENSION_free);
    return done;
}

static enum dpk_status sign_request(X509_REQ *request, const struct dpk_signer *key,
                                    struct dpk_error *err)
{
    unsigned char *tbs = NULL;
    struct dpk_buf signature = {0};
    X509_ALGOR *algorithm = X509_ALGOR_new();
    ASN1_BIT_STRING *bits = ASN1_BIT_STRING_new();
    const bool ready = algorithm && bits &&
                       X509_ALGOR_set0(algorithm, OBJ_nid2obj(NID_sha256WithRSAEncryption),
                                       V_ASN1_NULL, NULL) == 1 &&
                       X509_REQ_set1_signature_algo(request, algorithm) == 1;
    const int size = ready ? i2d_re_X509_REQ_tbs(request, &tbs) : -1;
    enum dpk_status status =
        size > 0 ? dpk_signer_sign(key, DPK_SHA256, tbs, (size_t)size, &signature, err)
                 : dpk_fail_nomem(err);
    if (status == DPK_OK && ASN1_STRING_set(bits, signature.data, (int)signature.size) != 1)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK) {
        bits->flags &= ~(ASN1_STRING_FLAG_BITS_LEFT | 7);
        bits->flags |= ASN1_STRING_FLAG_BITS_LEFT;
        X509_REQ_set0_signature(request, bits);
        bits = NULL;
    }
    OPENSSL_free(tbs);
    X509_ALGOR_free(algorithm);
    ASN1_BIT_STRING_free(bits);
    dpk_buf_free(&signature);
    return status;
}

static enum dpk_status put_request(X509_REQ *request, struct dpk_buf *out, struct dpk_error *err)
{
    char *text = NULL;
    BIO *bio = BIO_new(BIO_s_mem());
    const bool done = bio && PEM_write_bio_X509_REQ(bio, request) == 1;
    const long size = done ? BIO_get_mem_data(bio, &text) : 0;
    if (size > 0)
        dpk_put(out, text, (size_t)size);
    BIO_free(bio);
    return size > 0 && !out->failed ? DPK_OK : dpk_fail_nomem(err);
}

enum dpk_status dpk_cert_request(const struct dpk_cert_plan *plan, const struct dpk_signer *key,
                                 struct dpk_buf *out, struct dpk_error *err)
{
    X509_NAME *name = NULL;
    X509_REQ *request = NULL;
    enum dpk_status status = dpk_openssl_start(err);
    if (status == DPK_OK)
        status = make_name(plan->organization, plan->name, &name, err);
    if (status != DPK_OK)
        return status;
    request = X509_REQ_new();
    if (!request || X509_REQ_set_version(request, X509_REQ_VERSION_1) != 1 ||
        X509_REQ_set_subject_name(request, name) != 1 ||
        X509_REQ_set_pubkey(request, plan->key) != 1 || !add_wishes(request))
        status = dpk_fail(err, DPK_ERR_CRYPTO, "%s: no request can be made: %s", plan->name,
                          dpk_openssl_reason());
    if (status == DPK_OK)
        status = sign_request(request, key, err);
    if (status == DPK_OK)
        status = put_request(request, out, err);
    X509_NAME_free(name);
    X509_REQ_free(request);
    ERR_clear_error();
    return status;
}
