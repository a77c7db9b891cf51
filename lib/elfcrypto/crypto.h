/* Layout of crypto data (signing(7)), and parts of its making; private to this room. */
#ifndef ELFCRYPTO_CRYPTO_H
#define ELFCRYPTO_CRYPTO_H

#include "elfcrypto/elfcrypto.h"

#define CRYPTO_HEADER_SIZE    0x40
#define CRYPTO_VERSION        0
#define CRYPTO_RSA_SHA512     2 /* signature type */
#define CRYPTO_SIGNATURE_SIZE 512
#define CRYPTO_KEY_BITS       4096
#define CRYPTO_ALIGNMENT      4

/* What the header says of the content (MFT 4.36). */
#define CRYPTO_HAS_ENCRYPTION (1u << 31)
#define CRYPTO_HAS_METADATA   (1u << 30)
#define CRYPTO_HAS_MANIFEST   (1u << 29)

/* Who signs, and how. */
struct crypto_maker {
    const struct dpk_certchain *chain;
    const struct dpk_signer *signer; /* NULL: options->proof */
    const struct dpk_sign_options *options;
};

/* What is signed of one device ELF (and its manifest): header and hash list. `threads` hash. */
enum dpk_status crypto_put_tbs(const struct dpk_hashed_parts *parts, enum dpk_hash_profile profile,
                               unsigned threads, struct dpk_buf *out, struct dpk_error *err);
/* Behind what is to be signed, `tbs`: the signature, the chain, padding. Names are those of `of`.
 */
enum dpk_status crypto_put_proof(struct dpk_buf *tbs, const struct crypto_maker *maker,
                                 const struct dpk_tbs *of, struct dpk_error *err);

/* What the header of its crypto data says that there is. */
uint32_t crypto_content(const struct dpk_packed_program *program);

#endif
