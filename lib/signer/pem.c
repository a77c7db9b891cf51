/* Reads private keys from PEM files. */
#include "keys.h"

#include <string.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#define KEY_FILE_MAX ((size_t)1 << 20)

/* Context of the passphrase callback. */
struct asking {
    const char *path;
    struct secret *secret;
    struct dpk_error *err;
    bool asked;
};

static int give_passphrase(char *out, int size, int writing, void *context)
{
    struct asking *a = context;
    char what[512];
    (void)writing;
    a->asked = true;
    snprintf(what, sizeof what, "Passphrase of %s: ", a->path);
    if (!signer_secret_get(a->secret, what, a->err))
        return -1;
    size_t length = strlen(a->secret->text);
    if (size < 0 || length > (size_t)size)
        return -1;
    memcpy(out, a->secret->text, length);
    return (int)length;
}

static enum dpk_status explain_no_key(const struct dpk_buf *file, const struct asking *a,
                                      struct dpk_error *err)
{
    const char *path = a->path;
    if (a->secret->refused)
        return dpk_error_prefix(err, "%s", path);
    if (a->asked && !a->secret->text)
        return dpk_fail(err, DPK_ERR_CRYPTO, "%s: the key is encrypted and no passphrase is given",
                        path);
    if (a->asked)
        return dpk_fail(err, DPK_ERR_CRYPTO, "%s: the key cannot be decrypted: wrong passphrase",
                        path);
    static const char begin[] = "-----BEGIN ", private[] = "PRIVATE KEY-----";
    static const char *const beside[] = {"*.key", "*-key.pem", "leaf.key", "*.pem", NULL};
    const enum dpk_content content = dpk_content_of(file->data, file->size);
    if (content != DPK_CONTENT_PRIVATE_KEY &&
        dpk_content_refuse(path, file->data, file->size, "a private key", beside, err) != DPK_OK)
        return DPK_ERR_FORMAT;
    if (!file->data || !memmem(file->data, file->size, begin, sizeof begin - 1))
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "%s: not a PEM file; a DER key becomes one with openssl pkey -inform der",
                        path);
    if (!memmem(file->data, file->size, private, sizeof private - 1))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: no private key in this PEM file", path);
    return dpk_fail(err, DPK_ERR_FORMAT, "%s: damaged private key (%s)", path,
                    dpk_openssl_reason());
}

enum dpk_status signer_pem_open(const char *path, struct secret *secret, struct dpk_signer *s,
                                struct dpk_error *err)
{
    struct dpk_error unused = {0}; /* a refused secret needs an error to fill */
    struct dpk_buf file = {0};
    struct asking a = {.path = path, .secret = secret, .err = err ? err : &unused};
    enum dpk_status status = dpk_openssl_start(err);
    if (status == DPK_OK)
        status = dpk_file_read(path, KEY_FILE_MAX, &file, err);
    if (status == DPK_ERR_NOT_FOUND && err && strchr(path, '=') && !strchr(path, '/'))
        dpk_fail(err, status, "%s; a PKCS#11 URI begins with pkcs11:", err->message);
    if (status != DPK_OK)
        return status;
    ERR_clear_error();
    s->name = strdup(path);
    BIO *bio = BIO_new_mem_buf(file.data ? (const void *)file.data : "", (int)file.size);
    if (bio)
        s->key = PEM_read_bio_PrivateKey(bio, NULL, give_passphrase, &a);
    if (!bio || !s->name)
        status = dpk_fail_nomem(err);
    else if (!s->key)
        status = explain_no_key(&file, &a, a.err);
    BIO_free(bio);
    dpk_buf_wipe_free(&file);
    ERR_clear_error();
    return status;
}
