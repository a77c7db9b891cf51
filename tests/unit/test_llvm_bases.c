/* llvm: the constant part of an address is added to the host's base once, at the entry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/llvm/emit.h"

/* A function with an entry that leads to a block, in which address_of() makes an address to load from. */
struct function {
    struct emitter e;
    LLVMBasicBlockRef entry, block;
    LLVMValueRef known, changing; /* values of the entry, and of the block */
};

static int begin(void **state)
{
    static struct function f;
    struct emitter *const e = &f.e;
    *e = (struct emitter){.context = LLVMContextCreate()};
    e->module = LLVMModuleCreateWithNameInContext("region", e->context);
    e->builder = LLVMCreateBuilderInContext(e->context);
    e->i8 = LLVMInt8TypeInContext(e->context);
    e->i64 = LLVMInt64TypeInContext(e->context);
    e->bytes = LLVMPointerType(e->i8, 0);
    e->symbols[JIT_BASE] = LLVMAddGlobal(e->module, e->i8, "guest_base");
    e->function = LLVMAddFunction(e->module, "code", LLVMFunctionType(e->i64, &e->bytes, 1, false));
    f.entry = LLVMAppendBasicBlockInContext(e->context, e->function, "entry");
    f.block = LLVMAppendBasicBlockInContext(e->context, e->function, "block");
    LLVMPositionBuilderAtEnd(e->builder, f.entry);
    LLVMValueRef hart =
        LLVMBuildBitCast(e->builder, LLVMGetParam(e->function, 0), LLVMPointerType(e->i64, 0), "");
    f.known = LLVMBuildLoad2(e->builder, e->i64, hart, "");
    LLVMBuildBr(e->builder, f.block);
    LLVMPositionBuilderAtEnd(e->builder, f.block);
    f.changing = LLVMBuildLoad2(e->builder, e->i64, hart, "");
    *state = &f;
    return 0;
}

static int end(void **state)
{
    struct emitter *const e = &((struct function *)*state)->e;
    LLVMDisposeBuilder(e->builder);
    LLVMDisposeModule(e->module);
    LLVMContextDispose(e->context);
    return 0;
}

static LLVMValueRef sum(struct function *f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAdd(f->e.builder, a, b, "");
}

/* Loads from the address, shares bases, and returns the pointer that the load has then. */
static LLVMValueRef shared(struct function *f, LLVMValueRef address)
{
    LLVMValueRef at = LLVMBuildGEP2(f->e.builder, f->e.i8, f->e.symbols[JIT_BASE], &address, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(f->e.builder, f->e.i8, at, "");
    LLVMBuildRet(f->e.builder, LLVMConstInt(f->e.i64, 0, false));
    llvm_bases_share(&f->e);
    return LLVMGetOperand(load, 0);
}

/* Checks that `pointer` is `base` in the entry + the known part + the changing part. */
static void is_shared(const struct function *f, LLVMValueRef pointer)
{
    LLVMValueRef base = LLVMGetOperand(pointer, 0);
    assert_ptr_equal(LLVMGetInstructionParent(pointer), f->block);
    assert_ptr_equal(LLVMGetOperand(pointer, 1), f->changing);
    assert_ptr_equal(LLVMGetInstructionParent(base), f->entry);
    assert_ptr_equal(LLVMGetOperand(base, 0), f->e.symbols[JIT_BASE]);
    assert_ptr_equal(LLVMGetOperand(base, 1), f->known);
}

static void the_part_that_is_known_at_the_entry_is_added_there(void **state)
{
    struct function *f = *state;
    is_shared(f, shared(f, sum(f, f->known, f->changing)));
}

static void either_part_may_be_known(void **state)
{
    struct function *f = *state;
    is_shared(f, shared(f, sum(f, f->changing, f->known)));
}

static void a_displacement_is_added_last(void **state)
{
    struct function *f = *state;
    LLVMValueRef eight = LLVMConstInt(f->e.i64, 8, false);
    LLVMValueRef pointer = shared(f, sum(f, sum(f, f->known, f->changing), eight));
    assert_ptr_equal(LLVMGetOperand(pointer, 1), eight);
    is_shared(f, LLVMGetOperand(pointer, 0));
}

static void other_addresses_stay(void **state)
{
    struct function *f = *state;
    LLVMValueRef changing = sum(f, f->changing, f->changing);
    LLVMValueRef pointer = shared(f, changing);
    assert_ptr_equal(LLVMGetOperand(pointer, 0), f->e.symbols[JIT_BASE]);
    assert_ptr_equal(LLVMGetOperand(pointer, 1), changing);
}

static void what_is_known_with_a_displacement_stays(void **state)
{
    struct function *f = *state;
    LLVMValueRef known = sum(f, f->known, LLVMConstInt(f->e.i64, 8, false));
    LLVMValueRef pointer = shared(f, known);
    assert_ptr_equal(LLVMGetOperand(pointer, 0), f->e.symbols[JIT_BASE]);
    assert_ptr_equal(LLVMGetOperand(pointer, 1), known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_part_that_is_known_at_the_entry_is_added_there, begin,
                                        end),
        cmocka_unit_test_setup_teardown(either_part_may_be_known, begin, end),
        cmocka_unit_test_setup_teardown(a_displacement_is_added_last, begin, end),
        cmocka_unit_test_setup_teardown(other_addresses_stay, begin, end),
        cmocka_unit_test_setup_teardown(what_is_known_with_a_displacement_stays, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
