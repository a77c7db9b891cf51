/* Keys whose signatures a device accepts. */
#include <stdlib.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/x509.h>

#include "private.h"

enum dpk_status dpk_device_add_nvidia_key(sqlite3 *db, const struct dpk_uuid *uuid, EVP_PKEY *key,
                                          struct dpk_error *err)
{
    struct dpk_buf spki = {0};
    sqlite3_stmt *stmt = NULL;
    enum dpk_status status = DPK_OK;
    if (!dpk_device_put_public(key, &spki))
        status = dpk_fail(err, DPK_ERR_CRYPTO, "the NVIDIA key cannot be encoded");
    if (status == DPK_OK)
        status = dpk_db_prepare(db, "INSERT INTO nvidia_key VALUES (?, ?)", &stmt, err);
    if (status == DPK_OK) {
        sqlite3_bind_blob(stmt, 1, uuid->bytes, sizeof uuid->bytes, SQLITE_STATIC);
        sqlite3_bind_blob(stmt, 2, spki.data, (int)spki.size, SQLITE_STATIC);
        status = dpk_db_finish(db, stmt, err);
    }
    dpk_buf_free(&spki);
    return status;
}

/* Returns true if the key is complete. Without memory, OpenSSL makes keys without parameters. */
static bool is_whole(const EVP_PKEY *key)
{
    return key && EVP_PKEY_get_bits(key) > 0;
}

static enum dpk_status decode_key(sqlite3_stmt *stmt, int column, EVP_PKEY **out,
                                  struct dpk_error *err)
{
    const unsigned char *spki = sqlite3_column_blob(stmt, column);
    EVP_PKEY *key = spki ? d2i_PUBKEY(NULL, &spki, sqlite3_column_bytes(stmt, column)) : NULL;
    *out = is_whole(key) ? key : NULL;
    ERR_clear_error();
    if (*out)
        return DPK_OK;
    EVP_PKEY_free(key);
    return dpk_fail(err, DPK_ERR_CRYPTO, "OpenSSL cannot read the device's NVIDIA key");
}

enum dpk_status dpk_device_find_nvidia_key(sqlite3 *db, const struct dpk_uuid *uuid, EVP_PKEY **out,
                                           struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    *out = NULL;
    enum dpk_status status =
        dpk_db_prepare(db, "SELECT spki FROM nvidia_key WHERE uuid = ?", &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_blob(stmt, 1, uuid->bytes, sizeof uuid->bytes, SQLITE_STATIC);
    status = dpk_db_step(db, stmt, &row, err);
    if (status == DPK_OK && row)
        status = decode_key(stmt, 0, out, err);
    sqlite3_finalize(stmt);
    return status;
}

enum dpk_status dpk_device_nvidia_keys(struct dpk_device *dev, struct dpk_device_key **out,
                                       size_t *count, struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    size_t n = 0;
    struct dpk_device_key *keys = NULL;
    enum dpk_status status =
        dpk_db_prepare(dev->db, "SELECT uuid, spki FROM nvidia_key ORDER BY uuid", &stmt, err);
    while (status == DPK_OK && (status = dpk_db_step(dev->db, stmt, &row, err)) == DPK_OK && row) {
        EVP_PKEY *key = NULL;
        struct dpk_device_key *more = reallocarray(keys, n + 1, sizeof *keys);
        if (!more) {
            status = dpk_fail_nomem(err);
            break;
        }
        keys = more;
        status = dpk_db_blob(stmt, 0, keys[n].uuid.bytes, sizeof keys[n].uuid.bytes, err);
        if (status == DPK_OK)
            status = decode_key(stmt, 1, &key, err);
        keys[n++].bits = key ? EVP_PKEY_get_bits(key) : 0;
        EVP_PKEY_free(key);
    }
    sqlite3_finalize(stmt);
    if (status != DPK_OK) {
        free(keys);
        return status;
    }
    *out = keys;
    *count = n;
    return DPK_OK;
}

enum dpk_status dpk_device_make_rsa_key(const struct dpk_nv_owner_key *numbers, EVP_PKEY **out,
                                        struct dpk_error *err)
{
    EVP_PKEY *key = NULL;
    OSSL_PARAM *params = NULL;
    BIGNUM *n = BN_bin2bn(numbers->modulus, sizeof numbers->modulus, NULL);
    BIGNUM *e = BN_new();
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    bool ok = n && e && build && context && BN_set_word(e, numbers->exponent) &&
              OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, n) &&
              OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, e) &&
              (params = OSSL_PARAM_BLD_to_param(build)) && EVP_PKEY_fromdata_init(context) > 0 &&
              EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params) > 0 && is_whole(key);
    OSSL_PARAM_free(params);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_BLD_free(build);
    BN_free(e);
    BN_free(n);
    ERR_clear_error();
    if (!ok) {
        EVP_PKEY_free(key);
        return dpk_fail(err, DPK_ERR_CRYPTO, "the owner's key is not an RSA key");
    }
    *out = key;
    return DPK_OK;
}

bool dpk_device_put_public(EVP_PKEY *key, struct dpk_buf *out)
{
    unsigned char *der = NULL;
    int size = i2d_PUBKEY(key, &der);
    if (size > 0)
        dpk_put(out, der, (size_t)size);
    OPENSSL_free(der);
    ERR_clear_error();
    return size > 0 && !out->failed;
}

EVP_PKEY *dpk_device_decode_private(const uint8_t *der, size_t size)
{
    const unsigned char *at = der;
    PKCS8_PRIV_KEY_INFO *info = size ? d2i_PKCS8_PRIV_KEY_INFO(NULL, &at, (long)size) : NULL;
    EVP_PKEY *key = info && at == der + size ? EVP_PKCS82PKEY(info) : NULL;
    PKCS8_PRIV_KEY_INFO_free(info);
    ERR_clear_error();
    return key;
}

bool dpk_device_put_private(EVP_PKEY *key, struct dpk_buf *out)
{
    unsigned char *der = NULL;
    PKCS8_PRIV_KEY_INFO *info = EVP_PKEY2PKCS8(key);
    int size = info ? i2d_PKCS8_PRIV_KEY_INFO(info, &der) : 0;
    if (size > 0)
        dpk_put(out, der, (size_t)size);
    OPENSSL_clear_free(der, size > 0 ? (size_t)size : 0);
    PKCS8_PRIV_KEY_INFO_free(info);
    ERR_clear_error();
    return size > 0 && !out->failed;
}

enum dpk_status dpk_device_owner_key(sqlite3 *db, struct dpk_uuid *uuid, EVP_PKEY **out,
                                     struct dpk_error *err)
{
    struct dpk_nv_list tlvs = {0};
    struct dpk_nv_owner_key numbers;
    bool found = false;
    *out = NULL;
    enum dpk_status status = dpk_device_tlvs(db, DPK_VIEW_NEXT, &tlvs, err);
    if (status == DPK_OK) {
        status = dpk_nv_owner_key_find(&tlvs, &found, &numbers, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "the device's state is damaged");
    }
    if (status == DPK_OK && found) {
        status = dpk_device_make_rsa_key(&numbers, out, err);
        if (uuid)
            *uuid = numbers.uuid;
    }
    dpk_nv_list_free(&tlvs);
    return status;
}

enum dpk_status dpk_device_find_signer(sqlite3 *db, const struct dpk_uuid *uuid,
                                       struct signer_key *out, struct dpk_error *err)
{
    struct dpk_uuid owner;
    *out = (struct signer_key){0};
    enum dpk_status status = dpk_device_owner_key(db, &owner, &out->key, err);
    if (status != DPK_OK)
        return status;
    if (out->key && dpk_uuid_equal(&owner, uuid)) {
        out->owner = true;
        return DPK_OK;
    }
    EVP_PKEY_free(out->key);
    return dpk_device_find_nvidia_key(db, uuid, &out->key, err);
}
