#include "engine/proc/callers.h"

#include <string.h>

enum { RA = 1, SP = 2, FP = 8 };
enum { CALLERS_TOLD = 4, CALLERS_LOOKED_AT = 8 };

static bool read_stack(void *context, uint64_t address, uint64_t *out)
{
    const struct hart *h = context;
    const uint64_t stack = hart_stack(h);
    const void *at = address >= stack && address <= stack + STACK_SIZE - 8 && address % 8 == 0
                         ? rv64_memory_at(h->process->memory, address, 8, RV64_R)
                         : NULL;
    if (at)
        memcpy(out, at, 8);
    return at != NULL;
}

unsigned proc_callers_find(const struct hart *h, struct dpk_frames *frames, uint64_t *pc,
                           unsigned max)
{
    const uint64_t *x = h->regs.x;
    struct dpk_frame frame = {.pc = h->regs.pc, .sp = x[SP], .fp = x[FP], .ra = x[RA]};
    unsigned depth = 0;
    pc[depth++] = frame.pc;
    while (depth < max && dpk_frames_caller(frames, &frame, read_stack, (void *)h) &&
           rv64_memory_at(h->process->memory, frame.pc - 1, 1, RV64_X))
        pc[depth++] = frame.pc;
    return depth;
}

void proc_callers_put(const struct hart *h, uint64_t from, char *out, size_t size)
{
    const struct dpk_image *image = h->process->image;
    struct dpk_frames *frames = dpk_frames_create(image);
    uint64_t pc[CALLERS_LOOKED_AT];
    const unsigned depth = frames ? proc_callers_find(h, frames, pc, CALLERS_LOOKED_AT) : 0;
    unsigned first = 0, told = 0;
    size_t used = 0;
    *out = '\0';
    while (first < depth && pc[first] != from)
        first++;
    for (unsigned i = first + 1; i < depth && told < CALLERS_TOLD && used < size; i++) {
        struct dpk_line at;
        const char *function = dpk_image_function_at(image, pc[i] - 1, NULL);
        if (!function || strncmp(function, "_dpacc", 6) == 0 ||
            !dpk_line_find(image, pc[i] - 1, &at))
            continue; /* code of dpacc or of a library */
        const int n = snprintf(out + used, size - used, ", called from %.60s (%.60s:%u)", function,
                               at.file, at.line);
        used += n > 0 ? (size_t)n : 0;
        told++;
    }
    dpk_frames_free(frames);
}
