/* From sources to objects and programs. Each CUDA source is compiled twice by clang's CUDA front
 * end, for the host and for the device; the device's code is lowered (lower.h), and both are joined
 * to one object. */
#include "common/run.h"
#include "config.h"
#include "lower/lower.h"
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns "k.o" for dir/k.cu. */
static char *object_of(const char *source)
{
    char *out = NULL;
    const char *base = base_of(source);
    const char *dot = strrchr(base, '.');
    if (asprintf(&out, "%.*s.o", (int)(dot ? dot - base : (long)strlen(base)), base) < 0)
        return NULL;
    return out;
}

void dpacu_add_clang(struct words *w)
{
    struct words parts = {0};
    const char *value = getenv("DPA_CLANG");
    dpk_words_split_file(&parts, value && *value ? value : "clang"); /* "ccache clang" */
    dpk_words_append(w, &parts);
    dpk_words_free(&parts);
}

static void add_pairs(struct words *w, const char *option, const struct words *list)
{
    for (size_t i = 0; i < list->count; i++) {
        dpk_words_add(w, option);
        dpk_words_add(w, list->at[i]);
    }
    w->failed |= list->failed;
}

/* Adds the options for both sides. */
static void add_common(const struct config *c, struct words *w)
{
    dpk_words_addf(w, "-std=%s", c->standard ? c->standard : "c++17");
    dpk_words_add_each(w, "-I", &c->includes);
    add_pairs(w, "-isystem", &c->system_includes);
    dpk_words_add(w, "-isystem");
    dpk_words_addf(w, "%s/include/dpakit-cuda", c->root);
    if (c->no_warnings)
        dpk_words_add(w, "-w");
}

static void add_macros(const struct config *c, struct words *w)
{
    dpk_words_add_each(w, "-D", &c->defines);
    dpk_words_add_each(w, "-U", &c->undefines);
}

/* `is_text`: the source is behind the preprocessor. */
static void add_cuda(const struct config *c, bool is_text, struct words *w)
{
    static const char *const words[] = {"-x", "cuda", "-nocudainc", "-nocudalib",
                                        "--cuda-gpu-arch=sm_70", "-Wno-unknown-cuda-version",
                                        "-D__CUDACC__", "-D__NVCC__", "-D__CUDACC_VER_MAJOR__=12",
                                        "-D__CUDACC_VER_MINOR__=4", "-D__CUDACC_VER_BUILD__=0",
                                        /* Kernels are launched in the way of CUDA 9.2 and later. */
                                        "-Xclang", "-target-sdk-version=11.2"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        dpk_words_add(w, words[i]);
    if (dpacu_config_is_rdc(c))
        dpk_words_add(w, "-D__CUDACC_RDC__");
    add_common(c, w);
    if (is_text)
        return;
    add_macros(c, w);
    dpk_words_add(w, "-include");
    dpk_words_addf(w, "%s/include/dpakit-cuda/cuda_runtime.h", c->root);
    add_pairs(w, "-include", &c->forced);
}

static const char *level_of(const struct config *c)
{
    return c->device_debug ? "0" : c->level ? c->level : "3";
}

static void add_device(const struct config *c, struct words *w)
{
    dpk_words_add(w, "--cuda-device-only");
    dpk_words_add(w, "-Wno-builtin-macro-redefined");
    dpk_words_add(w, "-U__CUDA_ARCH__");
    dpk_words_addf(w, "-D__CUDA_ARCH__=%u", c->compute);
    dpk_words_addf(w, "-O%s", level_of(c));
}

/* The compiler repeats its warnings later. */
static void preprocess_device(const struct config *c, const char *source, const char *out,
                              struct words *w)
{
    dpacu_add_clang(w);
    add_cuda(c, false, w);
    add_device(c, w);
    const char *const rest[] = {"-w", "-E", source, "-o", out};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        dpk_words_add(w, rest[i]);
}

/* Clang ignores -fsanitize for device code, but its front end makes the checks. Null pointers fault
 * without a check, and built-in variables have no address. */
static void add_undefined(struct words *w)
{
    static const char checks[] = "signed-integer-overflow,integer-divide-by-zero,shift-base,"
                                 "shift-exponent,array-bounds,pointer-overflow,alignment,bool,"
                                 "enum,unreachable,return,vla-bound";
    dpk_words_add(w, "-Xclang");
    dpk_words_addf(w, "-fsanitize=%s", checks);
}

static void compile_device(const struct config *c, const char *source, bool is_text,
                           const char *out, struct words *w)
{
    dpacu_add_clang(w);
    add_cuda(c, is_text, w);
    add_device(c, w);
    dpk_words_add(w, c->debug || c->device_debug ? "-g" : "-gline-tables-only");
    if (c->fast_math)
        dpk_words_add(w, "-ffast-math");
    if (c->undefined)
        add_undefined(w);
    const char *const rest[] = {"-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", source, "-o",
                                out};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        dpk_words_add(w, rest[i]);
}

/* Adds the names of make's targets. */
static void add_targets(const struct config *c, const char *target, struct words *w)
{
    if (c->preprocess)
        return;
    if (c->depend_phony)
        dpk_words_add(w, "-MP");
    if (target)
        dpk_words_addf(w, "-MT%s", target);
}

static void add_dependencies(const struct config *c, const char *object, struct words *w)
{
    char *beside = NULL;
    if (!c->depend && !c->depend_own)
        return;
    dpk_words_add(w, c->depend_own ? "-MMD" : "-MD");
    dpk_words_add(w, "-MF");
    if (c->depend_file) {
        dpk_words_add(w, c->depend_file);
    } else {
        const char *dot = strrchr(object, '.');
        if (asprintf(&beside, "%.*s.d", (int)(dot ? dot - object : (long)strlen(object)), object) <
            0)
            beside = NULL;
        dpk_words_add(w, beside ? beside : "");
        free(beside);
    }
    add_targets(c, c->depend_target ? c->depend_target : object, w);
}

static void compile_host(const struct config *c, const char *source, const char *fat,
                         const char *out, const char *object, struct words *w)
{
    const bool cuda = dpacu_config_is_cuda(c, source);
    dpacu_add_clang(w);
    if (cuda) {
        add_cuda(c, false, w);
        dpk_words_add(w, "--cuda-host-only");
    } else {
        const char *dot = strrchr(source, '.');
        const bool plain = c->language ? strcmp(c->language, "c") == 0 : strcmp(dot, ".c") == 0;
        dpk_words_add(w, "-x");
        dpk_words_add(w, plain ? "c" : "c++");
        add_common(c, w);
        add_macros(c, w);
        if (plain)
            dpk_words_add(w, "-std=gnu11");
    }
    dpk_words_addf(w, "-O%s", c->level ? c->level : "2");
    dpk_words_add(w, "-fPIC");
    if (c->debug)
        dpk_words_add(w, "-g");
    if (c->address)
        dpk_words_add(w, "-fsanitize=address");
    if (c->undefined) {
        dpk_words_add(w, "-fsanitize=undefined");
        dpk_words_add(w, "-fno-sanitize=function"); /* GCC's library does not have it */
    }
    if (c->host_options.count) { /* they may be those of another compiler */
        dpk_words_add(w, "-Wno-unknown-warning-option");
        dpk_words_add(w, "-Wno-unused-command-line-argument");
    }
    dpk_words_append(w, &c->host_options);
    if (c->preprocess || c->depend_only) {
        const char *output = c->output ? c->output : c->depend_only ? c->depend_file : NULL;
        dpk_words_add(w, c->preprocess ? "-E" : c->depend_only_own ? "-MM" : "-M");
        dpk_words_add(w, source);
        add_targets(c, c->depend_target, w);
        if (output)
            dpk_words_addf(w, "-o%s", output);
        return;
    }
    if (cuda) {
        const char *const words[] = {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", fat};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            dpk_words_add(w, words[i]);
    }
    add_dependencies(c, object, w);
    dpk_words_add(w, "-c");
    dpk_words_add(w, source);
    dpk_words_add(w, "-o");
    dpk_words_add(w, out);
}

/* Makes a number that differs between the sources and objects of a program. */
static void id_of(const char *source, const char *object, char out[32])
{
    char where[PATH_MAX] = "";
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    if (!getcwd(where, sizeof where))
        where[0] = 0;
    const char *const parts[] = {where, source, object};
    for (size_t i = 0; i < 3; i++)
        for (const char *p = parts[i]; *p; p++)
            hash = (hash ^ (uint8_t)*p) * UINT64_C(0x100000001b3);
    snprintf(out, 32, "dpakit-%016llx", (unsigned long long)hash);
}

/* Temporary files of a source, in the working directory. */
struct files {
    char fat[PATH_MAX], text[PATH_MAX], bitcode[PATH_MAX], host[PATH_MAX], device[PATH_MAX];
};

static enum dpk_status name_files(const struct run *run, size_t number, struct files *f,
                                  struct dpk_error *err)
{
    const struct {
        char *at;
        const char *end;
    } names[] = {{f->fat, "id"},
                 {f->text, "cui"},
                 {f->bitcode, "bc"},
                 {f->host, "host.o"},
                 {f->device, "device.o"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (snprintf(names[i].at, PATH_MAX, "%s/%zu.%s", run->temp, number, names[i].end) >=
            PATH_MAX)
            return dpk_fail(err, DPK_ERR_IO, "%s: the path is too long", run->temp);
    return DPK_OK;
}

static enum dpk_status lower(const struct config *c, const struct files *f, const char *id,
                             struct dpk_error *err)
{
    const struct lower_request request = {.bitcode = f->bitcode,
                                          .object = f->device,
                                          .id = id,
                                          .relocatable = dpacu_config_is_rdc(c),
                                          .level = (unsigned)(level_of(c)[0] - '0'),
                                          .races = c->races,
                                          .address = c->address};
    if (c->verbose || c->dryrun)
        printf("# lower %s to %s\n", f->bitcode, f->device);
    if (c->dryrun)
        return DPK_OK;
    return lower_object(&request, err);
}

/* Makes f->text if clang would not take the registers in the source's assembly; `made` tells. */
static enum dpk_status escape_registers(const struct config *c, struct run *run, const char *source,
                                        const struct files *f, bool *made, struct dpk_error *err)
{
    struct jobs jobs = {0};
    struct dpk_buf text = {0}, escaped = {0};
    preprocess_device(c, source, f->text, dpk_jobs_add(&jobs, source, 1));
    enum dpk_status status = dpk_run_all(run, &jobs, err);
    dpk_jobs_free(&jobs);
    *made = false;
    if (status != DPK_OK || c->dryrun)
        return status;
    status = dpk_file_read(f->text, DPK_FILE_MAX, &text, err);
    if (status == DPK_OK)
        *made = ptx_escape((const char *)text.data, text.size, &escaped);
    if (status == DPK_OK && escaped.failed)
        status = dpk_fail_nomem(err);
    const struct dpk_piece piece = {.data = escaped.data, .size = escaped.size};
    if (status == DPK_OK && *made)
        status = dpk_file_replace_pieces(f->text, &piece, 1, 0600, err);
    dpk_buf_free(&text);
    dpk_buf_free(&escaped);
    return status;
}

/* Compiles a CUDA source to `object`. */
static enum dpk_status compile_cuda(const struct config *c, struct run *run, size_t number,
                                    const char *source, const char *object, struct dpk_error *err)
{
    struct files f;
    struct jobs both = {0}, join = {0};
    char id[32];
    bool is_text;
    enum dpk_status status = name_files(run, number, &f, err);
    if (status == DPK_OK)
        status = escape_registers(c, run, source, &f, &is_text, err);
    if (status != DPK_OK)
        return status;
    id_of(source, object, id);
    const struct dpk_piece piece = {.data = id, .size = strlen(id) + 1};
    if (!c->dryrun && (status = dpk_file_replace_pieces(f.fat, &piece, 1, 0600, err)) != DPK_OK)
        return status;
    compile_device(c, is_text ? f.text : source, is_text, f.bitcode,
                   dpk_jobs_add(&both, source, 1));
    compile_host(c, source, f.fat, f.host, object, dpk_jobs_add(&both, source, 1));
    status = dpk_run_all(run, &both, err);
    if (status == DPK_OK)
        status = lower(c, &f, id, err);
    if (status == DPK_OK) {
        const char *const words[] = {"ld", "-r", f.host, f.device, "-o", object};
        struct words *w = dpk_jobs_add(&join, object, 2);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            dpk_words_add(w, words[i]);
        status = dpk_run_all(run, &join, err);
    }
    dpk_jobs_free(&both);
    dpk_jobs_free(&join);
    return status;
}

static enum dpk_status compile(const struct config *c, struct run *run, size_t number,
                               const char *source, const char *object, struct dpk_error *err)
{
    struct jobs command = {0};
    const bool only = c->preprocess || c->depend_only;
    if (dpacu_config_is_cuda(c, source) && !only)
        return compile_cuda(c, run, number, source, object, err);
    compile_host(c, source, "", object, object, dpk_jobs_add(&command, source, 1));
    const enum dpk_status status = dpk_run_all(run, &command, err);
    dpk_jobs_free(&command);
    return status;
}

static enum dpk_status link_all(const struct config *c, struct run *run,
                                const struct words *objects, struct dpk_error *err)
{
    struct jobs command = {0};
    dpacu_link_words(c, objects, dpk_jobs_add(&command, "link", 1));
    const enum dpk_status status = dpk_run_all(run, &command, err);
    dpk_jobs_free(&command);
    return status;
}

/* Returns the path of the object of input `i`: the path of -o, or a name made of the source's, or a
 * temporary path. */
static char *choose_object(const struct config *c, const struct run *run, size_t i)
{
    char *out = NULL;
    if (c->compile)
        return c->output ? strdup(c->output) : object_of(c->inputs.at[i]);
    if (asprintf(&out, "%s/%zu.o", run->temp, i) < 0)
        return NULL;
    return out;
}

static enum dpk_status build(const struct config *c, struct run *run, struct dpk_error *err)
{
    struct words objects = {0};
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < c->inputs.count && status == DPK_OK; i++) {
        if (!dpacu_config_is_source(c, c->inputs.at[i])) {
            dpk_words_add(&objects, c->inputs.at[i]);
            continue;
        }
        char *object = choose_object(c, run, i);
        if (!object)
            status = dpk_fail_nomem(err);
        else
            status = compile(c, run, i, c->inputs.at[i], object, err);
        if (object)
            dpk_words_add(&objects, object);
        free(object);
    }
    if (status == DPK_OK && objects.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK && !c->compile && !c->preprocess && !c->depend_only)
        status = link_all(c, run, &objects, err);
    dpk_words_free(&objects);
    return status;
}

int dpacu_build(struct config *c)
{
    struct dpk_error err = {0};
    struct run run = {
        .tool = "dpacu", .verbose = c->verbose, .dry = c->dryrun, .jobs = 2, .merges = true};
    dpk_run_start(&run);
    enum dpk_status status = dpk_run_make_temp(&run, &err);
    if (status == DPK_OK)
        status = build(c, &run, &err);
    const bool said = run.exit_code > 0; /* a command failed, and has printed why */
    if (status != DPK_OK && (!said || status != DPK_ERR_TOOL))
        dpk_tool_fail(&err);
    dpk_run_finish(&run);
    return status == DPK_OK ? 0 : status == DPK_ERR_FORMAT || said ? 1 : 2;
}
