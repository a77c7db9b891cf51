/* <asm/types.h> of Linux: the types of its interface to programs. */
#ifndef DPAKIT_ASM_TYPES_H
#define DPAKIT_ASM_TYPES_H

#include <linux/types.h>

#endif
