/* Crypto data of one program: made. */
#include "crypto.h"

#include <string.h>

#define MFT_DEFAULT_COUNT                                                                          \
    3 /* what --cert_chain_count of NVIDIA's tool says when it is not given                        \
       */

bool crypto_is_fat(const uint8_t *elf, size_t size)
{
    return size >= 8 && (memcmp(elf, "NVDPAFBF", 8) == 0 || memcmp(elf, "DPKFAT1", 8) == 0);
}

enum dpk_status dpk_sign_check(const struct dpk_certchain *chain, const struct dpk_signer *signer,
                               struct dpk_error *err)
{
    char subject[256];
    X509 *leaf = dpk_certchain_leaf(chain);
    EVP_PKEY *key = X509_get0_pubkey(leaf);
    dpk_cert_subject(leaf, subject, sizeof subject);
    if (!key || !EVP_PKEY_is_a(key, "RSA"))
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "leaf certificate %s: its key is not RSA; programs are signed with RSA-%d",
                        subject, CRYPTO_KEY_BITS);
    if (EVP_PKEY_get_bits(key) != CRYPTO_KEY_BITS)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "leaf certificate %s: its key is RSA-%d; programs are signed with RSA-%d",
                        subject, EVP_PKEY_get_bits(key), CRYPTO_KEY_BITS);
    if (EVP_PKEY_eq(key, dpk_signer_public(signer)) != 1)
        return dpk_fail(err, DPK_ERR_MISMATCH,
                        "the private key is not the one of the leaf certificate %s", subject);
    return dpk_certchain_check(chain, err);
}

static enum dpk_status put_hash_list(const uint8_t *elf, size_t elf_size,
                                     enum dpk_hash_profile profile, struct dpk_buf *out,
                                     struct dpk_error *err)
{
    struct dpk_hashlist *list = NULL;
    enum dpk_status status = dpk_hashlist_build(elf, elf_size, profile, &list, err);
    if (status == DPK_OK)
        dpk_hashlist_encode(list, out);
    dpk_hashlist_free(list);
    return status;
}

enum dpk_status crypto_build(const uint8_t *elf, size_t elf_size, const struct dpk_certchain *chain,
                             const struct dpk_signer *signer,
                             const struct dpk_sign_options *options, struct dpk_buf *out,
                             struct dpk_error *err)
{
    struct dpk_buf b = {0}, signature = {0};
    unsigned count = options->mft_chain_count ? options->mft_chain_count : MFT_DEFAULT_COUNT;
    if (crypto_is_fat(elf, elf_size))
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "a fat file (several targets) cannot be signed");
    dpk_put_be32(&b, CRYPTO_VERSION);
    dpk_put_fill(&b, 0, CRYPTO_HEADER_SIZE - 2 * 4);
    dpk_put_be32(&b, CRYPTO_RSA_SHA512);
    enum dpk_status status = put_hash_list(elf, elf_size, options->profile, &b, err);
    if (status == DPK_OK && b.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = dpk_signer_sign(signer, DPK_SHA512, b.data, b.size, &signature, err);
    if (status == DPK_OK && signature.size != CRYPTO_SIGNATURE_SIZE)
        status = dpk_fail(err, DPK_ERR_CRYPTO, "the signature has %zu bytes, not %d",
                          signature.size, CRYPTO_SIGNATURE_SIZE);
    if (status != DPK_OK)
        goto out;
    dpk_put(&b, signature.data, signature.size);
    status = dpk_certchain_encode(chain, options->mft_compat ? &count : NULL, &b, err);
    if (status != DPK_OK)
        goto out;
    dpk_put_align(&b, CRYPTO_ALIGNMENT, 0xFF);
    dpk_put(out, b.data, b.size);
    if (b.failed || out->failed)
        status = dpk_fail_nomem(err);
out:
    dpk_buf_free(&signature);
    dpk_buf_free(&b);
    return status;
}

enum dpk_status dpk_crypto_build(const uint8_t *elf, size_t elf_size,
                                 const struct dpk_certchain *chain, const struct dpk_signer *signer,
                                 const struct dpk_sign_options *options, struct dpk_buf *out,
                                 struct dpk_error *err)
{
    enum dpk_status status = dpk_sign_check(chain, signer, err);
    if (status == DPK_OK)
        status = crypto_build(elf, elf_size, chain, signer, options, out, err);
    return status;
}
