#include "signer/signer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#define KEY_FILE_MAX ((size_t)1 << 20)

struct dpk_signer {
    EVP_PKEY *key;
};

/* What PEM reading asked for and what we could say. */
struct passphrase {
    const char *text;
    bool asked;
};

static int give_passphrase(char *out, int size, int writing, void *context)
{
    struct passphrase *p = context;
    (void)writing;
    p->asked = true;
    size_t length = p->text ? strlen(p->text) : 0;
    if (!p->text || size < 0 || length > (size_t)size)
        return -1;
    memcpy(out, p->text, length);
    return (int)length;
}

/* The reason of OpenSSL's oldest queued error, which is the one that started the trouble. */
static const char *openssl_reason(void)
{
    unsigned long code = ERR_peek_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    return reason ? reason : "no reason given";
}

static enum dpk_status explain_no_key(const char *path, const struct dpk_buf *file,
                                      const struct passphrase *p, struct dpk_error *err)
{
    if (p->asked && !p->text)
        return dpk_fail(err, DPK_ERR_CRYPTO, "%s: the key is encrypted and no passphrase is given",
                        path);
    if (p->asked)
        return dpk_fail(err, DPK_ERR_CRYPTO, "%s: the key cannot be decrypted: wrong passphrase",
                        path);
    static const char begin[] = "-----BEGIN ", private[] = "PRIVATE KEY-----";
    if (!memmem(file->data, file->size, begin, sizeof begin - 1))
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "%s: not a PEM file; a DER key becomes one with openssl pkey -inform der",
                        path);
    if (!memmem(file->data, file->size, private, sizeof private - 1))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: no private key in this PEM file", path);
    return dpk_fail(err, DPK_ERR_FORMAT, "%s: damaged private key (%s)", path, openssl_reason());
}

enum dpk_status dpk_signer_open(const char *key, const char *passphrase, struct dpk_signer **out,
                                struct dpk_error *err)
{
    struct dpk_buf file = {0};
    struct passphrase p = {.text = passphrase};
    struct dpk_signer *s = NULL;
    BIO *bio = NULL;
    *out = NULL;
    enum dpk_status status = dpk_file_read(key, KEY_FILE_MAX, &file, err);
    if (status != DPK_OK)
        return status;

    ERR_clear_error();
    s = calloc(1, sizeof *s);
    bio = BIO_new_mem_buf(file.data, (int)file.size);
    if (!s || !bio) {
        status = dpk_fail_nomem(err);
        goto out;
    }
    s->key = PEM_read_bio_PrivateKey(bio, NULL, give_passphrase, &p);
    if (!s->key) {
        status = explain_no_key(key, &file, &p, err);
        goto out;
    }
    if (!EVP_PKEY_is_a(s->key, "RSA")) {
        const char *type = EVP_PKEY_get0_type_name(s->key);
        status = dpk_fail(err, DPK_ERR_UNSUPPORTED, "%s: a key of type %s, not RSA", key,
                          type ? type : "unknown");
        goto out;
    }
    *out = s;
    s = NULL;
out:
    BIO_free(bio);
    dpk_signer_close(s);
    dpk_buf_wipe_free(&file);
    ERR_clear_error();
    return status;
}

void dpk_signer_close(struct dpk_signer *s)
{
    if (!s)
        return;
    EVP_PKEY_free(s->key); /* clears the private numbers */
    free(s);
}

unsigned dpk_signer_bits(const struct dpk_signer *s)
{
    int bits = EVP_PKEY_get_bits(s->key);
    return bits > 0 ? (unsigned)bits : 0;
}

EVP_PKEY *dpk_signer_public(const struct dpk_signer *s)
{
    return s->key;
}

static const EVP_MD *message_digest(enum dpk_digest digest)
{
    return digest == DPK_SHA512 ? EVP_sha512() : EVP_sha256();
}

enum dpk_status dpk_signer_sign(const struct dpk_signer *s, enum dpk_digest digest,
                                const void *data, size_t size, struct dpk_buf *signature,
                                struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    EVP_PKEY_CTX *padding = NULL; /* owned by `md` */
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    size_t length = (dpk_signer_bits(s) + 7) / 8;
    if (!md || !dpk_buf_reserve(signature, length)) {
        status = dpk_fail_nomem(err);
        goto out;
    }
    if (EVP_DigestSignInit(md, &padding, message_digest(digest), NULL, s->key) != 1 ||
        EVP_PKEY_CTX_set_rsa_padding(padding, RSA_PKCS1_PADDING) != 1 ||
        EVP_DigestSign(md, signature->data + signature->size, &length, data, size) != 1) {
        status = dpk_fail(err, DPK_ERR_CRYPTO, "cannot sign: %s", openssl_reason());
        ERR_clear_error();
        goto out;
    }
    signature->size += length;
out:
    EVP_MD_CTX_free(md);
    return status;
}

enum dpk_status dpk_signature_check(EVP_PKEY *key, enum dpk_digest digest, const void *data,
                                    size_t size, const uint8_t *signature, size_t signature_size,
                                    struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    EVP_PKEY_CTX *padding = NULL; /* owned by `md` */
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    if (!md)
        return dpk_fail_nomem(err);
    if (!EVP_PKEY_is_a(key, "RSA")) {
        status = dpk_fail(err, DPK_ERR_UNSUPPORTED, "the key is not an RSA key");
        goto out;
    }
    if (EVP_DigestVerifyInit(md, &padding, message_digest(digest), NULL, key) != 1 ||
        EVP_PKEY_CTX_set_rsa_padding(padding, RSA_PKCS1_PADDING) != 1) {
        status = dpk_fail(err, DPK_ERR_CRYPTO, "cannot check a signature: %s", openssl_reason());
        goto out;
    }
    /* Whatever is not a right signature is a wrong one: OpenSSL tells bad padding from a bad
     * digest, nobody else needs to. */
    if (EVP_DigestVerify(md, signature, signature_size, data, size) != 1)
        status = dpk_fail(err, DPK_ERR_MISMATCH, "the signature is wrong");
out:
    EVP_MD_CTX_free(md);
    ERR_clear_error();
    return status;
}
