/* Functions that code compiled with -fsanitize=undefined calls on undefined behavior. They print a
 * message with the place, once for each place, in the words of clang's library. Functions that end
 * in _abort (-fno-sanitize-recover) then end the program with a fault at that place. Clang's
 * documentation of UndefinedBehaviorSanitizer handlers has the layout of records
 * (compiler-rt/lib/ubsan/ubsan_handlers.h). */
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-libc/stdlib.h>

#include "format.h"

#include <stdbool.h>
#include <stdint.h>

struct place {
    const char *file;
    uint32_t line, column; /* column: TOLD after a message */
};
#define TOLD UINT32_MAX

struct type {
    uint16_t kind; /* 0: an integer */
    uint16_t info; /* of an integer: bit 0: signed; above: log2 of its bits */
    char name[];   /* in quotes */
};

enum { TEXT = 40 }; /* maximum bytes of a value as text */

static bool is_signed(const struct type *t)
{
    return t->kind == 0 && t->info & 1;
}

static unsigned bits_of(const struct type *t)
{
    return t->kind == 0 ? 1u << (t->info >> 1 & 15) : 64;
}

/* A value of up to 64 bits is in the argument. A larger value is at the address in the argument. */
static int64_t value_of(const struct type *t, uint64_t value)
{
    const unsigned bits = bits_of(t);
    if (bits > 64)
        return *(const int64_t *)value;
    if (bits == 64)
        return (int64_t)value;
    value &= (UINT64_C(1) << bits) - 1;
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    return is_signed(t) ? (int64_t)((value ^ sign) - sign) : (int64_t)value;
}

__attribute__((format(printf, 2, 3))) static void print(char to[TEXT], const char *format, ...)
{
    va_list values;
    va_start(values, format);
    _dpa_format(to, TEXT, format, values);
    va_end(values);
}

static const char *text_of(const struct type *t, uint64_t value, char to[TEXT])
{
    const uint64_t *wide = (const uint64_t *)value;
    if (bits_of(t) > 64)
        print(to, "0x%016lx%016lx", (unsigned long)wide[1], (unsigned long)wide[0]);
    else if (is_signed(t))
        print(to, "%ld", (long)value_of(t, value));
    else
        print(to, "%lu", (unsigned long)value_of(t, value));
    return to;
}

/* Reports an error at a place, unless an error of the place was reported before. */
__attribute__((format(printf, 2, 3))) static void tell(struct place *at, const char *format, ...)
{
    char text[256];
    va_list values;
    const uint32_t column = __atomic_exchange_n(&at->column, TOLD, __ATOMIC_RELAXED);
    if (column == TOLD)
        return;
    va_start(values, format);
    _dpa_format(text, sizeof text, format, values);
    va_end(values);
    flexio_dev_msg_err(FLEXIO_MSG_DEV_DEFAULT_STREAM_ID, "%s:%u:%u: runtime error: %s\n",
                       at->file ? at->file : "?", at->line, column, text);
}

/* Defines a handler in both forms. They call the function whose name is `name`. */
#define HANDLER(name, parameters, ...)                                                             \
    void __ubsan_handle_##name parameters;                                                         \
    void __ubsan_handle_##name##_abort parameters;                                                 \
    void __ubsan_handle_##name parameters                                                          \
    {                                                                                              \
        name(__VA_ARGS__);                                                                         \
    }                                                                                              \
    void __ubsan_handle_##name##_abort parameters                                                  \
    {                                                                                              \
        name(__VA_ARGS__);                                                                         \
        abort();                                                                                   \
    }

/* ---- Arithmetic ---- */

struct of_type {
    struct place at;
    const struct type *type;
};

static void overflow(struct of_type *d, uint64_t a, const char *sign, uint64_t b)
{
    char left[TEXT], right[TEXT];
    tell(&d->at, "%s integer overflow: %s %s %s cannot be represented in type %s",
         is_signed(d->type) ? "signed" : "unsigned", text_of(d->type, a, left), sign,
         text_of(d->type, b, right), d->type->name);
}
#define add_overflow(d, a, b) overflow(d, a, "+", b)
#define sub_overflow(d, a, b) overflow(d, a, "-", b)
#define mul_overflow(d, a, b) overflow(d, a, "*", b)
HANDLER(add_overflow, (struct of_type * d, uint64_t a, uint64_t b), d, a, b)
HANDLER(sub_overflow, (struct of_type * d, uint64_t a, uint64_t b), d, a, b)
HANDLER(mul_overflow, (struct of_type * d, uint64_t a, uint64_t b), d, a, b)

static void negate_overflow(struct of_type *d, uint64_t value)
{
    char text[TEXT];
    tell(&d->at, "negation of %s cannot be represented in type %s", text_of(d->type, value, text),
         d->type->name);
}
HANDLER(negate_overflow, (struct of_type * d, uint64_t value), d, value)

static void divrem_overflow(struct of_type *d, uint64_t a, uint64_t b)
{
    char text[TEXT];
    if (value_of(d->type, b) == 0)
        tell(&d->at, "division by zero");
    else
        tell(&d->at, "division of %s by -1 cannot be represented in type %s",
             text_of(d->type, a, text), d->type->name);
}
HANDLER(divrem_overflow, (struct of_type * d, uint64_t a, uint64_t b), d, a, b)

struct shift {
    struct place at;
    const struct type *left, *right;
};
static void shift_out_of_bounds(struct shift *d, uint64_t a, uint64_t b)
{
    char left[TEXT], right[TEXT];
    const int64_t by = value_of(d->right, b);
    text_of(d->left, a, left);
    text_of(d->right, b, right);
    if (is_signed(d->right) && by < 0)
        tell(&d->at, "shift exponent %s is negative", right);
    else if ((uint64_t)by >= bits_of(d->left))
        tell(&d->at, "shift exponent %s is too large for %u-bit type %s", right, bits_of(d->left),
             d->left->name);
    else if (is_signed(d->left) && value_of(d->left, a) < 0)
        tell(&d->at, "left shift of negative value %s", left);
    else
        tell(&d->at, "left shift of %s by %s places cannot be represented in type %s", left, right,
             d->left->name);
}
HANDLER(shift_out_of_bounds, (struct shift * d, uint64_t a, uint64_t b), d, a, b)

struct conversion {
    struct place at;
    const struct type *from, *to;
    uint8_t kind;
};
static void implicit_conversion(struct conversion *d, uint64_t a, uint64_t b)
{
    char from[TEXT], to[TEXT];
    tell(&d->at, "implicit conversion from type %s of value %s to type %s changed the value to %s",
         d->from->name, text_of(d->from, a, from), d->to->name, text_of(d->to, b, to));
}
HANDLER(implicit_conversion, (struct conversion * d, uint64_t a, uint64_t b), d, a, b)

struct builtin {
    struct place at;
    uint8_t kind;
};
static void invalid_builtin(struct builtin *d)
{
    static const char *const what[] = {"passing zero to ctz(), which is not a valid argument",
                                       "passing zero to clz(), which is not a valid argument",
                                       "assumption is violated during execution"};
    tell(&d->at, "%s", what[d->kind < 2 ? d->kind : 2]);
}
HANDLER(invalid_builtin, (struct builtin * d), d)

/* ---- Memory ---- */

struct access {
    struct place at;
    const struct type *type;
    uint8_t alignment; /* log2 */
    uint8_t kind;
};
static void type_mismatch_v1(struct access *d, uint64_t pointer)
{
    static const char *const kinds[] = {"load of",
                                        "store to",
                                        "reference binding to",
                                        "member access within",
                                        "member call on",
                                        "constructor call on",
                                        "downcast of",
                                        "downcast of",
                                        "upcast of",
                                        "cast to virtual base of",
                                        "_Nonnull binding to",
                                        "dynamic operation on"};
    const char *kind = d->kind < sizeof kinds / sizeof *kinds ? kinds[d->kind] : "access to";
    const uint64_t alignment = UINT64_C(1) << (d->alignment & 63);
    if (pointer == 0)
        tell(&d->at, "%s null pointer of type %s", kind, d->type->name);
    else if (pointer & (alignment - 1))
        tell(&d->at, "%s misaligned address 0x%lx for type %s, which requires %lu byte alignment",
             kind, (unsigned long)pointer, d->type->name, (unsigned long)alignment);
    else
        tell(&d->at, "%s address 0x%lx with insufficient space for an object of type %s", kind,
             (unsigned long)pointer, d->type->name);
}
HANDLER(type_mismatch_v1, (struct access * d, uint64_t pointer), d, pointer)

struct bounds {
    struct place at;
    const struct type *array, *index;
};
static void out_of_bounds(struct bounds *d, uint64_t index)
{
    char text[TEXT];
    tell(&d->at, "index %s out of bounds for type %s", text_of(d->index, index, text),
         d->array->name);
}
HANDLER(out_of_bounds, (struct bounds * d, uint64_t index), d, index)

struct only_place {
    struct place at;
};
static void pointer_overflow(struct only_place *d, uint64_t base, uint64_t result)
{
    if (base == 0)
        tell(&d->at, "applying %s offset %lu to null pointer", result ? "non-zero" : "zero",
             (unsigned long)result);
    else if (result == 0)
        tell(&d->at, "applying non-zero offset to non-null pointer 0x%lx produced null pointer",
             (unsigned long)base);
    else
        tell(&d->at, "pointer index expression with base 0x%lx overflowed to 0x%lx",
             (unsigned long)base, (unsigned long)result);
}
HANDLER(pointer_overflow, (struct only_place * d, uint64_t base, uint64_t result), d, base, result)

struct assumption {
    struct place at, assumed;
    const struct type *type;
};
static void alignment_assumption(struct assumption *d, uint64_t pointer, uint64_t alignment,
                                 uint64_t offset)
{
    tell(&d->at,
         "assumption of %lu byte alignment for pointer 0x%lx (offset %lu) of type %s failed",
         (unsigned long)alignment, (unsigned long)pointer, (unsigned long)offset, d->type->name);
}
HANDLER(alignment_assumption,
        (struct assumption * d, uint64_t pointer, uint64_t alignment, uint64_t offset), d, pointer,
        alignment, offset)

/* ---- Values and functions ---- */

static void load_invalid_value(struct of_type *d, uint64_t value)
{
    char text[TEXT];
    tell(&d->at, "load of value %s, which is not a valid value for type %s",
         text_of(d->type, value, text), d->type->name);
}
HANDLER(load_invalid_value, (struct of_type * d, uint64_t value), d, value)

static void vla_bound_not_positive(struct of_type *d, uint64_t bound)
{
    char text[TEXT];
    tell(&d->at, "variable length array bound evaluates to non-positive value %s",
         text_of(d->type, bound, text));
}
HANDLER(vla_bound_not_positive, (struct of_type * d, uint64_t bound), d, bound)

struct argument {
    struct place at, attribute;
    int index;
};
static void nonnull_arg(struct argument *d)
{
    tell(&d->at, "null pointer passed as argument %d, which is declared to never be null",
         d->index);
}
HANDLER(nonnull_arg, (struct argument * d), d)
#define nullability_arg nonnull_arg
HANDLER(nullability_arg, (struct argument * d), d)

static void nonnull_return_v1(struct only_place *attribute, struct place *at)
{
    (void)attribute;
    tell(at, "null pointer returned from function declared to never return null");
}
HANDLER(nonnull_return_v1, (struct only_place * d, struct place *at), d, at)
#define nullability_return_v1 nonnull_return_v1
HANDLER(nullability_return_v1, (struct only_place * d, struct place *at), d, at)

static void function_type_mismatch(struct of_type *d, uint64_t function)
{
    tell(&d->at, "call to function 0x%lx through pointer to incorrect function type %s",
         (unsigned long)function, d->type->name);
}
HANDLER(function_type_mismatch, (struct of_type * d, uint64_t function), d, function)

/* These have only one form, because the code after them is unreachable. */
_Noreturn void __ubsan_handle_builtin_unreachable(struct only_place *d);
_Noreturn void __ubsan_handle_missing_return(struct only_place *d);
_Noreturn void __ubsan_handle_builtin_unreachable(struct only_place *d)
{
    tell(&d->at, "execution reached an unreachable program point");
    abort();
}
_Noreturn void __ubsan_handle_missing_return(struct only_place *d)
{
    tell(&d->at,
         "execution reached the end of a value-returning function without returning a value");
    abort();
}
