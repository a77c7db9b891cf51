/* Describes the identity of a certificate as text. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <openssl/bn.h>
#include <openssl/err.h>

#include "certchain/certchain.h"

static void put_time(const ASN1_TIME *time, char *out, size_t size)
{
    struct tm tm;
    if (!time || ASN1_TIME_to_tm(time, &tm) != 1 ||
        strftime(out, size, "%Y-%m-%d %H:%M:%S UTC", &tm) == 0)
        *out = 0;
}

static void put_serial(const X509 *cert, char *out, size_t size)
{
    BIGNUM *number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(cert), NULL);
    char *text = number ? BN_bn2hex(number) : NULL;
    snprintf(out, size, "%s", text ? text : "");
    OPENSSL_free(text);
    BN_free(number);
}

static void put_key_digest(X509 *cert, char out[65])
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    unsigned char *der = NULL;
    int length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(cert), &der);
    if (length > 0 && EVP_Digest(der, (size_t)length, digest, &size, EVP_sha256(), NULL) == 1 &&
        size == 32)
        dpk_hex_text(digest, size, out);
    OPENSSL_free(der);
}

char *dpk_cert_name_text(const X509_NAME *name)
{
    const unsigned long form = XN_FLAG_ONELINE & ~XN_FLAG_SPC_EQ & ~ASN1_STRFLGS_ESC_MSB;
    BIO *bio = BIO_new(BIO_s_mem());
    char *bytes = NULL, *out = NULL;
    if (bio && name && X509_NAME_print_ex(bio, name, 0, form) >= 0) {
        long size = BIO_get_mem_data(bio, &bytes);
        if (size > 0 && !memchr(bytes, 0, (size_t)size))
            out = strndup(bytes, (size_t)size);
    }
    BIO_free(bio);
    ERR_clear_error();
    return out;
}

void dpk_cert_describe(X509 *cert, struct dpk_cert_facts *out)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    *out = (struct dpk_cert_facts){0};
    dpk_cert_subject(cert, out->subject, sizeof out->subject);
    put_serial(cert, out->serial, sizeof out->serial);
    if (X509_digest(cert, EVP_sha256(), digest, &size) == 1 && size == 32)
        dpk_hex_text(digest, size, out->sha256);
    put_key_digest(cert, out->key_sha256);
    put_time(X509_get0_notBefore(cert), out->not_before, sizeof out->not_before);
    put_time(X509_get0_notAfter(cert), out->not_after, sizeof out->not_after);
    ERR_clear_error();
}
