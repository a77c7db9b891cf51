/* Debugger support: breakpoints, and watches on memory. */
#include "core.h"
#include "insn.h"

/* ---- Breakpoints ---- */

static size_t find_break(const struct rv64_core *core, uint64_t pc)
{
    size_t i = 0;
    while (i < core->break_count && core->breaks[i] != pc)
        i++;
    return i;
}

bool rv64_core_breaks(const struct rv64_core *core, uint64_t pc)
{
    return find_break(core, pc) < core->break_count;
}

bool rv64_core_break(struct rv64_core *core, uint64_t address, bool on)
{
    bool done = true;
    pthread_mutex_lock(&core->lock);
    size_t i = find_break(core, address);
    bool there = i < core->break_count;
    if (on && !there && core->break_count == RV64_BREAKS_MAX)
        done = false;
    else if (on && !there)
        core->breaks[core->break_count++] = address;
    else if (!on && there)
        core->breaks[i] = core->breaks[--core->break_count];
    if (done && on != there) /* blocks are decoded again */
        atomic_fetch_add(&core->mem->code_generation, 1);
    pthread_mutex_unlock(&core->lock);
    return done;
}

static bool at_break(struct rv64_core *core, uint64_t pc)
{
    pthread_mutex_lock(&core->lock);
    bool there = rv64_core_breaks(core, pc);
    pthread_mutex_unlock(&core->lock);
    return there;
}

/* ---- Watches ---- */

struct access {
    uint64_t address, size;
    unsigned kind;
};

static struct access access_with(uint64_t address, unsigned log2, unsigned kind)
{
    return (struct access){.address = address, .size = UINT64_C(1) << log2, .kind = kind};
}

/* Returns the memory access of the instruction at the hart's pc. Kind 0 means no access. */
static struct access next_access(const struct rv64_core *core, const struct rv64_hart *hart)
{
    struct rv64_insn insn;
    uint64_t unused;
    if (!rv64_fetch(core, hart->pc, &insn, &unused))
        return (struct access){0};
    uint64_t a = hart->x[insn.rs1], at = a + (uint64_t)(int64_t)insn.imm;
    switch ((enum rv64_op)insn.op) {
    case OP_LB:
    case OP_LBU:
        return access_with(at, 0, RV64_R);
    case OP_LH:
    case OP_LHU:
        return access_with(at, 1, RV64_R);
    case OP_LW:
    case OP_LWU:
        return access_with(at, 2, RV64_R);
    case OP_LD:
        return access_with(at, 3, RV64_R);
    case OP_SB:
        return access_with(at, 0, RV64_W);
    case OP_SH:
        return access_with(at, 1, RV64_W);
    case OP_SW:
        return access_with(at, 2, RV64_W);
    case OP_SD:
        return access_with(at, 3, RV64_W);
    case OP_LR_W:
        return access_with(a, 2, RV64_R);
    case OP_LR_D:
        return access_with(a, 3, RV64_R);
    case OP_SC_W:
        return access_with(a, 2, RV64_W);
    case OP_SC_D:
        return access_with(a, 3, RV64_W);
    default: /* the rest of A are AMOs; funct3 has the width */
        if ((insn.bits & 0x7f) != 0x2f || insn.length != 4)
            return (struct access){0};
        return access_with(a, insn.bits >> 12 & 3, RV64_R | RV64_W);
    }
}

bool rv64_next_store(const struct rv64_core *core, const struct rv64_hart *hart, uint64_t *address,
                     uint64_t *size)
{
    const struct access a = next_access(core, hart);
    *address = a.address;
    *size = a.size;
    return (a.kind & RV64_W) != 0;
}

static bool touches(struct access a, const struct rv64_watch *watches, size_t count, size_t *hit)
{
    for (size_t i = 0; a.kind != 0 && i < count; i++) {
        const struct rv64_watch *w = &watches[i];
        bool apart = a.address < w->address ? w->address - a.address >= a.size
                                            : a.address - w->address >= w->size;
        if (!apart && (w->access & a.kind) != 0) {
            *hit = i;
            return true;
        }
    }
    return false;
}

enum rv64_stop rv64_step_watched(struct rv64_core *core, struct rv64_hart *hart,
                                 const struct rv64_watch *watches, size_t count, size_t *hit)
{
    size_t at = 0;
    bool watched = touches(next_access(core, hart), watches, count, &at);
    enum rv64_stop why = rv64_step(core, hart);
    if (why != RV64_STOP_BUDGET || !watched)
        return why;
    *hit = at;
    return RV64_STOP_WATCH;
}

enum rv64_stop rv64_run_watched(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget,
                                const struct rv64_watch *watches, size_t count, size_t *hit)
{
    for (uint64_t done = 0; done < budget; done++) {
        if (at_break(core, hart->pc))
            return RV64_STOP_BREAKPOINT;
        enum rv64_stop why = rv64_step_watched(core, hart, watches, count, hit);
        if (why != RV64_STOP_BUDGET)
            return why;
    }
    return RV64_STOP_BUDGET;
}
