#include "build.h"

#include "commands.h"
#include "complaints.h"
#include "embed.h"
#include "ifgen.h"
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEVICE_ELF_MAX ((size_t)1 << 30)

struct build {
    const struct config *config;
    struct run run;
    struct paths paths;
    struct words device; /* arguments of every device compile */
    struct ifgen_unit *units;
    struct words *commands; /* one per source, and one more */
    struct dpk_error err;
};

static size_t command_count(const struct build *b)
{
    return b->paths.count + 1;
}

static void clear_commands(struct build *b)
{
    for (size_t i = 0; i < command_count(b); i++)
        words_free(&b->commands[i]);
    b->run.failed = NULL;
}

/* ---- Names --------------------------------------------------------------------------------------
 */

static bool name_taken(const struct paths *p, const char *name)
{
    if (strcmp(name, "device_exec") == 0) /* what the whole program is called */
        return true;
    for (size_t i = 0; i < p->count; i++)
        if (p->names[i] && strcmp(p->names[i], name) == 0)
            return true;
    return false;
}

/* a/k.c and b/k.c: the second becomes k_2. */
static char *unique_name(const struct paths *p, const char *source)
{
    const char *slash = strrchr(source, '/'), *base = slash ? slash + 1 : source;
    char *name = strndup(base, strlen(base) - 2);
    for (unsigned n = 2; name && name_taken(p, name); n++) {
        free(name);
        if (asprintf(&name, "%.*s_%u", (int)strlen(base) - 2, base, n) < 0)
            return NULL;
    }
    return name;
}

static enum dpk_status make_names(struct build *b)
{
    const struct words *sources = &b->config->sources;
    b->paths.names = calloc(sources->count, sizeof *b->paths.names);
    b->units = calloc(sources->count, sizeof *b->units);
    b->commands = calloc(sources->count + 1, sizeof *b->commands);
    if (!b->paths.names || !b->units || !b->commands)
        return dpk_fail_nomem(&b->err);
    for (size_t i = 0; i < sources->count; i++) {
        char *name = unique_name(&b->paths, sources->at[i]);
        if (!name)
            return dpk_fail_nomem(&b->err);
        b->paths.names[b->paths.count++] = name;
    }
    return DPK_OK;
}

static enum dpk_status make_directory(struct build *b)
{
    const struct config *c = b->config;
    const char *dir = c->keep_dir;
    if (dir && !c->dryrun && mkdir(dir, 0777) != 0 && errno != EEXIST)
        return dpk_fail_errno(&b->err, "-keep-dir: %s", dir);
    if (!dir && !c->keep) {
        if (!c->dryrun && run_make_temp(&b->run, &b->err) != DPK_OK)
            return b->err.status;
        dir = c->dryrun ? "/tmp/dpacc_XXXXXX" : b->run.temp;
    }
    if (c->dryrun && dir) {
        struct words command = {0};
        words_add(&command, "mkdir");
        words_add(&command, "-p");
        words_add(&command, dir);
        run_say_command(&b->run, &command);
        words_free(&command);
    }
    if (!dir || strcmp(dir, ".") == 0)
        b->paths.dir = strdup("");
    else if (asprintf(&b->paths.dir, "%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/") < 0)
        b->paths.dir = NULL;
    return b->paths.dir ? DPK_OK : dpk_fail_nomem(&b->err);
}

static bool keeps(const struct config *c)
{
    return c->keep || c->keep_dir;
}

/* ---- Files --------------------------------------------------------------------------------------
 */

static enum dpk_status write_file(struct build *b, struct dpk_buf *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes the text; frees it. */
static enum dpk_status write_file(struct build *b, struct dpk_buf *text, const char *format, ...)
{
    char *name = NULL, *path = NULL;
    enum dpk_status status = DPK_OK;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&name, format, values);
    va_end(values);
    if (length < 0 || asprintf(&path, "%s%s", b->paths.dir, name) < 0 || text->failed)
        status = dpk_fail_nomem(&b->err);
    else
        status = dpk_file_replace(path, text->data, text->size, 0666, &b->err);
    if (status == DPK_OK)
        run_say(&b->run, "# dpacc wrote %s", path);
    if (length >= 0)
        free(name);
    free(path);
    dpk_buf_free(text);
    return status;
}

static enum dpk_status read_file(struct build *b, struct dpk_buf *out, const char *a, const char *c)
{
    char *path = NULL;
    if (asprintf(&path, "%s%s%s", b->paths.dir, a, c) < 0)
        return dpk_fail_nomem(&b->err);
    enum dpk_status status = dpk_file_read(path, DEVICE_ELF_MAX, out, &b->err);
    free(path);
    return status;
}

/* ---- Looking at the sources ---------------------------------------------------------------------
 */

static enum dpk_status parse_sources(struct build *b)
{
    struct words ask = {0}, arguments = {0};
    struct dpk_buf resources = {0};
    words_add(&ask, device_compiler());
    words_add(&ask, "-print-resource-dir");
    enum dpk_status status = run_capture(&b->run, &ask, &resources, &b->err);
    if (status == DPK_OK) {
        char *text = (char *)resources.data;
        text[strcspn(text, "\n")] = 0;
        parse_arguments(&b->device, text, &arguments);
        if (arguments.failed)
            status = dpk_fail_nomem(&b->err);
    }
    for (size_t i = 0; i < b->paths.count && status == DPK_OK; i++) {
        status = ifgen_parse(b->config->sources.at[i], &arguments, &b->units[i], &b->err);
        if (status == DPK_OK)
            status = run_check(&b->run, &b->err);
    }
    b->run.failed = NULL;
    dpk_buf_free(&resources);
    words_free(&arguments);
    words_free(&ask);
    return status;
}

/* ---- Steps --------------------------------------------------------------------------------------
 */

static enum dpk_status run_commands(struct build *b, size_t count)
{
    return run_all(&b->run, b->commands, count, &b->err);
}

static enum dpk_status compile_sources(struct build *b)
{
    for (size_t i = 0; i < b->paths.count; i++)
        compile_source(b->config, &b->paths, &b->device, i, &b->commands[i]);
    return run_commands(b, b->paths.count);
}

static enum dpk_status generate(struct build *b)
{
    for (size_t i = 0; i < b->paths.count; i++) {
        struct dpk_buf device = {0}, host = {0};
        const char *name = b->paths.names[i];
        char registrar[300];
        if (b->run.dry) {
            run_say(&b->run, "# dpacc writes %s%s.dpa.device.c and %s%s.dpa.host.c", b->paths.dir,
                    name, b->paths.dir, name);
            continue;
        }
        snprintf(registrar, sizeof registrar, "_dpacc_register_%s_%zu", b->config->app, i);
        ifgen_device(&b->units[i], &device);
        ifgen_host(&b->units[i], registrar, &host);
        enum dpk_status status = write_file(b, &device, "%s.dpa.device.c", name);
        if (status == DPK_OK)
            status = write_file(b, &host, "%s.dpa.host.c", name);
        dpk_buf_free(&host);
        if (status != DPK_OK)
            return status;
    }
    return DPK_OK;
}

static enum dpk_status compile_all_wrappers(struct build *b)
{
    for (size_t i = 0; i < b->paths.count; i++)
        compile_wrappers(b->config, &b->paths, &b->device, i, &b->commands[i]);
    return run_commands(b, b->paths.count);
}

/* With -flto the objects go to the last link as they are, and are joined only to be kept. */
static enum dpk_status join_all(struct build *b)
{
    for (size_t i = 0; i < b->paths.count; i++)
        join_device(b->config, &b->paths, i, &b->commands[i]);
    return b->config->flto && !keeps(b->config) ? DPK_OK : run_commands(b, b->paths.count);
}

static enum dpk_status link_all(struct build *b)
{
    struct words entries = {0};
    for (size_t i = 0; i < b->paths.count; i++)
        for (size_t n = 0; n < b->units[i].function_count; n++) {
            const char *name = b->units[i].functions[n].name;
            words_add(&entries, name);
            if (b->config->flto) { /* the linker script keeps them only as sections */
                words_addf(&entries, "_dpacc_unpack_%s", name);
                words_addf(&entries, "_dpacc_argsize_%s", name);
            }
        }
    link_device(b->config, &b->paths, &entries, &b->commands[0]);
    bool failed = entries.failed;
    words_free(&entries);
    return failed ? dpk_fail_nomem(&b->err) : run_commands(b, 1);
}

static enum dpk_status strip(struct build *b)
{
    strip_labels(b->config, &b->paths, &b->commands[0]);
    return run_commands(b, 1);
}

/* What some build scripts take from the kept files to make the host objects again. */
static enum dpk_status keep_object_stubs(struct build *b)
{
    const struct config *c = b->config;
    if (!keeps(c))
        return DPK_OK;
    for (size_t i = 0; i < b->paths.count; i++) {
        struct dpk_buf object = {0}, text = {0};
        char suffix[32];
        snprintf(suffix, sizeof suffix, ".%s.dpa.join.o", c->target->name);
        enum dpk_status status = read_file(b, &object, b->paths.names[i], suffix);
        if (status == DPK_OK) {
            dpk_put_format(&text, "/* Generated by dpacc. */\n");
            embed_bytes(".dpa_obj", NULL, false, &object, &text);
            status = write_file(b, &text, "%s.stub.inc", b->paths.names[i]);
        }
        dpk_buf_free(&object);
        if (status != DPK_OK)
            return status;
    }
    return DPK_OK;
}

static enum dpk_status embed(struct build *b)
{
    const struct config *c = b->config;
    struct dpk_buf elf = {0}, attributes = {0}, stub = {0}, meta = {0};
    if (b->run.dry) {
        run_say(&b->run, "# dpacc writes %sdevice_exec.stub.inc and %s%s.meta.c", b->paths.dir,
                b->paths.dir, c->app);
        return DPK_OK;
    }
    enum dpk_status status = keep_object_stubs(b);
    if (status == DPK_OK)
        status = read_file(b, &elf, "device_exec.", c->target->name);
    if (status == DPK_OK && c->attributes)
        status = dpk_file_read(c->attributes, DEVICE_ELF_MAX, &attributes, &b->err);
    if (status == DPK_OK) {
        embed_program(c->app, &elf, c->attributes ? &attributes : NULL, &stub);
        status = write_file(b, &stub, "device_exec.stub.inc");
    }
    if (status == DPK_OK) {
        embed_meta(c->app, b->paths.count, &meta);
        status = write_file(b, &meta, "%s.meta.c", c->app);
    }
    dpk_buf_free(&elf);
    dpk_buf_free(&attributes);
    return status;
}

static enum dpk_status compile_hosts(struct build *b)
{
    const struct config *c = b->config;
    char name[600];
    for (size_t i = 0; i < b->paths.count; i++) {
        snprintf(name, sizeof name, "%s.dpa.host", b->paths.names[i]);
        compile_host(c, &b->paths, name, NULL, NULL, &b->commands[i]);
    }
    snprintf(name, sizeof name, "%s.meta", c->app);
    compile_host(c, &b->paths, name, "__DPA_EXEC_STUB_FILE__", "device_exec.stub.inc",
                 &b->commands[b->paths.count]);
    return run_commands(b, command_count(b));
}

static enum dpk_status join_hosts(struct build *b)
{
    join_host(b->config, &b->paths, &b->commands[0]);
    return run_commands(b, 1);
}

static enum dpk_status archive(struct build *b)
{
    char *path = NULL;
    if (asprintf(&path, "%shostStubs.a", b->paths.dir) < 0)
        return dpk_fail_nomem(&b->err);
    if (!b->run.dry)
        unlink(path); /* ar would add to what -keep left */
    free(path);
    make_archive(&b->paths, &b->commands[0]);
    return run_commands(b, 1);
}

static enum dpk_status publish(struct build *b)
{
    struct dpk_buf bytes = {0};
    struct words copy = {0};
    enum dpk_status status = DPK_OK;
    words_add(&copy, "cp");
    words_addf(&copy, "%shostStubs.a", b->paths.dir);
    words_add(&copy, b->config->output);
    run_say_command(&b->run, &copy);
    words_free(&copy);
    if (!b->run.dry) {
        status = read_file(b, &bytes, "hostStubs.a", "");
        if (status == DPK_OK)
            status = run_check(&b->run, &b->err);
        if (status == DPK_OK)
            status = dpk_file_replace(b->config->output, bytes.data, bytes.size, 0666, &b->err);
        dpk_buf_free(&bytes);
    }
    return status;
}

/* ---- The story ----------------------------------------------------------------------------------
 */

static const struct step {
    enum dpk_status (*run)(struct build *b);
    const char *what;
    int exit_code; /* when a tool says no: 1 if that is about the user's code */
} steps[] = {
    {compile_sources, "device compile", 1},
    {generate, "interface", 2},
    {compile_all_wrappers, "device compile of generated code", 2},
    {join_all, "device join", 2},
    {link_all, "device link", 1},
    {strip, "device symbols", 2},
    {embed, "embedding", 2},
    {compile_hosts, "host compile of generated code", 2},
    {join_hosts, "host join", 2},
    {archive, "archive", 2},
    {publish, "output", 1},
};

/* A tool that failed has told why already; its command line lets the user try again. */
static int fail(struct build *b, const char *what, int tool_exit_code)
{
    bool tool_spoke = b->run.failed && b->run.exit_code > 0;
    if (b->run.caught)
        return 2;
    fprintf(stderr, "-E- %s%s%s\n", what ? what : "", what ? ": " : "", b->err.message);
    if (b->run.failed) {
        struct dpk_buf line = {0};
        words_quote(b->run.failed, &line);
        dpk_put_u8(&line, 0);
        if (!line.failed)
            fprintf(stderr, "    %s\n", (const char *)line.data);
        dpk_buf_free(&line);
    }
    if (b->err.status == DPK_ERR_TOOL)
        return tool_spoke ? tool_exit_code : 2;
    return b->err.status == DPK_ERR_NOMEM ? 2 : 1;
}

static int look(struct build *b)
{
    enum dpk_status status = parse_sources(b);
    if (b->run.dry) /* commands are listed for any source, right or wrong */
        return 0;
    if (status != DPK_OK)
        return fail(b, NULL, 2);
    if (complaints_print(b->units, b->paths.count))
        return 1;
    for (size_t i = 0; i < b->paths.count; i++)
        if (b->units[i].syntax_errors)
            return 0; /* the compile comes next and says them all */
    return complaints_print_names(b->units, b->config) ? 1 : 0;
}

static int run_steps(struct build *b)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        clear_commands(b);
        if (steps[i].run(b) != DPK_OK)
            return fail(b, b->run.failed ? steps[i].what : NULL, steps[i].exit_code);
        for (size_t u = 0; i == 0 && !b->run.dry && u < b->paths.count; u++)
            if (b->units[u].syntax_errors) {
                fprintf(stderr, "-E- %s\n", b->units[u].first_error);
                return 1;
            }
    }
    return 0;
}

int build(const struct config *config)
{
    struct build b = {.config = config};
    b.run.verbose = config->verbose;
    b.run.dry = config->dryrun;
    b.run.jobs = config->jobs;
    run_start(&b.run);
    int code = 0;
    if (make_names(&b) != DPK_OK || make_directory(&b) != DPK_OK ||
        (keeps(config) && commands_keep_apart(config, &b.paths, &b.err) != DPK_OK))
        code = fail(&b, NULL, 2);
    if (code == 0) {
        device_arguments(config, &b.paths, &b.device);
        code = b.device.failed ? 2 : look(&b);
    }
    if (code == 0)
        code = run_steps(&b);
    if (b.commands)
        clear_commands(&b);
    for (size_t i = 0; i < b.paths.count; i++) {
        ifgen_free(&b.units[i]);
        free(b.paths.names[i]);
    }
    free(b.paths.names);
    free(b.paths.dir);
    free(b.units);
    free(b.commands);
    words_free(&b.device);
    run_finish(&b.run);
    return code;
}
