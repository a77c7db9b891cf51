/* Reads certificate revocation lists, and looks certificates up in them. */
#include <openssl/err.h>
#include <openssl/pem.h>

#include "chain.h"

#define CRL_FILE_MAX ((size_t)16 << 20)

enum dpk_status dpk_crl_load(const char *path, X509_CRL **out, struct dpk_error *err)
{
    struct dpk_buf file = {0};
    *out = NULL;
    enum dpk_status status = dpk_openssl_start(err);
    if (status == DPK_OK)
        status = dpk_file_read(path, CRL_FILE_MAX, &file, err);
    if (status != DPK_OK)
        return status;
    const unsigned char *p = file.data;
    BIO *bio = BIO_new_mem_buf(file.size ? (const void *)file.data : "", (int)file.size);
    if (bio && file.size > 0 && file.data[0] == 0x30) {
        *out = d2i_X509_CRL(NULL, &p, (long)file.size);
        if (*out && p != file.data + file.size) {
            X509_CRL_free(*out);
            *out = NULL;
        }
    } else if (bio) {
        *out = PEM_read_bio_X509_CRL(bio, NULL, NULL, NULL);
    }
    BIO_free(bio);
    ERR_clear_error();
    dpk_buf_free(&file);
    return *out ? DPK_OK
                : dpk_fail(err, DPK_ERR_FORMAT,
                           "%s: not a list of revoked certificates, DER or PEM", path);
}

bool certchain_crl_is_of(X509_CRL *crl, X509 *issuer)
{
    EVP_PKEY *key = X509_get0_pubkey(issuer);
    bool is = key && X509_NAME_cmp(X509_CRL_get_issuer(crl), X509_get_subject_name(issuer)) == 0 &&
              X509_CRL_verify(crl, key) == 1;
    ERR_clear_error();
    return is;
}

bool certchain_crl_revokes(const struct dpk_path_rules *rules, X509 *cert, X509 *issuer)
{
    bool revokes = false;
    for (size_t i = 0; rules && i < rules->crl_count && !revokes; i++) {
        X509_REVOKED *entry = NULL;
        X509_CRL *crl = rules->crls[i];
        revokes = X509_CRL_get0_by_cert(crl, &entry, cert) == 1 && certchain_crl_is_of(crl, issuer);
    }
    return revokes;
}
