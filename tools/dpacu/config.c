#include "config.h"
#include "common/self.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(field) offsetof(struct config, field)

const struct dpk_option dpacu_config_options[] = {
    {"o,output-file", DPK_FILE, "FILE", AT(output), .help = "the file to make"},
    {"c,compile", .at = AT(compile), .help = "make an object of each source"},
    {"dc,device-c", .at = AT(device_compile),
     .help = "same, and device functions of other objects may be called"},
    {"rdc,relocatable-device-code", DPK_TEXT, "true|false", AT(relocatable),
     .help = "whether device functions of other objects may be called (false)"},
    {"E,preprocess", .at = AT(preprocess), .help = "only preprocess, for the host"},
    {"shared", .at = AT(shared), .help = "link a shared library"},
    {"lib", .at = AT(archive), .help = "put objects into a static library"},
    {"I,include-path", DPK_PARSED, "DIR", AT(includes), .parse = dpk_words_parse_word,
     .help = "header directory"},
    {"isystem,system-include", DPK_PARSED, "DIR", AT(system_includes),
     .parse = dpk_words_parse_word, .help = "header directory whose headers cause no warnings"},
    {"include,pre-include", DPK_PARSED, "FILE", AT(forced), .parse = dpk_words_parse_word,
     .help = "header to include first"},
    {"D,define-macro", DPK_PARSED, "MACRO[=VALUE]", AT(defines), .parse = dpk_words_parse_word,
     .help = "define a macro"},
    {"U,undefine-macro", DPK_PARSED, "MACRO", AT(undefines), .parse = dpk_words_parse_word,
     .help = "undefine a macro"},
    {"L,library-path", DPK_PARSED, "DIR", AT(folders), .parse = dpk_words_parse_word,
     .help = "library directory"},
    {"l,library", DPK_PARSED, "NAME", AT(libraries), .parse = dpk_words_parse_word,
     .help = "library to link"},
    {"O,optimize", DPK_TEXT, "LEVEL", AT(level), .standard = "3", .help = "optimisation, 0 to 3"},
    {"std", DPK_TEXT, "STANDARD", AT(standard), .standard = "c++17",
     .help = "standard of C++: c++14, c++17, c++20"},
    {"x", DPK_TEXT, "cu|c|c++", AT(language), .help = "language of all sources"},
    {"g,debug", .at = AT(debug), .help = "debug information"},
    {"G,device-debug", .at = AT(device_debug),
     .help = "debug information of device code, which is not optimised"},
    {"lineinfo,generate-line-info", .at = AT(line_info),
     .help = "accepted; device code always has lines"},
    {"Xcompiler,compiler-options", DPK_PARSED, "LIST", AT(host_options),
     .parse = dpk_words_parse_list, .help = "options for the host's code"},
    {"Xlinker,linker-options", DPK_PARSED, "LIST", AT(linker_options),
     .parse = dpk_words_parse_list, .help = "options for the linker"},
    {"ccbin,compiler-bindir", DPK_TEXT, "PATH", AT(hostcc), .standard = "g++",
     .help = "compiler that links"},
    {"arch,gpu-architecture", DPK_TEXT, "sm_NN", AT(architecture), .standard = "sm_80",
     .help = "value of __CUDA_ARCH__; the code is the same"},
    {"gencode,generate-code,code,gpu-code", DPK_PARSED, "TEXT", AT(ignored),
     .parse = dpk_words_parse_word,
     .help = "accepted; its compute_NN is -arch if that is not given"},
    {"M,generate-dependencies", .at = AT(depend_only), .help = "print make's dependencies"},
    {"MD,generate-dependencies-with-compile", .at = AT(depend),
     .help = "write make's dependencies beside the object"},
    {"MMD,generate-nonsystem-dependencies-with-compile", .at = AT(depend_own),
     .help = "same, without system headers"},
    {"MF,dependency-output", DPK_FILE, "FILE", AT(depend_file), .help = "where to write them"},
    {"MT,dependency-target-name", DPK_TEXT, "NAME", AT(depend_target), .help = "their target"},
    {"use_fast_math", .at = AT(fast_math), .help = "less exact mathematics of device code"},
    {"w,disable-warnings", .at = AT(no_warnings), .help = "no warnings"},
    {"cudart", DPK_TEXT, "none|shared|static", AT(cudart), .standard = "shared",
     .help = "whether to link libcudart; it is always shared"},
    {"cuda-path", DPK_FILE, "DIR", AT(cuda_path),
     .help = "hand the command over to NVIDIA's nvcc in DIR/bin"},
    {"Xptxas,ptxas-options,Xcudafe,Xnvlink,nvlink-options", DPK_PARSED, "TEXT", AT(ignored),
     .parse = dpk_words_parse_word, .help = "accepted, without effect"},
    {"diag-suppress,Werror,maxrregcount,t,threads,m,machine", DPK_PARSED, "TEXT", AT(ignored),
     .parse = dpk_words_parse_word, .help = "accepted, without effect"},
    {"forward-unknown-to-host-compiler", DPK_PARSED, "TEXT", AT(ignored),
     .parse = dpk_words_parse_word, .help = "accepted, without effect"},
    {"expt-relaxed-constexpr,expt-extended-lambda,extended-lambda", .at = AT(keep),
     .help = "accepted, without effect"},
    {"restrict,keep,source-in-ptx,res-usage,prec-div", .at = AT(keep),
     .help = "accepted, without effect"},
    {"v,verbose", .at = AT(verbose), .help = "print the commands"},
    {"dryrun", .at = AT(dryrun), .help = "only print the commands"},
    {0},
};

void dpacu_config_free(void *config)
{
    struct config *c = config;
    struct words *const lists[] = {&c->inputs,          &c->host_options,  &c->includes,
                                   &c->defines,         &c->undefines,     &c->libraries,
                                   &c->folders,         &c->forced,        &c->ignored,
                                   &c->system_includes, &c->linker_options};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        dpk_words_free(lists[i]);
    free(c->root);
}

static bool ends_with(const char *path, const char *end)
{
    const size_t a = strlen(path), b = strlen(end);
    return a > b && strcmp(path + a - b, end) == 0;
}

bool dpacu_config_is_cuda(const struct config *c, const char *path)
{
    if (c->language && dpacu_config_is_source(path))
        return strcmp(c->language, "cu") == 0 || strcmp(c->language, "cuda") == 0;
    return ends_with(path, ".cu");
}

bool dpacu_config_is_source(const char *path)
{
    static const char *const ends[] = {".cu", ".c", ".cc", ".cpp", ".cxx", ".C"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(path, ends[i]))
            return true;
    return false;
}

bool dpacu_config_is_rdc(const struct config *c)
{
    return c->device_compile || (c->relocatable && strcmp(c->relocatable, "true") == 0);
}

static enum dpk_status find_root(struct config *c, struct dpk_error *err)
{
    char root[PATH_MAX];
    const enum dpk_status status = dpk_self_root(root, err);
    if (status != DPK_OK)
        return status;
    c->root = strdup(root);
    return c->root ? DPK_OK : dpk_fail_nomem(err);
}

/* Reads "sm_80", "compute_80", "sm_90a", or a text that contains such a word. Returns 0 for another
 * text. */
static unsigned compute_of(const char *text)
{
    const char *at = strstr(text, "sm_");
    const char *digits = at ? at + 3 : (at = strstr(text, "compute_")) ? at + 8 : NULL;
    const unsigned long value = digits ? strtoul(digits, NULL, 10) : 0;
    return value >= 50 && value <= 130 ? (unsigned)value * 10 : 0;
}

static enum dpk_status choose_architecture(struct config *c, struct dpk_error *err)
{
    c->compute = 800;
    if (c->architecture && strcmp(c->architecture, "native") != 0 &&
        strncmp(c->architecture, "all", 3) != 0) {
        c->compute = compute_of(c->architecture);
        if (!c->compute)
            return dpk_fail(err, DPK_ERR_USAGE, "option -arch: %s is not sm_50 to sm_130",
                            c->architecture);
    } else {
        for (size_t i = 0; i < c->ignored.count; i++)
            if (strncmp(c->ignored.at[i], "arch=", 5) == 0 && compute_of(c->ignored.at[i]))
                c->compute = compute_of(c->ignored.at[i]);
    }
    return DPK_OK;
}

static enum dpk_status check_inputs(struct config *c, const struct dpk_args *args,
                                    struct dpk_error *err)
{
    size_t sources = 0;
    for (size_t i = 0; i < args->count; i++) {
        dpk_words_add(&c->inputs, args->words[i]);
        sources += dpacu_config_is_source(args->words[i]);
    }
    if (c->inputs.failed)
        return dpk_fail_nomem(err);
    if (!args->count)
        return dpk_fail(err, DPK_ERR_USAGE, "no input; give a source (.cu) or an object");
    if ((c->compile || c->preprocess || c->depend_only) && c->output && sources > 1)
        return dpk_fail(err, DPK_ERR_USAGE, "option -o is for one source, there are %zu", sources);
    return dpk_file_apart(c->output, args->words, args->count, err);
}

enum dpk_status dpacu_config_check(struct config *c, const struct dpk_args *args,
                                   struct dpk_error *err)
{
    c->compile |= c->device_compile;
    if (c->level && (strlen(c->level) != 1 || c->level[0] < '0' || c->level[0] > '3'))
        return dpk_fail(err, DPK_ERR_USAGE, "option -O: %s is not 0 to 3", c->level);
    if (c->relocatable && strcmp(c->relocatable, "true") != 0 &&
        strcmp(c->relocatable, "false") != 0)
        return dpk_fail(err, DPK_ERR_USAGE, "option -rdc: %s is not true or false", c->relocatable);
    enum dpk_status status = check_inputs(c, args, err);
    if (status == DPK_OK)
        status = choose_architecture(c, err);
    for (size_t i = 0; i < args->count && status == DPK_OK; i++)
        if (access(args->words[i], R_OK) != 0)
            status = dpk_fail_errno(err, "%s", args->words[i]);
    return status == DPK_OK ? find_root(c, err) : status;
}
