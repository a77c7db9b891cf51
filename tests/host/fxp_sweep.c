/* Compares the DPA's fixed-point functions with long double, over random and edge inputs.
 *
 *     fxp_sweep DEVICE COUNT      prints the greatest error of each, in units of the last place */
#include <libflexio/flexio.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern struct flexio_app *fxp_app;
extern flexio_func_t log2_of, rcp_of, pow2_of;

static long double clamp(long double x)
{
    return x > 0x7fffffffL ? 0x7fffffffL : x < -0x80000000L ? -0x80000000L : x;
}

/* What the function's result should be, in units of 2^-16. */
static long double log2_exact(uint32_t x)
{
    return log2l((long double)x) * 65536;
}

static long double rcp_exact(uint32_t x)
{
    return clamp(4294967296.0L / (int32_t)x);
}

static long double pow2_exact(uint32_t x)
{
    return clamp(exp2l((int32_t)x / 65536.0L) * 65536);
}

static struct function {
    const char *name;
    flexio_func_t *stub;
    long double (*exact)(uint32_t);
    long double worst;
    uint32_t at;
} functions[] = {
    {"log2", &log2_of, log2_exact, 0, 0},
    {"rcp", &rcp_of, rcp_exact, 0, 0},
    {"pow2", &pow2_of, pow2_exact, 0, 0},
};

static int compare(struct flexio_process *p, struct function *f, uint32_t x)
{
    uint64_t result = 0;
    if (flexio_process_call(p, f->stub, &result, x) != FLEXIO_STATUS_SUCCESS)
        return 0;
    long double error = fabsl((long double)(int32_t)result - f->exact(x));
    if (error > f->worst) {
        f->worst = error;
        f->at = x;
    }
    return 1;
}

/* xorshift64*; also small numbers, where the functions are steepest. */
static uint32_t next_input(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    uint64_t r = *state * 0x2545f4914f6cdd1dull;
    uint32_t x = (uint32_t)(r >> 32) >> (r & 31);
    return x ? ((r & 32) ? -x : x) : 1;
}

static const uint32_t edges[] = {
    1,          2,          3,          0x7fff,     0x8000,     0xffff,     0x10000,    0x10001,
    0xeffff,    0xf0000,    0xfffff,    0x100000,   0x7fffffff, 0x80000000, 0x80000001, 0xfffeffff,
    0xffff0000, 0xffff0001, 0xffffffff, 0xffef0000, 0xffeeffff, 0xffee0000, 0xffed0000};

int main(int argc, char **argv)
{
    struct ibv_context *context = NULL;
    struct flexio_process *p = NULL;
    struct ibv_device **list = ibv_get_device_list(NULL);
    for (size_t i = 0; argc == 3 && list && list[i] && !context; i++)
        if (strcmp(ibv_get_device_name(list[i]), argv[1]) == 0)
            context = ibv_open_device(list[i]);
    if (!context || flexio_process_create(context, fxp_app, NULL, &p) != FLEXIO_STATUS_SUCCESS)
        return 1;
    uint64_t state = 0x9e3779b97f4a7c15ull;
    for (struct function *f = functions; f < functions + 3; f++) {
        for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
            if (!compare(p, f, edges[i]))
                return 1;
        for (long n = strtol(argv[2], NULL, 10); n > 0; n--)
            if (!compare(p, f, next_input(&state)))
                return 1;
        printf("%s %.3Lf at 0x%x\n", f->name, f->worst, f->at);
    }
    flexio_process_destroy(p);
    ibv_close_device(context);
    ibv_free_device_list(list);
    for (struct function *f = functions; f < functions + 3; f++)
        if (f->worst > 1)
            return 1;
    return 0;
}
