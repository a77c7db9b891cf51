#include "common/self.h"
#include "config.h"
#include "programs.h"
#include "sanitize.h"

#include "fat/fat.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DPA_RV64     "rv64imac_zbb_zbs"
#define DPA_RV64_ZBA "rv64imac_zba_zbb_zbs"

static const struct target targets[] = {
    {"cx7", DPA_RV64, DPK_TARGET_CX7},
    {"bf3", DPA_RV64, DPK_TARGET_BF3},
    {"cx8", DPA_RV64_ZBA, DPK_TARGET_CX8},
    {"cx9", DPA_RV64_ZBA, DPK_TARGET_CX9},
};

const struct target *dpacc_target_find(const char *name)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i].name, name) == 0)
            return &targets[i];
    return NULL;
}

bool dpacc_config_is_source(const char *path)
{
    size_t length = strlen(path);
    return length >= 2 && strcmp(path + length - 2, ".c") == 0;
}

bool dpacc_config_keeps(const struct config *c)
{
    return c->keep || c->keep_dir;
}

/* ---- Outputs ---- */

size_t dpacc_config_output_count(const struct config *c)
{
    return c->mode == MODE_COMPILE ? c->units.count : c->mode == MODE_LIBRARIES ? 2 : 1;
}

char *dpacc_config_output(const struct config *c, size_t index)
{
    char *name = NULL;
    if (c->mode == MODE_LIBRARIES)
        return asprintf(&name, "%s_%s.a", c->output, index ? "device" : "host") < 0 ? NULL : name;
    if (c->output)
        return strdup(c->output);
    const char *path = c->units.at[index], *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    return asprintf(&name, "%.*s.dpa.o", (int)strlen(base) - 2, base) < 0 ? NULL : name;
}

/* ---- Checks ---- */

enum dpk_status dpacc_config_find_root(struct config *c, struct dpk_error *err)
{
    char self[PATH_MAX], root[PATH_MAX];
    enum dpk_status status = dpk_self_path(self, err);
    if (status == DPK_OK)
        status = dpk_self_root(root, err);
    if (status != DPK_OK)
        return status;
    c->self = strdup(self);
    c->root = strdup(root);
    return c->root && c->self ? dpacc_config_choose_release(c, err) : dpk_fail_nomem(err);
}

static bool has_target(const struct config *c, const struct target *target)
{
    for (size_t i = 0; i < c->target_count; i++)
        if (c->targets[i] == target)
            return true;
    return false;
}

enum dpk_status dpacc_config_choose_targets(struct config *c, struct dpk_error *err)
{
    for (size_t i = 0; i < c->mcpu.count; i++) {
        const char *name = c->mcpu.at[i];
        const struct target *found =
            dpacc_target_find(strncmp(name, "nv-dpa-", 7) == 0 ? name + 7 : name);
        if (!found)
            return dpk_fail(err, DPK_ERR_USAGE, "-mcpu: unknown target '%s'; known: " TARGET_LIST,
                            name);
        if (!has_target(c, found))
            c->targets[c->target_count++] = found;
    }
    if (!c->target_count)
        c->targets[c->target_count++] = dpacc_target_find("bf3");
    return DPK_OK;
}

enum dpk_status dpacc_config_check_readable(const char *path, struct dpk_error *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return dpk_fail_errno(err, "%s", path);
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return dpk_fail_errno(err, "%s", path);
    }
    if (access(path, R_OK) != 0)
        return dpk_fail_errno(err, "%s", path);
    return DPK_OK;
}

static enum dpk_status sort_inputs(struct config *c, const struct dpk_args *args,
                                   struct dpk_error *err)
{
    for (size_t i = 0; i < args->count; i++) {
        const char *word = args->words[i], *dot = strrchr(word, '.');
        enum dpk_status status = DPK_OK;
        if (dot && strcmp(dot, ".a") == 0) {
            status = dpacc_config_add_archive(c, word, err);
        } else {
            status = dpacc_config_check_readable(word, err);
            if (status == DPK_OK && dpk_words_have(&c->units, word))
                status = dpk_fail(err, DPK_ERR_USAGE, "%s: given twice", word);
            if (status == DPK_OK && c->mode == MODE_COMPILE && !dpacc_config_is_source(word))
                status = dpk_fail(err, DPK_ERR_USAGE, "%s: -c compiles C sources (.c) only", word);
            dpk_words_add(&c->units, word);
            dpk_words_add(&c->inputs, word);
        }
        if (status != DPK_OK)
            return status;
    }
    if (!c->units.count)
        return dpk_fail(err, DPK_ERR_USAGE, "no source file given");
    if (c->mode == MODE_LIBRARIES && c->archives.count)
        return dpk_fail(err, DPK_ERR_USAGE, "%s: -gen-libs takes sources and DPA objects",
                        c->archives.at[0]);
    if (c->mode == MODE_COMPILE && c->output && c->units.count > 1)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "-o with -c and several sources: which one would it be? leave -o out");
    return c->units.failed || c->inputs.failed ? dpk_fail_nomem(err) : DPK_OK;
}

static enum dpk_status choose_mode(struct config *c, struct dpk_error *err)
{
    if (c->compile_only + c->gen_libs + c->shared > 1)
        return dpk_fail(err, DPK_ERR_USAGE, "%s and %s exclude each other",
                        c->compile_only ? "-c" : "-gen-libs", c->shared ? "-shared" : "-gen-libs");
    c->mode = c->compile_only ? MODE_COMPILE
              : c->gen_libs   ? MODE_LIBRARIES
              : c->shared     ? MODE_SHARED
                              : MODE_PROGRAM;
    if (c->mode != MODE_COMPILE && (!c->output || !*c->output))
        return dpk_fail(err, DPK_ERR_USAGE, "no output file given (option -o)");
    return DPK_OK;
}

static enum dpk_status check_directory(const char *what, const char *path, struct dpk_error *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return dpk_fail_errno(err, "%s directory '%s'", what, path);
    if (!S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return dpk_fail_errno(err, "%s directory '%s'", what, path);
    }
    if (access(path, W_OK | X_OK) != 0)
        return dpk_fail_errno(err, "%s directory '%s'", what, path);
    return DPK_OK;
}

static enum dpk_status check_output(const struct config *c, const char *path, struct dpk_error *err)
{
    const char *slash = strrchr(path, '/');
    char *dir = !slash          ? strdup(".")
                : slash == path ? strdup("/")
                                : strndup(path, (size_t)(slash - path));
    if (!dir)
        return dpk_fail_nomem(err);
    enum dpk_status status = check_directory("output", dir, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", path);
    free(dir);
    struct stat st;
    if (status != DPK_OK || stat(path, &st) != 0)
        return status;
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return dpk_fail_errno(err, "%s", path);
    }
    return dpk_file_apart(path, (const char *const *)c->inputs.at, c->inputs.count, err);
}

static enum dpk_status check_outputs(const struct config *c, struct dpk_error *err)
{
    struct words seen = {0};
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < dpacc_config_output_count(c) && status == DPK_OK; i++) {
        char *path = dpacc_config_output(c, i);
        if (!path)
            status = dpk_fail_nomem(err);
        else if (dpk_words_have(&seen, path))
            status = dpk_fail(err, DPK_ERR_USAGE,
                              "%s: two sources would make it; compile them apart", path);
        else
            status = check_output(c, path, err);
        if (path)
            dpk_words_add(&seen, path);
        free(path);
    }
    if (status == DPK_OK && c->database && dpk_words_have(&seen, c->database))
        status = dpk_fail(err, DPK_ERR_USAGE, "-compile-commands: %s is the output", c->database);
    else if (status == DPK_OK && c->database &&
             (status = check_output(c, c->database, err)) != DPK_OK)
        dpk_error_prefix(err, "-compile-commands");
    dpk_words_free(&seen);
    return status;
}

/* Keywords of C, and main, which the host program defines. */
static bool is_reserved(const char *name)
{
    static const char *const words[] = {
        "asm",   "auto",     "break",  "case",     "char",   "const",    "continue", "default",
        "do",    "double",   "else",   "enum",     "extern", "float",    "for",      "goto",
        "if",    "inline",   "int",    "long",     "main",   "register", "restrict", "return",
        "short", "signed",   "sizeof", "static",   "struct", "switch",   "typedef",  "typeof",
        "union", "unsigned", "void",   "volatile", "while",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

static enum dpk_status check_app(const struct config *c, struct dpk_error *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char both[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    if (!*c->app || !strchr(letters, *c->app) || c->app[strspn(c->app, both)])
        return dpk_fail(err, DPK_ERR_USAGE, "-app-name: '%s' is not a name in C", c->app);
    if (is_reserved(c->app))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "-app-name: the host program cannot have a variable '%s'", c->app);
    if (strncmp(c->app, "_dpacc", 6) == 0)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "-app-name: names that begin with _dpacc belong to the compiler");
    if (strlen(c->app) > 200)
        return dpk_fail(err, DPK_ERR_USAGE, "-app-name: longer than 200 characters");
    return DPK_OK;
}

/* Refuses options that end a compiler before it makes an object; otherwise a later step would fail
 * without saying why. */
static enum dpk_status check_compiles(const char *option, const struct words *options,
                                      struct dpk_error *err)
{
    static const char *const early[] = {"-E",   "-S",        "-M",    "-MM", "-fsyntax-only",
                                        "-###", "--version", "--help"};
    for (size_t i = 0; i < sizeof early / sizeof *early; i++)
        if (dpk_words_have(options, early[i]))
            return dpk_fail(err, DPK_ERR_USAGE, "%s: with %s the compiler makes no object", option,
                            early[i]);
    return DPK_OK;
}

static enum dpk_status check_rest(struct config *c, struct dpk_error *err)
{
    char path[PATH_MAX];
    enum dpk_status status = dpacc_sanitize_edit(&c->device_options, c->root, err);
    if (status != DPK_OK)
        return dpk_error_prefix(err, "-devicecc-options");
    status = check_compiles("-devicecc-options", &c->device_options, err);
    if (status == DPK_OK)
        status = check_compiles("-hostcc-options", &c->host_options, err);
    if (status != DPK_OK)
        return status;
    if (!dpacc_programs_find(c->hostcc, path))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "-hostcc: the host compiler '%s' cannot be run; give its path", c->hostcc);
    if (c->attributes) {
        status = dpacc_config_check_readable(c->attributes, err);
        if (status != DPK_OK)
            return dpk_error_prefix(err, "-dpa-proc-attr");
        dpk_words_add(&c->inputs, c->attributes);
    }
    if (c->coverage && c->flto)
        return dpk_fail(err, DPK_ERR_USAGE, "-coverage and -flto cannot be used together");
    if (c->keep_dir && !*c->keep_dir)
        return dpk_fail(err, DPK_ERR_USAGE, "-keep-dir: the name is empty");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!c->jobs)
        c->jobs = processors > 0 && processors < 1024 ? (unsigned)processors : 1;
    return DPK_OK;
}

enum dpk_status dpacc_config_check(struct config *c, const struct dpk_args *args,
                                   struct dpk_error *err)
{
    enum dpk_status status;
    if ((status = dpacc_config_find_root(c, err)) != DPK_OK ||
        (status = choose_mode(c, err)) != DPK_OK ||
        (status = dpacc_config_choose_targets(c, err)) != DPK_OK ||
        (status = check_app(c, err)) != DPK_OK || (status = sort_inputs(c, args, err)) != DPK_OK ||
        (status = check_rest(c, err)) != DPK_OK)
        return status;
    if (c->link_dpa)
        status = dpacc_config_add_archive(c, "libdoca_dpa_dev.a", err);
    if (status == DPK_OK)
        status = dpacc_config_sort_libraries(c, err);
    return status == DPK_OK ? check_outputs(c, err) : status;
}
