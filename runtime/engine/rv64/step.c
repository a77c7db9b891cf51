/* The reference: executes one instruction as the manual describes it. It shares only the decoder
 * with the fast engine (run.c), and computes in another way where possible. So tests that compare
 * both find errors in either. */
#include "arithmetic.h"
#include "core.h"
#include "insn.h"

/* ---- Memory ---- */

static enum rv64_fault access_fault(unsigned need)
{
    return need & RV64_W ? RV64_FAULT_STORE : RV64_FAULT_LOAD;
}

static enum rv64_fault check(const struct rv64_memory *mem, uint64_t address, unsigned width,
                             unsigned need)
{
    bool store = (need & RV64_W) != 0;
    if (address % width != 0)
        return store ? RV64_FAULT_MISALIGNED_STORE : RV64_FAULT_MISALIGNED_LOAD;
    if (address >= mem->size || (rv64_page_access(mem, address) & need) != need)
        return access_fault(need);
    return RV64_FAULT_NONE;
}

static uint64_t read_guest(const uint8_t *at, unsigned width)
{
    switch (width) {
    case 1:
        return __atomic_load_n((const rv64_u8 *)at, __ATOMIC_RELAXED);
    case 2:
        return __atomic_load_n((const rv64_u16 *)at, __ATOMIC_RELAXED);
    case 4:
        return __atomic_load_n((const rv64_u32 *)at, __ATOMIC_SEQ_CST);
    default:
        return __atomic_load_n((const rv64_u64 *)at, __ATOMIC_SEQ_CST);
    }
}

static void write_guest(uint8_t *at, unsigned width, uint64_t v)
{
    switch (width) {
    case 1:
        __atomic_store_n((rv64_u8 *)at, (uint8_t)v, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((rv64_u16 *)at, (uint16_t)v, __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n((rv64_u32 *)at, (uint32_t)v, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n((rv64_u64 *)at, v, __ATOMIC_RELAXED);
        break;
    }
}

/* Stores `v` if the word there is `old`, atomically. */
static bool exchange_guest(uint8_t *at, unsigned width, uint64_t old, uint64_t v)
{
    uint32_t old32 = (uint32_t)old;
    const bool done = width == 4
                          ? __atomic_compare_exchange_n((rv64_u32 *)at, &old32, (uint32_t)v, false,
                                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
                          : __atomic_compare_exchange_n((rv64_u64 *)at, &old, v, false,
                                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    rv64_atomic_done();
    return done;
}

/* ---- One instruction ---- */

struct context {
    struct rv64_hart *hart;
    const struct rv64_memory *mem;
    bool strict;
    const struct rv64_external *external; /* NULL without external memory */
    uint8_t *at;                          /* the guest word that it accesses */
    struct rv64_insn insn;
    uint64_t a, b, imm; /* x[rs1], x[rs2], immediate */
    uint64_t next_pc;
    enum rv64_fault fault;
    uint64_t fault_address;
};

static void set(struct context *c, uint64_t value)
{
    if (c->insn.rd != 0)
        c->hart->x[c->insn.rd] = value;
}

static void jump(struct context *c, uint64_t to)
{
    c->next_pc = to;
}

static void branch(struct context *c, bool taken)
{
    if (taken)
        c->next_pc = c->hart->pc + c->imm;
}

static bool accessible(struct context *c, uint64_t address, unsigned width, unsigned need)
{
    c->fault = check(c->mem, address, width, need);
    c->fault_address = address;
    if (c->fault == RV64_FAULT_NONE)
        c->at = c->mem->base + address;
    else if (c->external && address >= RV64_EXTERNAL_BASE && address % width == 0 &&
             (c->at = c->external->find(c->external->context, address, width, need)))
        c->fault = RV64_FAULT_NONE;
    return c->fault == RV64_FAULT_NONE;
}

/* Returns whether an access goes byte by byte: a misaligned load or store, if all bytes are
 * accessible. */
static bool is_split(const struct context *c, uint64_t address, unsigned width)
{
    return address % width != 0 && !c->strict;
}

/* Returns whether all bytes are accessible. Then c->at is the first byte. */
static bool bytes_accessible(struct context *c, uint64_t address, unsigned width, unsigned need)
{
    c->fault_address = address;
    if (c->external && address >= RV64_EXTERNAL_BASE) {
        c->at = c->external->find(c->external->context, address, width, need);
        c->fault = c->at ? RV64_FAULT_NONE : access_fault(need);
    } else {
        for (unsigned i = 0; i < width; i++) {
            c->fault_address = address + i;
            if ((c->fault = check(c->mem, address + i, 1, need)) != RV64_FAULT_NONE)
                return false;
        }
        c->at = c->mem->base + address;
    }
    c->hart->misaligned += c->fault == RV64_FAULT_NONE;
    return c->fault == RV64_FAULT_NONE;
}

/* Loads. A negative `width` means that the value is sign-extended. */
static void load(struct context *c, int width)
{
    unsigned bytes = (unsigned)(width < 0 ? -width : width);
    uint64_t address = c->a + c->imm, v = 0;
    if (is_split(c, address, bytes)) {
        if (!bytes_accessible(c, address, bytes, RV64_R))
            return;
        for (unsigned i = bytes; i-- > 0;)
            v = v << 8 | read_guest(c->at + i, 1);
    } else if (accessible(c, address, bytes, RV64_R)) {
        v = read_guest(c->at, bytes);
    } else {
        return;
    }
    set(c, width == -1 ? sext8(v) : width == -2 ? sext16(v) : width == -4 ? sext32(v) : v);
}

static void store(struct context *c, unsigned width)
{
    uint64_t address = c->a + c->imm;
    if (!is_split(c, address, width)) {
        if (accessible(c, address, width, RV64_W))
            write_guest(c->at, width, c->b);
    } else if (bytes_accessible(c, address, width, RV64_W)) {
        for (unsigned i = 0; i < width; i++)
            write_guest(c->at + i, 1, c->b >> 8 * i);
    }
}

static void load_reserved(struct context *c, unsigned width)
{
    if (!accessible(c, c->a, width, RV64_R))
        return;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* as for .rl */
    uint64_t v = read_guest(c->at, width);
    c->hart->reserved_address = c->a;
    c->hart->reserved_value = v;
    c->hart->reserved_width = (uint8_t)width;
    set(c, width == 4 ? sext32(v) : v);
}

/* Fails (rd = 1) without a reservation of exactly this word, or if the word has changed since. */
static void store_conditional(struct context *c, unsigned width)
{
    if (!accessible(c, c->a, width, RV64_W))
        return;
    struct rv64_hart *h = c->hart;
    bool reserved = h->reserved_width == width && h->reserved_address == c->a;
    h->reserved_width = 0;
    set(c, !(reserved && exchange_guest(c->at, width, h->reserved_value, c->b)));
}

/* Returns the value that an AMO stores. For words `old` and `b` are sign-extended, which also keeps
 * their unsigned order. */
static uint64_t amo_result(enum rv64_op op, uint64_t old, uint64_t b)
{
    switch (op) {
    case OP_AMOADD_W:
    case OP_AMOADD_D:
        return old + b;
    case OP_AMOXOR_W:
    case OP_AMOXOR_D:
        return old ^ b;
    case OP_AMOAND_W:
    case OP_AMOAND_D:
        return old & b;
    case OP_AMOOR_W:
    case OP_AMOOR_D:
        return old | b;
    case OP_AMOMIN_W:
    case OP_AMOMIN_D:
        return less(b, old) ? b : old;
    case OP_AMOMAX_W:
    case OP_AMOMAX_D:
        return less(old, b) ? b : old;
    case OP_AMOMINU_W:
    case OP_AMOMINU_D:
        return b < old ? b : old;
    case OP_AMOMAXU_W:
    case OP_AMOMAXU_D:
        return old < b ? b : old;
    default: /* AMOSWAP */
        return b;
    }
}

static void amo(struct context *c, unsigned width)
{
    if (!accessible(c, c->a, width, RV64_R | RV64_W))
        return;
    uint64_t b = width == 4 ? sext32(c->b) : c->b, old, result;
    do {
        old = read_guest(c->at, width);
        result = amo_result(c->insn.op, width == 4 ? sext32(old) : old, b);
    } while (!exchange_guest(c->at, width, old, result));
    set(c, width == 4 ? sext32(old) : old);
}

/* Below, each instruction is one line. The functions return false for instructions of other
 * groups. */

/* RV64I without the instructions that end a run. */
static bool execute_base(struct context *c)
{
    uint64_t a = c->a, b = c->b, imm = c->imm, pc = c->hart->pc;
    uint64_t link = pc + c->insn.length;
    unsigned shamt = (unsigned)c->insn.imm & 63;
    unsigned by = (unsigned)(b & 63), by_w = (unsigned)(b & 31);

    /* clang-format off */
    switch ((enum rv64_op)c->insn.op) {
    case OP_LUI: set(c, imm); break;
    case OP_AUIPC: set(c, pc + imm); break;
    case OP_JAL: set(c, link); jump(c, pc + imm); break;
    case OP_JALR: set(c, link); jump(c, (a + imm) & ~UINT64_C(1)); break;
    case OP_BEQ: branch(c, a == b); break;
    case OP_BNE: branch(c, a != b); break;
    case OP_BLT: branch(c, less(a, b)); break;
    case OP_BGE: branch(c, !less(a, b)); break;
    case OP_BLTU: branch(c, a < b); break;
    case OP_BGEU: branch(c, a >= b); break;
    case OP_LB: load(c, -1); break;
    case OP_LH: load(c, -2); break;
    case OP_LW: load(c, -4); break;
    case OP_LD: load(c, 8); break;
    case OP_LBU: load(c, 1); break;
    case OP_LHU: load(c, 2); break;
    case OP_LWU: load(c, 4); break;
    case OP_SB: store(c, 1); break;
    case OP_SH: store(c, 2); break;
    case OP_SW: store(c, 4); break;
    case OP_SD: store(c, 8); break;
    case OP_ADDI: set(c, a + imm); break;
    case OP_SLTI: set(c, less(a, imm)); break;
    case OP_SLTIU: set(c, a < imm); break;
    case OP_XORI: set(c, a ^ imm); break;
    case OP_ORI: set(c, a | imm); break;
    case OP_ANDI: set(c, a & imm); break;
    case OP_SLLI: set(c, a << shamt); break;
    case OP_SRLI: set(c, a >> shamt); break;
    case OP_SRAI: set(c, sra(a, shamt)); break;
    case OP_ADD: set(c, a + b); break;
    case OP_SUB: set(c, a - b); break;
    case OP_SLL: set(c, a << by); break;
    case OP_SLT: set(c, less(a, b)); break;
    case OP_SLTU: set(c, a < b); break;
    case OP_XOR: set(c, a ^ b); break;
    case OP_SRL: set(c, a >> by); break;
    case OP_SRA: set(c, sra(a, by)); break;
    case OP_OR: set(c, a | b); break;
    case OP_AND: set(c, a & b); break;
    case OP_ADDIW: set(c, sext32(a + imm)); break;
    case OP_SLLIW: set(c, sext32(a << shamt)); break;
    case OP_SRLIW: set(c, sext32((uint32_t)a >> shamt)); break;
    case OP_SRAIW: set(c, sra(sext32(a), shamt)); break;
    case OP_ADDW: set(c, sext32(a + b)); break;
    case OP_SUBW: set(c, sext32(a - b)); break;
    case OP_SLLW: set(c, sext32(a << by_w)); break;
    case OP_SRLW: set(c, sext32((uint32_t)a >> by_w)); break;
    case OP_SRAW: set(c, sra(sext32(a), by_w)); break;
    case OP_FENCE:
        c->hart->fences |= c->mem->base[c->hart->pc + 3] & 0xf;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        break;
    case OP_FENCE_I: break; /* nothing is cached here */
    case OP_RDCYCLE: set(c, c->hart->instret); break;
    case OP_RDTIME: set(c, __atomic_load_n(&c->hart->time, __ATOMIC_RELAXED)); break;
    case OP_RDINSTRET: set(c, c->hart->instret); break;
    default: return false;
    }
    /* clang-format on */
    return true;
}

/* M and A. */
static bool execute_multiply_atomic(struct context *c)
{
    uint64_t a = c->a, b = c->b;
    uint64_t uw_a = (uint32_t)a, uw_b = (uint32_t)b;

    /* clang-format off */
    switch ((enum rv64_op)c->insn.op) {
    case OP_MUL: set(c, a * b); break;
    case OP_MULH: set(c, mulh(a, b)); break;
    case OP_MULHSU: set(c, mulhsu(a, b)); break;
    case OP_MULHU: set(c, mulhu(a, b)); break;
    case OP_DIV: set(c, div(a, b)); break;
    case OP_DIVU: set(c, divu(a, b)); break;
    case OP_REM: set(c, rem(a, b)); break;
    case OP_REMU: set(c, remu(a, b)); break;
    case OP_MULW: set(c, sext32(a * b)); break;
    case OP_DIVW: set(c, sext32(div(sext32(a), sext32(b)))); break;
    case OP_DIVUW: set(c, sext32(divu(uw_a, uw_b))); break;
    case OP_REMW: set(c, sext32(rem(sext32(a), sext32(b)))); break;
    case OP_REMUW: set(c, sext32(remu(uw_a, uw_b))); break;
    case OP_LR_W: load_reserved(c, 4); break;
    case OP_LR_D: load_reserved(c, 8); break;
    case OP_SC_W: store_conditional(c, 4); break;
    case OP_SC_D: store_conditional(c, 8); break;
    case OP_AMOSWAP_W:
    case OP_AMOADD_W:
    case OP_AMOXOR_W:
    case OP_AMOAND_W:
    case OP_AMOOR_W:
    case OP_AMOMIN_W:
    case OP_AMOMAX_W:
    case OP_AMOMINU_W:
    case OP_AMOMAXU_W: amo(c, 4); break;
    case OP_AMOSWAP_D:
    case OP_AMOADD_D:
    case OP_AMOXOR_D:
    case OP_AMOAND_D:
    case OP_AMOOR_D:
    case OP_AMOMIN_D:
    case OP_AMOMAX_D:
    case OP_AMOMINU_D:
    case OP_AMOMAXU_D: amo(c, 8); break;
    default: return false;
    }
    /* clang-format on */
    return true;
}

/* Zba, Zbb, Zbs. */
static bool execute_bit_manipulation(struct context *c)
{
    uint64_t a = c->a, b = c->b, uw = (uint32_t)a;
    unsigned shamt = (unsigned)c->insn.imm & 63;
    unsigned by = (unsigned)(b & 63), by_w = (unsigned)(b & 31);
    uint64_t bit = UINT64_C(1) << by, bit_i = UINT64_C(1) << shamt;

    /* clang-format off */
    switch ((enum rv64_op)c->insn.op) {
    case OP_ADD_UW: set(c, b + uw); break;
    case OP_SH1ADD: set(c, b + (a << 1)); break;
    case OP_SH1ADD_UW: set(c, b + (uw << 1)); break;
    case OP_SH2ADD: set(c, b + (a << 2)); break;
    case OP_SH2ADD_UW: set(c, b + (uw << 2)); break;
    case OP_SH3ADD: set(c, b + (a << 3)); break;
    case OP_SH3ADD_UW: set(c, b + (uw << 3)); break;
    case OP_SLLI_UW: set(c, uw << shamt); break;
    case OP_ANDN: set(c, a & ~b); break;
    case OP_ORN: set(c, a | ~b); break;
    case OP_XNOR: set(c, ~(a ^ b)); break;
    case OP_CLZ: set(c, clz(a, 64)); break;
    case OP_CLZW: set(c, clz(a, 32)); break;
    case OP_CTZ: set(c, ctz(a, 64)); break;
    case OP_CTZW: set(c, ctz(a, 32)); break;
    case OP_CPOP: set(c, cpop(a, 64)); break;
    case OP_CPOPW: set(c, cpop(a, 32)); break;
    case OP_MAX: set(c, less(a, b) ? b : a); break;
    case OP_MAXU: set(c, a < b ? b : a); break;
    case OP_MIN: set(c, less(a, b) ? a : b); break;
    case OP_MINU: set(c, a < b ? a : b); break;
    case OP_SEXT_B: set(c, sext8(a)); break;
    case OP_SEXT_H: set(c, sext16(a)); break;
    case OP_ZEXT_H: set(c, (uint16_t)a); break;
    case OP_ROL: set(c, ror(a, (64 - by) & 63)); break;
    case OP_ROLW: set(c, rorw(a, (32 - by_w) & 31)); break;
    case OP_ROR: set(c, ror(a, by)); break;
    case OP_RORI: set(c, ror(a, shamt)); break;
    case OP_RORIW: set(c, rorw(a, shamt)); break;
    case OP_RORW: set(c, rorw(a, by_w)); break;
    case OP_ORC_B: set(c, orc_b(a)); break;
    case OP_REV8: set(c, rev8(a)); break;
    case OP_BCLR: set(c, a & ~bit); break;
    case OP_BCLRI: set(c, a & ~bit_i); break;
    case OP_BEXT: set(c, a >> by & 1); break;
    case OP_BEXTI: set(c, a >> shamt & 1); break;
    case OP_BINV: set(c, a ^ bit); break;
    case OP_BINVI: set(c, a ^ bit_i); break;
    case OP_BSET: set(c, a | bit); break;
    case OP_BSETI: set(c, a | bit_i); break;
    default: return false;
    }
    /* clang-format on */
    return true;
}

enum rv64_stop rv64_step_external(struct rv64_core *core, struct rv64_hart *hart,
                                  const struct rv64_external *external)
{
    struct context c = {
        .hart = hart, .mem = core->mem, .strict = core->strict, .external = external};
    uint64_t fault_address;
    hart->fault = RV64_FAULT_NONE;
    if (!rv64_fetch(core, hart->pc, &c.insn, &fault_address))
        return rv64_stop_fault(hart, RV64_FAULT_FETCH, fault_address);

    c.a = hart->x[c.insn.rs1];
    c.b = hart->x[c.insn.rs2];
    c.imm = (uint64_t)(int64_t)c.insn.imm;
    c.next_pc = hart->pc + c.insn.length;
    if (c.insn.op == OP_ECALL) {
        hart->pc = c.next_pc;
        return RV64_STOP_ECALL;
    }
    if (c.insn.op == OP_EBREAK)
        return RV64_STOP_EBREAK;
    if (!execute_base(&c) && !execute_multiply_atomic(&c) && !execute_bit_manipulation(&c))
        return rv64_stop_fault(hart, RV64_FAULT_ILLEGAL, c.insn.bits);
    if (c.fault != RV64_FAULT_NONE)
        return rv64_stop_fault(hart, c.fault, c.fault_address);
    hart->pc = c.next_pc;
    hart->instret++;
    return RV64_STOP_BUDGET;
}

enum rv64_stop rv64_step(struct rv64_core *core, struct rv64_hart *hart)
{
    return rv64_step_external(core, hart, NULL);
}
