/* Functions that device code of dpacu -fsanitize=undefined calls on undefined behaviour, under the
 * names of clang's library with another beginning. They report the operation with kernel, block, thread
 * and line, and end the program. The layout of their records is that of compiler-rt
 * (lib/ubsan/ubsan_handlers.h); guest/ubsan.c is the same for the DPA. */
#include "private.h"

#include <inttypes.h>
#include <unistd.h>

struct place {
    const char *file;
    uint32_t line, column;
};

struct type {
    uint16_t kind; /* 0: an integer */
    uint16_t info; /* of an integer: bit 0: signed; above: log2 of its bits */
    char name[];   /* in quotes */
};

enum { NUMBER = 40, WHAT = 256 };

static bool is_signed(const struct type *t)
{
    return t->kind == 0 && t->info & 1;
}

static unsigned bits_of(const struct type *t)
{
    return t->kind == 0 ? 1u << (t->info >> 1 & 15) : 64;
}

/* A value of up to 64 bits is the argument itself. */
static int64_t value_of(const struct type *t, uint64_t value)
{
    const unsigned bits = bits_of(t);
    if (bits >= 64)
        return (int64_t)value;
    value &= (UINT64_C(1) << bits) - 1;
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    return is_signed(t) ? (int64_t)((value ^ sign) - sign) : (int64_t)value;
}

static const char *text_of(const struct type *t, uint64_t value, char to[NUMBER])
{
    if (bits_of(t) > 64)
        snprintf(to, NUMBER, "of %u bits", bits_of(t));
    else if (is_signed(t))
        snprintf(to, NUMBER, "%" PRId64, value_of(t, value));
    else
        snprintf(to, NUMBER, "%" PRIu64, (uint64_t)value_of(t, value));
    return to;
}

struct finding {
    const struct place *at;
    const char *what;
};

static void print(void *context)
{
    const struct finding *found = context;
    char line[320];
    snprintf(line, sizeof line, "%s:%u", found->at->file ? found->at->file : "?", found->at->line);
    block_report_thread(block_here(), line, found->what);
}

/* Reports undefined behaviour, and ends the program. */
__attribute__((format(printf, 2, 3), noreturn)) static void tell(const struct place *at,
                                                                 const char *format, ...)
{
    char what[WHAT];
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    block_on_large_stack(print, &(struct finding){.at = at, .what = what});
    _exit(1);
}

/* Defines a function `name` that device code calls. It calls `does` with the last arguments. */
#define HANDLER(name, does, parameters, ...)                                                       \
    void name parameters;                                                                          \
    void name parameters                                                                           \
    {                                                                                              \
        does(__VA_ARGS__);                                                                         \
    }

/* ---- Arithmetic ---- */

struct of_type {
    struct place at;
    const struct type *type;
};

static void overflow(const struct of_type *d, uint64_t a, const char *sign, uint64_t b)
{
    char left[NUMBER], right[NUMBER];
    tell(&d->at, "signed integer overflow: %s %s %s cannot be represented in type %s",
         text_of(d->type, a, left), sign, text_of(d->type, b, right), d->type->name);
}
HANDLER(dpk_gpu_undefined_add_overflow_abort, overflow,
        (const struct of_type *d, uint64_t a, uint64_t b), d, a, "+", b)
HANDLER(dpk_gpu_undefined_sub_overflow_abort, overflow,
        (const struct of_type *d, uint64_t a, uint64_t b), d, a, "-", b)
HANDLER(dpk_gpu_undefined_mul_overflow_abort, overflow,
        (const struct of_type *d, uint64_t a, uint64_t b), d, a, "*", b)

static void negate_overflow(const struct of_type *d, uint64_t value)
{
    char text[NUMBER];
    tell(&d->at, "negation of %s cannot be represented in type %s", text_of(d->type, value, text),
         d->type->name);
}
HANDLER(dpk_gpu_undefined_negate_overflow_abort, negate_overflow,
        (const struct of_type *d, uint64_t value), d, value)

static void divrem_overflow(const struct of_type *d, uint64_t a, uint64_t b)
{
    char text[NUMBER];
    if (value_of(d->type, b) == 0)
        tell(&d->at, "division by zero");
    tell(&d->at, "division of %s by -1 cannot be represented in type %s", text_of(d->type, a, text),
         d->type->name);
}
HANDLER(dpk_gpu_undefined_divrem_overflow_abort, divrem_overflow,
        (const struct of_type *d, uint64_t a, uint64_t b), d, a, b)

struct shift {
    struct place at;
    const struct type *left, *right;
};
static void shift_out_of_bounds(const struct shift *d, uint64_t a, uint64_t b)
{
    char left[NUMBER], right[NUMBER];
    const int64_t by = value_of(d->right, b);
    text_of(d->left, a, left);
    text_of(d->right, b, right);
    if (is_signed(d->right) && by < 0)
        tell(&d->at, "shift exponent %s is negative", right);
    if ((uint64_t)by >= bits_of(d->left))
        tell(&d->at, "shift exponent %s is too large for %u-bit type %s", right, bits_of(d->left),
             d->left->name);
    if (is_signed(d->left) && value_of(d->left, a) < 0)
        tell(&d->at, "left shift of negative value %s", left);
    tell(&d->at, "left shift of %s by %s places cannot be represented in type %s", left, right,
         d->left->name);
}
HANDLER(dpk_gpu_undefined_shift_out_of_bounds_abort, shift_out_of_bounds,
        (const struct shift *d, uint64_t a, uint64_t b), d, a, b)

/* ---- Memory ---- */

struct access {
    struct place at;
    const struct type *type;
    uint8_t alignment; /* log2 */
    uint8_t kind;
};
static void type_mismatch_v1(const struct access *d, uint64_t pointer)
{
    const char *kind = d->kind == 0 ? "load of" : d->kind == 1 ? "store to" : "use of";
    tell(&d->at,
         "%s misaligned address 0x%" PRIx64 " for type %s, which requires %" PRIu64
         " byte alignment",
         kind, pointer, d->type->name, UINT64_C(1) << (d->alignment & 63));
}
HANDLER(dpk_gpu_undefined_type_mismatch_v1_abort, type_mismatch_v1,
        (const struct access *d, uint64_t pointer), d, pointer)

struct bounds {
    struct place at;
    const struct type *array, *index;
};
static void out_of_bounds(const struct bounds *d, uint64_t index)
{
    char text[NUMBER];
    tell(&d->at, "index %s out of bounds for type %s", text_of(d->index, index, text),
         d->array->name);
}
HANDLER(dpk_gpu_undefined_out_of_bounds_abort, out_of_bounds,
        (const struct bounds *d, uint64_t index), d, index)

static void pointer_overflow(const struct place *at, uint64_t base, uint64_t result)
{
    if (!base)
        tell(at, "applying offset %" PRIu64 " to null pointer", result);
    tell(at, "pointer index expression with base 0x%" PRIx64 " overflowed to 0x%" PRIx64, base,
         result);
}
HANDLER(dpk_gpu_undefined_pointer_overflow_abort, pointer_overflow,
        (const struct place *at, uint64_t base, uint64_t result), at, base, result)

/* ---- Values and functions ---- */

static void load_invalid_value(const struct of_type *d, uint64_t value)
{
    char text[NUMBER];
    tell(&d->at, "load of value %s, which is not a valid value for type %s",
         text_of(d->type, value, text), d->type->name);
}
HANDLER(dpk_gpu_undefined_load_invalid_value_abort, load_invalid_value,
        (const struct of_type *d, uint64_t value), d, value)

static void vla_bound_not_positive(const struct of_type *d, uint64_t bound)
{
    char text[NUMBER];
    tell(&d->at, "variable length array bound evaluates to non-positive value %s",
         text_of(d->type, bound, text));
}
HANDLER(dpk_gpu_undefined_vla_bound_not_positive_abort, vla_bound_not_positive,
        (const struct of_type *d, uint64_t bound), d, bound)

/* These have only one form, because the code after them is unreachable. */
HANDLER(dpk_gpu_undefined_builtin_unreachable, tell, (const struct place *at), at,
        "execution reached an unreachable program point")
HANDLER(dpk_gpu_undefined_missing_return, tell, (const struct place *at), at,
        "execution reached the end of a value-returning function without returning a value")
