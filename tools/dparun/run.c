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

/* One 8-byte slot per argument, in the machine's order, which is the DPA's: little-endian. */
static enum dpk_status pack_args(const struct options *o, const char *name,
                                 const struct dpk_call *call, struct dpk_buf *out,
                                 struct dpk_error *err)
{
    if (o->arg_count != call->argument_size / 8)
        return dpk_fail(err, DPK_ERR_USAGE, "%s takes %" PRIu64 " arguments of 8 bytes, not %zu",
                        name, call->argument_size / 8, o->arg_count);
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

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum dpk_status run(const struct options *o, const struct dpk_image *image, struct dpk_error *err)
{
    const char *name = o->rpc ? o->rpc : o->kernel;
    struct dpk_process_options limits = {.run_time_limit_ms = o->limit_ms};
    struct dpk_process *p = NULL;
    struct dpk_call call;
    struct dpk_buf args = {0};
    uint64_t result = 0;
    enum dpk_status status = dpk_process_create(image, &limits, &p, err);
    if (status != DPK_OK)
        return status;
    if ((status = dpk_process_function(p, name, &call, err)) != DPK_OK ||
        (status = pack_args(o, name, &call, &args, err)) != DPK_OK)
        goto out;
    dpk_process_set_sink(p, print_message, NULL);
    double start = seconds();
    if (o->rpc)
        status = dpk_process_call(p, &call, args.data, args.size, &result, err);
    else
        status = run_kernel(o, p, &call, &args, err);
    double end = seconds();
    if (status == DPK_OK && o->rpc)
        printf("result: %" PRIu64 " (0x%" PRIx64 ")\n", result, result);
    if (o->stats)
        printf("instructions: %" PRIu64 "\ntime: %.6f s\n", dpk_process_instructions(p),
               end - start);
out:
    dpk_process_destroy(p);
    dpk_buf_free(&args);
    return status;
}
