/* Fat programs (signing(7)), what this room needs of them beyond the public functions. */
#ifndef ELFCRYPTO_FAT_H
#define ELFCRYPTO_FAT_H

#include "elfcrypto/elfcrypto.h"

/* Begins the crypto data of a fat program; fat_sigs_put adds each member's. */
void fat_sigs_begin(struct dpk_buf *out, size_t count);
void fat_sigs_put(struct dpk_buf *out, uint32_t target, const void *crypto, size_t size);

/* True if the bytes begin with the magic of NVIDIA's fat files, which nobody else can read. */
bool fat_is_foreign(const uint8_t *bytes, size_t size);

#endif
