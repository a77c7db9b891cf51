/* Makes RSA key pairs in memory, and writes them as PEM. */
#include <stdlib.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "keys.h"

#define KEY_BITS 4096

enum dpk_status dpk_signer_generate(const char *name, struct dpk_signer **out,
                                    struct dpk_error *err)
{
    *out = NULL;
    enum dpk_status status = dpk_openssl_start(err);
    if (status != DPK_OK)
        return status;
    struct dpk_signer *s = calloc(1, sizeof *s);
    if (!s)
        return dpk_fail_nomem(err);
    pthread_mutex_init(&s->one, NULL);
    s->name = strdup(name);
    s->key = EVP_RSA_gen(KEY_BITS);
    if (s->name && s->key && EVP_PKEY_up_ref(s->key) == 1) {
        s->public = s->key;
        *out = s;
        return DPK_OK;
    }
    status =
        dpk_fail(err, DPK_ERR_CRYPTO, "%s: no key could be made: %s", name, dpk_openssl_reason());
    dpk_signer_close(s);
    return status;
}

/* Moves the BIO's content to `out`, and wipes it in the BIO. */
static enum dpk_status take(BIO *bio, bool written, struct dpk_buf *out, struct dpk_error *err)
{
    char *text = NULL;
    long size = bio ? BIO_get_mem_data(bio, &text) : 0;
    if (written && size > 0)
        dpk_put(out, text, (size_t)size);
    if (size > 0)
        OPENSSL_cleanse(text, (size_t)size);
    BIO_free(bio);
    ERR_clear_error();
    if (!written)
        return dpk_fail(err, DPK_ERR_CRYPTO, "the key cannot be written as PEM");
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

enum dpk_status dpk_signer_private_pem(const struct dpk_signer *s, const char *passphrase,
                                       struct dpk_buf *out, struct dpk_error *err)
{
    if (!s->key || s->token)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "%s: the private key is not in memory", s->name);
    BIO *bio = BIO_new(BIO_s_mem());
    const EVP_CIPHER *cipher = passphrase ? EVP_aes_256_cbc() : NULL;
    bool done = bio && PEM_write_bio_PKCS8PrivateKey(bio, s->key, cipher, passphrase,
                                                     passphrase ? (int)strlen(passphrase) : 0, NULL,
                                                     NULL) == 1;
    return take(bio, done, out, err);
}

enum dpk_status dpk_signer_public_pem(const struct dpk_signer *s, struct dpk_buf *out,
                                      struct dpk_error *err)
{
    BIO *bio = BIO_new(BIO_s_mem());
    return take(bio, bio && PEM_write_bio_PUBKEY(bio, s->public) == 1, out, err);
}
