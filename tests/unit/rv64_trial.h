/*
 * Runs a guest program by rv64_run and by rv64_step, in turns of random length, and compares all
 * that can be seen at each stop. Between turns it does what hosts and debuggers do.
 */
#ifndef RV64_TRIAL_H
#define RV64_TRIAL_H

#include "rv64_functions.h"
#include "rv64_translations.h"

enum { TRIAL_STOPS = 64, TRIAL_INSTRUCTIONS = 30000, TRIAL_BREAKS = 4, TRIAL_CALLS = 64 };

/* What trials have met. */
struct trial_counts {
    uint64_t programs, instructions, translations;
    uint64_t stops[RV64_STOP_WATCH + 1], faults[RV64_FAULT_MISALIGNED_STORE + 1];
};

/* [0] is the subject, rv64_run; [1] the reference, rv64_step. */
struct trial {
    struct rv64_memory *mem[2];
    struct rv64_core *core[2];
    struct rv64_hart hart[2];
    struct program *program;
    uint8_t code[CODE_PAGES * RV64_PAGE];
    struct choices choices;
    void (*attach)(struct trial *t); /* gives core[0] what is tried, if it is not NULL */
    bool
        exact; /* the subject's turns end where those of rv64_run do, which is the reference then */
    bool wrong; /* the subject's code has additions for subtractions, as a test of the trial */
    uint64_t breaks[TRIAL_BREAKS];
    unsigned break_count;
    uint64_t most;       /* instructions that a program runs, about */
    unsigned most_items; /* of a program that is made for it */
    struct trial_counts counts;
    FILE *log;      /* if not NULL, it is called for each turn */
    char what[200]; /* how the two differ */
};

static inline bool trial_create(struct trial *t)
{
    *t = (struct trial){.most = TRIAL_INSTRUCTIONS, .most_items = PROGRAM_ITEMS};
    for (int i = 0; i < 2; i++)
        if ((t->mem[i] = rv64_memory_create(UINT64_C(1) << 32)) == NULL)
            return false;
    return true;
}

static inline void trial_destroy(struct trial *t)
{
    for (int i = 0; i < 2; i++)
        rv64_memory_destroy(t->mem[i]);
}

#define DIFFERS(t, ...) (snprintf((t)->what, sizeof(t)->what, __VA_ARGS__), false)

/* ---- The beginning ---- */

static inline bool put_both(struct trial *t, uint32_t at, const void *from, size_t size)
{
    return rv64_memory_store(t->mem[0], at, from, size) &&
           rv64_memory_store(t->mem[1], at, from, size);
}

static inline bool map_both(struct trial *t, uint32_t at, uint32_t size, unsigned access)
{
    return rv64_memory_map(t->mem[0], at, size, access) &&
           rv64_memory_map(t->mem[1], at, size, access);
}

static inline bool fill_memory(struct trial *t)
{
    uint64_t words[RV64_PAGE / 8];
    for (size_t r = 0; r < REGIONS; r++) {
        if (!map_both(t, regions[r].address, regions[r].size, regions[r].access))
            return false;
        if (regions[r].access & RV64_X) {
            if (!put_both(t, regions[r].address, t->code, regions[r].size))
                return false;
            continue;
        }
        for (uint32_t at = 0; at < regions[r].size; at += RV64_PAGE) {
            for (unsigned i = 0; i < RV64_PAGE / 8; i++)
                words[i] = random_value(&t->choices.seed);
            if (!put_both(t, regions[r].address + at, words, sizeof words))
                return false;
        }
    }
    for (unsigned i = 0; i < t->program->slot_count; i++) {
        const struct slot *s = &t->program->slots[i];
        const uint64_t word = program_address(t->program, s->target) - (uint64_t)s->base;
        if (!put_both(t, s->at, &word, s->width))
            return false;
    }
    const uint32_t fuel = choose(&t->choices, 40);
    return put_both(t, FUEL_AT, &fuel, sizeof fuel);
}

/* Exchanges the subject's subtractions for additions. */
static inline bool make_wrong(struct trial *t)
{
    const uint32_t sub = 0x40000000 | ADD, mask = 0xfe00707f;
    for (unsigned i = 0; i < t->program->count; i++) {
        const struct item *item = &t->program->items[i];
        const uint32_t word = item->word & ~UINT32_C(0x40000000);
        if (item->kind == ITEM_WORD && !item->dropped && (item->word & mask) == sub &&
            !rv64_memory_store(t->mem[0], item->at, &word, 4))
            return false;
    }
    return true;
}

/* Sends both harts to a function. */
static inline void enter(struct trial *t, unsigned function)
{
    struct rv64_hart *hart = &t->hart[0];
    for (unsigned r = 1; r < 32; r++)
        hart->x[r] = choose_value(&t->choices);
    hart->x[RA] = hart->x[T0] = t->program->base;
    hart->x[SP] = STACK_AT + STACK_PAGES * RV64_PAGE - 16 * choose(&t->choices, 40);
    hart->x[GP] = GP_VALUE;
    hart->x[TP] = TP_VALUE;
    hart->pc = program_address(t->program, -1 - (int)function);
    t->hart[1] = *hart;
}

static inline bool trial_begin(struct trial *t)
{
    const bool strict = chance(&t->choices, 4);
    memset(t->code, 0, sizeof t->code);
    program_assemble(t->program, t->code);
    t->break_count = 0;
    if (!fill_memory(t) || (t->wrong && !make_wrong(t)))
        return DIFFERS(t, "no memory");
    for (int i = 0; i < 2; i++) {
        if ((t->core[i] = rv64_core_create(t->mem[i])) == NULL)
            return DIFFERS(t, "no core");
        rv64_core_set_strict(t->core[i], strict);
    }
    if (t->attach != NULL)
        t->attach(t);
    memset(t->hart, 0, sizeof t->hart);
    t->hart[0].time = choose32(&t->choices);
    enter(t, 0);
    return true;
}

/* ---- The comparison ---- */

static inline bool same_registers(struct trial *t)
{
    const struct rv64_hart *a = &t->hart[0], *b = &t->hart[1];
    const struct {
        const char *name;
        uint64_t a, b;
    } others[] = {
        {"instret", a->instret, b->instret},
        {"pc", a->pc, b->pc},
        {"fault", a->fault, b->fault},
        {"fault address", a->fault == 0 ? 0 : a->fault_address,
         a->fault == 0 ? 0 : b->fault_address},
        {"time", a->time, b->time},
        {"misaligned", a->misaligned, b->misaligned},
        {"reserved width", a->reserved_width, b->reserved_width},
        {"reserved address", a->reserved_address, b->reserved_address},
        {"reserved value", a->reserved_value, b->reserved_value},
    };
    const size_t count = a->reserved_width != 0 ? sizeof others / sizeof *others
                                                : sizeof others / sizeof *others - 2;
    for (size_t i = 0; i < count; i++)
        if (others[i].a != others[i].b)
            return DIFFERS(t, "%s is %#llx, not %#llx", others[i].name,
                           (unsigned long long)others[i].a, (unsigned long long)others[i].b);
    for (unsigned r = 0; r < 32; r++)
        if (a->x[r] != b->x[r])
            return DIFFERS(t, "x%u is %#llx, not %#llx", r, (unsigned long long)a->x[r],
                           (unsigned long long)b->x[r]);
    return true;
}

static inline bool same_memory(struct trial *t)
{
    for (size_t r = t->wrong ? 1 : 0; r < REGIONS; r++) {
        const uint8_t *page[2];
        for (uint32_t at = 0; at < regions[r].size; at += RV64_PAGE) {
            for (int i = 0; i < 2; i++)
                page[i] = rv64_memory_at(t->mem[i], regions[r].address + at, RV64_PAGE, 0);
            if (page[0] == NULL || memcmp(page[0], page[1], RV64_PAGE) == 0)
                continue;
            uint32_t byte = 0;
            while (page[0][byte] == page[1][byte])
                byte++;
            return DIFFERS(t, "the byte at %#x is %#x, not %#x", regions[r].address + at + byte,
                           page[0][byte], page[1][byte]);
        }
    }
    return true;
}

static inline bool breaks_at(const struct trial *t, uint64_t pc)
{
    for (unsigned i = 0; i < t->break_count; i++)
        if (t->breaks[i] == pc)
            return true;
    return false;
}

/* The reference does as many instructions as the subject has done, and then stops as it has. */
static inline bool follow(struct trial *t, uint64_t budget, enum rv64_stop why)
{
    const uint64_t end = t->hart[0].instret;
    struct rv64_hart *hart = &t->hart[1];
    enum rv64_stop other = RV64_STOP_BUDGET;
    hart->fault = RV64_FAULT_NONE;
    if (t->exact)
        other = rv64_run(t->core[1], hart, budget);
    while (!t->exact && other == RV64_STOP_BUDGET && hart->instret < end) {
        if (breaks_at(t, hart->pc))
            return DIFFERS(t, "it ran over the breakpoint at %#llx", (unsigned long long)hart->pc);
        other = rv64_step(t->core[1], hart);
    }
    if (!t->exact && why == RV64_STOP_BREAKPOINT && other == RV64_STOP_BUDGET &&
        breaks_at(t, hart->pc))
        return true;
    if (!t->exact && why != RV64_STOP_BUDGET && other == RV64_STOP_BUDGET)
        other = rv64_step(t->core[1], hart);
    if (why != other)
        return DIFFERS(t, "it stops for %d at %#llx after %llu instructions, not for %d at %#llx",
                       why, (unsigned long long)t->hart[0].pc, (unsigned long long)end, other,
                       (unsigned long long)hart->pc);
    return true;
}

/* One turn, of about `budget` instructions. */
static inline bool trial_turn(struct trial *t, uint64_t budget, enum rv64_stop *why)
{
    const uint64_t before = t->hart[0].instret;
    *why = rv64_run(t->core[0], &t->hart[0], budget);
    const uint64_t ran = t->hart[0].instret - before;
    if (t->log != NULL)
        fprintf(t->log, "budget %llu: ran %llu, stops for %d at %#llx, %s\n",
                (unsigned long long)budget, (unsigned long long)ran, *why,
                (unsigned long long)t->hart[0].pc, rv64_fault_name(t->hart[0].fault));
    t->counts.stops[*why]++;
    t->counts.faults[t->hart[0].fault]++;
    t->counts.instructions += ran;
    /* After its budget, translated code may still return from calls, of which the fuel lets some be
     * nested, and run to the end of each. */
    const uint64_t calls = t->attach != NULL ? TRIAL_CALLS : 1;
    if (ran > budget + calls * (t->program->count + 64) ||
        (*why == RV64_STOP_BUDGET && ran < budget))
        return DIFFERS(t, "it runs %llu instructions when told %llu", (unsigned long long)ran,
                       (unsigned long long)budget);
    return follow(t, budget, *why) && same_registers(t) && same_memory(t);
}

/* ---- Between turns ---- */

static inline uint64_t some_instruction(struct trial *t)
{
    return t->program->items[choose(&t->choices, t->program->count)].at;
}

static inline bool patch(struct trial *t)
{
    const struct item *item = &t->program->items[choose(&t->choices, t->program->count)];
    const uint32_t word = with_rd(value_word(&t->choices), choose(&t->choices, 32));
    return item->kind != ITEM_WORD || item->dropped || (item->word & 0x7f) == 0x67 ||
           put_both(t, item->at, &word, sizeof word);
}

static inline bool toggle_break(struct trial *t)
{
    uint64_t at = some_instruction(t);
    const bool on = t->break_count < TRIAL_BREAKS && !breaks_at(t, at);
    if (on)
        t->breaks[t->break_count++] = at;
    else if (t->break_count > 0)
        at = t->breaks[--t->break_count];
    else
        return true;
    return rv64_core_break(t->core[0], at, on) && rv64_core_break(t->core[1], at, on);
}

static inline bool change_access(struct trial *t)
{
    static const unsigned accesses[] = {RV64_R | RV64_W, RV64_R, RV64_W, 0};
    static const uint32_t pages[] = {DATA_AT, DATA_AT + RV64_PAGE, STACK_AT, HIGH_AT, READ_ONLY_AT};
    return map_both(t, pages[choose(&t->choices, 5)], RV64_PAGE, accesses[choose(&t->choices, 4)]);
}

/* What a host or a debugger may do while a hart is stopped. */
static inline bool act(struct trial *t)
{
    const uint64_t value = choose_value(&t->choices);
    const unsigned r = 5 + choose(&t->choices, 27), what = choose(&t->choices, 16);
    if (t->log != NULL && what < 10)
        fprintf(t->log, "action %u\n", what);
    switch (what) {
    case 0:
    case 1:
    case 2:
        t->hart[0].x[r] = t->hart[1].x[r] = value;
        return true;
    case 3:
        t->hart[0].pc = t->hart[1].pc = some_instruction(t) + chance(&t->choices, 8);
        return true;
    case 4:
        t->hart[0].time = t->hart[1].time = value;
        return true;
    case 5:
        return patch(t);
    case 6:
    case 7:
        return toggle_break(t);
    case 8:
        return change_access(t);
    case 9:
        return put_both(t, DATA_AT + 8 * choose(&t->choices, 1000), &value, sizeof value) ||
               true; /* the page may have gone */
    default:
        return true;
    }
}

/* Moves both harts past the instruction that stopped them. */
static inline bool go_on(struct trial *t, enum rv64_stop why)
{
    struct rv64_hart *hart = &t->hart[0];
    uint16_t half;
    switch (why) {
    case RV64_STOP_BREAKPOINT:
        if (rv64_step(t->core[0], hart) == rv64_step(t->core[1], &t->hart[1]))
            return true;
        return DIFFERS(t, "a step from the breakpoint ends otherwise");
    case RV64_STOP_FAULT:
    case RV64_STOP_EBREAK:
        if (hart->fault == RV64_FAULT_FETCH || hart->pc == t->program->base ||
            chance(&t->choices, 8)) {
            enter(t, choose(&t->choices, t->program->function_count));
            return true;
        }
        memcpy(&half, rv64_memory_at(t->mem[1], hart->pc, sizeof half, 0), sizeof half);
        hart->pc = t->hart[1].pc += rv64_instruction_length(half);
        return true;
    default:
        return true;
    }
}

static inline uint64_t some_budget(struct choices *c)
{
    switch (choose(c, 8)) {
    case 0:
        return choose(c, 4);
    case 1:
        return choose(c, 100);
    case 2:
    case 3:
        return choose(c, 1000);
    default:
        return choose(c, chance(c, 8) ? 100000 : 10000);
    }
}

/* Runs the program. `seed`: of memory, registers and all that the host does. False: the two
 * differ, and t->what says where. */
static inline bool trial_run(struct trial *t, struct program *program, uint64_t seed)
{
    bool same = false;
    enum rv64_stop why;
    t->program = program;
    t->choices = (struct choices){.seed = seed};
    t->core[0] = t->core[1] = NULL;
    t->counts.programs++;
    if (!trial_begin(t))
        goto out;
    for (unsigned stop = 0; stop < TRIAL_STOPS && t->hart[0].instret < t->most; stop++) {
        if (!trial_turn(t, some_budget(&t->choices), &why) || !go_on(t, why))
            goto out;
        if (why != RV64_STOP_FAULT && chance(&t->choices, 2) && !act(t)) {
            snprintf(t->what, sizeof t->what, "the host could not do what it may");
            goto out;
        }
    }
    same = true;
out:
    t->counts.translations += count_translations(t->core[0]);
    rv64_core_destroy(t->core[0]);
    rv64_core_destroy(t->core[1]);
    return same;
}

#endif
