/* Layout of crypto data (signing(7)), and helpers that make it; private to this room. */
#ifndef DPK_ELFCRYPTO_CRYPTO_H
#define DPK_ELFCRYPTO_CRYPTO_H

#include "elfcrypto/elfcrypto.h"

#define CRYPTO_HEADER_SIZE    0x40
#define CRYPTO_VERSION        0
#define CRYPTO_RSA_SHA512     2 /* signature type */
#define CRYPTO_SIGNATURE_SIZE 512
#define CRYPTO_KEY_BITS       4096

/* Flags of the header that describe the content (MFT 4.36). */
#define CRYPTO_HAS_ENCRYPTION (1u << 31)
#define CRYPTO_HAS_METADATA   (1u << 30)
#define CRYPTO_HAS_MANIFEST   (1u << 29)

/* Returns true if this is an area of several ELFs instead of an ELF. */
bool elfcrypto_is_fat(const struct dpk_elf *elf);
/* Returns true if the device ELF is for RISC-V. For a program in a container this was checked when
 * the container was made. */
bool elfcrypto_is_for_device(const struct dpk_subject *subject);

/* Returns the flags of the content for the crypto data's header. */
uint32_t elfcrypto_content(const struct dpk_packed_program *program);

#endif
