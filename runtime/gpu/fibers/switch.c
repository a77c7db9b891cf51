#include "fibers.h"

#include <stdint.h>

/* The registers that a called function keeps are on the stack of a fiber that does not run. The
 * fiber is the address of the last of them. */
#if defined __x86_64__
__asm__(".text\n"
        ".globl dpk_fiber_switch\n"
        ".type dpk_fiber_switch, @function\n"
        "dpk_fiber_switch:\n"
        "    endbr64\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size dpk_fiber_switch, .-dpk_fiber_switch\n"
        ".type fiber_begin, @function\n"
        "fiber_begin:\n"
        "    endbr64\n"
        "    movq %r13, %rdi\n"
        "    xorl %ebp, %ebp\n"
        "    callq *%r12\n"
        "    ud2\n"
        ".size fiber_begin, .-fiber_begin\n");
enum { KEPT = 6, PLACE_ENTRY = 3, PLACE_CONTEXT = 2, PLACE_BEGIN = KEPT, FRAME = KEPT + 3 };
#elif defined __aarch64__
__asm__(".text\n"
        ".globl dpk_fiber_switch\n"
        ".type dpk_fiber_switch, %function\n"
        "dpk_fiber_switch:\n"
        "    hint #34\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size dpk_fiber_switch, .-dpk_fiber_switch\n"
        ".type fiber_begin, %function\n"
        "fiber_begin:\n"
        "    mov x0, x20\n"
        "    mov x29, #0\n"
        "    blr x19\n"
        "    brk #0\n"
        ".size fiber_begin, .-fiber_begin\n");
enum { PLACE_ENTRY = 0, PLACE_CONTEXT = 1, PLACE_BEGIN = 11, FRAME = 20 };
#else
#error "fibers need a switch for this processor"
#endif

extern void fiber_begin(void) __attribute__((visibility("hidden")));

void *dpk_fiber_prepare(void *top, void (*entry)(void *), void *context)
{
    uint64_t *frame = (uint64_t *)((uintptr_t)top & ~(uintptr_t)15) - FRAME;
    for (unsigned i = 0; i < FRAME; i++)
        frame[i] = 0;
    frame[PLACE_ENTRY] = (uintptr_t)entry;
    frame[PLACE_CONTEXT] = (uintptr_t)context;
    frame[PLACE_BEGIN] = (uintptr_t)fiber_begin;
    return frame;
}
