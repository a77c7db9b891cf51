/* The entry point of every DPA thread; dpa_abi.h describes the registers. */
#include "guest/abi/dpa_abi.h"
#include "libflexio-dev/flexio_dev_ver.h"

    .cfi_sections .debug_frame

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

/* The version of these libraries, as a number of FlexIO. */
    .section .flexio_os_ver, "aw", @progbits
    .balign 8
    .word FLEXIO_DEV_VER_LATEST
    .word 0
