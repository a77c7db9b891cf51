/* Runs one function of a loaded program. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "dparun.h"

static void print_message(void *context, unsigned stream, unsigned level, unsigned thread_id,
                          const char *text, size_t size)
{
    (void)context, (void)stream, (void)level, (void)thread_id;
    fwrite(text, 1, size, stdout);
    fflush(stdout);
}

static enum dpk_status parse_number(const char *word, uint64_t *out, struct dpk_error *err)
{
    char *end = NULL;
    const char *digits = word + (*word == '-');
    errno = 0;
    bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    uint64_t magnitude = strtoull(digits, &end, hexadecimal ? 16 : 10);
    if (*digits < '0' || *digits > '9' || *end || (hexadecimal && !digits[2]))
        return dpk_fail(err, DPK_ERR_USAGE, "argument '%s' is not an integer", word);
    if (errno || (*word == '-' && magnitude > (uint64_t)1 << 63))
        return dpk_fail(err, DPK_ERR_USAGE, "argument '%s' does not fit into 64 bits", word);
    *out = *word == '-' ? 0 - magnitude : magnitude;
    return DPK_OK;
}

/* Stores each argument in 8 bytes, in the host's byte order, which is the DPA's: little-endian. */
static enum dpk_status pack_args(const struct options *o, const char *name,
                                 const struct dpk_call *call, struct dpk_buf *out,
                                 struct dpk_error *err)
{
    const uint64_t wanted = call->argument_size / 8;
    if (o->arg_count != wanted)
        return dpk_fail(err, DPK_ERR_USAGE, "%s takes %" PRIu64 " argument%s of 8 bytes, not %zu",
                        name, wanted, wanted == 1 ? "" : "s", o->arg_count);
    for (size_t i = 0; i < o->arg_count; i++) {
        uint64_t value = 0;
        enum dpk_status status = parse_number(o->args[i], &value, err);
        if (status != DPK_OK)
            return status;
        dpk_put_le64(out, value);
    }
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

static enum dpk_status run_kernel(const struct options *o, struct dpk_process *p,
                                  const struct dpk_call *call, const struct dpk_buf *args,
                                  struct dpk_error *err)
{
    struct dpk_launch launch = {
        .call = *call, .args = args->data, .args_size = args->size, .threads = o->threads};
    enum dpk_status status = dpk_process_launch(p, &launch, err);
    return status == DPK_OK ? dpk_process_drain(p, err) : status;
}

/* Returns true if dpacc marked the function as a kernel. */
static bool marked_kernel(const struct dpk_image *image, const char *name)
{
    char symbol[512];
    const int n = snprintf(symbol, sizeof symbol, "_dpacc_kernel_%s", name);
    return n > 0 && (size_t)n < sizeof symbol &&
           dpk_image_symbol(image, symbol, &(uint64_t){0}, NULL);
}

/* Runs the function. `is_kernel` adds a note if a kernel was called as an RPC. */
static enum dpk_status run_function(const struct options *o, struct dpk_process *p,
                                    const struct dpk_call *call, const struct dpk_buf *args,
                                    bool is_kernel, struct dpk_error *err)
{
    uint64_t result = 0;
    if (o->kernel)
        return run_kernel(o, p, call, args, err);
    enum dpk_status status = dpk_process_call(p, call, args->data, args->size, &result, err);
    if (status == DPK_OK && is_kernel)
        printf("%s is a kernel (__dpa_global__) and returns nothing; --kernel launches it\n",
               o->rpc);
    else if (status == DPK_OK)
        printf("result: %" PRIu64 " (0x%" PRIx64 ")\n", result, result);
    return status;
}

static void print_translations(void)
{
    struct jit_stats s;
    jit_stats(&s);
    printf("translator: %" PRIu64 " regions translated, %" PRIu64 " from the cache, %" PRIu64
           " refused\n",
           s.translated, s.cached, s.refused);
    printf("translator: %.6f s for %" PRIu64 " instructions, %" PRIu64 " bytes of code\n",
           (double)s.nanoseconds * 1e-9, s.instructions, s.code_bytes);
    for (size_t i = 0; i < JIT_REASONS && s.reasons[i].count != 0; i++)
        printf("translator: %" PRIu64 " refused: %s\n", s.reasons[i].count,
               dpk_text_clean(s.reasons[i].text));
}

static void print_stats(struct dpk_process *p, double took)
{
    static struct dpk_thread_info threads[DPK_THREADS_MAX + DPK_CALLS_MAX];
    size_t count = dpk_process_threads(p, threads, sizeof threads / sizeof *threads);
    uint64_t misaligned = 0;
    for (size_t i = 0; i < count; i++)
        misaligned += threads[i].misaligned;
    printf("instructions: %" PRIu64 "\ntime: %.6f s\nmisaligned accesses: %" PRIu64 "\n",
           dpk_process_instructions(p), took, misaligned);
    print_translations();
    for (size_t i = 0; i < count; i++) {
        char function[200];
        snprintf(function, sizeof function, "%.199s",
                 threads[i].function ? threads[i].function : "?");
        printf("thread %u: %" PRIu64 " instructions, %s %s\n", threads[i].id,
               threads[i].instructions, threads[i].rpc ? "RPC" : "kernel",
               dpk_text_clean(function));
    }
}

/* Errors here are only printed, because the earlier failure is the tool's result. */
static void write_core(const struct options *o, struct dpk_process *p)
{
    struct dpk_error why = {0};
    if (dpk_process_core(p, o->core, &why) == DPK_OK)
        fprintf(stderr, "-I- core file: %s\n", o->core);
    else
        fprintf(stderr, "-W- no core file: %s\n", why.message);
}

static double seconds(void)
{
    return (double)dpk_now_ns() * 1e-9;
}

/* The runtime reads these settings from the environment, as for every program. */
static enum dpk_status ask_for_profile(const struct options *o, struct dpk_error *err)
{
    char every[16];
    snprintf(every, sizeof every, "%u", o->every);
    if ((o->profile && setenv("DPAKIT_PROFILE", o->profile, 1) != 0) ||
        (o->every && setenv("DPAKIT_PROFILE_EVERY", every, 1) != 0))
        return dpk_fail_nomem(err);
    return DPK_OK;
}

enum dpk_status dparun_run(const struct options *o, const struct dpk_device *device,
                           const struct dpk_image *image, struct dpk_error *err)
{
    const char *name = o->rpc ? o->rpc : o->kernel;
    char directory[PATH_MAX];
    struct dpk_process_options limits = {.run_time_limit_ms = o->limit_ms,
                                         .device = dpk_device_name(device),
                                         .directory = directory};
    struct dpk_process *p = NULL;
    struct dpk_call call;
    struct dpk_buf args = {0};
    struct gdb gdb = {0};
    enum dpk_status status = ask_for_profile(o, err);
    if (status == DPK_OK)
        status = dpk_device_directory(device, directory, err);
    if (status == DPK_OK)
        status = dpk_process_create(image, &limits, &p, err);
    if (status != DPK_OK)
        return status;
    if ((status = dpk_process_function(p, name, &call, err)) != DPK_OK ||
        (status = pack_args(o, name, &call, &args, err)) != DPK_OK)
        goto out;
    dpk_process_set_sink(p, print_message, NULL);
    if (o->gdb && (status = dparun_debugger_start(&gdb, o, p, err)) != DPK_OK)
        goto out;
    double start = seconds();
    status = run_function(o, p, &call, &args, marked_kernel(image, name), err);
    double took = seconds() - start;
    dparun_debugger_end(&gdb, status);
    if (o->stats)
        print_stats(p, took);
    if (o->core && (status == DPK_ERR_FAULT || status == DPK_ERR_TIMEOUT))
        write_core(o, p);
out:
    dpk_process_destroy(p);
    dpk_buf_free(&args);
    return status == DPK_OK ? dpk_profile_flush(err) : status;
}
