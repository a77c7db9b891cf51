/* dparun: loads a DPA program as a device would and runs one of its functions. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "hashlist/hashlist.h"

#include "dparun.h"

static const char usage[] =
    "Usage: dparun [-d DEV] PROGRAM [--app NAME] --rpc FUNC [ARGS...]\n"
    "       dparun [-d DEV] PROGRAM [--app NAME] --kernel FUNC [--threads N] [ARGS...]\n"
    "       dparun [-d DEV] PROGRAM [--app NAME] --verify-only [--json]\n"
    "       dparun PROGRAM [--app NAME]\n\n"
    "Loads a DPA program, verified as the emulated device requires, and runs one of its\n"
    "functions, or lists them. PROGRAM: a host executable, library, object or archive, or a device "
    "ELF.\n"
    "ARGS: one integer for each 8 bytes of arguments: decimal, 0x..., or negative.\n\n"
    "Options:\n";
static const char exit_codes[] =
    "\nExit status: 0 done, 1 refused by the device, 2 the program faulted or overran its\n"
    "run-time limit, 3 wrong usage or any other failure.\n";

/* ---- Numbers that look like options ---------------------------------------------------------- */

static bool is_negative_number(const char *word)
{
    return word[0] == '-' && isdigit((unsigned char)word[1]);
}

/* The words without the minus of negative numbers, which are arguments, never options. */
static const char **hide_minus(int argc, char **argv)
{
    const char **words = calloc((size_t)argc + 1, sizeof *words);
    for (int i = 0; words && i < argc; i++)
        words[i] = argv[i] + is_negative_number(argv[i]);
    return words;
}

/* The word as it was given. */
static const char *with_minus(const char *word, int argc, char **argv)
{
    for (int i = 0; word && i < argc; i++)
        if (is_negative_number(argv[i]) && word == argv[i] + 1)
            return argv[i];
    return word;
}

/* ---- The command line ------------------------------------------------------------------------ */

struct words {
    const char *threads, *limit;
    bool help, version;
};

static enum dpk_status parse_count(const char *option, const char *text, unsigned long max,
                                   unsigned long *out, struct dpk_error *err)
{
    char *end = NULL;
    errno = 0;
    *out = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || *out < 1 || *out > max)
        return dpk_fail(err, DPK_ERR_USAGE, "%s: '%s' is not a number from 1 to %lu", option, text,
                        max);
    return DPK_OK;
}

/* What goes together and what does not. */
static enum dpk_status check_options(struct options *o, const struct words *w,
                                     struct dpk_error *err)
{
    unsigned long n = 1;
    enum dpk_status status = DPK_OK;
    if (!o->program)
        return dpk_fail(err, DPK_ERR_USAGE, "no program; see dparun --help");
    o->list = !o->rpc && !o->kernel && !o->verify_only;
    if (!o->list && !!o->rpc + !!o->kernel + o->verify_only != 1)
        return dpk_fail(err, DPK_ERR_USAGE, "give one of --rpc, --kernel and --verify-only");
    if (o->json && !o->verify_only)
        return dpk_fail(err, DPK_ERR_USAGE, "--json goes with --verify-only");
    if (w->threads && !o->kernel)
        return dpk_fail(err, DPK_ERR_USAGE, "--threads goes with --kernel");
    if ((o->verify_only || o->list) && (o->core || o->gdb))
        return dpk_fail(err, DPK_ERR_USAGE, "%s goes with --rpc and --kernel",
                        o->core ? "--core" : "--gdb");
    if ((o->verify_only || o->list) && o->arg_count)
        return dpk_fail(err, DPK_ERR_USAGE, "unexpected argument %s with%s", o->args[0],
                        o->list ? "out --rpc and --kernel" : " --verify-only");
    if (w->threads)
        status = parse_count("--threads", w->threads, DPK_THREADS_MAX, &n, err);
    o->threads = (unsigned)n;
    n = 0;
    if (status == DPK_OK && w->limit)
        status = parse_count("--run-time-limit", w->limit, 86400000, &n, err);
    o->limit_ms = (uint32_t)n;
    return status;
}

static enum dpk_status parse(int argc, char **argv, struct options *o, struct words *w,
                             struct dpk_error *err)
{
    const struct dpk_option table[] = {
        {.names = "d,device",
         .arg = "DEV",
         .value = &o->device,
         .help = "emulated device (default: the only one there is)"},
        {.names = "app", .arg = "NAME", .value = &o->app, .help = "which program of a host file"},
        {.names = "rpc", .arg = "FUNC", .value = &o->rpc, .help = "call FUNC, print its result"},
        {.names = "kernel", .arg = "FUNC", .value = &o->kernel, .help = "launch FUNC as a kernel"},
        {.names = "threads",
         .arg = "N",
         .value = &w->threads,
         .help = "threads of the kernel (default 1)"},
        {.names = "signature",
         .arg = "FILE",
         .value = &o->signature,
         .help = "crypto data of a bare device ELF"},
        {.names = "run-time-limit",
         .arg = "MS",
         .value = &w->limit,
         .help = "milliseconds that a thread may run or wait for events (default 6000)"},
        {.names = "core",
         .arg = "FILE",
         .value = &o->core,
         .help = "if the program fails, write a core file for gdb-multiarch"},
        {.names = "gdb",
         .arg = "PORT",
         .value = &o->gdb,
         .help = "wait for GDB on the Unix socket PORT (with a slash in it: ./gdb.socket), on "
                 "TCP port PORT of 127.0.0.1 (0: any), or on standard input and output (-)"},
        {.names = "stats",
         .flag = &o->stats,
         .help = "print instructions and time, also of each thread"},
        {.names = "verify-only",
         .flag = &o->verify_only,
         .help = "load and verify, print the checks, do not run"},
        {.names = "json", .flag = &o->json, .help = "with --verify-only: print the checks as JSON"},
        {.names = "h,help", .flag = &w->help, .help = "show this text"},
        {.names = "v,version", .flag = &w->version, .help = "show the version"},
        {0},
    };
    struct dpk_args args = {0};
    const char **words = hide_minus(argc, argv);
    if (!words)
        return dpk_fail_nomem(err);
    enum dpk_status status = dpk_options_parse(table, false, argc, (char **)words, &args, err);
    free(words);
    if (status != DPK_OK)
        return status;
    if (w->help) {
        fputs(usage, stdout);
        dpk_options_help(table, stdout);
        fputs(exit_codes, stdout);
    }
    const char **given[] = {&o->device, &o->app, &o->rpc,     &o->kernel, &o->signature,
                            &o->core,   &o->gdb, &w->threads, &w->limit};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        *given[i] = with_minus(*given[i], argc, argv);
    for (size_t i = 0; i < args.count; i++)
        args.words[i] = with_minus(args.words[i], argc, argv);
    o->words = args.words;
    if (args.count) {
        o->program = args.words[0];
        o->arg_count = args.count - 1;
        o->args = args.words + 1;
    }
    return w->help || w->version ? DPK_OK : check_options(o, w, err);
}

/* ---- Loading --------------------------------------------------------------------------------- */

static void print_report(const struct dpk_load_result *result)
{
    for (size_t i = 0; i < result->report.count; i++) {
        const struct dpk_check *c = &result->report.checks[i];
        printf("%s: %s%s%s%s\n", c->name, dpk_verdict_name(c->verdict), c->detail[0] ? " (" : "",
               c->detail, c->detail[0] ? ")" : "");
    }
    printf("verdict: %s; DPA_AUTHENTICATION is %s\n", dpk_verdict_name(result->verdict),
           result->authentication ? "on" : "off");
}

/* The same, with what was verified. Of a fat program `elf` is the whole file. */
static enum dpk_status report_json(const struct dpk_load_result *result,
                                   const struct dpk_load_request *load, struct dpk_error *err)
{
    char digest[65];
    cJSON *o = cJSON_CreateObject();
    dpk_json_text(o, "app", load->app);
    if (!result->report.sha256[0])
        dpk_sha256_text(load->elf, load->elf_size, digest);
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

/* What would be refused if the device asked for signatures, and is there for others to think so. */
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

static enum dpk_status load_and_run(const struct options *o, struct dpk_error *err)
{
    if (o->json)
        dpk_json_start();
    struct source source = {0};
    struct dpk_device *device = NULL;
    struct dpk_image *image = NULL;
    struct dpk_load_result result = {.verdict = DPK_VERDICT_UNSIGNED};
    enum dpk_status status = source_open(o, &source, err);
    if (status == DPK_OK && o->list) {
        status = list_functions(&source, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "%s", o->program);
        goto out;
    }
    if (status == DPK_OK)
        status = device_choose(o->device, &device, err);
    if (status != DPK_OK)
        goto out;
    source.load.device = device;
    status = dpk_load(&source.load, &image, &result, err);
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
    status = run(o, device, image, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", o->program);
out:
    dpk_image_free(image);
    dpk_device_close(device);
    source_close(&source);
    return status;
}

static int exit_code(enum dpk_status status)
{
    switch (status) {
    case DPK_OK:
        return 0;
    case DPK_ERR_REFUSED:
        return EXIT_REFUSED;
    case DPK_ERR_FAULT:
    case DPK_ERR_TIMEOUT:
        return EXIT_FAULT;
    default:
        return EXIT_OTHER;
    }
}

int main(int argc, char **argv)
{
    struct options o = {0};
    struct words w = {0};
    struct dpk_error err = {0};
    enum dpk_status status = parse(argc, argv, &o, &w, &err);
    if (status == DPK_OK && w.version && !w.help)
        printf("dparun dpakit %s\n", dpk_version);
    else if (status == DPK_OK && !w.help)
        status = load_and_run(&o, &err);
    enum dpk_status flushed = dpk_tool_flush(status == DPK_OK ? &err : NULL);
    if (status == DPK_OK)
        status = flushed;
    free(o.words);
    if (status != DPK_OK)
        dpk_tool_fail(&err);
    return exit_code(status);
}
