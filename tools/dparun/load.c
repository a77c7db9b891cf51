/* The command of dparun: loads the program as its device would, reports the result, and runs it. */
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "hashlist/hashlist.h"

#include "dparun.h"

/* Checks combinations of options that the table of options cannot express. */
static enum dpk_status check_options(struct options *o, struct dpk_error *err)
{
    o->list = !o->rpc && !o->kernel && !o->verify_only && !o->replay;
    if (!o->list && !!o->rpc + !!o->kernel + o->verify_only + o->replay != 1)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "give one of --rpc, --kernel, --verify-only and --replay");
    if ((o->verify_only || o->list || o->replay) && o->arg_count)
        return dpk_fail(err, DPK_ERR_USAGE, "unexpected argument %s%s", o->args[0],
                        o->list     ? "; name the function with --rpc or --kernel"
                        : o->replay ? " with --replay"
                                    : " with --verify-only");
    return DPK_OK;
}

/* ---- Loading ---- */

static void print_report(const struct dpk_load_result *result)
{
    if (result->target[0])
        printf("target: %s\n", result->target);
    for (size_t i = 0; i < result->report.count; i++) {
        const struct dpk_check *c = &result->report.checks[i];
        printf("%s: %s%s%s%s\n", c->name, dpk_verdict_name(c->verdict), c->detail[0] ? " (" : "",
               c->detail, c->detail[0] ? ")" : "");
    }
    printf("verdict: %s; DPA_AUTHENTICATION is %s\n", dpk_verdict_name(result->verdict),
           result->authentication ? "on" : "off");
}

/* Prints the report as JSON. If the hash list was not reached, sha256 is the hash of the whole
 * section. */
static enum dpk_status report_json(const struct dpk_load_result *result,
                                   const struct dpk_load_request *load, struct dpk_error *err)
{
    char digest[65];
    cJSON *o = cJSON_CreateObject();
    dpk_json_text(o, "app", load->app);
    if (result->target[0])
        cJSON_AddStringToObject(o, "target", result->target);
    if (!result->report.sha256[0])
        dpk_sha256_text(load->sections.elf, load->sections.elf_size, digest);
    dpk_json_text(o, "sha256", result->report.sha256[0] ? result->report.sha256 : digest);
    cJSON_AddStringToObject(o, "verdict", dpk_verdict_name(result->verdict));
    cJSON_AddNumberToObject(o, "code", (double)result->verdict);
    cJSON_AddBoolToObject(o, "dpa_authentication", result->authentication);
    cJSON_AddBoolToObject(o, "runs", !result->authentication || result->verdict == DPK_VERDICT_OK);
    cJSON *checks = cJSON_AddArrayToObject(o, "checks");
    for (size_t i = 0; i < result->report.count; i++) {
        const struct dpk_check *c = &result->report.checks[i];
        cJSON *check = cJSON_CreateObject();
        cJSON_AddStringToObject(check, "name", c->name);
        cJSON_AddStringToObject(check, "verdict", dpk_verdict_name(c->verdict));
        cJSON_AddBoolToObject(check, "warning", c->warning);
        dpk_json_text(check, "detail", c->detail);
        cJSON_AddItemToArray(checks, check);
    }
    return dpk_json_print(o, err);
}

/* Warns about a program with invalid crypto data, which the device would refuse if it required
 * signatures. */
static void warn_if_wrong(const struct dpk_load_result *result, const char *app)
{
    if (result->verdict == DPK_VERDICT_OK || result->verdict == DPK_VERDICT_UNSIGNED)
        return;
    const struct dpk_check *last =
        result->report.count ? &result->report.checks[result->report.count - 1] : NULL;
    fprintf(stderr, "-W- program %s: %s%s%s%s; it runs, because DPA_AUTHENTICATION is off\n", app,
            dpk_verdict_name(result->verdict), last && last->detail[0] ? " (" : "",
            last ? last->detail : "", last && last->detail[0] ? ")" : "");
}

static enum dpk_status load_and_run(void *options, const struct dpk_args *args,
                                    struct dpk_error *err)
{
    struct options *o = options;
    o->program = args->words[0];
    o->args = args->words + 1;
    o->arg_count = args->count - 1;
    struct dpk_source source = {0};
    struct dpk_device *device = NULL;
    struct dpk_image *image = NULL;
    struct dpk_load_result result = {.verdict = DPK_VERDICT_UNSIGNED};
    enum dpk_status status = check_options(o, err);
    if (status == DPK_OK && o->replay)
        return dparun_replay(o, err);
    if (status == DPK_OK)
        status = dpk_source_open(o->program, o->app, o->signature, &source, err);
    if (source.no_program)
        dpk_tool_exit_with(dpk_verdict_exit_code(DPK_VERDICT_BAD_FORMAT));
    if (status == DPK_OK && o->list) {
        status = dparun_list_functions(&source, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "%s", o->program);
        goto out;
    }
    if (status == DPK_OK)
        status = dpk_source_device(o->device, &device, err);
    if (status != DPK_OK)
        goto out;
    source.load.device = device;
    status = dpk_load(&source.load, &image, &result, err);
    dpk_tool_exit_with(dpk_load_exit_code(status, &result));
    if (o->verify_only && (status == DPK_OK || status == DPK_ERR_REFUSED)) {
        struct dpk_error why = {0};
        if (!o->json)
            print_report(&result);
        else if (report_json(&result, &source.load, &why) != DPK_OK)
            status = dpk_fail(err, DPK_ERR_NOMEM, "%s", why.message);
    }
    if (status != DPK_OK || o->verify_only)
        goto out;
    warn_if_wrong(&result, dpk_image_app(image));
    status = dparun_run(o, device, image, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", o->program);
out:
    dpk_image_free(image);
    dpk_device_close(device);
    dpk_source_close(&source);
    return status;
}

#define AT(field) offsetof(struct options, field)

/* Returns true for a file that begins as programs do: ELF files and archives. */
static bool is_program(const char *path)
{
    char head[4] = "";
    FILE *f = fopen(path, "re");
    const bool good = f && fread(head, sizeof head, 1, f) == 1 &&
                      (memcmp(head, "\177ELF", 4) == 0 || memcmp(head, "!<ar", 4) == 0);
    if (f)
        fclose(f);
    return good;
}

/* Returns true for an address of --gdb, which is not a program: "-", a port, or the path of a
 * socket. */
static bool is_place_for_gdb(const char *word)
{
    struct stat st;
    if (strcmp(word, "-") == 0 || (*word && strspn(word, "0123456789") == strlen(word)))
        return true;
    return strchr(word, '/') && (stat(word, &st) != 0 || !S_ISREG(st.st_mode) || !is_program(word));
}

static const struct dpk_option run_options[] = {
    {"d,device", DPK_TEXT, "DEV", AT(device), .help = "emulated device (default: the only device)"},
    {"app", DPK_TEXT, "NAME", AT(app), .help = "the program of a host file"},
    {"rpc", DPK_TEXT, "FUNC", AT(rpc), .help = "call FUNC, print its result"},
    {"kernel", DPK_TEXT, "FUNC", AT(kernel), .help = "launch FUNC as a kernel"},
    {"threads", DPK_NUMBER, "N", AT(threads), 1, DPK_THREADS_MAX, .standard = "1", .with = "kernel",
     .help = "threads of the kernel"},
    {"signature", DPK_FILE, "FILE", AT(signature), .help = "crypto data of a bare device ELF"},
    {"run-time-limit", DPK_NUMBER, "MS", AT(limit_ms), 1, 86400000,
     .help = "milliseconds that a thread may run or wait for events (default 6000)"},
    {"core", DPK_FILE, "FILE", AT(core), .with = "rpc,kernel",
     .help = "if the program fails, write a core file for gdb-multiarch"},
    {"gdb", DPK_TEXT, "[PORT]", AT(gdb), .with = "rpc,kernel,replay", .alone = "0",
     .is_argument = is_place_for_gdb,
     .help = "wait for GDB on the Unix socket PORT (with a slash in it: ./gdb.socket), on TCP port "
             "PORT of 127.0.0.1 (0 or no PORT: any free one), or on standard input and output (-)"},
    {"profile", DPK_FILE, "FILE", AT(profile), .with = "rpc,kernel",
     .help = "write a profile of its instructions: folded stacks (FILE ends with .folded), JSON of "
             "speedscope (.json) or a flame graph (.svg)"},
    {"profile-every", DPK_NUMBER, "N", AT(every), 1, UINT32_MAX, .with = "profile",
     .help = "sample each thread after every N instructions (default 2000003); 1 counts each "
             "instruction, without callers"},
    {"replay", .at = AT(replay), .help = "PROGRAM is a recording of DPAKIT_RECORD: run it again"},
    {"process", DPK_NUMBER, "N", AT(process), 1, UINT32_MAX, .with = "replay",
     .help = "process of a recording (default 1)"},
    {"stats", .at = AT(stats), .help = "print instructions and time, in total and for each thread"},
    {"verify-only", .at = AT(verify_only), .help = "load and verify, print the checks, do not run"},
    {"json", .at = AT(json), .with = "verify-only",
     .help = "with --verify-only: print the checks as JSON"},
    {0},
};
const struct dpk_command dparun_run_command = {
    .words = "PROGRAM [ARGS...]", .options = run_options, .run = load_and_run};
