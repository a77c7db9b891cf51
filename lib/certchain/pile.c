/* Reads all certificates of a file (DER, PEM or PKCS#7), in any order. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs7.h>

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
        enum dpk_status status = certchain_read_der(&r, (unsigned)pile->count + 1, &cert, err);
        if (status == DPK_OK)
            status = pile_add(pile, cert, err);
        if (status != DPK_OK)
            return status;
    }
    return DPK_OK;
}

/* Reads .p7b files, which CAs deliver. The order of their certificates has no meaning. */
static enum dpk_status read_pkcs7_pile(const void *bytes, size_t size, struct pile *pile,
                                       struct dpk_error *err)
{
    const unsigned char *p = bytes;
    enum dpk_status status = dpk_openssl_start(err);
    if (status != DPK_OK)
        return status;
    PKCS7 *all = size <= LONG_MAX ? d2i_PKCS7(NULL, &p, (long)size) : NULL;
    if (!all || p != (const unsigned char *)bytes + size || !PKCS7_type_is_signed(all) ||
        !all->d.sign) {
        status = dpk_fail(err, DPK_ERR_FORMAT, "damaged PKCS#7 (%s)", dpk_openssl_reason());
        PKCS7_free(all);
        return status;
    }
    const STACK_OF(X509) *certs = all->d.sign->cert;
    for (int i = 0; status == DPK_OK && i < sk_X509_num(certs); i++) {
        struct dpk_buf der = {0};
        status = dpk_cert_der(sk_X509_value(certs, i), &der, err);
        if (status == DPK_OK)
            status = read_der_pile(der.data, der.size, pile, err);
        dpk_buf_free(&der);
    }
    PKCS7_free(all);
    ERR_clear_error();
    return status;
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
                    dpk_fail(err, DPK_ERR_FORMAT, "damaged PEM block after certificate %zu (%s)",
                             pile->count, dpk_openssl_reason());
            break;
        }
        /* A bundle may also hold the key, which is ignored here. */
        if (strcmp(name, PEM_STRING_X509) == 0 || strcmp(name, PEM_STRING_X509_OLD) == 0) {
            X509 *cert = NULL;
            struct dpk_reader r = dpk_reader(data, (size_t)length);
            status = certchain_read_der(&r, (unsigned)pile->count + 1, &cert, err);
            if (status == DPK_OK && dpk_reader_left(&r) > 0) {
                X509_free(cert);
                status = dpk_fail(err, DPK_ERR_FORMAT, "certificate %zu: bytes after its end",
                                  pile->count + 1);
            } else if (status == DPK_OK) {
                status = pile_add(pile, cert, err);
            }
        } else if (strcmp(name, PEM_STRING_PKCS7) == 0 || strcmp(name, PEM_STRING_CMS) == 0) {
            status = read_pkcs7_pile(data, (size_t)length, pile, err);
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

enum dpk_status certchain_pile_read(struct pile *pile, const void *bytes, size_t size,
                                    struct dpk_error *err)
{
    static const char pem[] = "-----BEGIN ";
    const uint8_t *b = bytes;
    if (size > CERT_FILE_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "%zu bytes are too many for certificates", size);
    bool is_der = size > 1 && b[0] == 0x30 && b[1] >= 0x80; /* text may start with '0' */
    bool is_pem = !is_der && size && memmem(bytes, size, pem, sizeof pem - 1);
    const bool is_pkcs7 = !is_pem && dpk_content_of(bytes, size) == DPK_CONTENT_PKCS7;
    enum dpk_status status = is_pem     ? read_pem_pile(bytes, size, pile, err)
                             : is_pkcs7 ? read_pkcs7_pile(bytes, size, pile, err)
                                        : read_der_pile(bytes, size, pile, err);
    if (status == DPK_OK && pile->count == 0)
        status = dpk_fail(err, DPK_ERR_FORMAT, "no certificate");
    return status;
}

enum dpk_status certchain_pile_refused(const char *path, const struct dpk_buf *file, bool of_chain,
                                       enum dpk_status status, struct dpk_error *err)
{
    static const char *const chain[] = {"chain.der", "chain.pem", "chain.p7b", "*.der",
                                        "*.crt",     "*.pem",     NULL},
                             *const root[] = {"*.der", "*.crt", "*.pem", "root.der", NULL};
    const enum dpk_content content = dpk_content_of(file->data, file->size);
    if (status == DPK_ERR_FORMAT && content != DPK_CONTENT_CERTIFICATE &&
        content != DPK_CONTENT_PKCS7 &&
        dpk_content_refuse(path, file->data, file->size, "a certificate", of_chain ? chain : root,
                           err) != DPK_OK)
        return DPK_ERR_FORMAT;
    dpk_error_prefix(err, "%s", path);
    return status;
}

/* Reads a file with one certificate that is not in DER. */
static enum dpk_status one_der(const struct dpk_buf *file, struct dpk_buf *out,
                               struct dpk_error *err)
{
    struct pile pile = {.max = 1};
    enum dpk_status status = certchain_pile_read(&pile, file->data, file->size, err);
    if (status == DPK_OK)
        status = dpk_cert_der(pile.certs[0], out, err);
    certchain_pile_free(&pile);
    return status;
}

enum dpk_status dpk_cert_read(const char *path, struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_buf file = {0};
    if (dpk_key_in_token(path))
        return certchain_token_cert(&(struct dpk_key_options){.key = path}, out, err);
    enum dpk_status status = dpk_file_read(path, CERT_FILE_MAX, &file, err);
    if (status != DPK_OK)
        return status;
    const enum dpk_content content = dpk_content_of(file.data, file.size);
    const bool is_der = file.size > 1 && file.data[0] == 0x30 && file.data[1] >= 0x80;
    if (content == DPK_CONTENT_OTHER || (content == DPK_CONTENT_CERTIFICATE && is_der)) {
        dpk_put(out, file.data ? file.data : (const void *)"", file.size);
        status = out->failed ? dpk_fail_nomem(err) : DPK_OK;
    } else {
        status = one_der(&file, out, err);
        if (status != DPK_OK)
            status = certchain_pile_refused(path, &file, false, status, err);
    }
    dpk_buf_wipe_free(&file);
    return status;
}

void certchain_pile_free(struct pile *pile)
{
    for (size_t i = 0; i < pile->count; i++)
        X509_free(pile->certs[i]);
    pile->count = 0;
}
