/* The instruction set for which a device ELF was compiled; private to this room. */
#ifndef DPK_ELFCRYPTO_ISA_H
#define DPK_ELFCRYPTO_ISA_H

#include "elfcrypto/elfcrypto.h"

/* Same as dpk_isa_of, from the content of the section .riscv.attributes. */
const char *elfcrypto_isa_of_attributes(const uint8_t *section, size_t size);

#endif
