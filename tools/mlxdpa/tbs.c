#include "tbs.h"

#include <stdio.h>

#include <openssl/evp.h>

#define SIGNATURE_SIZE 512

enum dpk_status tbs_path(const char *prefix, const char *ending, char out[PATH_MAX],
                         struct dpk_error *err)
{
    int length = snprintf(out, PATH_MAX, "%s.%s", prefix, ending);
    if (length < 0 || length >= PATH_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: the path is too long", prefix);
    return DPK_OK;
}

const char *tbs_ending(const struct mlxdpa_options *o)
{
    return o->digest ? "sha512" : "tbs";
}

enum dpk_status tbs_write(const struct mlxdpa_options *o, const char *path, const uint8_t *bytes,
                          size_t size, struct dpk_error *err)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    enum dpk_status status;
    if (!o->digest)
        status = dpk_file_replace(path, bytes, size, 0644, err);
    else if (EVP_Digest(bytes, size, digest, &length, EVP_sha512(), NULL) == 1)
        status = dpk_file_replace(path, digest, length, 0644, err);
    else
        status = dpk_fail(err, DPK_ERR_CRYPTO, "cannot hash");
    if (status == DPK_OK)
        printf("%s\n", path);
    return status;
}

enum dpk_status tbs_read_signature(const char *path, struct dpk_buf *signature,
                                   struct dpk_error *err)
{
    enum dpk_status status = dpk_file_read(path, SIGNATURE_SIZE, signature, err);
    if (status == DPK_OK && signature->size != SIGNATURE_SIZE)
        status = dpk_fail(err, DPK_ERR_FORMAT, "%s: %zu bytes, a signature has %d", path,
                          signature->size, SIGNATURE_SIZE);
    return status;
}

enum dpk_status tbs_attach_under_key(const struct mlxdpa_options *o, const struct tbs_attachment *a,
                                     struct dpk_error *err)
{
    struct dpk_buf file = {0}, signature = {0}, made = {0};
    EVP_PKEY *key = NULL;
    char path[PATH_MAX];
    enum dpk_status status = mlxdpa_need("attach_signature", "--key PUBLIC_KEY",
                                         o->trusted_key_count == 1 ? o->trusted_key[0] : NULL, err);
    if (status == DPK_OK)
        status = tbs_path(o->signature, "sig", path, err);
    const char *const inputs[] = {path, o->trusted_key[0]};
    if (status == DPK_OK)
        status = dpk_file_apart(o->output, inputs, 2, err);
    if (status == DPK_OK)
        status = dpk_file_read(a->input, a->input_max, &file, err);
    if (status == DPK_OK)
        status = a->read_signature(path, &signature, err);
    if (status == DPK_OK)
        status = dpk_public_key_read(o->trusted_key[0], &key, err);
    if (status != DPK_OK)
        goto out;
    status = a->attach(a->how, &file, &signature, key, &made, err);
    if (status != DPK_OK && status != DPK_ERR_USAGE)
        dpk_error_prefix(err, "%s, %s", a->input, path);
    if (status == DPK_OK)
        status = dpk_file_replace(o->output, made.data, made.size, 0644, err);
    if (status == DPK_OK)
        mlxdpa_say(o->output, "Signatures attached successfully!");
out:
    EVP_PKEY_free(key);
    dpk_buf_free(&made);
    dpk_buf_free(&signature);
    dpk_buf_free(&file);
    return status;
}
