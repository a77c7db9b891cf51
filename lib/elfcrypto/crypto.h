/* Layout of crypto data (signing(7)), and parts of its making; private to this room. */
#ifndef DPK_ELFCRYPTO_CRYPTO_H
#define DPK_ELFCRYPTO_CRYPTO_H

#include "elfcrypto/elfcrypto.h"

#define CRYPTO_HEADER_SIZE    0x40
#define CRYPTO_VERSION        0
#define CRYPTO_RSA_SHA512     2 /* signature type */
#define CRYPTO_SIGNATURE_SIZE 512
#define CRYPTO_KEY_BITS       4096

/* What the header says of the content (MFT 4.36). */
#define CRYPTO_HAS_ENCRYPTION (1u << 31)
#define CRYPTO_HAS_METADATA   (1u << 30)
#define CRYPTO_HAS_MANIFEST   (1u << 29)

/* Is it no ELF, but an area of several? */
bool crypto_is_fat(const struct dpk_elf *elf);
/* Is the device ELF one for RISC-V? Who packs a program into a container has asked. */
bool crypto_is_for_device(const struct dpk_subject *subject);

/* What the header of its crypto data says that there is. */
uint32_t crypto_content(const struct dpk_packed_program *program);

#endif
