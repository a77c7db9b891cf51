/* Finds callers by call frame information (DWARF 5, section 6.4; .debug_frame). It comes from a
 * program that is not trusted, so each field is checked, and an error ends the search. It follows
 * only the registers that lead to callers: pc, sp, s0 and ra. Any rule for these except "at an
 * offset from the frame" ends the search too. */
#include <stdlib.h>
#include <string.h>

#include "engine/debug/debug.h"

enum { RA = 1, SP = 2, FP = 8 };
enum { CFA_ADVANCE = 1, CFA_OFFSET, CFA_RESTORE }; /* in the two upper bits */
enum {
    CFA_NOP,
    CFA_SET_LOC,
    CFA_ADVANCE1,
    CFA_ADVANCE2,
    CFA_ADVANCE4,
    CFA_OFFSET_EXTENDED,
    CFA_RESTORE_EXTENDED,
    CFA_UNDEFINED,
    CFA_SAME_VALUE,
    CFA_REGISTER,
    CFA_REMEMBER,
    CFA_RESTORE_STATE,
    CFA_DEF,
    CFA_DEF_REGISTER,
    CFA_DEF_OFFSET,
    CFA_OFFSET_EXTENDED_SF = 0x11,
    CFA_DEF_SF,
    CFA_DEF_OFFSET_SF,
};
enum { REMEMBERED_MAX = 8 };

/* The contents of a common entry (CIE). */
struct common {
    uint64_t code_factor;
    int64_t data_factor;
    struct dpk_reader program;
};

struct frame_range {
    uint64_t begin, end;
    struct common common;
    struct dpk_reader program;
};

/* The location of the frame, and of the caller's registers in it. */
struct rules {
    uint64_t cfa_register;
    int64_t cfa_offset;
    struct saved {
        bool is_saved, is_known;
        int64_t offset; /* from the frame */
    } ra, fp;
};

/* Cached rules of an address. */
struct known {
    uint64_t pc; /* 0 if unused */
    struct rules rules;
};
enum { KNOWN = 4096 };

struct dpk_frames {
    struct known known[KNOWN]; /* by pc */
    struct frame_range *at;    /* by address */
    size_t count;
    struct dpk_image *image; /* owns the section that the readers use */
};

/* ---- Entries ---- */

/* Takes an entry from `r`, without its length. Returns false if no readable entry is left. 64-bit
 * DWARF is not read: no compiler makes it for the DPA. */
static bool next_entry(struct dpk_reader *r, struct dpk_reader *entry)
{
    const uint32_t length = dpk_read_le32(r);
    if (r->failed || length >= 0xfffffff0u || length > dpk_reader_left(r))
        return false;
    const uint8_t *bytes = dpk_read_bytes(r, length);
    *entry = dpk_reader(bytes, length);
    return true;
}

/* Reads the common entry at an offset of the section. */
static bool read_common(const struct dpk_reader *section, uint64_t offset, struct common *out)
{
    const size_t size = (size_t)(section->end - section->begin);
    if (offset >= size)
        return false;
    struct dpk_reader r = dpk_reader_slice(section, offset, size - offset), e;
    if (!next_entry(&r, &e) || dpk_read_le32(&e) != UINT32_MAX)
        return false;
    const unsigned version = dpk_read_u8(&e);
    const unsigned augmentation = dpk_read_u8(&e); /* must be "": other values add unknown fields */
    if (version == 4)
        dpk_read_skip(&e, 2); /* sizes of addresses and of segment selectors */
    out->code_factor = dpk_read_uleb(&e);
    out->data_factor = dpk_read_sleb(&e);
    const uint64_t ra = version == 1 ? dpk_read_u8(&e) : dpk_read_uleb(&e);
    out->program = dpk_reader(e.pos, dpk_reader_left(&e));
    return !e.failed && augmentation == 0 && ra == RA &&
           (version == 1 || version == 3 || version == 4);
}

static int by_begin(const void *a, const void *b)
{
    const struct frame_range *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static bool add_range(struct dpk_frames *f, size_t *capacity, const struct frame_range *range)
{
    if (f->count == *capacity) {
        const size_t more = *capacity ? *capacity * 2 : 256;
        struct frame_range *at = realloc(f->at, more * sizeof *at);
        if (!at)
            return false;
        f->at = at;
        *capacity = more;
    }
    f->at[f->count++] = *range;
    return true;
}

struct dpk_frames *dpk_frames_create(const struct dpk_image *image)
{
    struct dpk_frames *f = calloc(1, sizeof *f);
    size_t size = 0, capacity = 0;
    const void *data = dpk_image_section(image, ".debug_frame", &size);
    const struct dpk_reader section = dpk_reader(data, data ? size : 0);
    struct dpk_reader r = section, e;
    if (!f)
        return NULL;
    f->image = dpk_image_share(image);
    while (dpk_reader_left(&r) > 0 && next_entry(&r, &e)) {
        struct frame_range range;
        const uint32_t common = dpk_read_le32(&e);
        if (common == UINT32_MAX || !read_common(&section, common, &range.common))
            continue;
        range.begin = dpk_read_le64(&e);
        const uint64_t length = dpk_read_le64(&e);
        range.end = range.begin + length;
        range.program = dpk_reader(e.pos, dpk_reader_left(&e));
        /* Functions that the linker removed are at 0. */
        if (e.failed || length == 0 || range.end < range.begin || range.begin < DPK_PROGRAM_BEGIN)
            continue;
        if (!add_range(f, &capacity, &range))
            break;
    }
    if (f->count)
        qsort(f->at, f->count, sizeof *f->at, by_begin);
    return f;
}

void dpk_frames_free(struct dpk_frames *f)
{
    if (!f)
        return;
    dpk_image_free(f->image);
    free(f->at);
    free(f);
}

static const struct frame_range *find_range(const struct dpk_frames *f, uint64_t pc)
{
    size_t low = 0, high = f->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->at[middle].begin <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && pc < f->at[low - 1].end ? &f->at[low - 1] : NULL;
}

/* ---- Rules ---- */

struct machine {
    struct rules now, first, remembered[REMEMBERED_MAX];
    unsigned depth;
    uint64_t at;
    bool failed;
};

static struct saved *saved_of(struct rules *rules, uint64_t reg)
{
    return reg == RA ? &rules->ra : reg == FP ? &rules->fp : NULL;
}

static void set_saved(struct machine *m, uint64_t reg, struct saved to)
{
    struct saved *s = saved_of(&m->now, reg);
    if (s)
        *s = to;
}

static void restore(struct machine *m, uint64_t reg)
{
    const struct saved *first = saved_of(&m->first, reg);
    if (first)
        set_saved(m, reg, *first);
}

static struct saved at_offset(int64_t offset)
{
    return (struct saved){.is_saved = true, .is_known = true, .offset = offset};
}

static int64_t scaled(uint64_t value, int64_t factor)
{
    return (int64_t)(value * (uint64_t)factor);
}

/* Runs an instruction whose upper two bits are zero. */
static void extended(struct machine *m, struct dpk_reader *r, const struct common *c, unsigned op)
{
    uint64_t reg;
    switch (op) {
    case CFA_NOP:
        return;
    case CFA_SET_LOC:
        m->at = dpk_read_le64(r);
        return;
    case CFA_ADVANCE1:
        m->at += dpk_read_u8(r) * c->code_factor;
        return;
    case CFA_ADVANCE2:
        m->at += dpk_read_le16(r) * c->code_factor;
        return;
    case CFA_ADVANCE4:
        m->at += dpk_read_le32(r) * c->code_factor;
        return;
    case CFA_OFFSET_EXTENDED:
    case CFA_OFFSET_EXTENDED_SF:
        reg = dpk_read_uleb(r);
        set_saved(m, reg,
                  at_offset(scaled(op == CFA_OFFSET_EXTENDED_SF ? (uint64_t)dpk_read_sleb(r)
                                                                : dpk_read_uleb(r),
                                   c->data_factor)));
        return;
    case CFA_RESTORE_EXTENDED:
        restore(m, dpk_read_uleb(r));
        return;
    case CFA_UNDEFINED:
        set_saved(m, dpk_read_uleb(r), (struct saved){0});
        return;
    case CFA_SAME_VALUE:
        set_saved(m, dpk_read_uleb(r), (struct saved){.is_known = true});
        return;
    case CFA_REGISTER:
        set_saved(m, dpk_read_uleb(r), (struct saved){0});
        (void)dpk_read_uleb(r);
        return;
    case CFA_REMEMBER:
        if (m->depth < REMEMBERED_MAX)
            m->remembered[m->depth++] = m->now;
        else
            m->failed = true;
        return;
    case CFA_RESTORE_STATE:
        if (m->depth > 0)
            m->now = m->remembered[--m->depth];
        else
            m->failed = true;
        return;
    case CFA_DEF:
    case CFA_DEF_SF:
        m->now.cfa_register = dpk_read_uleb(r);
        m->now.cfa_offset = op == CFA_DEF ? (int64_t)dpk_read_uleb(r)
                                          : scaled((uint64_t)dpk_read_sleb(r), c->data_factor);
        return;
    case CFA_DEF_REGISTER:
        m->now.cfa_register = dpk_read_uleb(r);
        return;
    case CFA_DEF_OFFSET:
        m->now.cfa_offset = (int64_t)dpk_read_uleb(r);
        return;
    case CFA_DEF_OFFSET_SF:
        m->now.cfa_offset = scaled((uint64_t)dpk_read_sleb(r), c->data_factor);
        return;
    default: /* expressions: no compiler makes them for C */
        m->failed = true;
    }
}

/* Runs a program up to the row of `pc`. */
static void run_rules(struct machine *m, struct dpk_reader r, const struct common *c, uint64_t pc)
{
    while (dpk_reader_left(&r) > 0 && !m->failed) {
        const struct rules before = m->now;
        const unsigned byte = dpk_read_u8(&r), low = byte & 0x3f;
        switch (byte >> 6) {
        case CFA_ADVANCE:
            m->at += low * c->code_factor;
            break;
        case CFA_OFFSET:
            set_saved(m, low, at_offset(scaled(dpk_read_uleb(&r), c->data_factor)));
            break;
        case CFA_RESTORE:
            restore(m, low);
            break;
        default:
            extended(m, &r, c, low);
        }
        m->failed |= r.failed;
        if (m->at > pc) {
            m->now = before;
            return;
        }
    }
}

static bool caller_value(const struct saved *s, uint64_t cfa, uint64_t now, dpk_frames_read *read,
                         void *context, uint64_t *out)
{
    *out = now;
    if (!s->is_known)
        return false;
    return !s->is_saved || read(context, cfa + (uint64_t)s->offset, out);
}

/* Finds the rules for an address. Returns false if there are none. */
static bool find_rules(const struct dpk_frames *f, uint64_t pc, struct rules *out)
{
    const struct frame_range *range = find_range(f, pc);
    struct machine m = {.now = {.cfa_register = SP, .ra.is_known = true, .fp.is_known = true}};
    if (!range)
        return false;
    m.at = range->begin;
    run_rules(&m, range->common.program, &range->common, UINT64_MAX);
    m.first = m.now;
    m.at = range->begin;
    run_rules(&m, range->program, &range->common, pc);
    *out = m.now;
    return !m.failed && (m.now.cfa_register == SP || m.now.cfa_register == FP);
}

bool dpk_frames_caller(struct dpk_frames *f, struct dpk_frame *frame, dpk_frames_read *read,
                       void *context)
{
    const uint64_t pc = frame->pc - (frame->called ? 1 : 0);
    struct known *known = &f->known[(pc >> 1) % KNOWN];
    uint64_t fp, ra;
    if (known->pc != pc || pc == 0) {
        known->pc = 0;
        if (!find_rules(f, pc, &known->rules))
            return false;
        known->pc = pc;
    }
    const struct rules *r = &known->rules;
    const uint64_t cfa = (r->cfa_register == SP ? frame->sp : frame->fp) + (uint64_t)r->cfa_offset;
    if (cfa < frame->sp || (frame->called && cfa == frame->sp) ||
        !caller_value(&r->ra, cfa, frame->ra, read, context, &ra) ||
        (!r->ra.is_saved && frame->called)) /* after its call, its ra must be in memory */
        return false;
    if (!caller_value(&r->fp, cfa, frame->fp, read, context, &fp))
        fp = 0;
    *frame = (struct dpk_frame){.pc = ra, .sp = cfa, .fp = fp, .ra = ra, .called = true};
    return true;
}
