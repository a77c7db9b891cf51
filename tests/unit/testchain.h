/* A chain of three for tests: Root, Inter, Leaf, all with one RSA-2048 key. */
#ifndef TESTS_TESTCHAIN_H
#define TESTS_TESTCHAIN_H

#include <string.h>

#include <openssl/pem.h>

#include "certchain/certchain.h"

#include "golden.h"

#include "certs.h"

static EVP_PKEY *key, *other_key; /* RSA-2048 */
static X509 *root, *inter, *leaf;

#define CA          "critical,CA:TRUE"
#define SIGNS_CERTS "critical,keyCertSign"
#define SIGNS_DATA  "critical,digitalSignature"

static inline int make_chain(void **state)
{
    (void)state;
    key = EVP_RSA_gen(2048);
    other_key = EVP_RSA_gen(2048);
    assert_non_null(key);
    assert_non_null(other_key);
    root = make_cert(&(struct cert_spec){
        .subject = "Root", .key = key, .constraints = CA, .usage = SIGNS_CERTS});
    inter = make_cert(&(struct cert_spec){
        .subject = "Inter", .issuer = root, .key = key, .constraints = CA, .usage = SIGNS_CERTS});
    leaf = make_cert(
        &(struct cert_spec){.subject = "Leaf", .issuer = inter, .key = key, .usage = SIGNS_DATA});
    return 0;
}

static inline int free_chain(void **state)
{
    (void)state;
    X509_free(root);
    X509_free(inter);
    X509_free(leaf);
    EVP_PKEY_free(key);
    EVP_PKEY_free(other_key);
    return 0;
}

static inline struct dpk_buf der_of(X509 *const *certs, size_t count)
{
    struct dpk_buf b = {0};
    for (size_t i = 0; i < count; i++)
        put_cert(&b, certs[i]);
    return b;
}
#define DER(...) der_of((X509 *[]){__VA_ARGS__}, sizeof((X509 *[]){__VA_ARGS__}) / sizeof(X509 *))

static inline struct dpk_certchain *parsed(struct dpk_buf bytes)
{
    struct dpk_error err = {0};
    struct dpk_certchain *chain = NULL;
    if (dpk_certchain_parse(bytes.data, bytes.size, &chain, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_buf_free(&bytes);
    return chain;
}

/* A chain structure with the certificates as they are, in this order: what a file may say. */
static inline struct dpk_certchain *stored(struct dpk_buf der, unsigned count)
{
    struct dpk_error err = {0};
    struct dpk_buf b = {0};
    struct dpk_certchain *chain = NULL;
    bool warning;
    uint32_t first = 0xFF000000u | (uint32_t)(der.size + 12) << 8 | count << 4 | 1;
    dpk_put_be32(&b, first);
    dpk_put_be32(&b, 0xFFFFFFFF);
    dpk_put_be32(&b, 0xFFFF0000u | dpk_crc16(b.data, 8));
    dpk_put(&b, der.data, der.size);
    struct dpk_reader r = dpk_reader(b.data, b.size);
    if (dpk_certchain_decode(&r, &chain, &warning, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_buf_free(&b);
    dpk_buf_free(&der);
    return chain;
}

#endif
