/* Where stacks and heap of a process lie, beside the addresses of its program. */
#include "engine/proc/layout.h"

#include "engine/rv64/rv64.h"

#define GIB         0x40000000ull /* programs that end below it have stacks from there */
#define STACKS_STEP 0x10000000ull /* stacks of other programs begin at a multiple */

_Static_assert(HARTS_MAX *STACK_STRIDE <= STACKS_STEP, "stacks end before the heap");
_Static_assert(DPK_PROGRAM_END + STACKS_STEP < GUEST_SIZE, "every program leaves room for a heap");

/* Segments are sorted by address, and every image has at least one. */
static uint64_t program_end(const struct dpk_image *image)
{
    const struct dpk_segment *last = dpk_image_segment(image, dpk_image_segment_count(image) - 1);
    return last->address + last->memory_size;
}

struct process_layout proc_process_layout_of(const struct dpk_image *image)
{
    const uint64_t end = program_end(image);
    struct process_layout l = {.stacks = GIB, .heap = 2 * GIB};
    if (end > GIB) {
        const uint64_t least = 2 * GIB + STACKS_STEP;
        l.stacks = end > least ? (end + STACKS_STEP - 1) / STACKS_STEP * STACKS_STEP : least;
        l.heap = l.stacks + STACKS_STEP;
    }
    l.heap_max = GUEST_SIZE - RV64_PAGE - l.heap;
    return l;
}
