/* Blocks and AddressSanitizer (dpacu -fsanitize=address): shared memory that a kernel does not have is
 * poisoned, and a report is followed by a line that names kernel, block, thread and source line. */
#include "device.h"
#include "private.h"

#include "gpu/memory/memory.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>

enum { SHARED_ROOM = DPK_BLOCK_SHARED_MAX + 4096 };

void block_address_begin(struct block *b)
{
    const uint32_t fixed = b->grid->kernel->shared, dynamic = b->grid->dynamic;
    const size_t begin = (fixed + 127u) & ~127u;
    if (!dpk_gpu_poison_is_there())
        return;
    dpk_gpu_unpoison(b->shared, SHARED_ROOM);
    dpk_gpu_poison(b->shared + fixed, begin - fixed);
    dpk_gpu_poison(b->shared + begin + dynamic, SHARED_ROOM - begin - dynamic);
    b->zoned = false;
}

void dpk_gpu_address_zones(const uint32_t *zones, uint32_t count)
{
    struct block *b = block_here()->block;
    if (b->zoned)
        return;
    b->zoned = true;
    for (uint32_t i = 0; i < count; i++)
        dpk_gpu_poison(b->shared + zones[2 * i], zones[2 * i + 1]);
}

enum { TEXT = 320 };

/* Writes where the address is: behind an allocation, in shared memory, or elsewhere. */
static void name_place(const struct fiber *f, const struct dpk_gpu_poison_finding *found,
                       char out[TEXT])
{
    struct dpk_gpu_memory m;
    const uintptr_t at = (uintptr_t)found->address, shared = (uintptr_t)f->block->shared;
    if (at - shared < SHARED_ROOM)
        snprintf(out, TEXT, "at offset %zu of shared memory, where the kernel has no variable",
                 (size_t)(at - shared));
    else if (at >= (uintptr_t)f->stack.low && at < (uintptr_t)f->stack.top)
        snprintf(out, TEXT, "on the thread's stack, where no variable is (%s)", found->what);
    else if (dpk_gpu_memory_before(found->address, &m))
        snprintf(out, TEXT, "%zu bytes after the end of %s of %zu bytes",
                 (size_t)(at - m.base - m.size),
                 m.kind == DPK_GPU_MEMORY_VARIABLE ? "a variable" : "an allocation", m.size);
    else
        snprintf(out, TEXT, "at %p (%s)", found->address, found->what);
}

/* Returns the place of the access in device code. AddressSanitizer's own memcpy and the like tell of a
 * place in themselves: device code is among their callers. */
static const void *device_place(const struct fiber *f, const void *pc)
{
    enum { FRAMES = 32 };
    void *frames[FRAMES];
    Dl_info device, here;
    void *run = NULL;
    memcpy(&run, &f->block->grid->kernel->run, sizeof run);
    if (!dladdr(run, &device) || (dladdr(pc, &here) && here.dli_fbase == device.dli_fbase))
        return pc;
    const int count = backtrace(frames, FRAMES);
    for (int i = 0; i < count; i++)
        if (dladdr(frames[i], &here) && here.dli_fbase == device.dli_fbase)
            return frames[i];
    return pc;
}

static void tell(const struct dpk_gpu_poison_finding *found)
{
    const struct fiber *f = block_here();
    char line[TEXT], place[TEXT], what[2 * TEXT];
    if (!f)
        return;
    block_line(device_place(f, found->pc), line, sizeof line);
    name_place(f, found, place);
    snprintf(what, sizeof what, "%s %zu bytes %s", found->writes ? "writes" : "reads", found->size,
             place);
    block_report_thread(f, line, what);
}

void block_address_watch(void)
{
    if (dpk_gpu_poison_is_there()) {
        dpk_blocks_set_stack(dpk_blocks_stack());
        dpk_gpu_poison_on_report(tell);
    }
}
