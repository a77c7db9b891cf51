/* Declarations that the files of libdoca_pcc_dev.a and libdoca_pcc_np_dev.a share. */
#ifndef DPK_GUEST_ABI_DOCA_PCC_H
#define DPK_GUEST_ABI_DOCA_PCC_H

#include "pcc_abi.h"
#include "syscall.h"

extern struct dpa_pcc_state _dpa_pcc_state;

typedef uint64_t _dpa_pcc_function(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                                   uint64_t f);
/* Calls a function with its arguments: dpa_pcc_program.call. */
uint64_t _dpa_pcc_call(const struct dpa_pcc_arguments *arguments, _dpa_pcc_function *function);

#endif
