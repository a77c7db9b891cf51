/* Opens signers, signs, and verifies signatures. */
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "keys.h"

#define COMMAND_TIMEOUT     60
#define COMMAND_TIMEOUT_MAX 86400

const EVP_MD *signer_digest(enum dpk_digest digest)
{
    return digest == DPK_SHA512 ? EVP_sha512() : EVP_sha256();
}

/* ---- Opening ---- */

bool dpk_key_given(const struct dpk_key_options *k)
{
    return k->key || k->sign_command;
}

bool dpk_key_in_token(const char *key)
{
    return key && strncmp(key, "pkcs11:", strlen("pkcs11:")) == 0;
}

static enum dpk_status parse_timeout(const char *text, unsigned *out, struct dpk_error *err)
{
    uint64_t n = COMMAND_TIMEOUT;
    if (text && !dpk_number(text, 1, COMMAND_TIMEOUT_MAX, &n))
        return dpk_fail(err, DPK_ERR_USAGE, "--sign-timeout: '%s' is not a number from 1 to %d",
                        text, COMMAND_TIMEOUT_MAX);
    *out = (unsigned)n;
    return DPK_OK;
}

static enum dpk_status open_command(const struct dpk_key_options *o, struct dpk_signer *s,
                                    struct dpk_error *err)
{
    if (o->passin)
        return dpk_fail(err, DPK_ERR_USAGE, "--passin does not go with --sign-command");
    enum dpk_status status = signer_command_split(o->sign_command, &s->command, err);
    if (status != DPK_OK)
        return status;
    s->name = strdup(s->command[0]);
    if (!s->name)
        return dpk_fail_nomem(err);
    if (o->key)
        return dpk_public_key_read(o->key, &s->public, err);
    if (!o->public_key)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "--sign-command needs -p with the public key (PEM) that it signs under");
    if (EVP_PKEY_up_ref(o->public_key) != 1)
        return dpk_fail_nomem(err);
    s->public = o->public_key;
    return DPK_OK;
}

/* Copies the public key, so that it is independent of token and engine. */
static enum dpk_status take_public(struct dpk_signer *s, struct dpk_error *err)
{
    unsigned char *der = NULL;
    int length = i2d_PUBKEY(s->key, &der);
    const unsigned char *p = der;
    s->public = length > 0 ? d2i_PUBKEY(NULL, &p, length) : NULL;
    OPENSSL_free(der);
    if (s->public)
        return DPK_OK;
    ERR_clear_error();
    return dpk_fail(err, DPK_ERR_CRYPTO, "the key's public half cannot be read");
}

static enum dpk_status open_key(const char *key, struct secret *secret, struct dpk_signer *s,
                                struct dpk_error *err)
{
    enum dpk_status status = dpk_key_in_token(key) ? signer_token_open(key, secret, s, err)
                                                   : signer_pem_open(key, secret, s, err);
    if (status != DPK_OK)
        return status;
    if (!EVP_PKEY_is_a(s->key, "RSA")) {
        const char *type = EVP_PKEY_get0_type_name(s->key);
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "%s: a key of type %s, not RSA", s->name,
                        type ? type : "unknown");
    }
    return take_public(s, err);
}

/* `text` is the secret itself; if it is NULL, the options say where the secret is. */
static enum dpk_status open_signer(const struct dpk_key_options *o, const char *text,
                                   struct dpk_signer **out, struct dpk_error *err)
{
    struct secret secret = {.options = o, .text = text};
    enum dpk_status status = DPK_OK;
    *out = NULL;
    struct dpk_signer *s = calloc(1, sizeof *s);
    if (!s)
        return dpk_fail_nomem(err);
    pthread_mutex_init(&s->one, NULL);
    status = parse_timeout(o->sign_timeout, &s->timeout, err);
    if (status == DPK_OK && o->sign_timeout && !o->sign_command)
        status = dpk_fail(err, DPK_ERR_USAGE, "--sign-timeout without --sign-command");
    if (status == DPK_OK && o->sign_command)
        status = open_command(o, s, err);
    else if (status == DPK_OK && o->key && o->passin)
        status = dpk_passphrase_resolve(o->passin, &secret.held, &secret.text, err);
    if (status == DPK_OK && !o->sign_command)
        status = o->key ? open_key(o->key, &secret, s, err)
                        : dpk_fail(err, DPK_ERR_USAGE, "no key to sign with");
    dpk_buf_wipe_free(&secret.held);
    if (status == DPK_OK) {
        *out = s;
        s = NULL;
    }
    dpk_signer_close(s);
    return status;
}

enum dpk_status dpk_signer_open_with(const struct dpk_key_options *options, struct dpk_signer **out,
                                     struct dpk_error *err)
{
    return open_signer(options, NULL, out, err);
}

enum dpk_status dpk_signer_open(const char *key, const char *passphrase, struct dpk_signer **out,
                                struct dpk_error *err)
{
    const struct dpk_key_options options = {.key = key};
    return open_signer(&options, passphrase, out, err);
}

void dpk_signer_close(struct dpk_signer *s)
{
    if (!s)
        return;
    EVP_PKEY_free(s->key); /* wipes the private key */
    EVP_PKEY_free(s->public);
    signer_token_close(s);
    signer_command_free(s->command);
    free(s->name);
    pthread_mutex_destroy(&s->one);
    free(s);
}

unsigned dpk_signer_bits(const struct dpk_signer *s)
{
    int bits = EVP_PKEY_get_bits(s->public);
    return bits > 0 ? (unsigned)bits : 0;
}

const char *dpk_signer_name(const struct dpk_signer *s)
{
    return s->name;
}

EVP_PKEY *dpk_signer_public(const struct dpk_signer *s)
{
    return s->public;
}

/* ---- Signing ---- */

static enum dpk_status sign_with_key(const struct dpk_signer *s, enum dpk_digest digest,
                                     const void *data, size_t size, struct dpk_buf *signature,
                                     struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    EVP_PKEY_CTX *padding = NULL; /* owned by `md` */
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    const char *name = EVP_MD_get0_name(signer_digest(digest));
    size_t length = (dpk_signer_bits(s) + 7) / 8;
    if (!md || !dpk_buf_reserve(signature, length)) {
        status = dpk_fail_nomem(err);
        goto out;
    }
    if (EVP_DigestSignInit_ex(md, &padding, name, s->context, NULL, s->key, NULL) != 1 ||
        EVP_PKEY_CTX_set_rsa_padding(padding, RSA_PKCS1_PADDING) != 1 ||
        EVP_DigestSign(md, signature->data + signature->size, &length, data, size) != 1) {
        status = dpk_fail(err, DPK_ERR_CRYPTO, "cannot sign: %s", dpk_openssl_reason());
        goto out;
    }
    signature->size += length;
out:
    EVP_MD_CTX_free(md);
    return status;
}

static enum dpk_status sign_with_command(const struct dpk_signer *s, enum dpk_digest digest,
                                         const void *data, size_t size, struct dpk_buf *signature,
                                         struct dpk_error *err)
{
    uint8_t hash[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    if (EVP_Digest(data, size, hash, &length, signer_digest(digest), NULL) != 1)
        return dpk_fail(err, DPK_ERR_CRYPTO, "cannot hash");
    return signer_command_run(s->command, s->timeout, hash, length, (dpk_signer_bits(s) + 7) / 8,
                              signature, err);
}

enum dpk_status dpk_signer_sign(const struct dpk_signer *s, enum dpk_digest digest,
                                const void *data, size_t size, struct dpk_buf *signature,
                                struct dpk_error *err)
{
    size_t before = signature->size;
    if (!s->command && !s->token)
        return sign_with_key(s, digest, data, size, signature, err);
    pthread_mutex_t *one = (pthread_mutex_t *)&s->one;
    pthread_mutex_lock(one);
    enum dpk_status status = s->command ? sign_with_command(s, digest, data, size, signature, err)
                                        : sign_with_key(s, digest, data, size, signature, err);
    pthread_mutex_unlock(one);
    if (status == DPK_OK)
        status = dpk_signature_check(s->public, digest, data, size, signature->data + before,
                                     signature->size - before, err);
    if (status == DPK_ERR_MISMATCH)
        status = dpk_fail(err, DPK_ERR_CRYPTO, "%s: its signature is wrong under the public key",
                          s->name);
    if (status != DPK_OK)
        signature->size = before;
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
    if (EVP_DigestVerifyInit(md, &padding, signer_digest(digest), NULL, key) != 1 ||
        EVP_PKEY_CTX_set_rsa_padding(padding, RSA_PKCS1_PADDING) != 1) {
        status =
            dpk_fail(err, DPK_ERR_CRYPTO, "cannot check a signature: %s", dpk_openssl_reason());
        goto out;
    }
    /* Every failure counts as a wrong signature. OpenSSL distinguishes bad padding from a bad
     * digest, but callers need not. */
    if (EVP_DigestVerify(md, signature, signature_size, data, size) != 1)
        status = dpk_fail(err, DPK_ERR_MISMATCH, "the signature is wrong");
out:
    EVP_MD_CTX_free(md);
    ERR_clear_error();
    return status;
}
