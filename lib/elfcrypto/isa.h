/* What a device ELF says it was compiled for; private to this room. */
#ifndef DPK_ELFCRYPTO_ISA_H
#define DPK_ELFCRYPTO_ISA_H

#include "elf/elf.h"

/* "rv64i2p0_m2p0_a2p0_c2p0_zba1p0", borrowed from the ELF; NULL: it does not say. */
const char *isa_of(const struct dpk_elf *elf);
/* The same of the bytes of its section .riscv.attributes. */
const char *isa_of_attributes(const uint8_t *section, size_t size);
/* Is the extension ("zba") among those of `isa`? */
bool isa_has(const char *isa, const char *extension);

#endif
