#include "config.h"
#include "common/self.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void dpacu_config_free(void *config)
{
    struct config *c = config;
    struct words *const lists[] = {
        &c->inputs,         &c->host_options, &c->includes,  &c->defines, &c->undefines,
        &c->libraries,      &c->folders,      &c->forced,    &c->ignored, &c->system_includes,
        &c->linker_options, &c->run_words,    &c->sanitizers};
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
    if (c->language && dpacu_config_is_source(c, path))
        return strcmp(c->language, "cu") == 0 || strcmp(c->language, "cuda") == 0;
    return ends_with(path, ".cu");
}

static bool ends_with_any(const char *path, const char *const *ends, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ends_with(path, ends[i]))
            return true;
    return false;
}

bool dpacu_config_is_source(const struct config *c, const char *path)
{
    static const char *const sources[] = {".cu", ".c", ".cc", ".cpp", ".cxx", ".C"};
    static const char *const linked[] = {".o", ".a", ".so", ".lo", ".obj"};
    if (c->language)
        return !ends_with_any(path, linked, sizeof linked / sizeof *linked) &&
               !strstr(path, ".so.");
    return ends_with_any(path, sources, sizeof sources / sizeof *sources);
}

bool dpacu_config_is_rdc(const struct config *c)
{
    return c->device_compile || (c->relocatable && strcmp(c->relocatable, "true") == 0);
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
        unsigned largest = 0;
        for (size_t i = 0; i < c->ignored.count; i++) {
            const bool names = strncmp(c->ignored.at[i], "arch=", 5) == 0;
            const unsigned one = names ? compute_of(c->ignored.at[i]) : 0;
            largest = one > largest ? one : largest;
        }
        c->compute = largest ? largest : c->compute;
    }
    return DPK_OK;
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

static enum dpk_status check_values(const struct config *c, struct dpk_error *err)
{
    if (c->level && (strlen(c->level) != 1 || c->level[0] < '0' || c->level[0] > '3'))
        return dpk_fail(err, DPK_ERR_USAGE, "option -O: %s is not 0 to 3", c->level);
    if (c->relocatable && strcmp(c->relocatable, "true") != 0 &&
        strcmp(c->relocatable, "false") != 0)
        return dpk_fail(err, DPK_ERR_USAGE, "option -rdc: %s is not true or false", c->relocatable);
    if (c->default_stream && strcmp(c->default_stream, "legacy") != 0 &&
        strcmp(c->default_stream, "null") != 0)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "option -default-stream: %s: there is only the legacy default stream",
                        c->default_stream);
    if (c->device_only)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "dpacu makes no PTX, cubin or fatbin: device code is a part of the object; "
                        "make it with -c");
    return DPK_OK;
}

static enum dpk_status choose_sanitizers(struct config *c, struct dpk_error *err)
{
    for (size_t i = 0; i < c->sanitizers.count; i++) {
        const char *name = c->sanitizers.at[i];
        bool *chosen = strcmp(name, "thread") == 0      ? &c->races
                       : strcmp(name, "address") == 0   ? &c->address
                       : strcmp(name, "undefined") == 0 ? &c->undefined
                                                        : NULL;
        if (!chosen)
            return dpk_fail(err, DPK_ERR_USAGE,
                            "option -fsanitize: %s is not thread, address or undefined", name);
        *chosen = true;
    }
    if (c->races && c->address)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "option -fsanitize: thread and address cannot be combined");
    return DPK_OK;
}

enum dpk_status dpacu_config_check(struct config *c, struct dpk_error *err)
{
    c->compile |= c->device_compile && !c->device_link;
    c->depend_only |= c->depend_only_own;
    enum dpk_status status = check_values(c, err);
    if (status == DPK_OK)
        status = choose_sanitizers(c, err);
    if (status == DPK_OK)
        status = choose_architecture(c, err);
    return status == DPK_OK ? find_root(c, err) : status;
}

enum dpk_status dpacu_config_check_inputs(struct config *c, const struct dpk_args *args,
                                          struct dpk_error *err)
{
    size_t sources = 0;
    for (size_t i = 0; i < args->count; i++) {
        dpk_words_add(&c->inputs, args->words[i]);
        sources += dpacu_config_is_source(c, args->words[i]);
    }
    if (c->inputs.failed)
        return dpk_fail_nomem(err);
    if (!args->count)
        return dpk_fail(err, DPK_ERR_USAGE, "no input; give a source (.cu) or an object");
    if ((c->compile || c->preprocess || c->depend_only) && c->output && sources > 1)
        return dpk_fail(err, DPK_ERR_USAGE, "option -o is for one source, there are %zu", sources);
    for (size_t i = 0; i < args->count; i++)
        if (access(args->words[i], R_OK) != 0)
            return dpk_fail_errno(err, "%s", args->words[i]);
    return dpk_file_apart(c->output, args->words, args->count, err);
}
