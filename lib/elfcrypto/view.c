/* Shows crypto data without verifying them. */
#include "crypto.h"

enum dpk_status dpk_crypto_view_open(const uint8_t *crypto, size_t size,
                                     struct dpk_crypto_view *out, struct dpk_error *err)
{
    struct dpk_reader r = dpk_reader(crypto, size);
    struct dpk_hashlist *list = NULL;
    bool count_warning = false;
    *out = (struct dpk_crypto_view){0};
    dpk_read_skip(&r, CRYPTO_HEADER_SIZE - 4);
    out->signature_type = dpk_read_be32(&r);
    enum dpk_status status = dpk_hashlist_decode(&r, &list, err);
    if (status != DPK_OK)
        return status;
    out->profile = dpk_hashlist_profile(list);
    dpk_hashlist_free(list);
    out->signed_size = dpk_reader_offset(&r);
    out->signature = dpk_read_bytes(&r, CRYPTO_SIGNATURE_SIZE);
    if (!out->signature)
        return dpk_fail(err, DPK_ERR_FORMAT, "%zu bytes, too short for a signature", size);
    return dpk_certchain_decode(&r, &out->chain, &count_warning, err);
}

enum dpk_status dpk_crypto_view_check(const struct dpk_crypto_view *view, const uint8_t *crypto,
                                      struct dpk_error *err)
{
    EVP_PKEY *key = X509_get0_pubkey(dpk_certchain_leaf(view->chain));
    if (!key)
        return dpk_fail(err, DPK_ERR_CRYPTO, "the leaf certificate has no key that can be read");
    return dpk_signature_check(key, DPK_SHA512, crypto, view->signed_size, view->signature,
                               CRYPTO_SIGNATURE_SIZE, err);
}

void dpk_crypto_view_free(struct dpk_crypto_view *view)
{
    dpk_certchain_free(view->chain);
    *view = (struct dpk_crypto_view){0};
}
