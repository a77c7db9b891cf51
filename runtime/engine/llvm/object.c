/* Makes an image of a region: LLVM function, optimization, object file, code. */
#include <elf.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/llvm/emit.h"

/* Names of the code's symbols in the object file. */
static const char *const symbol_names[JIT_SYMBOLS] = {
    [JIT_CODE] = "code",      [JIT_BASE] = "guest_base",  [JIT_SLOTS] = "guest_slots",
    [JIT_LOAD] = "slow_load", [JIT_STORE] = "slow_store", [JIT_CORE] = "guest_core",
};

/* ---- The host ---- */

static LLVMTargetMachineRef machine; /* NULL if LLVM cannot make code for this host */
static bool split_atomics;           /* AArch64 without LSE */

static void find_machine(void)
{
    char *message = NULL;
    if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter())
        return;
    char *triple = LLVMGetDefaultTargetTriple(), *cpu = LLVMGetHostCPUName(),
         *features = LLVMGetHostCPUFeatures();
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(triple, &target, &message) == 0)
        machine = LLVMCreateTargetMachine(target, triple, cpu, features, LLVMCodeGenLevelDefault,
                                          LLVMRelocStatic, LLVMCodeModelLarge);
#ifdef __aarch64__
    split_atomics = strstr(features, "+lse") == NULL;
#endif
    LLVMDisposeMessage(message);
    LLVMDisposeMessage(triple);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
}

/* ---- The module ---- */

static void begin(struct emitter *e)
{
    e->context = LLVMContextCreate();
    e->module = LLVMModuleCreateWithNameInContext("region", e->context);
    e->builder = LLVMCreateBuilderInContext(e->context);
    char *triple = LLVMGetTargetMachineTriple(machine);
    LLVMSetTarget(e->module, triple);
    LLVMDisposeMessage(triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(e->module, layout);
    LLVMDisposeTargetData(layout);
    e->i1 = LLVMInt1TypeInContext(e->context);
    e->i8 = LLVMInt8TypeInContext(e->context);
    e->i16 = LLVMInt16TypeInContext(e->context);
    e->i32 = LLVMInt32TypeInContext(e->context);
    e->i64 = LLVMInt64TypeInContext(e->context);
    e->bytes = LLVMPointerType(e->i8, 0);
    e->next_type = LLVMStructTypeInContext(e->context, (LLVMTypeRef[]){e->i64, e->i64}, 2, false);
    for (int i = JIT_CODE + 1; i < JIT_SYMBOLS; i++) {
        e->symbols[i] = LLVMAddGlobal(e->module, e->i8, symbol_names[i]);
        LLVMSetVisibility(e->symbols[i], LLVMHiddenVisibility); /* no table of addresses */
    }
}

static void end(struct emitter *e)
{
    LLVMDisposeBuilder(e->builder);
    LLVMDisposeModule(e->module);
    LLVMContextDispose(e->context);
    free(e->blocks);
    free(e->back);
    llvm_loops_free(e);
    free(e->dirty_at);
    llvm_facts_free(&e->facts);
}

/* Since LLVM 18 the pass without options ends the process if one iteration does not reach the
 * fixpoint. */
#if LLVM_VERSION_MAJOR >= 18
#define COMBINE "instcombine<no-verify-fixpoint>"
#else
#define COMBINE "instcombine"
#endif

static enum dpk_status optimize(const struct emitter *e, struct dpk_error *err)
{
    /* Cheap passes that help code from machine code, then passes for loops without checks. */
#define STRAIGHT "sroa,early-cse," COMBINE ",simplifycfg"
    const char *const passes = e->any_loops && !e->options->quick
                                   ? "function(" STRAIGHT ",loop-vectorize,loop-unroll," COMBINE
                                     ",simplifycfg)"
                                   : "function(" STRAIGHT ")";
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, true);
    LLVMPassBuilderOptionsSetSLPVectorization(options, false);
    LLVMErrorRef error = LLVMRunPasses(e->module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error == NULL)
        return DPK_OK;
    char *message = LLVMGetErrorMessage(error);
    dpk_fail(err, DPK_ERR_UNSUPPORTED, "LLVM: %s", message);
    LLVMDisposeErrorMessage(message);
    return DPK_ERR_UNSUPPORTED;
}

/* ---- The image ---- */

static enum dpk_status unexpected(struct dpk_error *err, const char *what)
{
    return dpk_fail(err, DPK_ERR_UNSUPPORTED, "translated code: unexpected %s", what);
}

/* The offset in the image of each section that is part of the code, or UINT64_MAX. */
struct layout {
    uint64_t at[64];
    size_t sections;
};

static bool is_code(const Elf64_Shdr *s)
{
    return (s->sh_flags & SHF_ALLOC) && s->sh_type == SHT_PROGBITS && s->sh_size != 0 &&
           !(s->sh_flags & SHF_WRITE);
}

/* Returns the form of a relocation type of the large code model, in which code may be anywhere. */
static enum jit_form form_of(uint64_t type)
{
    static const uint32_t types[JIT_FORMS] = {
#ifdef __aarch64__
        [JIT_WORD] = R_AARCH64_ABS64,           [JIT_MOV0] = R_AARCH64_MOVW_UABS_G0_NC,
        [JIT_MOV1] = R_AARCH64_MOVW_UABS_G1_NC, [JIT_MOV2] = R_AARCH64_MOVW_UABS_G2_NC,
        [JIT_MOV3] = R_AARCH64_MOVW_UABS_G3,
#else
        [JIT_WORD] = R_X86_64_64,
#endif
    };
    unsigned form = 0;
    while (form < JIT_FORMS && types[form] != type)
        form++;
    return form;
}

static enum dpk_status put_relocation(const Elf64_Rela *rela, const Elf64_Sym *symbol,
                                      const char *name, const struct layout *layout,
                                      uint64_t section, struct dpk_buf *relocations,
                                      struct dpk_error *err)
{
    const enum jit_form form = form_of(ELF64_R_TYPE(rela->r_info));
    if (form == JIT_FORMS)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "translated code: unexpected relocation %llu",
                        (unsigned long long)ELF64_R_TYPE(rela->r_info));
    struct jit_relocation r = {.offset = (uint32_t)(section + rela->r_offset),
                               .form = (uint16_t)form,
                               .addend = (uint64_t)rela->r_addend};
    if (symbol->st_shndx != SHN_UNDEF) {
        if (symbol->st_shndx >= layout->sections || layout->at[symbol->st_shndx] == UINT64_MAX)
            return unexpected(err, "symbol");
        r.symbol = JIT_CODE;
        r.addend += symbol->st_value + layout->at[symbol->st_shndx];
    } else {
        while (r.symbol < JIT_SYMBOLS && strcmp(symbol_names[r.symbol], name) != 0)
            r.symbol++;
        if (r.symbol == JIT_SYMBOLS)
            return unexpected(err, name);
    }
    dpk_put(relocations, &r, sizeof r);
    return DPK_OK;
}

/* The object file is trusted: LLVM made it in this process. */
static enum dpk_status read_object(const uint8_t *object, bool draft, struct dpk_buf *image,
                                   struct dpk_error *err)
{
    Elf64_Ehdr header;
    memcpy(&header, object, sizeof header);
    Elf64_Shdr sections[64];
    if (header.e_shnum > 64)
        return unexpected(err, "number of sections");
    memcpy(sections, object + header.e_shoff, header.e_shnum * sizeof *sections);
    struct layout layout = {.sections = header.e_shnum};
    struct dpk_buf code = {0}, relocations = {0};
    enum dpk_status status = DPK_OK;
    struct jit_image out = {.version = JIT_IMAGE_VERSION, .draft = draft};
    for (size_t i = 0; i < layout.sections; i++) {
        layout.at[i] = UINT64_MAX;
        if (!is_code(&sections[i]))
            continue;
        dpk_put_align(&code, 64, 0);
        layout.at[i] = code.size;
        dpk_put(&code, object + sections[i].sh_offset, sections[i].sh_size);
    }
    for (size_t i = 0; status == DPK_OK && i < layout.sections; i++) {
        const Elf64_Shdr *s = &sections[i];
        if (s->sh_type != SHT_RELA || s->sh_info >= layout.sections ||
            layout.at[s->sh_info] == UINT64_MAX)
            continue;
        const Elf64_Shdr *symbols = &sections[s->sh_link];
        const char *names = (const char *)object + sections[symbols->sh_link].sh_offset;
        for (size_t k = 0; status == DPK_OK && k < s->sh_size / sizeof(Elf64_Rela); k++) {
            Elf64_Rela rela;
            Elf64_Sym symbol;
            memcpy(&rela, object + s->sh_offset + k * sizeof rela, sizeof rela);
            memcpy(&symbol, object + symbols->sh_offset + ELF64_R_SYM(rela.r_info) * sizeof symbol,
                   sizeof symbol);
            status = put_relocation(&rela, &symbol, names + symbol.st_name, &layout,
                                    layout.at[s->sh_info], &relocations, err);
        }
    }
    for (size_t i = 0; i < layout.sections; i++) /* .text contains only the function */
        if (layout.at[i] != UINT64_MAX && (sections[i].sh_flags & SHF_EXECINSTR))
            out.entry = (uint32_t)layout.at[i];
    out.code_size = (uint32_t)code.size;
    out.relocation_count = (uint32_t)(relocations.size / sizeof(struct jit_relocation));
    dpk_put(image, &out, sizeof out);
    dpk_put(image, relocations.data, relocations.size);
    dpk_put(image, code.data, code.size);
    if (status == DPK_OK && (code.failed || relocations.failed || image->failed))
        status = dpk_fail_nomem(err);
    dpk_buf_free(&code);
    dpk_buf_free(&relocations);
    return status;
}

static enum dpk_status emit_object(const struct emitter *e, struct dpk_buf *image,
                                   struct dpk_error *err)
{
    char *message = NULL;
    LLVMMemoryBufferRef object = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, e->module, LLVMObjectFile, &message,
                                            &object)) {
        dpk_fail(err, DPK_ERR_UNSUPPORTED, "LLVM: %s", message);
        LLVMDisposeMessage(message);
        return DPK_ERR_UNSUPPORTED;
    }
    enum dpk_status status = read_object((const uint8_t *)LLVMGetBufferStart(object),
                                         e->any_loops && e->options->quick, image, err);
    LLVMDisposeMemoryBuffer(object);
    return status;
}

static bool find_facts(struct emitter *e)
{
    bool *fixed = calloc(e->region->block_count, sizeof *fixed);
    if (fixed == NULL)
        return false;
    llvm_loops_fix(e, fixed);
    bool found = llvm_facts_find(e->region, fixed, &e->facts);
    free(fixed);
    return found;
}

enum dpk_status dpk_jit_translate(const struct jit_region *region,
                                  const struct jit_options *options, struct dpk_buf *image,
                                  struct dpk_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_machine);
    if (machine == NULL)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "LLVM does not know this host");
    struct emitter e = {
        .region = region,
        .options = options,
        .split_atomics = split_atomics,
        .blocks = calloc(region->block_count, sizeof(LLVMBasicBlockRef)),
        .back = calloc(region->block_count, sizeof(LLVMBasicBlockRef)),
        .loops = calloc(region->block_count, sizeof(struct loop *)),
        .dirty_at = calloc(region->block_count, sizeof(uint32_t)),
    };
    begin(&e);
    enum dpk_status status = DPK_OK;
    if (e.blocks == NULL || e.back == NULL || e.loops == NULL || e.dirty_at == NULL ||
        !find_facts(&e))
        status = dpk_fail_nomem(err);
    if (status == DPK_OK) {
        llvm_emit_function(&e);
        status = optimize(&e, err);
        llvm_bases_share(&e);
    }
    if (status == DPK_OK)
        status = emit_object(&e, image, err);
    end(&e);
    return status;
}
