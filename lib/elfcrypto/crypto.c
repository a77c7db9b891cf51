/* Crypto data of one program: made. */
#include "crypto.h"
#include "fat.h"

#include <string.h>

#define MFT_DEFAULT_COUNT                                                                          \
    3 /* what --cert_chain_count of NVIDIA's tool says when it is not given                        \
       */

uint32_t crypto_content(const struct dpk_packed_program *program)
{
    return (program->parts.metadata ? CRYPTO_HAS_METADATA : 0) |
           (program->parts.manifest ? CRYPTO_HAS_MANIFEST : 0);
}

enum dpk_status dpk_sign_check_with(const struct dpk_certchain *chain,
                                    const struct dpk_signer *signer,
                                    const struct dpk_sign_options *options, struct dpk_error *err)
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
    if (signer && EVP_PKEY_eq(key, dpk_signer_public(signer)) != 1)
        return dpk_fail(err, DPK_ERR_MISMATCH,
                        "the private key is not the one of the leaf certificate %s", subject);
    return options && options->ignore_dates ? dpk_certchain_check_undated(chain, err)
                                            : dpk_certchain_check(chain, err);
}

enum dpk_status dpk_sign_check(const struct dpk_certchain *chain, const struct dpk_signer *signer,
                               struct dpk_error *err)
{
    return dpk_sign_check_with(chain, signer, NULL, err);
}

/* ---- What is signed ---------------------------------------------------------------------------
 */

static void put_header(uint32_t content, uint32_t elf_size, struct dpk_buf *out)
{
    dpk_put_be32(out, CRYPTO_VERSION);
    dpk_put_be32(out, content);
    dpk_put_be32(out, elf_size);
    dpk_put_fill(out, 0, CRYPTO_HEADER_SIZE - 4 * 4);
    dpk_put_be32(out, CRYPTO_RSA_SHA512);
}

enum dpk_status crypto_put_tbs(const struct dpk_hashed_parts *parts, enum dpk_hash_profile profile,
                               unsigned threads, struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_hashlist *list = NULL;
    bool manifest = profile == DPK_PROFILE_COMPACT && parts->manifest;
    const struct dpk_elf elf = dpk_elf(parts->stored, parts->stored_size);
    enum dpk_status status = dpk_hashlist_build_with(&elf, parts->manifest, parts->manifest_size,
                                                     profile, threads, &list, err);
    if (status != DPK_OK)
        return status;
    put_header(manifest ? CRYPTO_HAS_MANIFEST : 0, 0, out);
    dpk_hashlist_encode(list, out);
    dpk_hashlist_free(list);
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

enum dpk_status dpk_crypto_tbs_packed(const struct dpk_packed_program *program, struct dpk_buf *out,
                                      struct dpk_error *err)
{
    struct dpk_hashlist *list = NULL;
    enum dpk_status status = dpk_hashlist_build_parts(&program->parts, &list, err);
    if (status != DPK_OK)
        return status;
    put_header(crypto_content(program), program->elf_size, out);
    dpk_hashlist_encode(list, out);
    dpk_hashlist_free(list);
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

/* ---- The proof --------------------------------------------------------------------------------
 */

/* A signature that somebody brings is believed when it is the leaf's. */
static enum dpk_status take_signature(const struct crypto_maker *m, const struct dpk_tbs *tbs,
                                      struct dpk_buf *signature, struct dpk_error *err)
{
    EVP_PKEY *key = X509_get0_pubkey(dpk_certchain_leaf(m->chain));
    enum dpk_status status = m->options->proof(m->options->context, tbs, signature, err);
    if (status != DPK_OK)
        return status;
    status = dpk_signature_check(key, DPK_SHA512, tbs->bytes, tbs->size, signature->data,
                                 signature->size, err);
    if (status == DPK_ERR_MISMATCH)
        status = dpk_fail(err, status,
                          "the signature is not one of these bytes by the leaf certificate's key; "
                          "same file, profile and manifest as when they were exported?");
    return status;
}

enum dpk_status crypto_put_proof(struct dpk_buf *b, const struct crypto_maker *m,
                                 const struct dpk_tbs *of, struct dpk_error *err)
{
    struct dpk_buf signature = {0};
    const struct dpk_sign_options *o = m->options;
    unsigned count = o->mft_chain_count ? o->mft_chain_count : MFT_DEFAULT_COUNT;
    struct dpk_tbs tbs = {of->program, of->target, b->data, b->size};
    enum dpk_status status =
        m->signer ? dpk_signer_sign(m->signer, DPK_SHA512, b->data, b->size, &signature, err)
                  : take_signature(m, &tbs, &signature, err);
    if (status == DPK_OK && signature.size != CRYPTO_SIGNATURE_SIZE)
        status = dpk_fail(err, DPK_ERR_CRYPTO, "the signature has %zu bytes, not %d",
                          signature.size, CRYPTO_SIGNATURE_SIZE);
    if (status == DPK_OK) {
        dpk_put(b, signature.data, signature.size);
        status = dpk_certchain_encode(m->chain, o->mft_compat ? &count : NULL, b, err);
    }
    dpk_put_align(b, CRYPTO_ALIGNMENT, 0xFF);
    dpk_buf_free(&signature);
    return status == DPK_OK && b->failed ? dpk_fail_nomem(err) : status;
}

/* What is signed is in `b`, or there was trouble; frees it. */
static enum dpk_status finish(struct dpk_buf *b, enum dpk_status status,
                              const struct crypto_maker *m, struct dpk_buf *out,
                              struct dpk_error *err)
{
    if (status == DPK_OK)
        status = crypto_put_proof(b, m, &(struct dpk_tbs){0}, err);
    if (status == DPK_OK)
        dpk_put(out, b->data, b->size);
    dpk_buf_free(b);
    return status == DPK_OK && out->failed ? dpk_fail_nomem(err) : status;
}

enum dpk_status dpk_crypto_build(const uint8_t *elf, size_t elf_size,
                                 const struct dpk_certchain *chain, const struct dpk_signer *signer,
                                 const struct dpk_sign_options *options, struct dpk_buf *out,
                                 struct dpk_error *err)
{
    const struct crypto_maker maker = {chain, signer, options};
    const struct dpk_hashed_parts parts = {.stored = elf, .stored_size = elf_size};
    struct dpk_buf b = {0};
    enum dpk_status status = dpk_sign_check_with(chain, signer, options, err);
    if (status == DPK_OK && (dpk_fat_is(elf, elf_size) || fat_is_foreign(elf, elf_size)))
        status = dpk_fail(err, DPK_ERR_UNSUPPORTED,
                          "a fat file (several targets): its members are signed one by one");
    if (status == DPK_OK)
        status = crypto_put_tbs(&parts, options->profile, 1, &b, err);
    return finish(&b, status, &maker, out, err);
}

enum dpk_status dpk_crypto_build_packed(const struct dpk_packed_program *program,
                                        const struct dpk_certchain *chain,
                                        const struct dpk_signer *signer,
                                        const struct dpk_sign_options *options, struct dpk_buf *out,
                                        struct dpk_error *err)
{
    const struct crypto_maker maker = {chain, signer, options};
    struct dpk_buf b = {0};
    enum dpk_status status = dpk_sign_check_with(chain, signer, options, err);
    if (status == DPK_OK)
        status = dpk_crypto_tbs_packed(program, &b, err);
    return finish(&b, status, &maker, out, err);
}
