# Runs one unpack wrapper under Linux for RISC-V; exits with what the function returned.
    .globl _start
_start:
    la a0, buffer
    la a1, FUNCTION
    call UNPACK
    li a7, 93
    ecall
    .data
    .balign 8
buffer:
    .incbin BUFFER
