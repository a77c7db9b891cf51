/* Certificates made for unit tests: each says only what differs from a proper one. */
#ifndef TESTS_CERTS_H
#define TESTS_CERTS_H

#include <openssl/conf.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

struct cert_spec {
    const char *subject;                  /* common name */
    const X509 *issuer;                   /* NULL: self-signed */
    EVP_PKEY *key, *issuer_key;           /* issuer_key NULL: `key` */
    const char *constraints;              /* e.g. "critical,CA:TRUE"; NULL: no such extension */
    const char *usage;                    /* e.g. "critical,keyCertSign"; NULL: no such extension */
    long from_days, until_days;           /* from now; both 0: yesterday until in 100 days */
    const char *other_name, *other_value; /* one more extension, may be NULL */
};

static inline void cert_extend(X509 *cert, const char *name, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, cert, cert, NULL, NULL, 0);
    CONF *empty = NCONF_new(NULL); /* some extensions want to look into one */
    X509V3_set_nconf(&context, empty);
    X509_EXTENSION *e = X509V3_EXT_conf(NULL, &context, name, value);
    assert_non_null(e);
    assert_int_equal(X509_add_ext(cert, e, -1), 1);
    X509_EXTENSION_free(e);
    NCONF_free(empty);
}

static inline X509 *make_cert(const struct cert_spec *s)
{
    static long serial = 1000;
    X509 *cert = X509_new();
    X509_NAME *name = X509_NAME_new();
    bool dated = s->from_days || s->until_days;
    assert_non_null(cert);
    X509_set_version(cert, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), serial++);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)s->subject, -1, -1,
                               0);
    X509_set_subject_name(cert, name);
    X509_set_issuer_name(cert, s->issuer ? X509_get_subject_name(s->issuer) : name);
    X509_gmtime_adj(X509_getm_notBefore(cert), (dated ? s->from_days : -1) * 86400);
    X509_gmtime_adj(X509_getm_notAfter(cert), (dated ? s->until_days : 100) * 86400);
    X509_set_pubkey(cert, s->key);
    if (s->constraints)
        cert_extend(cert, "basicConstraints", s->constraints);
    if (s->usage)
        cert_extend(cert, "keyUsage", s->usage);
    if (s->other_name)
        cert_extend(cert, s->other_name, s->other_value);
    assert_true(X509_sign(cert, s->issuer_key ? s->issuer_key : s->key, EVP_sha256()) > 0);
    X509_NAME_free(name);
    return cert;
}

static inline void put_cert(struct dpk_buf *out, X509 *cert)
{
    unsigned char *der = NULL;
    int size = i2d_X509(cert, &der);
    assert_true(size > 0);
    dpk_put(out, der, (size_t)size);
    OPENSSL_free(der);
}

#endif
