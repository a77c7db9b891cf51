/* The entry point of every DPA thread; dpa_abi.h describes the registers. */
#include "guest/abi/dpa_abi.h"

    .section .text._dpa_start, "ax", @progbits
    .globl _dpa_start
    .type _dpa_start, @function
_dpa_start:
    .cfi_startproc
    .cfi_undefined ra           /* the outermost frame: debuggers stop here */
    li s0, 0
    jalr a2                     /* unpack(a0: argument buffer, a1: function) */
    li a7, DPA_SYS_EXIT
    ecall
    unimp
    .cfi_endproc
    .size _dpa_start, . - _dpa_start

/* The linker puts sections that its script does not name behind one that is like them. Without
 * variables there would be none behind the page of constants. It takes no room. */
    .section .data._dpa_start, "aw", @progbits
