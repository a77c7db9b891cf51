/* Turns inline PTX into host code with the same order of memory accesses. An unknown instruction is
 * an error. */
#include "assembly.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

/* LLVM shows it as: TYPE asm sideeffect "TEXT", "CONSTRAINTS", with \0A for bytes. */
static bool find_texts(char *shown, char **text, char **constraints)
{
    char *ends[4];
    size_t at = strlen(shown);
    for (unsigned i = 4; i-- > 0;) {
        while (at && shown[at - 1] != '"')
            at--;
        if (!at)
            return false;
        ends[i] = &shown[--at];
    }
    *ends[1] = *ends[3] = 0;
    *text = ends[0] + 1;
    *constraints = ends[2] + 1;
    return true;
}

static unsigned hex(char c)
{
    return c >= '0' && c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a') + 10;
}

/* Replaces \0A by its byte. Returns the size. */
static size_t unescape(char *text)
{
    size_t size = 0;
    for (const char *at = text; *at; at++) {
        if (at[0] == '\\' && at[1] && at[2]) {
            text[size++] = (char)(hex(at[1]) << 4 | hex(at[2]));
            at += 2;
        } else {
            text[size++] = *at;
        }
    }
    text[size] = 0;
    return size;
}

/* The integer for a value of this type; 0 bits for others. */
static unsigned bits_of(struct lower_assembly *a, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type);
    case LLVMPointerTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        return (unsigned)LLVMSizeOfTypeInBits(a->l->layout, type);
    default:
        return 0;
    }
}

static LLVMTypeRef output_type(LLVMTypeRef result, unsigned count, unsigned number)
{
    return count == 1 ? result : LLVMStructGetTypeAtIndex(result, number);
}

static LLVMValueRef to_bits(struct lower_assembly *a, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value), bits = lower_ptx_int(a, bits_of(a, type));
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(a->l->builder, value, bits, "");
    return LLVMBuildBitCast(a->l->builder, value, bits, "");
}

static LLVMValueRef from_bits(struct lower_assembly *a, LLVMValueRef value, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildIntToPtr(a->l->builder, value, type, "");
    return LLVMBuildBitCast(a->l->builder, value, type, "");
}

static bool add_operand(struct lower_assembly *a, const char *constraint, unsigned outputs,
                        unsigned *input)
{
    LLVMTypeRef type;
    LLVMValueRef value = NULL;
    const bool is_output = *constraint == '=';
    if (strchr(constraint, '*') || a->count == PTX_OPERANDS_MAX)
        return lower_fail(a->l, a->call, "inline PTX: the constraint \"%s\" is not supported",
                          constraint);
    if (is_output) {
        type = output_type(LLVMTypeOf(a->call), outputs, a->count);
        a->outputs++;
    } else {
        value = LLVMGetOperand(a->call, *input);
        if (a->function && !LLVMIsAConstantInt(value))
            value = LLVMGetParam(a->function, *input);
        type = LLVMTypeOf(value);
        ++*input;
    }
    const unsigned bits = bits_of(a, type);
    if (!bits)
        return lower_fail(a->l, a->call, "inline PTX: an operand is not a number");
    struct lower_slot *slot = &a->operands[a->count++];
    *slot = (struct lower_slot){.bits = bits, .type = lower_ptx_int(a, bits)};
    slot->value = value ? to_bits(a, value) : NULL;
    slot->immediate = strchr("ni", *constraint) != NULL;
    if (!is_output && *constraint >= '0' && *constraint <= '9') {
        const unsigned same = (unsigned)strtoul(constraint, NULL, 10);
        if (same < a->outputs && a->operands[same].bits == bits)
            a->operands[same].value = slot->value;
    }
    return true;
}

/* Reads "=r,l,~{memory}". Sets `memory` for the last. */
static bool read_constraints(struct lower_assembly *a, char *constraints, bool *memory)
{
    unsigned outputs = 0, input = 0;
    char *rest = NULL;
    for (const char *c = constraints; *c; c++)
        outputs += *c == '=' && (c == constraints || c[-1] == ',');
    for (char *c = strtok_r(constraints, ",", &rest); c; c = strtok_r(NULL, ",", &rest)) {
        *memory |= strcmp(c, "~{memory}") == 0;
        if (*c != '~' && !add_operand(a, c, outputs, &input))
            return false;
    }
    return true;
}

/* The compiler moves no access over it. */
static void fence_compiler(struct lower_assembly *a)
{
    LLVMBuildFence(a->l->builder, LLVMAtomicOrderingSequentiallyConsistent, 1, "");
}

static const struct {
    const char *name;
    lower_ptx_instruction *build;
} instructions[] = {
    {"ld", lower_ptx_load},
    {"st", lower_ptx_store},
    {"fence", lower_ptx_fence},
    {"membar", lower_ptx_membar},
    {"cp", lower_ptx_copy},
    {"prefetch", lower_ptx_prefetch},
    {"prefetchu", lower_ptx_prefetch},
    {"atom", lower_ptx_atom},
    {"red", lower_ptx_red},
    {"mov", lower_ptx_move},
    {"prmt", lower_ptx_permute},
    {"cvt", lower_ptx_convert},
    {"cvta", lower_ptx_convert_address},
    {"setp", lower_ptx_compare},
    {"selp", lower_ptx_select},
    {"nanosleep", lower_ptx_sleep},
    {"bar", lower_ptx_barrier},
    {"barrier", lower_ptx_barrier},
    {"mbarrier", lower_ptx_mbarrier},
    {"trap", lower_ptx_trap},
    {"brkpt", lower_ptx_trap},
    {"activemask", lower_ptx_active},
};

bool lower_ptx_instruction_now(struct lower_assembly *a)
{
    const char *name = ptx_part(a->now, 0);
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        if (strcmp(name, instructions[i].name) == 0)
            return instructions[i].build(a);
    return lower_ptx_arithmetic(a);
}

static bool build_all(struct lower_assembly *a, bool memory)
{
    for (unsigned i = 0; i < a->ptx.register_count; i++) {
        const unsigned bits = a->ptx.registers[i].bits;
        a->registers[i] = (struct lower_slot){.bits = bits, .type = lower_ptx_int(a, bits)};
    }
    if (memory)
        fence_compiler(a);
    if (a->function) {
        lower_ptx_keep(a);
        if (!lower_ptx_flow(a))
            return false;
    }
    for (unsigned i = 0; i < a->ptx.count && !a->function; i++) {
        a->now = &a->ptx.instructions[i];
        if (!lower_ptx_instruction_now(a))
            return false;
    }
    if (memory)
        fence_compiler(a);
    return true;
}

static LLVMValueRef final_value(struct lower_assembly *a, const struct lower_slot *slot)
{
    return slot->variable ? LLVMBuildLoad2(a->l->builder, slot->type, slot->variable, "")
                          : slot->value;
}

/* Puts the results where the statement's were. */
static void give_results(struct lower_assembly *a)
{
    LLVMTypeRef type = LLVMTypeOf(a->call);
    LLVMValueRef all = a->outputs > 1 ? LLVMGetUndef(type) : NULL;
    for (unsigned i = 0; i < a->outputs; i++) {
        LLVMTypeRef element = output_type(type, a->outputs, i);
        LLVMValueRef value = final_value(a, &a->operands[i]);
        value = value ? from_bits(a, value, element) : LLVMConstNull(element);
        all = all ? LLVMBuildInsertValue(a->l->builder, all, value, i, "") : value;
    }
    if (a->function) {
        if (all)
            LLVMBuildRet(a->l->builder, all);
        else
            LLVMBuildRetVoid(a->l->builder);
        LLVMValueRef result = lower_ptx_call_function(a);
        all = all ? result : NULL;
    }
    if (all)
        LLVMReplaceAllUsesWith(a->call, all);
    LLVMInstructionEraseFromParent(a->call);
}

static bool parse(struct lower_assembly *a, const char *text, size_t size)
{
    struct dpk_error err = {0};
    return ptx_parse(text, size, &a->ptx, &err) == DPK_OK ||
           lower_fail(a->l, a->call, "%s", err.message);
}

static bool build_statement(struct lower *l, LLVMValueRef call)
{
    char *shown = LLVMPrintValueToString(LLVMGetCalledValue(call)), *text, *constraints;
    struct lower_assembly *a = calloc(1, sizeof *a);
    bool memory = false, good = a && shown;
    if (!good) {
        lower_fail(l, call, "out of memory");
    } else if (!find_texts(shown, &text, &constraints)) {
        good = lower_fail(l, call, "inline PTX: LLVM shows it in an unknown form");
    } else {
        *a = (struct lower_assembly){.l = l, .call = call};
        a->is_volatile = strstr(shown, " asm sideeffect ") != NULL;
        LLVMPositionBuilderBefore(l->builder, call);
        LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(call));
        good = parse(a, text, unescape(text));
        if (good && lower_ptx_flows(&a->ptx))
            lower_ptx_begin_function(a);
        good = good && read_constraints(a, constraints, &memory) && build_all(a, memory);
        if (good)
            give_results(a);
        else if (a->function)
            LLVMDeleteFunction(a->function);
    }
    free(a);
    LLVMDisposeMessage(shown);
    return good;
}

bool lower_ptx(struct lower *l)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (LLVMIsACallInst(i) && LLVMIsAInlineAsm(LLVMGetCalledValue(i)) &&
                    !build_statement(l, i))
                    return false;
            }
    return true;
}
