/* Checks that functions of the C library make before they access memory, in programs compiled with
 * -fsanitize=address. */
#ifndef DPK_GUEST_ASAN_H
#define DPK_GUEST_ASAN_H

#include <stdint.h>

/* Reports an access to poisoned bytes. `how`: as for DPA_SYS_BAD_ACCESS. `from`: the return address of
 * the call in the program. */
void _dpa_asan_check(uint64_t at, uint64_t size, uint64_t how, const void *from);

#endif
