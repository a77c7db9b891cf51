#include "config.h"

#include <stdlib.h>
#include <string.h>

#define OPTIONS_FILE_MAX   ((size_t)1 << 20)
#define OPTIONS_FILE_DEPTH 8

static enum dpk_status parse_list(void *context, const char *arg, struct dpk_error *err)
{
    struct words *list = context;
    if (!words_split(list, arg))
        return dpk_fail(err, DPK_ERR_USAGE, "a quote is not closed: %s", arg);
    return list->failed ? dpk_fail_nomem(err) : DPK_OK;
}

static enum dpk_status parse_word(void *context, const char *arg, struct dpk_error *err)
{
    struct words *list = context;
    if (!*arg)
        return dpk_fail(err, DPK_ERR_USAGE, "the argument is empty");
    words_add(list, arg);
    return list->failed ? dpk_fail_nomem(err) : DPK_OK;
}

enum { OPTION_COUNT = 30 };

static void fill_table(struct config *c, struct dpk_option table[OPTION_COUNT])
{
    const struct dpk_option options[] = {
        {.names = "o,output-file,output-libname",
         .arg = "FILE",
         .value = &c->output,
         .help = "the program, a static library for the host; or what the mode says"},
        {.names = "hostcc", .arg = "PATH", .value = &c->hostcc, .help = "host compiler (gcc)"},
        {.names = "hostcc-options",
         .arg = "LIST",
         .parse = parse_list,
         .context = &c->host_options,
         .help = "options for the host compiler"},
        {.names = "devicecc-options",
         .arg = "LIST",
         .parse = parse_list,
         .context = &c->device_options,
         .help = "options for the device compiler"},
        {.names = "devicelink-options",
         .arg = "LIST",
         .parse = parse_list,
         .context = &c->link_options,
         .help = "options for the device linker"},
        {.names = "device-libs",
         .arg = "LIST",
         .parse = parse_list,
         .context = &c->device_libs,
         .help = "device libraries, as the linker takes them"},
        {.names = "ldpa", .flag = &c->link_dpa, .help = "link the DOCA DPA device library"},
        {.names = "I,common-include-path",
         .arg = "DIR",
         .parse = parse_word,
         .context = &c->includes,
         .help = "header directory, for host and device"},
        {.names = "D",
         .arg = "MACRO[=VALUE]",
         .parse = parse_word,
         .context = &c->defines,
         .help = "define a macro, for host and device"},
        {.names = "mcpu",
         .arg = "TARGET[,TARGET...]",
         .parse = parse_list,
         .context = &c->mcpu,
         .help = "of " TARGET_LIST " (nv-dpa-bf3)"},
        {.names = "app-name",
         .arg = "NAME",
         .value = &c->app,
         .help = "name of the program and of its host variable (__dpa_a_out)"},
        {.names = "dpa-proc-attr",
         .arg = "FILE",
         .value = &c->attributes,
         .help = "attributes of the program, as a blob"},
        {.names = "flto", .flag = &c->flto, .help = "optimise the device code at link time"},
        {.names = "disable-asm-checks",
         .flag = &c->no_asm_checks,
         .help = "accepted; assembly is not checked"},
        {.names = "keep", .flag = &c->keep, .help = "keep intermediate files here"},
        {.names = "keep-dir",
         .arg = "DIR",
         .value = &c->keep_dir,
         .help = "keep intermediate files in DIR"},
        {.names = "dryrun", .flag = &c->dryrun, .help = "only print the commands"},
        {.names = "v,verbose",
         .flag = &c->verbose,
         .help = "print the commands and let each say more"},
        {.names = "j,jobs",
         .arg = "N",
         .value = &c->jobs_text,
         .help = "commands at once (number of processors)"},
        {.names = "optf,options-file",
         .arg = "FILE[,FILE...]",
         .help = "read more options from files"},
        {.names = "c,compile",
         .flag = &c->compile_only,
         .help = "make a DPA object (.dpa.o) of each source"},
        {.names = "gen-libs", .flag = &c->gen_libs, .help = "make FILE_host.a and FILE_device.a"},
        {.names = "shared", .flag = &c->shared, .help = "make a shared library for the host"},
        {.names = "h,help", .flag = &c->help, .help = "show this text"},
        {.names = "V,version", .flag = &c->version, .help = "show the version"},
        {0},
    };
    _Static_assert(sizeof options / sizeof *options <= OPTION_COUNT, "the table is too small");
    memcpy(table, options, sizeof options);
}

void config_help(FILE *to)
{
    struct config config = {0};
    struct dpk_option table[OPTION_COUNT];
    fill_table(&config, table);
    fputs("Usage: dpacc INPUT... -o PROGRAM.a [options]\n"
          "       dpacc INPUT... -o LIBRARY.so -shared [options]\n"
          "       dpacc SOURCE.c... -c [-o OBJECT.dpa.o] [options]\n"
          "       dpacc INPUT... -o LIBRARY -gen-libs [options]\n"
          "Compiles C for the DPA and puts it into a library for the host.\n"
          "INPUT: a C source (.c), a device library (.a), or a DPA object that -c made.\n\n",
          to);
    dpk_options_help(table, to);
    fputs("\nOptions begin with one dash or two; values follow '=' or are the next word.\n"
          "Exit codes: 0 done, 1 something is wrong with what you wrote, 2 a tool failed.\n",
          to);
}

/* ---- Options files ------------------------------------------------------------------------------
 */

/* The value of -optf in `word`: after '=', or "" when it is the next word; NULL: other option. */
static const char *options_file_value(const char *word)
{
    static const char *const names[] = {"optf", "options-file"};
    if (word[0] != '-')
        return NULL;
    word += word[1] == '-' ? 2 : 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(word, names[i], length) == 0 && (!word[length] || word[length] == '='))
            return word[length] ? word + length + 1 : "";
    }
    return NULL;
}

static enum dpk_status expand(struct words *to, const struct words *from, unsigned depth,
                              struct dpk_error *err);

static enum dpk_status expand_file(struct words *to, const char *path, unsigned depth,
                                   struct dpk_error *err)
{
    struct dpk_buf text = {0};
    struct words inside = {0};
    enum dpk_status status = DPK_OK;
    if (depth == OPTIONS_FILE_DEPTH)
        return dpk_fail(err, DPK_ERR_USAGE, "%s: options files include each other too deeply",
                        path);
    status = dpk_file_read(path, OPTIONS_FILE_MAX, &text, err);
    if (status != DPK_OK)
        return status;
    if (memchr(text.data, 0, text.size)) {
        status = dpk_fail(err, DPK_ERR_FORMAT, "%s: not an options file, it has a zero byte", path);
        goto out;
    }
    dpk_put_u8(&text, 0);
    if (text.failed) {
        status = dpk_fail_nomem(err);
        goto out;
    }
    if (!words_split_file(&inside, (const char *)text.data))
        status = dpk_fail(err, DPK_ERR_USAGE, "%s: a quote is not closed", path);
    else
        status = expand(to, &inside, depth + 1, err);
out:
    words_free(&inside);
    dpk_buf_free(&text);
    return status;
}

static enum dpk_status expand(struct words *to, const struct words *from, unsigned depth,
                              struct dpk_error *err)
{
    for (size_t i = 0; i < from->count; i++) {
        const char *value = options_file_value(from->at[i]);
        if (!value) {
            words_add(to, from->at[i]);
            continue;
        }
        if (!*value) {
            if (i + 1 == from->count)
                return dpk_fail(err, DPK_ERR_USAGE, "option %s needs an argument (FILE)",
                                from->at[i]);
            value = from->at[++i];
        }
        struct words files = {0};
        words_split(&files, value);
        enum dpk_status status = DPK_OK;
        for (size_t f = 0; f < files.count && status == DPK_OK; f++)
            status = expand_file(to, files.at[f], depth, err);
        words_free(&files);
        if (status != DPK_OK)
            return status;
    }
    return to->failed || from->failed ? dpk_fail_nomem(err) : DPK_OK;
}

/* "-output x.a" is a slip of the pen, not -o with "utput" behind it. */
static enum dpk_status check_output_spelling(const struct words *arguments, struct dpk_error *err)
{
    static const char *const names[] = {"output-file", "output-libname", "optf", "options-file",
                                        NULL};
    for (size_t i = 1; i < arguments->count; i++) {
        const char *word = arguments->at[i];
        if (strncmp(word, "-o", 2) != 0)
            continue;
        char *name = strndup(word + 1, strcspn(word + 1, "="));
        if (!name)
            return dpk_fail_nomem(err);
        const char *near = dpk_closest(name, names);
        if (!near && strncmp(name, "output", 6) == 0)
            near = names[0];
        enum dpk_status status = DPK_OK;
        if (near && strcmp(name, near) != 0)
            status =
                dpk_fail(err, DPK_ERR_USAGE, "unknown option -%s; did you mean -%s?", name, near);
        free(name);
        if (status != DPK_OK)
            return status;
    }
    return DPK_OK;
}

/* "-O3" is meant for a compiler behind this one. */
static enum dpk_status hint_at_compilers(const char *word, struct dpk_error *err)
{
    static const char *const begins[] = {"-O", "-W", "-f", "-g", "-std=", "-m", "-U", "-isystem"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(word, begins[i], strlen(begins[i])) == 0)
            return dpk_fail(err, DPK_ERR_USAGE,
                            "unknown option %.*s; the DPA's compiler gets it with "
                            "--devicecc-options=%s, the host's with --hostcc-options",
                            (int)strcspn(word, "="), word, word);
    return DPK_ERR_USAGE;
}

enum dpk_status config_parse(struct config *c, int argc, char **argv, struct dpk_error *err)
{
    struct words given = {0};
    struct dpk_args args = {0};
    struct dpk_option table[OPTION_COUNT];
    c->hostcc = "gcc";
    c->app = "__dpa_a_out";
    fill_table(c, table);
    for (int i = 0; i < argc; i++)
        words_add(&given, argv[i]);
    enum dpk_status status = expand(&c->arguments, &given, 0, err);
    words_free(&given);
    if (status == DPK_OK)
        status = check_output_spelling(&c->arguments, err);
    if (status != DPK_OK)
        return status;
    status = dpk_options_parse(table, true, (int)c->arguments.count, c->arguments.at, &args, err);
    if (args.unknown)
        status = hint_at_compilers(args.unknown, err);
    if (status != DPK_OK || c->help || c->version)
        goto out;
    status = config_check(c, &args, err);
out:
    free(args.words);
    return status;
}

void config_free(struct config *c)
{
    words_free(&c->units);
    words_free(&c->archives);
    words_free(&c->host_options);
    words_free(&c->device_options);
    words_free(&c->link_options);
    words_free(&c->device_libs);
    words_free(&c->includes);
    words_free(&c->defines);
    words_free(&c->inputs);
    words_free(&c->mcpu);
    words_free(&c->arguments);
    free(c->self);
    free(c->root);
}
