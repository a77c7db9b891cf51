#include "build.h"

#include "clangd.h"
#include "complaints.h"
#include "inputs.h"
#include "steps.h"
#include "workdir.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX ((size_t)1 << 30)

bool dpacc_build_is_source(const struct build *b, size_t unit)
{
    return dpacc_config_is_source(b->config->units.at[unit]);
}

bool dpacc_build_links(const struct config *c)
{
    return c->mode == MODE_PROGRAM || c->mode == MODE_SHARED;
}

size_t dpacc_build_weight(const struct build *b, size_t unit)
{
    struct stat st;
    return stat(b->config->units.at[unit], &st) == 0 && st.st_size > 0 ? (size_t)st.st_size : 1;
}

enum dpk_status dpacc_build_run_jobs(struct build *b)
{
    enum dpk_status status = dpk_run_all(&b->run, &b->jobs, &b->err);
    if (status == DPK_OK)
        dpk_jobs_free(&b->jobs);
    return status;
}

/* ---- Steps ---- */

/* Returns true if the host's part of an object must wait for the device's part, which it
 * contains. */
static bool has_object_stub(const struct config *c)
{
    return c->mode == MODE_COMPILE;
}

/* With --coverage: makes objects from the assembly that the compiles have written. */
static enum dpk_status assemble(struct build *b)
{
    const struct config *c = b->config;
    static const struct {
        const char *what;
        void (*command)(const struct config *, const struct paths *, size_t, size_t,
                        struct words *);
    } steps[] = {{"preparing of counters", dpacc_edit_counts},
                 {"device assembly", dpacc_assemble_counts}};
    enum dpk_status status = DPK_OK;
    for (size_t s = 0; s < sizeof steps / sizeof *steps && status == DPK_OK; s++) {
        for (size_t i = 0; i < b->paths.count; i++)
            for (size_t t = 0; t < c->target_count && dpacc_build_is_source(b, i); t++)
                steps[s].command(c, &b->paths, i, t, dpk_jobs_add(&b->jobs, steps[s].what, 2));
        status = dpacc_build_run_jobs(b);
    }
    return status;
}

static enum dpk_status compile(struct build *b)
{
    const struct config *c = b->config;
    for (size_t i = 0; i < b->paths.count; i++) {
        if (!dpacc_build_is_source(b, i)) {
            dpacc_strip_object(c, &b->paths, i, dpk_jobs_add(&b->jobs, "DPA object", 1));
            continue;
        }
        for (size_t t = 0; t < c->target_count; t++) {
            dpacc_compile_source(c, &b->paths, &b->device, i, t, b->units[i].overlay,
                                 dpk_jobs_add(&b->jobs, "device compile", 1));
            dpk_jobs_weigh(&b->jobs, dpacc_build_weight(b, i));
        }
        if (b->units[i].syntax_error)
            continue; /* the compile above reports it */
        for (size_t t = 0; t < c->target_count; t++)
            dpacc_compile_wrappers(c, &b->paths, &b->device, i, t,
                                   dpk_jobs_add(&b->jobs, "device compile of generated code", 2));
        if (!has_object_stub(c))
            dpacc_compile_host(c, &b->paths, i, false,
                               dpk_jobs_add(&b->jobs, "host compile of generated code", 2));
    }
    enum dpk_status status = dpacc_build_run_jobs(b);
    for (size_t i = 0; i < b->paths.count && status == DPK_OK && !b->run.dry; i++)
        if (b->units[i].syntax_error)
            status = dpk_fail(&b->err, DPK_ERR_FORMAT, "%s", b->units[i].syntax_error);
    return status == DPK_OK && c->coverage ? assemble(b) : status;
}

static enum dpk_status join(struct build *b)
{
    const struct config *c = b->config;
    if (dpacc_build_links(c) && !dpacc_config_keeps(c))
        return DPK_OK;
    for (size_t i = 0; i < b->paths.count; i++)
        for (size_t t = 0; t < c->target_count && dpacc_build_is_source(b, i); t++)
            dpacc_join_device(c, &b->paths, i, t, dpk_jobs_add(&b->jobs, "device join", 2));
    return dpacc_build_run_jobs(b);
}

/* With -keep, build scripts may need these files to make the host objects again. */
static enum dpk_status put_objects(struct build *b)
{
    const struct config *c = b->config;
    if (!has_object_stub(c) && !dpacc_config_keeps(c))
        return DPK_OK;
    for (size_t i = 0; i < b->paths.count; i++)
        if (dpacc_build_is_source(b, i))
            dpacc_make_object_stub(c, &b->paths, i, dpk_jobs_add(&b->jobs, "embedding", 2));
    enum dpk_status status = dpacc_build_run_jobs(b);
    if (status != DPK_OK || !has_object_stub(c))
        return status;
    for (size_t i = 0; i < b->paths.count; i++)
        dpacc_compile_host(c, &b->paths, i, true,
                           dpk_jobs_add(&b->jobs, "host compile of generated code", 2));
    return dpacc_build_run_jobs(b);
}

static enum dpk_status link_programs(struct build *b)
{
    const struct config *c = b->config;
    struct words entries = {0}, hosts = {0};
    if (!dpacc_build_links(c))
        return DPK_OK;
    for (size_t i = 0; i < b->paths.count; i++)
        dpk_words_append(&entries, &b->units[i].entries);
    dpk_words_append(&entries, &b->library_entries);
    for (size_t i = 0; i < b->paths.count; i++)
        dpk_words_append(&hosts, &b->units[i].hosts);
    dpk_words_append(&hosts, &b->library_hosts);
    for (size_t t = 0; t < c->target_count; t++)
        dpacc_link_device(c, &b->paths, &entries, b->fat, t,
                          dpk_jobs_add(&b->jobs, "device link", 1));
    enum dpk_status status = dpacc_build_run_jobs(b);
    for (size_t t = 0; t < c->target_count && status == DPK_OK; t++)
        dpacc_finish_device(c, &b->paths, t, dpk_jobs_add(&b->jobs, "device executable", 2));
    if (status == DPK_OK)
        dpacc_make_meta(c, &b->paths, &hosts, dpk_jobs_add(&b->jobs, "embedding", 2));
    dpk_words_free(&entries);
    dpk_words_free(&hosts);
    return status == DPK_OK ? dpacc_build_run_jobs(b) : status;
}

static enum dpk_status embed(struct build *b)
{
    const struct config *c = b->config;
    if (!dpacc_build_links(c))
        return DPK_OK;
    dpacc_make_program_stub(c, &b->paths, dpk_jobs_add(&b->jobs, "embedding", 2));
    enum dpk_status status = dpacc_build_run_jobs(b);
    if (status == DPK_OK) {
        dpacc_compile_meta(c, &b->paths,
                           dpk_jobs_add(&b->jobs, "host compile of generated code", 2));
        status = dpacc_build_run_jobs(b);
    }
    if (status == DPK_OK) {
        dpacc_join_host(c, &b->paths, dpk_jobs_add(&b->jobs, "host join", 2));
        status = dpacc_build_run_jobs(b);
    }
    return status;
}

/* Removes an archive of an earlier run with -keep, to which the archiver would add. */
static enum dpk_status remove_old(struct build *b, const char *path)
{
    dpk_run_say_words(&b->run, "rm", "-f", path, NULL);
    if (!b->run.dry)
        unlink(path);
    return DPK_OK;
}

static enum dpk_status archive_devices(struct build *b)
{
    const struct config *c = b->config;
    for (size_t t = 0; t < c->target_count; t++) {
        char *path = NULL;
        if (asprintf(&path, "%sdevice_exec.%s.a", b->paths.dir, c->targets[t]->name) < 0)
            return dpk_fail_nomem(&b->err);
        remove_old(b, path);
        free(path);
        dpacc_name_device_library(c, &b->paths, t, dpk_jobs_add(&b->jobs, "library's name", 2));
        enum dpk_status status = dpacc_build_run_jobs(b);
        if (status != DPK_OK)
            return status;
        dpacc_archive_device(c, &b->paths, t, dpk_jobs_add(&b->jobs, "device archive", 2));
        status = dpacc_build_run_jobs(b);
        if (status != DPK_OK)
            return status;
    }
    dpacc_make_fat_library(c, &b->paths, dpk_jobs_add(&b->jobs, "device archive", 2));
    return dpacc_build_run_jobs(b);
}

static enum dpk_status name_host(struct build *b)
{
    dpacc_name_host_library(b->config, &b->paths, dpk_jobs_add(&b->jobs, "library's name", 2));
    enum dpk_status status = dpacc_build_run_jobs(b);
    if (status != DPK_OK)
        return status;
    dpacc_compile_library_name(b->config, &b->paths,
                               dpk_jobs_add(&b->jobs, "host compile of generated code", 2));
    return dpacc_build_run_jobs(b);
}

static enum dpk_status archive(struct build *b)
{
    const struct config *c = b->config;
    enum dpk_status status = DPK_OK;
    if (c->mode == MODE_COMPILE)
        return DPK_OK;
    if (c->mode == MODE_LIBRARIES)
        status = archive_devices(b);
    if (c->mode == MODE_LIBRARIES && status == DPK_OK)
        status = name_host(b);
    if (status != DPK_OK)
        return status;
    char *made = dpacc_made_output(c, &b->paths, 0);
    if (!made)
        return dpk_fail_nomem(&b->err);
    remove_old(b, made);
    free(made);
    if (c->mode == MODE_SHARED)
        dpacc_make_shared(c, &b->paths, dpk_jobs_add(&b->jobs, "host link", 2));
    else
        dpacc_make_archive(c, &b->paths, dpk_jobs_add(&b->jobs, "archive", 2));
    return dpacc_build_run_jobs(b);
}

static enum dpk_status publish_one(struct build *b, const char *from, const char *to)
{
    struct dpk_buf bytes = {0};
    const char *plain = strncmp(to, "./", 2) == 0 ? to + 2 : to;
    if (strcmp(from, plain) == 0) /* -c -keep */
        return DPK_OK;
    dpk_run_say_words(&b->run, "cp", from, to, NULL);
    if (b->run.dry)
        return DPK_OK;
    enum dpk_status status = dpk_file_read(from, FILE_MAX, &bytes, &b->err);
    if (status == DPK_OK)
        status = dpk_run_check(&b->run, &b->err);
    if (status == DPK_OK)
        status = dpk_file_replace(to, bytes.data, bytes.size,
                                  b->config->mode == MODE_SHARED ? 0777 : 0666, &b->err);
    dpk_buf_free(&bytes);
    return status;
}

static enum dpk_status publish(struct build *b)
{
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < dpacc_config_output_count(b->config) && status == DPK_OK; i++) {
        char *from = dpacc_made_output(b->config, &b->paths, i),
             *to = dpacc_config_output(b->config, i);
        status = from && to ? publish_one(b, from, to) : dpk_fail_nomem(&b->err);
        free(from);
        free(to);
    }
    if (b->run.dry && !dpacc_config_keeps(b->config)) {
        b->paths.dir[strlen(b->paths.dir) - 1] = 0;
        dpk_run_say_words(&b->run, "rm", "-r", b->paths.dir, NULL);
    }
    return status;
}

/* ---- The story ---- */

/* ---- Errors ---- */
static int fail(struct build *b)
{
    const struct job *job = b->run.failed;
    if (b->run.caught)
        return 2;
    /* Other exit codes come from the dynamic linker, which had no memory. */
    bool spoke = b->run.exit_code == 1 || b->run.exit_code == 2;
    if (job && spoke && dpacc_step_is(job->words.count, job->words.at))
        return b->run.exit_code;
    fprintf(stderr, "-E- %s%s%s\n", job ? job->what : "", job ? ": " : "", b->err.message);
    if (job && b->run.verbose) {
        struct dpk_buf line = {0};
        dpk_words_quote(&job->words, &line);
        dpk_put_u8(&line, 0);
        if (!line.failed)
            fprintf(stderr, "    %s\n", (const char *)line.data);
        dpk_buf_free(&line);
    }
    if (b->err.status == DPK_ERR_TOOL)
        return job && b->run.exit_code >= 0 ? job->exit_code : 2;
    return b->err.status == DPK_ERR_NOMEM ? 2 : 1;
}

/* Reports errors of the inputs. Returns 0 if there are none, or if the compiler will report
 * them. */
static int judge_inputs(struct build *b)
{
    if (dpacc_complaints_print(b->units, b->paths.count))
        return 1;
    for (size_t i = 0; i < b->paths.count; i++)
        if (b->units[i].syntax_error)
            return 0;
    return dpacc_complaints_print_names(b->units, &b->library_entries, b->config) ? 1 : 0;
}

/* Examines the inputs. With -dryrun this prints nothing, and commands are listed even for inputs
 * with errors. */
static int examine(struct build *b)
{
    const struct config *c = b->config;
    bool verbose = b->run.verbose;
    b->run.dry = false;
    b->run.verbose = verbose && !c->dryrun;
    dpacc_device_arguments(c, &b->device);
    enum dpk_status status = b->device.failed ? dpk_fail_nomem(&b->err) : DPK_OK;
    /* First, because an editor needs the database most when the source has errors. */
    if (status == DPK_OK && c->database && !c->dryrun)
        status = dpacc_clangd_tell(b);
    if (status == DPK_OK)
        status = dpacc_inputs_find_resources(b);
    if (status == DPK_OK)
        status = dpacc_inputs_look(b);
    b->run.verbose = verbose;
    b->run.dry = c->dryrun;
    if (!c->dryrun || !b->resources)
        return status == DPK_OK ? judge_inputs(b) : fail(b);
    dpk_jobs_free(&b->jobs);
    b->run.failed = NULL;
    if (dpacc_workdir_pretend(c, &b->run, &b->paths, &b->err) != DPK_OK ||
        dpacc_inputs_open(b) != DPK_OK)
        return fail(b);
    return 0;
}

static enum dpk_status (*const steps[])(struct build *b) = {
    compile, join, put_objects, link_programs, embed, archive, publish,
};

static enum dpk_status prepare(struct build *b)
{
    const struct config *c = b->config;
    enum dpk_status status = dpacc_workdir_names(c, &b->paths, &b->err);
    if (status == DPK_OK)
        status = dpacc_inputs_find_fat_libraries(b);
    if (status == DPK_OK)
        status = dpacc_workdir_make(c, &b->run, &b->paths, &b->err);
    if (status == DPK_OK && dpacc_config_keeps(c))
        status = dpacc_commands_keep_apart(c, &b->paths, &b->err);
    return status;
}

static void release(struct build *b)
{
    dpk_jobs_free(&b->jobs);
    for (size_t i = 0; i < b->paths.count && b->units; i++) {
        struct unit *u = &b->units[i];
        dpk_words_free(&u->entries);
        dpk_words_free(&u->hosts);
        dpk_words_free(&u->places);
        dpk_words_free(&u->complaints);
        free(u->syntax_error);
    }
    dpacc_workdir_free(&b->paths);
    free(b->units);
    free(b->fat);
    free(b->resources);
    dpk_words_free(&b->library_entries);
    dpk_words_free(&b->library_hosts);
    dpk_words_free(&b->device);
}

static int run_step(size_t count, char *const *words)
{
    return dpacc_step_run(count, words, true);
}

int dpacc_build(const struct config *config)
{
    static const struct run_steps own = {.is = dpacc_step_is, .run = run_step};
    struct build b = {.config = config,
                      .run = {.tool = "dpacc",
                              .steps = &own,
                              .verbose = config->verbose,
                              .jobs = config->jobs,
                              .merges = config->target_count > 1}};
    dpk_run_start(&b.run);
    b.units = calloc(config->units.count, sizeof *b.units);
    int code = !b.units ? 2 : prepare(&b) != DPK_OK ? fail(&b) : examine(&b);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == 0; i++)
        if (steps[i](&b) != DPK_OK)
            code = fail(&b);
    release(&b);
    dpk_run_finish(&b.run);
    return code;
}
