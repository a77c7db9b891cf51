/* Certificates of a file, DER or PEM, whatever they are to each other. */
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/pem.h>

#include "chain.h"

static enum dpk_status pile_add(struct pile *pile, X509 *cert, struct dpk_error *err)
{
    if (pile->count == pile->max) {
        X509_free(cert);
        return dpk_fail(err, DPK_ERR_RANGE, "more than %zu certificates", pile->max);
    }
    pile->certs[pile->count++] = cert;
    return DPK_OK;
}

static enum dpk_status read_der_pile(const void *bytes, size_t size, struct pile *pile,
                                     struct dpk_error *err)
{
    struct dpk_reader r = dpk_reader(bytes, size);
    while (dpk_reader_left(&r) > 0) {
        X509 *cert = NULL;
        enum dpk_status status = chain_read_der(&r, (unsigned)pile->count + 1, &cert, err);
        if (status == DPK_OK)
            status = pile_add(pile, cert, err);
        if (status != DPK_OK)
            return status;
    }
    return DPK_OK;
}

static enum dpk_status read_pem_pile(const void *bytes, size_t size, struct pile *pile,
                                     struct dpk_error *err)
{
    enum dpk_status status = dpk_openssl_start(err);
    if (status != DPK_OK)
        return status;
    BIO *bio = BIO_new_mem_buf(bytes, (int)size);
    if (!bio)
        return dpk_fail_nomem(err);
    for (;;) {
        char *name = NULL, *header = NULL;
        unsigned char *data = NULL;
        long length = 0;
        ERR_clear_error();
        if (PEM_read_bio(bio, &name, &header, &data, &length) != 1) {
            if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
                status =
                    dpk_fail(err, DPK_ERR_FORMAT, "damaged PEM block behind certificate %zu (%s)",
                             pile->count, chain_openssl_reason());
            break;
        }
        /* A bundle may hold the key as well; it is none of our business here. */
        if (strcmp(name, PEM_STRING_X509) == 0 || strcmp(name, PEM_STRING_X509_OLD) == 0) {
            X509 *cert = NULL;
            struct dpk_reader r = dpk_reader(data, (size_t)length);
            status = chain_read_der(&r, (unsigned)pile->count + 1, &cert, err);
            if (status == DPK_OK && dpk_reader_left(&r) > 0) {
                X509_free(cert);
                status = dpk_fail(err, DPK_ERR_FORMAT, "certificate %zu: bytes behind its end",
                                  pile->count + 1);
            } else if (status == DPK_OK) {
                status = pile_add(pile, cert, err);
            }
        }
        OPENSSL_free(name);
        OPENSSL_free(header);
        OPENSSL_clear_free(data, (size_t)length);
        if (status != DPK_OK)
            break;
    }
    BIO_free(bio);
    ERR_clear_error();
    return status;
}

enum dpk_status pile_read(struct pile *pile, const void *bytes, size_t size, struct dpk_error *err)
{
    static const char pem[] = "-----BEGIN ";
    const uint8_t *b = bytes;
    if (size > CERT_FILE_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "%zu bytes are too many for certificates", size);
    bool is_der = size > 1 && b[0] == 0x30 && b[1] >= 0x80; /* text may start with a '0' */
    bool is_pem = !is_der && size && memmem(bytes, size, pem, sizeof pem - 1);
    enum dpk_status status =
        is_pem ? read_pem_pile(bytes, size, pile, err) : read_der_pile(bytes, size, pile, err);
    if (status == DPK_OK && pile->count == 0)
        status = dpk_fail(err, DPK_ERR_FORMAT, "no certificate");
    return status;
}

void pile_free(struct pile *pile)
{
    for (size_t i = 0; i < pile->count; i++)
        X509_free(pile->certs[i]);
    pile->count = 0;
}
