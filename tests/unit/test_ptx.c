/* ptx: inline PTX becomes valid code, or is refused with its instruction and the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dpacu/lower/assembly.h"

#include <llvm-c/Analysis.h>
#include <stdlib.h>
#include <string.h>

/* Lowers a function whose only statement has the operands $0 (32 bits), $1 (64 bits), $2 (16 bits),
 * $3 (the constant 32). Returns the error's text, "" without one. The module stays valid. */
static const char *lower_text(const char *text, char **code)
{
    static struct dpk_error err;
    static char constraints[] = "r,l,h,n,~{memory}";
    err = (struct dpk_error){0};
    struct lower l = {.err = &err, .context = LLVMContextCreate()};
    l.module = LLVMModuleCreateWithNameInContext("device", l.context);
    l.builder = LLVMCreateBuilderInContext(l.context);
    l.layout = LLVMCreateTargetData("e-i64:64-n32:64");
    l.i8 = LLVMInt8TypeInContext(l.context);
    l.i32 = LLVMInt32TypeInContext(l.context);
    l.i64 = LLVMInt64TypeInContext(l.context);
    l.nothing = LLVMVoidTypeInContext(l.context);
    l.pointer = LLVMPointerType(l.i8, 0);
    LLVMTypeRef types[] = {l.i32, l.i64, LLVMInt16TypeInContext(l.context), l.i32};
    LLVMValueRef f = LLVMAddFunction(l.module, "f", LLVMFunctionType(l.nothing, types, 3, 0));
    LLVMPositionBuilderAtEnd(l.builder, LLVMAppendBasicBlockInContext(l.context, f, ""));
    LLVMTypeRef type = LLVMFunctionType(l.nothing, types, 4, 0);
    char *copy = strdup(text);
    LLVMValueRef statement =
        LLVMGetInlineAsm(type, copy, strlen(copy), constraints, strlen(constraints), 1, 0,
                         LLVMInlineAsmDialectATT, 0);
    LLVMValueRef arguments[] = {LLVMGetParam(f, 0), LLVMGetParam(f, 1), LLVMGetParam(f, 2),
                                LLVMConstInt(l.i32, 32, 0)};
    LLVMBuildCall2(l.builder, type, statement, arguments, 4, "");
    LLVMBuildRetVoid(l.builder);
    const bool good = lower_ptx(&l);
    assert_int_equal(good, err.status == DPK_OK);
    assert_int_equal(LLVMVerifyModule(l.module, LLVMPrintMessageAction, NULL), 0);
    if (code)
        *code = LLVMPrintModuleToString(l.module);
    free(copy);
    LLVMDisposeTargetData(l.layout);
    LLVMDisposeBuilder(l.builder);
    LLVMDisposeModule(l.module);
    LLVMContextDispose(l.context);
    return err.message;
}

static void an_order_of_memory_becomes_the_same(void **state)
{
    static const struct {
        const char *text, *code;
    } cases[] = {
        {"ld.relaxed.gpu.b32 $0, [$1];", "load atomic i32,"},
        {"ld.acquire.sys.global.b64 $1, [$1];", " acquire, align 8"},
        {"ld.mmio.relaxed.sys.global.b64 $1, [$1];", "load atomic volatile i64,"},
        {"ld.volatile.b32 $0, [$1];", "load atomic volatile i32,"},
        {"ld.global.b32 $0, [$1];", "load volatile i32,"},
        {"ld.global.nc.b32 $0, [$1];", "load i32,"},
        {"st.release.cta.b16 [$1], $2;", " release, align 2"},
        {"st.async.mmio.release.sys.global.b64 [$1], $1;", "store atomic volatile i64"},
        {"fence.acquire.gpu;", "fence acquire"},
        {"fence.release.sys;", "fence release"},
        {"fence.acq_rel.cta;", "fence acq_rel"},
        {"fence.gpu;", "fence acq_rel"},
        {"fence.sc.sys;", "fence seq_cst"},
        {"membar.sys;", "fence seq_cst"},
        {"fence.proxy.async;", "fence seq_cst"},
        {"atom.add.u32 $0, [$1], 1;", " monotonic"},
        {"atom.acquire.gpu.cas.b32 $0, [$1], 0, 1;", " acquire acquire"},
        {"atom.release.gpu.cas.b64 $1, [$1], 0, 1;", " release monotonic"},
        {"red.acq_rel.sys.global.max.s64 [$1], $1;", "atomicrmw max "},
        {"red.acq_rel.sys.global.max.s64 [$1], $1;", ", i64 %1 acq_rel"},
        {"cp.async.bulk.global.shared::cta.bulk_group [$1], [$0], 64;", "i32 64,"},
        {"cp.async.bulk.global.shared::cta.bulk_group [$1], [$0], $3;", "llvm.memcpy"},
        {"mov.u64 $1, %globaltimer;", "@dpk_gpu_globaltimer"},
        {"mov.u32 $0, %smid;", "@__dpk_gpu_u32_56"},
        {"nanosleep.u32 20;", "@dpk_gpu_sleep"},
        {"bar.arrive 2, 64;", "@dpk_gpu_barrier_arrive"},
        {"activemask.b32 $0;", "@dpk_gpu_active"},
        {"trap;", "@dpk_gpu_trap"},
        {"mbarrier.init.shared::cta.b64 [$0], 4;", "@dpk_gpu_mbarrier_init"},
        {"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [$0], $3;",
         "@dpk_gpu_mbarrier_arrive"},
        {"mbarrier.arrive.b64 $1, [$1];", "@dpk_gpu_mbarrier_arrive"},
        {"{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [$0], 0, 1000; }",
         "@dpk_gpu_mbarrier_test"},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], 64, [$0];",
         "@dpk_gpu_mbarrier_complete"},
        {"fence.mbarrier_init.release.cluster;", "fence seq_cst"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *code = NULL;
        assert_string_equal(lower_text(cases[i].text, &code), "");
        if (!strstr(code, cases[i].code))
            fail_msg("%s: no \"%s\" in %s", cases[i].text, cases[i].code, code);
        LLVMDisposeMessage(code);
    }
}

static void comments_blocks_and_names_are_read(void **state)
{
    static const char *const texts[] = {
        "",
        " ; /* nothing */ // here",
        "{ .reg .b32 a; mov.b32 a, 0x1F; { .reg .u64 a; mov.u64 a, -1; } mov.b32 $0, a; }",
        ".reg .pred p;\n.reg .u32 %r1, _t;\nsetp.ge.s32 p, $0, -0b101;\nselp.u32 %r1, 1U, 017, p;",
        "ld.weak.shared::cta.v4.b8 {_, _, _, _}, [$0 + -4];",
        "cvta.to.shared.u64 $1, $1; cvt.s64.s16 $1, $2; cvta.global.u64 $1, $1;",
        "not.b64 $1, $1; neg.s32 $0, $0; xor.b32 $0, $0, 1; min.s32 $0, $0, 2; shl.b64 $1, $1, 70;",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(lower_text(texts[i], NULL), "");
}

static void others_are_refused_with_their_reason(void **state)
{
    static const char *const form = "this form is not supported";
    static const char *const size = "an operand has another size than the instruction";
    const struct {
        const char *text, *why;
    } cases[] = {
        {"sin.approx.f32 $0, $0;", "this instruction is not supported"},
        {"add.f32 $0, $0, $0;", form},
        {"ld.acquire.b32 $0, [$1];", "it has no scope (.cta, .gpu, .sys)"},
        {"ld.weak.gpu.b32 $0, [$1];", "an access without an order has no scope"},
        {"ld.release.gpu.b32 $0, [$1];", "this order is not one of the instruction"},
        {"ld.mmio.relaxed.gpu.b32 $0, [$1];", ".mmio is for .relaxed.sys"},
        {"ld.global.global.b32 $0, [$1];", form},
        {"ld.b32 $2, [$1];", size},
        {"ld.b32 $0, [$0];", size},
        {"st.b64 [$1], $0;", size},
        {"ld.v2.b32 $0, [$1];", "the number of elements is not the vector's"},
        {"ld.b32 $0, $1;", "an address in '[' and ']' is expected"},
        {"ld.b32 $0;", "wrong number of operands"},
        {"ld.global $0, [$1];", "it has no type"},
        {"ld.b128 $0, [$1];", form},
        {"st.async.weak.b32 [$1], $0;", form},
        {"atom.add.f16x2 $0, [$1], $0;", form},
        {"atom.and.u32 $0, [$1], $0;", form},
        {"atom.sc.gpu.and.b32 $0, [$1], $0;", form},
        {"fence.acq_rel;", "it has no scope (.cta, .gpu, .sys)"},
        {"fence.proxy.tensormap::generic.release.gpu;", form},
        {"membar.gpu;", form},
        {"mov.u32 $0, %pm0;", "this register is not known"},
        {"mov.u32 $0, $4;", "this operand is not one of the statement"},
        {"mov.u32 $0, x;", "it uses a name that is not declared in the statement"},
        {"mov.b32 {$0, $0}, $0;", size},
        {"mov.b64 {$0, $0, $0}, $1;", "the elements are not 2 or 4 of 8 bits or more"},
        {"prmt.b32.f4e $0, $0, $0, $0;", form},
        {"cvt.rn.f32.u32 $0, $0;", "only integers are converted"},
        {"cvt.u32.u32 {$0, $0}, $0;", "an operand has a wrong form"},
        {"cp.async.bulk.global.shared::cta.bulk_group [$1], [$1], 40;",
         "the size is not a multiple of 16"},
        {"cp.async.ca.shared.global [$0], [$1], 3;", "the size is not 4, 8 or 16"},
        {"cp.reduce.async.bulk.global [$1], [$1], 16;", form},
        {"prefetch.shared.L1 [$1];", form},
        {"mbarrier.arrive_drop.b64 _, [$1];", form},
        {"mbarrier.init.global.b64 [$1], 1;", form},
        {"mbarrier.init.b32 [$1], 1;", form},
        {"mbarrier.init.b64 [$1];", "wrong number of operands"},
        {"barrier.cluster.arrive;", form},
        {"@p bra done;", "it uses a name that is not declared in the statement"},
        {"@1 trap;", "a predicate is expected behind '@'"},
        {"@$0 trap;", "a predicate is expected behind '@'"},
        {"bra done;", "there is no such label in the statement"},
        {"bra 1;", "a label is expected"},
        {"bra.uni.uni a;", "it uses a name that is not declared in the statement"},
        {".reg .b32 r<x>;", "a number of registers in '<' and '>' is expected"},
        {"ld..b32 $0, [$1];", "it is not an instruction"},
        {"mov.u32 $0, 99999999999999999999;", "a number that is not one of 64 bits"},
        {"mov.u32 $0, 08;", "a number that is not one of 64 bits"},
        {"mov.u32 $x, 0;", "a '$' without the number of an operand"},
        {"ld.b32 $0, [$1;", "an address without ']'"},
        {"ld.b32 $0, [$1+8-4];", "an address without ']'"},
        {"mov.u32 $12345, 0;", "a '$' without the number of an operand"},
        {"mov.b64 $1, {$0, $0;", "a vector without '}'"},
        {"membar.gl", "an operand is expected"},
        {"mov.u32 $0, 1", "';' is expected"},
        {".reg .b12 a;", "a register of an unknown type"},
        {"}", "a '}' without '{'"},
        {"{ membar.gl;", "a '{' without '}'"},
        {"add.u32 $0, $0, $0, $0, $0, $0;", "too many operands"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[256];
        const size_t until = strcspn(cases[i].text, ";");
        const char *said = lower_text(cases[i].text, NULL);
        snprintf(expected, sizeof expected, "inline PTX \"%.*s\": %s", (int)until, cases[i].text,
                 cases[i].why);
        assert_string_equal(said, expected);
    }
}

/* Returns the text of the error of a statement, without its beginning up to ": ". */
static const char *reason(const char *text)
{
    const char *said = lower_text(text, NULL), *colon = strstr(said, "\": ");
    return colon ? colon + 3 : said;
}

static void jumps_and_predicates_become_branches(void **state)
{
    static const struct {
        const char *text, *code;
    } cases[] = {
        {"{ .reg .pred p; setp.eq.u32 p, $0, 0; @p membar.gl; @!p trap; }", "xor i1 "},
        {"{\n .reg .pred P1;\nWAIT_${:uid}:\n ld.acquire.gpu.b32 $0, [$1];\n"
         " setp.ne.u32 P1, $0, 0;\n @P1 bra DONE;\n bra.uni WAIT_${:uid};\nDONE:\n}",
         "alwaysinline"},
        {"a: bra b; a1: bra a; b : bra end; { end: bra a1; } end:", "br label"},
        {".reg .b32 r<3>; .reg .pred %p<2>; mov.b32 r2, $0; setp.lt.s32 %p1, r2, $3;"
         "@%p1 add.s32 $0, r2, 1;",
         "icmp slt i32"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *code = NULL;
        assert_string_equal(lower_text(cases[i].text, &code), "");
        if (!strstr(code, cases[i].code))
            fail_msg("%s: no \"%s\" in %s", cases[i].text, cases[i].code, code);
        LLVMDisposeMessage(code);
    }
    assert_string_equal(reason("{ x: trap; } bra x;"), "there is no such label in the statement");
    assert_string_equal(reason("x: trap; x: trap;"), "a second label of this name");
    assert_string_equal(reason(".reg .b32 p; @p trap;"),
                        "an operand has another size than the instruction");
    assert_string_equal(reason("x: bra x; mov.u32 $3, 1;"), "its result has no place");
    assert_string_equal(reason("x: bra x; sin.f32 $0, $0;"), "this instruction is not supported");
}

static void limits_hold(void **state)
{
    (void)state;
    char text[8192] = "";
    for (unsigned i = 0; i < PTX_INSTRUCTIONS_MAX; i++)
        strcat(text, "membar.gl;");
    assert_string_equal(lower_text(text, NULL), "");
    strcat(text, "membar.gl;");
    assert_non_null(strstr(lower_text(text, NULL), "too many instructions in a statement"));
    strcpy(text, ".reg .b32 r0");
    for (unsigned i = 1; i <= PTX_REGISTERS_MAX; i++)
        sprintf(text + strlen(text), ", r%u", i);
    strcat(text, ";");
    assert_non_null(strstr(lower_text(text, NULL), "too many registers"));
    assert_non_null(strstr(lower_text("{{{{{{{{{{{{{{{{{", NULL), "too many '{'"));
    text[0] = 0;
    for (unsigned i = 0; i < PTX_LABELS_MAX; i++)
        sprintf(text + strlen(text), "l%u:", i);
    assert_string_equal(lower_text(text, NULL), "");
    strcat(text, "more:");
    assert_non_null(strstr(lower_text(text, NULL), "too many labels"));
    text[0] = 0;
    for (unsigned i = 0; i < PTX_SCOPES_MAX; i++)
        strcat(text, "{}");
    assert_non_null(strstr(lower_text(text, NULL), "too many blocks"));
    assert_non_null(strstr(lower_text(".reg .b32 r<65>;", NULL), "too many registers"));
    memset(text, 'a', 300);
    strcpy(text + 300, ";");
    assert_non_null(strstr(lower_text(text, NULL), "it is not an instruction"));
}

static void registers_are_escaped_in_statements_with_operands(void **state)
{
    static const struct {
        const char *text, *escaped; /* NULL: unchanged */
    } cases[] = {
        {"asm(\"mov.u32 %0, %laneid;\" : \"=r\"(x));",
         "asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));"},
        {"__asm__ __volatile__ (\"%r \" \"%%r\\n%s\" :: \"r\"(\"%d\"));",
         "__asm__ __volatile__ (\"%%r \" \"%%r\\n%%s\" :: \"r\"(\"%d\"));"},
        {"asm volatile(R\"x(%a )\" %[b])x\" : : );", "asm volatile(R\"x(%%a )\" %[b])x\" : : );"},
        {"asm(\"mov.u32 a, %laneid;\");", NULL},
        {"printf(\"%d\", asm_(\"%d\" : x)); volatile(\"%d\":); int asmx(\"%d\":);", NULL},
        {"'\"' asm(\"%a", NULL},
        {"asm(R\"(%a", NULL},
        {"1'000'000 \"asm(%a:)\" asm", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dpk_buf out = {0};
        const char *expected = cases[i].escaped ? cases[i].escaped : cases[i].text;
        assert_int_equal(ptx_escape(cases[i].text, strlen(cases[i].text), &out),
                         cases[i].escaped != NULL);
        assert_int_equal(out.size, strlen(expected));
        assert_memory_equal(out.data, expected, out.size);
        dpk_buf_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_of_memory_becomes_the_same),
        cmocka_unit_test(comments_blocks_and_names_are_read),
        cmocka_unit_test(others_are_refused_with_their_reason),
        cmocka_unit_test(jumps_and_predicates_become_branches),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(registers_are_escaped_in_statements_with_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
