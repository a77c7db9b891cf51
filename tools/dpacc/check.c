#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DPA_RV64     "rv64imac_zbb_zbs"
#define DPA_RV64_ZBA "rv64imac_zba_zbb_zbs"

static const struct target targets[] = {
    {"cx7", DPA_RV64, 1},
    {"bf3", DPA_RV64, 2},
    {"cx8", DPA_RV64_ZBA, 3},
    {"cx9", DPA_RV64_ZBA, 4},
};

/* ---- Checks -------------------------------------------------------------------------------------
 */

static enum dpk_status find_root(struct config *c, struct dpk_error *err)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0)
        return dpk_fail_errno(err, "/proc/self/exe");
    path[length] = 0;
    for (int i = 0; i < 2; i++) { /* bin/dpacc */
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = 0;
    }
    c->root = strdup(path);
    return c->root ? DPK_OK : dpk_fail_nomem(err);
}

static enum dpk_status choose_target(struct config *c, struct dpk_error *err)
{
    struct words names = {0};
    enum dpk_status status = DPK_OK;
    words_split(&names, c->mcpu ? c->mcpu : "nv-dpa-bf3");
    for (size_t i = 0; i < names.count && status == DPK_OK; i++) {
        const char *name = names.at[i];
        if (strncmp(name, "nv-dpa-", 7) == 0)
            name += 7;
        const struct target *found = NULL;
        for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
            if (strcmp(targets[t].name, name) == 0)
                found = &targets[t];
        if (!found)
            status = dpk_fail(err, DPK_ERR_USAGE, "-mcpu: unknown target '%s'; known: " TARGET_LIST,
                              names.at[i]);
        else if (c->target && c->target != found)
            status = dpk_fail(err, DPK_ERR_UNSUPPORTED,
                              "-mcpu=%s: this version builds for one target at a time, one "
                              "of " TARGET_LIST,
                              c->mcpu);
        c->target = found;
    }
    if (status == DPK_OK && names.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK && !c->target)
        status = dpk_fail(err, DPK_ERR_USAGE, "-mcpu: no target given; known: " TARGET_LIST);
    words_free(&names);
    return status;
}

static enum dpk_status check_readable(const char *path, struct dpk_error *err)
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

static enum dpk_status check_archive(const char *path, struct dpk_error *err)
{
    char magic[8] = "";
    FILE *f = fopen(path, "rbe");
    if (!f)
        return dpk_fail_errno(err, "%s", path);
    size_t got = fread(magic, 1, sizeof magic, f);
    fclose(f);
    if (got != sizeof magic ||
        (memcmp(magic, "!<arch>\n", 8) != 0 && memcmp(magic, "!<thin>\n", 8) != 0))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: not an archive", path);
    return DPK_OK;
}

static enum dpk_status add_archive(struct config *c, const char *word, struct dpk_error *err)
{
    char *path = NULL;
    if (access(word, F_OK) != 0 && !strchr(word, '/')) {
        if (asprintf(&path, "%s/lib/%s", c->root, word) < 0)
            return dpk_fail_nomem(err);
        if (access(path, F_OK) != 0) {
            free(path);
            path = NULL;
        }
    }
    const char *found = path ? path : word;
    enum dpk_status status = check_readable(found, err);
    if (status == DPK_OK)
        status = check_archive(found, err);
    if (status == DPK_OK && !words_have(&c->archives, found))
        words_add(&c->archives, found);
    words_add(&c->inputs, found);
    free(path);
    return status;
}

static enum dpk_status sort_inputs(struct config *c, const struct dpk_args *args,
                                   struct dpk_error *err)
{
    for (size_t i = 0; i < args->count; i++) {
        const char *word = args->words[i], *dot = strrchr(word, '.');
        enum dpk_status status = DPK_OK;
        if (dot && strcmp(dot, ".a") == 0) {
            status = add_archive(c, word, err);
        } else {
            status = check_readable(word, err);
            if (status == DPK_OK && (!dot || strcmp(dot, ".c") != 0))
                status = dpk_fail(
                    err, DPK_ERR_UNSUPPORTED,
                    "%s: neither a C source (.c) nor a device library (.a)%s", word,
                    dot && strcmp(dot, ".o") == 0 ? "; this version takes no DPA objects" : "");
            if (status == DPK_OK && words_have(&c->sources, word))
                status = dpk_fail(err, DPK_ERR_USAGE, "%s: given twice", word);
            words_add(&c->sources, word);
            words_add(&c->inputs, word);
        }
        if (status != DPK_OK)
            return status;
    }
    if (!c->sources.count)
        return dpk_fail(err, DPK_ERR_USAGE, "no source file given");
    return c->sources.failed || c->inputs.failed ? dpk_fail_nomem(err) : DPK_OK;
}

static enum dpk_status check_modes(const struct config *c, struct dpk_error *err)
{
    const char *mode = c->compile_only ? "-c" : c->gen_libs ? "-gen-libs" : "-shared";
    if (c->compile_only || c->gen_libs || c->shared)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "%s: this version builds .a programs only", mode);
    if (!c->output || !*c->output)
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

static enum dpk_status check_outputs(const struct config *c, struct dpk_error *err)
{
    const char *slash = strrchr(c->output, '/');
    char *dir = !slash               ? strdup(".")
                : slash == c->output ? strdup("/")
                                     : strndup(c->output, (size_t)(slash - c->output));
    if (!dir)
        return dpk_fail_nomem(err);
    enum dpk_status status = check_directory("output", dir, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", c->output);
    free(dir);
    struct stat st;
    if (status != DPK_OK || stat(c->output, &st) != 0)
        return status;
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return dpk_fail_errno(err, "%s", c->output);
    }
    return dpk_file_apart(c->output, (const char *const *)c->inputs.at, c->inputs.count, err);
}

/* Words of C, and main, which the host program has as a function. */
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

static bool can_execute(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool on_path(const char *program)
{
    if (strchr(program, '/'))
        return can_execute(program);
    const char *list = getenv("PATH");
    if (!list)
        list = "/usr/local/bin:/usr/bin:/bin";
    while (*list) {
        size_t length = strcspn(list, ":");
        char path[PATH_MAX];
        int n = snprintf(path, sizeof path, "%.*s/%s", (int)length, length ? list : ".", program);
        if (n > 0 && (size_t)n < sizeof path && can_execute(path))
            return true;
        list += length + (list[length] == ':');
    }
    return false;
}

static enum dpk_status check_rest(struct config *c, struct dpk_error *err)
{
    if (!on_path(c->hostcc))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "-hostcc: the host compiler '%s' cannot be run; give its path", c->hostcc);
    if (c->attributes) {
        enum dpk_status status = check_readable(c->attributes, err);
        if (status != DPK_OK)
            return dpk_error_prefix(err, "-dpa-proc-attr");
        words_add(&c->inputs, c->attributes);
    }
    if (c->keep_dir && !*c->keep_dir)
        return dpk_fail(err, DPK_ERR_USAGE, "-keep-dir: the name is empty");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    c->jobs = processors > 0 && processors < 1024 ? (unsigned)processors : 1;
    if (c->jobs_text) {
        char *end;
        errno = 0;
        unsigned long jobs = strtoul(c->jobs_text, &end, 10);
        if (errno || *end || end == c->jobs_text || !jobs || jobs > 1024)
            return dpk_fail(err, DPK_ERR_USAGE, "-j: '%s' is not a number from 1 to 1024",
                            c->jobs_text);
        c->jobs = (unsigned)jobs;
    }
    return DPK_OK;
}

enum dpk_status config_check(struct config *c, const struct dpk_args *args, struct dpk_error *err)
{
    enum dpk_status status;
    if ((status = find_root(c, err)) != DPK_OK || (status = check_modes(c, err)) != DPK_OK ||
        (status = choose_target(c, err)) != DPK_OK || (status = check_app(c, err)) != DPK_OK ||
        (status = sort_inputs(c, args, err)) != DPK_OK || (status = check_rest(c, err)) != DPK_OK)
        return status;
    if (c->link_dpa)
        status = add_archive(c, "libdoca_dpa_dev.a", err);
    return status == DPK_OK ? check_outputs(c, err) : status;
}
