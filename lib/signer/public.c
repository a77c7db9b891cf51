/* Reads public keys from PEM files. */
#include <openssl/err.h>
#include <openssl/pem.h>

#include "signer.h"

#define KEY_FILE_MAX ((size_t)65536)

enum dpk_status dpk_public_key_read(const char *path, EVP_PKEY **out, struct dpk_error *err)
{
    struct dpk_buf file = {0};
    *out = NULL;
    enum dpk_status status = dpk_openssl_start(err);
    if (status == DPK_OK)
        status = dpk_file_read(path, KEY_FILE_MAX, &file, err);
    if (status != DPK_OK)
        return status;
    BIO *bio = BIO_new_mem_buf(file.data ? (const void *)file.data : "", (int)file.size);
    EVP_PKEY *key = bio ? PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL) : NULL;
    BIO_free(bio);
    ERR_clear_error();
    static const char *const beside[] = {"*.pub", NULL};
    const bool told =
        !key && dpk_content_of(file.data, file.size) != DPK_CONTENT_PUBLIC_KEY &&
        dpk_content_refuse(path, file.data, file.size, "a public key", beside, err) != DPK_OK;
    dpk_buf_wipe_free(&file);
    if (told)
        return DPK_ERR_FORMAT;
    if (!key)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: no public key in PEM (openssl rsa -pubout)",
                        path);
    if (!EVP_PKEY_is_a(key, "RSA")) {
        EVP_PKEY_free(key);
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "%s: not an RSA key", path);
    }
    *out = key;
    return DPK_OK;
}
