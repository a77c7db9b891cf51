/* Operations of several threads of a warp: shuffles, votes, reductions, __syncwarp. Each thread
 * names the lanes that take part; when all these lanes have arrived, each gets its result. */
#include "device.h"
#include "private.h"

#include <string.h>

void block_warp_begin(struct block *b)
{
    for (uint32_t i = 0; i * DPK_BLOCK_WARP < b->threads; i++) {
        const uint32_t left = b->threads - i * DPK_BLOCK_WARP;
        b->warps[i].groups = 0;
        b->warps[i].live = left >= DPK_BLOCK_WARP ? UINT32_MAX : (UINT32_C(1) << left) - 1;
    }
}

static uint64_t reduced(const struct warp *w, uint32_t members, uint32_t operation)
{
    uint64_t all = 0;
    bool first = true;
    for (uint32_t left = members; left; left &= left - 1, first = false) {
        const uint64_t v = w->lane[__builtin_ctz(left)]->value;
        switch (operation) {
        case DPK_GPU_WARP_ADD:
            all += v;
            break;
        case DPK_GPU_WARP_MIN:
            all = first || v < all ? v : all;
            break;
        case DPK_GPU_WARP_MAX:
            all = first || v > all ? v : all;
            break;
        case DPK_GPU_WARP_MIN_SIGNED:
            all = first || (int64_t)v < (int64_t)all ? v : all;
            break;
        case DPK_GPU_WARP_MAX_SIGNED:
            all = first || (int64_t)v > (int64_t)all ? v : all;
            break;
        case DPK_GPU_WARP_AND:
            all = first ? v : all & v;
            break;
        case DPK_GPU_WARP_OR:
            all |= v;
            break;
        default:
            all ^= v;
            break;
        }
    }
    return all;
}

static uint32_t equal_to(const struct warp *w, uint32_t members, uint64_t value)
{
    uint32_t equal = 0;
    for (uint32_t left = members; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (w->lane[lane]->value == value)
            equal |= UINT32_C(1) << lane;
    }
    return equal;
}

static uint32_t voters(const struct warp *w, uint32_t members)
{
    return members & ~equal_to(w, members, 0);
}

static uint64_t result_of(const struct warp *w, uint32_t members, const struct fiber *f)
{
    uint32_t equal;
    switch (f->operation) {
    case DPK_GPU_WARP_SYNC:
        return 0;
    case DPK_GPU_WARP_SHUFFLE:
        return members >> f->source & 1 ? w->lane[f->source]->value : f->value;
    case DPK_GPU_WARP_BALLOT:
        return voters(w, members);
    case DPK_GPU_WARP_ALL:
        return voters(w, members) == members;
    case DPK_GPU_WARP_ANY:
        return voters(w, members) != 0;
    case DPK_GPU_WARP_ACTIVE:
        return members;
    case DPK_GPU_WARP_MATCH:
        return equal_to(w, members, f->value);
    case DPK_GPU_WARP_MATCH_ALL:
        equal = equal_to(w, members, f->value);
        return equal == members ? equal : 0;
    default:
        return reduced(w, members, f->operation);
    }
}

/* Votes and reductions have the same result for all members of one operation. */
static void complete(struct block *b, struct warp *w, uint32_t members)
{
    const struct fiber *one = w->lane[__builtin_ctz(members)];
    const uint32_t operation = one->operation;
    const bool common = operation != DPK_GPU_WARP_SHUFFLE && operation != DPK_GPU_WARP_MATCH;
    const uint64_t shared = common ? result_of(w, members, one) : 0;
    if (operation == DPK_GPU_WARP_SYNC) /* the others order no memory */
        block_check_lanes(b, w, members);
    for (uint32_t left = members; left; left &= left - 1) {
        struct fiber *f = w->lane[__builtin_ctz(left)];
        f->result = common && f->operation == operation ? shared : result_of(w, members, f);
    }
    for (uint32_t left = members; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        struct fiber *f = w->lane[lane];
        w->lane[lane] = NULL;
        f->wait = WAIT_NONE;
        if (f != block_here())
            block_queue_put(&b->ready, f);
    }
}

/* Completes group `i` if all its threads that have not ended are there. */
static bool try_complete(struct block *b, struct warp *w, uint32_t i)
{
    const struct group g = w->group[i];
    if ((g.mask & w->live) != g.arrived || !g.arrived)
        return false;
    w->group[i] = w->group[--w->groups];
    complete(b, w, g.arrived);
    return true;
}

void block_warp_ended(struct fiber *f)
{
    struct warp *w = &f->block->warps[f->self.warp];
    w->live &= ~(UINT32_C(1) << f->self.lane);
    for (uint32_t i = w->groups; i-- > 0;)
        try_complete(f->block, w, i);
}

static uint32_t group_of(struct warp *w, uint32_t mask)
{
    uint32_t i = 0;
    while (i < w->groups && w->group[i].mask != mask)
        i++;
    if (i == w->groups)
        w->group[w->groups++] = (struct group){.mask = mask};
    return i;
}

uint64_t dpk_gpu_warp(uint32_t operation, uint32_t mask, uint64_t value, uint32_t source)
{
    struct fiber *f = block_here();
    struct warp *w = &f->block->warps[f->self.warp];
    const uint32_t mine = UINT32_C(1) << f->self.lane;
    f->site = __builtin_return_address(0);
    if (!(mask & mine))
        block_fail(DPK_BLOCK_TRAPPED, f->site, "the mask of a warp function lacks the caller");
    f->operation = operation;
    f->value = value;
    f->source = source % DPK_BLOCK_WARP;
    f->mask = mask;
    w->lane[f->self.lane] = f;
    const uint32_t i = group_of(w, mask);
    w->group[i].arrived |= mine;
    if (!try_complete(f->block, w, i)) {
        f->wait = WAIT_WARP;
        block_leave(f);
    }
    return f->result;
}

uint32_t dpk_gpu_active(void)
{
    struct fiber *f = block_here();
    struct warp *w = &f->block->warps[f->self.warp];
    f->site = __builtin_return_address(0);
    f->operation = DPK_GPU_WARP_ACTIVE;
    f->wait = WAIT_ACTIVE;
    w->lane[f->self.lane] = f;
    block_leave(f);
    return (uint32_t)f->result;
}

/* Threads of a warp that ask at the same place are active together. */
bool block_warp_settle(struct block *b)
{
    bool settled = false;
    for (uint32_t i = 0; i * DPK_BLOCK_WARP < b->threads; i++) {
        struct warp *w = &b->warps[i];
        for (unsigned lane = 0; lane < DPK_BLOCK_WARP; lane++) {
            const struct fiber *one = w->lane[lane];
            uint32_t members = 0;
            if (!one || one->wait != WAIT_ACTIVE)
                continue;
            for (unsigned k = lane; k < DPK_BLOCK_WARP; k++)
                if (w->lane[k] && w->lane[k]->wait == WAIT_ACTIVE && w->lane[k]->site == one->site)
                    members |= UINT32_C(1) << k;
            struct dpk_gpu_thread *running = dpk_gpu_self;
            dpk_gpu_self = NULL;
            complete(b, w, members);
            dpk_gpu_self = running;
            settled = true;
        }
    }
    return settled;
}
