#include "config.h"

#include <stdlib.h>
#include <string.h>

#define OPTIONS_FILE_MAX   ((size_t)1 << 20)
#define OPTIONS_FILE_DEPTH 8

#define AT(field) offsetof(struct config, field)

const struct dpk_option dpacc_config_options[] = {
    {"o,output-file,output-libname", DPK_FILE, "FILE", AT(output),
     .help = "the program (a static library for the host), or the output of the mode"},
    {"hostcc", DPK_TEXT, "PATH", AT(hostcc), .standard = "gcc", .help = "host compiler"},
    {"hostcc-options", DPK_PARSED, "LIST", AT(host_options), .parse = dpk_words_parse_list,
     .help = "options for the host compiler"},
    {"devicecc-options", DPK_PARSED, "LIST", AT(device_options), .parse = dpk_words_parse_list,
     .help = "options for the device compiler"},
    {"devicelink-options", DPK_PARSED, "LIST", AT(link_options), .parse = dpk_words_parse_list,
     .help = "options for the device linker"},
    {"device-libs", DPK_PARSED, "LIST", AT(device_libs), .parse = dpk_words_parse_list,
     .help = "device libraries, as the linker takes them"},
    {"ldpa", .at = AT(link_dpa), .help = "link the DOCA DPA device library"},
    {"I,common-include-path", DPK_PARSED, "DIR", AT(includes), .parse = dpk_words_parse_word,
     .help = "header directory, for host and device"},
    {"D", DPK_PARSED, "MACRO[=VALUE]", AT(defines), .parse = dpk_words_parse_word,
     .help = "define a macro, for host and device"},
    {"mcpu", DPK_PARSED, "TARGET[,TARGET...]", AT(mcpu), .parse = dpk_words_parse_list,
     .help = "of " TARGET_LIST " (nv-dpa-bf3)"},
    {"app-name", DPK_TEXT, "NAME", AT(app), .standard = "__dpa_a_out",
     .help = "name of the program and of its host variable"},
    {"dpa-proc-attr", DPK_FILE, "FILE", AT(attributes),
     .help = "attributes of the program, as a blob"},
    {"flto", .at = AT(flto), .help = "optimise the device code at link time"},
    {"coverage", .at = AT(coverage),
     .help = "count which device code runs; a run writes a file for llvm-cov"},
    {"disable-asm-checks", .at = AT(no_asm_checks), .help = "accepted; assembly is not checked"},
    {"keep", .at = AT(keep), .help = "keep intermediate files here"},
    {"keep-dir", DPK_TEXT, "DIR", AT(keep_dir), .help = "keep intermediate files in DIR"},
    {"compile-commands", DPK_FILE, "FILE", AT(database),
     .help = "write the compile commands of sources into FILE, for clangd"},
    {"dryrun", .at = AT(dryrun), .help = "only print the commands"},
    {"v,verbose", .at = AT(verbose), .help = "print the commands, and run each verbosely"},
    {"j,jobs", DPK_NUMBER, "N", AT(jobs), 1, 1024,
     .help = "commands to run in parallel (default: number of processors)"},
    {"optf,options-file", DPK_TEXT, "FILE[,FILE...]", AT(options_file),
     .help = "read more options from files"},
    {"c,compile", .at = AT(compile_only), .help = "make a DPA object (.dpa.o) of each source"},
    {"gen-libs", .at = AT(gen_libs), .help = "make FILE_host.a and FILE_device.a"},
    {"shared", .at = AT(shared), .help = "make a shared library for the host"},
    {0},
};

/* ---- Options files ---- */

/* Returns the value of -optf in `word`: the text after '=', or "" if the value is the next word.
 * NULL for another option. */
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
    if (!dpk_words_split_file(&inside,
                              (const char *)text.data + dpk_text_mark(text.data, text.size)))
        status = dpk_fail(err, DPK_ERR_USAGE, "%s: a quote is not closed", path);
    else
        status = expand(to, &inside, depth + 1, err);
out:
    dpk_words_free(&inside);
    dpk_buf_free(&text);
    return status;
}

static enum dpk_status expand(struct words *to, const struct words *from, unsigned depth,
                              struct dpk_error *err)
{
    for (size_t i = 0; i < from->count; i++) {
        const char *value = options_file_value(from->at[i]);
        if (!value) {
            dpk_words_add(to, from->at[i]);
            continue;
        }
        if (!*value) {
            if (i + 1 == from->count)
                return dpk_fail(err, DPK_ERR_USAGE, "option %s needs an argument (FILE)",
                                from->at[i]);
            value = from->at[++i];
        }
        struct words files = {0};
        dpk_words_split(&files, value);
        enum dpk_status status = DPK_OK;
        for (size_t f = 0; f < files.count && status == DPK_OK; f++)
            status = expand_file(to, files.at[f], depth, err);
        dpk_words_free(&files);
        if (status != DPK_OK)
            return status;
    }
    return to->failed || from->failed ? dpk_fail_nomem(err) : DPK_OK;
}

/* Refuses "-output x.a", which would mean -o with "utput". */
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

/* Explains that an option like "-O3" is for one of the compilers. */
enum dpk_status dpacc_config_unknown(const char *word, struct dpk_error *err)
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

enum dpk_status dpacc_config_arguments(struct words *arguments, int argc, char **argv,
                                       struct dpk_error *err)
{
    struct words given = {0};
    for (int i = 0; i < argc; i++)
        dpk_words_add(&given, argv[i]);
    enum dpk_status status = expand(arguments, &given, 0, err);
    dpk_words_free(&given);
    return status == DPK_OK ? check_output_spelling(arguments, err) : status;
}

void dpacc_config_free(void *config)
{
    struct config *c = config;
    dpk_words_free(&c->units);
    dpk_words_free(&c->archives);
    dpk_words_free(&c->host_options);
    dpk_words_free(&c->device_options);
    dpk_words_free(&c->link_options);
    dpk_words_free(&c->device_libs);
    dpk_words_free(&c->includes);
    dpk_words_free(&c->defines);
    dpk_words_free(&c->inputs);
    dpk_words_free(&c->mcpu);
    dpk_words_free(&c->release);
    free(c->self);
    free(c->root);
}
