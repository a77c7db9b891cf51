/* Layout of crypto data (FORMATS.md 3), and parts of its making; private to this room. */
#ifndef ELFCRYPTO_CRYPTO_H
#define ELFCRYPTO_CRYPTO_H

#include "elfcrypto/elfcrypto.h"

#define CRYPTO_HEADER_SIZE    0x40
#define CRYPTO_VERSION        0
#define CRYPTO_RSA_SHA512     2 /* signature type */
#define CRYPTO_SIGNATURE_SIZE 512
#define CRYPTO_KEY_BITS       4096
#define CRYPTO_ALIGNMENT      4

/* dpk_crypto_build after dpk_sign_check. */
enum dpk_status crypto_build(const uint8_t *elf, size_t elf_size, const struct dpk_certchain *chain,
                             const struct dpk_signer *signer,
                             const struct dpk_sign_options *options, struct dpk_buf *out,
                             struct dpk_error *err);

/* True if the bytes begin with the magic of a fat file, NVIDIA's or ours. */
bool crypto_is_fat(const uint8_t *elf, size_t size);

#endif
