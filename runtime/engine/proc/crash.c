#include "engine/proc/crash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { RA = 1, SP = 2, FP = 8, FRAMES_MAX = 16 };
/* Addresses up to this many bytes below the stack count as a stack overflow: frames may be
 * large. */
#define OVERFLOW_REACH 0x100000u

/* ---- Places ---- */

/* Writes "0x11234 (kernel+0x1c, kernel.c:12)". `back` is the distance from `pc` back to the
 * instruction of the line. Returns false if the line is unknown. */
static bool place_at(const struct dpk_process *p, uint64_t pc, unsigned back, char *out,
                     size_t size)
{
    uint64_t offset;
    struct dpk_line at;
    const char *function = dpk_image_function_at(p->image, pc, &offset);
    bool known = function && dpk_line_find(p->image, pc - back, &at);
    if (known)
        snprintf(out, size, "0x%" PRIx64 " (%.80s+0x%" PRIx64 ", %.80s:%u)", pc, function, offset,
                 at.file, at.line);
    else if (function)
        snprintf(out, size, "0x%" PRIx64 " (%.120s+0x%" PRIx64 ")", pc, function, offset);
    else
        snprintf(out, size, "0x%" PRIx64, pc);
    return known;
}

/* ---- Callers ---- */

/* Returns whether the instruction before `address` is a call: JAL or JALR that writes ra, or
 * C.JALR. */
static bool is_behind_call(const struct dpk_process *p, uint64_t address)
{
    const uint8_t *at = rv64_memory_at(p->memory, address - 2, 2, RV64_X);
    if (!at || address < 4)
        return false;
    unsigned half = at[0] | (unsigned)at[1] << 8;
    if ((half & 0xf07f) == 0x9002 && (half & 0x0f80) != 0)
        return true;
    at = rv64_memory_at(p->memory, address - 4, 4, RV64_X);
    unsigned low = at ? (at[0] | (unsigned)at[1] << 8) & 0xfff : 0;
    return low == 0x0ef || low == 0x0e7;
}

/* Reads the two words below a frame pointer: the caller's frame pointer and the return address. */
static bool read_frame(const struct hart *h, uint64_t *fp, uint64_t *ra)
{
    uint64_t from = hart_stack(h), frame[2];
    const void *at =
        *fp >= from + sizeof frame && *fp <= from + STACK_SIZE && *fp % 8 == 0
            ? rv64_memory_at(h->process->memory, *fp - sizeof frame, sizeof frame, RV64_R)
            : NULL;
    if (!at)
        return false;
    memcpy(frame, at, sizeof frame);
    bool grows = frame[0] > *fp;
    *fp = grows ? frame[0] : 0;
    *ra = frame[1];
    return true;
}

/* Finds the nearest caller whose line is known. Functions of the device's libraries have frame
 * pointers but no lines. Functions of the C library call no others, so ra is their return
 * address. */
static bool find_caller(const struct hart *h, char *out, size_t size)
{
    uint64_t ra = h->regs.x[RA], fp = h->regs.x[FP];
    unsigned frames = 0;
    do
        if (is_behind_call(h->process, ra) && place_at(h->process, ra, 1, out, size))
            return true;
    while (frames++ < FRAMES_MAX && read_frame(h, &fp, &ra));
    return false;
}

/* Finds the caller of a jump to an address without code. */
static void put_jumper(const struct hart *h, char *out, size_t size)
{
    char from[180];
    uint64_t ra = h->regs.x[RA];
    *out = '\0';
    if (ra == h->regs.pc) {
        snprintf(out, size, ", which ra holds: a function returned there");
    } else if (is_behind_call(h->process, ra)) {
        place_at(h->process, ra, 1, from, sizeof from);
        snprintf(out, size, ", called from %s", from);
    }
}

void proc_crash_place(const struct hart *h, char *out, size_t size)
{
    char at[180], caller[180], more[220] = "";
    bool known = place_at(h->process, h->regs.pc, 0, at, sizeof at);
    if (!dpk_image_function_at(h->process->image, h->regs.pc, NULL))
        put_jumper(h, more, sizeof more);
    else if (!known && find_caller(h, caller, sizeof caller))
        snprintf(more, sizeof more, ", called from %s", caller);
    snprintf(out, size, " pc %s%s", at, more);
}

/* ---- Faults ---- */

/* Returns whether the stack has overflowed: both the access and sp are below it. */
static bool is_overflow(const struct hart *h)
{
    uint64_t stack = hart_stack(h), sp = h->regs.x[SP], address = h->regs.fault_address;
    return (h->regs.fault == RV64_FAULT_LOAD || h->regs.fault == RV64_FAULT_STORE) && sp < stack &&
           stack - sp <= OVERFLOW_REACH && address < stack && address >= sp - STACK_GUARD;
}

/* Linux puts programs, heaps, libraries and stacks here. Memory that was here may be gone by
 * now. */
#define HOST_BEGIN UINT64_C(0x550000000000)
#define HOST_END   UINT64_C(0x800000000000)

/* Returns a hint if the address is a host address. Device addresses end at GUEST_SIZE. */
static const char *host_address(const struct hart *h)
{
    const uint64_t address = h->regs.fault_address, page = address & ~(uint64_t)(RV64_PAGE - 1);
    unsigned char there;
    if (address < GUEST_SIZE || address >= HOST_END ||
        (h->regs.fault != RV64_FAULT_LOAD && h->regs.fault != RV64_FAULT_STORE))
        return "";
    if (mincore((void *)(uintptr_t)page, 1, &there) == 0)
        return "this is a host address: copy the data to the DPA, or use a window";
    if (address >= HOST_BEGIN)
        return "this looks like a host address: copy the data to the DPA, or use a window";
    return "";
}

/* Compilers put these where code must not arrive: they are illegal on purpose. */
#define UNIMP      0xc0001073u
#define UNIMP_HALF 0u

/* What else there is to say of an instruction that the device does not have: other targets have it,
 * or NVIDIA's compiler made it and nothing public describes it. */
static void put_instruction(const struct hart *h, char *out, size_t size)
{
    const uint32_t bits = (uint32_t)h->regs.fault_address;
    const char *target = dpk_image_target(h->process->image);
    char name[RV64_NAME];
    *out = '\0';
    if (rv64_optional_name(bits, name))
        snprintf(out, size,
                 "instruction %s is not one of nv-dpa-%s's: compile with -mcpu=nv-dpa-%s", name,
                 target, target);
    else if (bits != UNIMP && bits != UNIMP_HALF)
        snprintf(out, size, "instruction 0x%" PRIx32 " is not a public instruction of nv-dpa-%s",
                 bits, target);
}

void proc_crash_report(const struct hart *h, const char *reason, char *out, size_t size)
{
    const bool illegal = h->regs.fault == RV64_FAULT_ILLEGAL;
    char place[PLACE_MAX], overflow[60] = "", instruction[120];
    proc_crash_place(h, place, sizeof place);
    if (is_overflow(h))
        snprintf(overflow, sizeof overflow,
                 "stack overflow (%llu bytes): ", (unsigned long long)STACK_SIZE);
    if (illegal) {
        put_instruction(h, instruction, sizeof instruction);
        reason = instruction;
    } else if (!reason[0]) {
        reason = host_address(h);
    }
    snprintf(out, size, "thread %u: %s%s%s 0x%" PRIx64 "%s%s%s,%s", h->id, overflow,
             rv64_fault_name(h->regs.fault), illegal ? "" : " at address", h->regs.fault_address,
             reason[0] ? " (" : "", reason, reason[0] ? ")" : "", place);
}
