/* Makes the crypto data of one program. */
#include "crypto.h"
#include "fat/fat.h"

#include <string.h>

#define MFT_DEFAULT_COUNT 3 /* default of --cert_chain_count of NVIDIA's tool */

uint32_t elfcrypto_content(const struct dpk_packed_program *program)
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
    return options && options->force ? dpk_certchain_check_forced(chain, err)
                                     : dpk_certchain_check(chain, err);
}

enum dpk_status dpk_sign_check(const struct dpk_certchain *chain, const struct dpk_signer *signer,
                               struct dpk_error *err)
{
    return dpk_sign_check_with(chain, signer, NULL, err);
}

/* ---- Signed bytes ---- */

static void put_header(uint32_t content, uint32_t elf_size, struct dpk_buf *out)
{
    dpk_put_be32(out, CRYPTO_VERSION);
    dpk_put_be32(out, content);
    dpk_put_be32(out, elf_size);
    dpk_put_fill(out, 0, CRYPTO_HEADER_SIZE - 4 * 4);
    dpk_put_be32(out, CRYPTO_RSA_SHA512);
}

bool elfcrypto_is_fat(const struct dpk_elf *elf)
{
    return dpk_fat_is(elf->file.begin, dpk_reader_left(&elf->file));
}

bool elfcrypto_is_for_device(const struct dpk_subject *s)
{
    const struct dpk_reader *file = &s->elf.file;
    return s->packed || dpk_elf_is_riscv(file->begin, dpk_reader_left(file));
}

enum dpk_status dpk_crypto_tbs(const struct dpk_subject *s, const struct dpk_sign_options *options,
                               struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_hashlist *list = NULL;
    bool manifest = options->profile == DPK_PROFILE_COMPACT && s->manifest;
    enum dpk_status status =
        s->packed ? dpk_hashlist_build_parts(&s->packed->parts, &list, err)
                  : dpk_hashlist_build_with(&s->elf, s->manifest, s->manifest_size,
                                            options->profile, s->threads, &list, err);
    if (status == DPK_OK && !options->force && !elfcrypto_is_for_device(s))
        status = dpk_fail(err, DPK_ERR_REFUSED,
                          "its device ELF is not one for RISC-V, so no device runs it (--force "
                          "signs it all the same)");
    if (status != DPK_OK) {
        dpk_hashlist_free(list);
        return status;
    }
    if (s->packed)
        put_header(elfcrypto_content(s->packed), s->packed->elf_size, out);
    else
        put_header(manifest ? CRYPTO_HAS_MANIFEST : 0, 0, out);
    dpk_hashlist_encode(list, out);
    dpk_hashlist_free(list);
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

/* ---- The proof ---- */

/* The signer and its options. */
struct maker {
    const struct dpk_certchain *chain;
    const struct dpk_signer *signer; /* NULL: options->proof */
    const struct dpk_sign_options *options;
};

/* Gets a signature from the caller, and accepts it if it verifies with the leaf's key. */
static enum dpk_status take_signature(const struct maker *m, const struct dpk_tbs *tbs,
                                      struct dpk_buf *signature, struct dpk_error *err)
{
    EVP_PKEY *key = X509_get0_pubkey(dpk_certchain_leaf(m->chain));
    enum dpk_status status = m->options->proof(m->options->proof_context, tbs, signature, err);
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

/* Appends signature, chain and padding to the signed bytes. */
static enum dpk_status put_proof(struct dpk_buf *b, const struct maker *m,
                                 const struct dpk_subject *s, struct dpk_error *err)
{
    struct dpk_buf signature = {0};
    const struct dpk_sign_options *o = m->options;
    unsigned count = o->mft_chain_count ? o->mft_chain_count : MFT_DEFAULT_COUNT;
    struct dpk_tbs tbs = {s->name, s->target[0] ? s->target : NULL, b->data, b->size};
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
    dpk_put_align(b, DPK_CRYPTO_ALIGNMENT, 0xFF);
    dpk_buf_free(&signature);
    return status == DPK_OK && b->failed ? dpk_fail_nomem(err) : status;
}

enum dpk_status dpk_crypto_make(const struct dpk_subject *subject,
                                const struct dpk_certchain *chain, const struct dpk_signer *signer,
                                const struct dpk_sign_options *options, struct dpk_buf *out,
                                struct dpk_error *err)
{
    const struct maker maker = {chain, signer, options};
    struct dpk_buf b = {0};
    if (!subject->packed && elfcrypto_is_fat(&subject->elf))
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "a multi-target area: its members are signed one by one");
    enum dpk_status status = dpk_crypto_tbs(subject, options, &b, err);
    if (status == DPK_OK)
        status = put_proof(&b, &maker, subject, err);
    if (status == DPK_OK)
        dpk_put(out, b.data, b.size);
    dpk_buf_free(&b);
    return status == DPK_OK && out->failed ? dpk_fail_nomem(err) : status;
}

enum dpk_status dpk_crypto_build(const struct dpk_subject *subject,
                                 const struct dpk_certchain *chain, const struct dpk_signer *signer,
                                 const struct dpk_sign_options *options, struct dpk_buf *out,
                                 struct dpk_error *err)
{
    enum dpk_status status = dpk_sign_check_with(chain, signer, options, err);
    return status == DPK_OK ? dpk_crypto_make(subject, chain, signer, options, out, err) : status;
}
