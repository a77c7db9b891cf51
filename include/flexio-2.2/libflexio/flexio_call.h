/*
 * flexio_process_call(process, function, argument ..., &result) of the DPA subsystem guide 2.2.1:
 * passes the result as FlexIO 24.01 does, and converts the arguments to numbers. Part of flexio.h,
 * which includes it.
 */
#ifndef LIBFLEXIO_2_2_FLEXIO_CALL_H
#define LIBFLEXIO_2_2_FLEXIO_CALL_H

#ifdef __cplusplus
extern "C" {
#endif
flexio_status flexio_process_call_24(struct flexio_process *process, flexio_func_t *host_func,
                                     uint64_t *func_ret, ...) __asm__("flexio_process_call");
/* UINT32_MAX, which is not a key, for NULL. */
static inline uint64_t flexio_2_2_key(const struct ibv_mr *mr)
{
    return mr ? mr->lkey : UINT32_MAX;
}
#ifdef __cplusplus
}

/* Templates cannot have C linkage, but this header may be included inside extern "C". */
extern "C++" {
template <typename T> static inline T flexio_2_2_argument(T value)
{
    return value;
}
#define FLEXIO_2_2_OVERLOAD(type, result)                                                          \
    static inline uint64_t flexio_2_2_argument(type value)                                         \
    {                                                                                              \
        return (uint64_t)(result);                                                                 \
    }
FLEXIO_2_2_OVERLOAD(bool, value)
FLEXIO_2_2_OVERLOAD(char, value)
FLEXIO_2_2_OVERLOAD(signed char, value)
FLEXIO_2_2_OVERLOAD(unsigned char, value)
FLEXIO_2_2_OVERLOAD(short, value)
FLEXIO_2_2_OVERLOAD(unsigned short, value)
FLEXIO_2_2_OVERLOAD(int, value)
FLEXIO_2_2_OVERLOAD(unsigned int, value)
FLEXIO_2_2_OVERLOAD(struct ibv_mr *, flexio_2_2_key(value))
FLEXIO_2_2_OVERLOAD(struct flexio_outbox *, flexio_outbox_get_id(value))
FLEXIO_2_2_OVERLOAD(struct flexio_window *, flexio_window_get_id(value))
#undef FLEXIO_2_2_OVERLOAD
}
#define FLEXIO_2_2_ARG(x) flexio_2_2_argument(x)

#else

/* `x` if it has that type, else a value of that type: every branch of _Generic must be valid. */
/* clang-format off */
#define FLEXIO_2_2_IF(type, x) _Generic((x), type: (x), default: (type)0)
#define FLEXIO_2_2_ARG(x)                                                                          \
    _Generic((x),                                                                                  \
        _Bool: (uint64_t)FLEXIO_2_2_IF(_Bool, x),                                                  \
        char: (uint64_t)FLEXIO_2_2_IF(char, x),                                                    \
        signed char: (uint64_t)FLEXIO_2_2_IF(signed char, x),                                      \
        unsigned char: (uint64_t)FLEXIO_2_2_IF(unsigned char, x),                                  \
        short: (uint64_t)FLEXIO_2_2_IF(short, x),                                                  \
        unsigned short: (uint64_t)FLEXIO_2_2_IF(unsigned short, x),                                \
        int: (uint64_t)FLEXIO_2_2_IF(int, x),                                                      \
        unsigned int: (uint64_t)FLEXIO_2_2_IF(unsigned int, x),                                    \
        struct ibv_mr *: flexio_2_2_key(FLEXIO_2_2_IF(struct ibv_mr *, x)),                        \
        struct flexio_outbox *:                                                                    \
            (uint64_t)flexio_outbox_get_id(FLEXIO_2_2_IF(struct flexio_outbox *, x)),              \
        struct flexio_window *:                                                                    \
            (uint64_t)flexio_window_get_id(FLEXIO_2_2_IF(struct flexio_window *, x)),              \
        default: (x))
/* clang-format on */
#endif

#define flexio_process_call(process, ...)                                                          \
    FLEXIO_2_2_CALL(__VA_ARGS__, at_most_8_arguments, at_most_8_arguments, at_most_8_arguments,    \
                    at_most_8_arguments, C8, C7, C6, C5, C4, C3, C2, C1, C0, no_result, )          \
    (process, __VA_ARGS__)
#define FLEXIO_2_2_CALL(a, b, c, d, e, f, g, h, i, j, k, l, m, n, name, ...) FLEXIO_2_2_##name

/* p: process, f: function, r: pointer for the result. */
#define FLEXIO_2_2_C0(p, f, r)    flexio_process_call_24(p, f, r)
#define FLEXIO_2_2_C1(p, f, a, r) flexio_process_call_24(p, f, r, FLEXIO_2_2_ARG(a))
#define FLEXIO_2_2_C2(p, f, a, b, r)                                                               \
    flexio_process_call_24(p, f, r, FLEXIO_2_2_ARG(a), FLEXIO_2_2_ARG(b))
#define FLEXIO_2_2_C3(p, f, a, b, c, r)                                                            \
    flexio_process_call_24(p, f, r, FLEXIO_2_2_ARG(a), FLEXIO_2_2_ARG(b), FLEXIO_2_2_ARG(c))
#define FLEXIO_2_2_C4(p, f, a, b, c, d, r)                                                         \
    flexio_process_call_24(p, f, r, FLEXIO_2_2_ARG(a), FLEXIO_2_2_ARG(b), FLEXIO_2_2_ARG(c),       \
                           FLEXIO_2_2_ARG(d))
#define FLEXIO_2_2_C5(p, f, a, b, c, d, e, r)                                                      \
    flexio_process_call_24(p, f, r, FLEXIO_2_2_ARG(a), FLEXIO_2_2_ARG(b), FLEXIO_2_2_ARG(c),       \
                           FLEXIO_2_2_ARG(d), FLEXIO_2_2_ARG(e))
#define FLEXIO_2_2_C6(p, f, a, b, c, d, e, g, r)                                                   \
    flexio_process_call_24(p, f, r, FLEXIO_2_2_ARG(a), FLEXIO_2_2_ARG(b), FLEXIO_2_2_ARG(c),       \
                           FLEXIO_2_2_ARG(d), FLEXIO_2_2_ARG(e), FLEXIO_2_2_ARG(g))
#define FLEXIO_2_2_C7(p, f, a, b, c, d, e, g, h, r)                                                \
    flexio_process_call_24(p, f, r, FLEXIO_2_2_ARG(a), FLEXIO_2_2_ARG(b), FLEXIO_2_2_ARG(c),       \
                           FLEXIO_2_2_ARG(d), FLEXIO_2_2_ARG(e), FLEXIO_2_2_ARG(g),                \
                           FLEXIO_2_2_ARG(h))
#define FLEXIO_2_2_C8(p, f, a, b, c, d, e, g, h, i, r)                                             \
    flexio_process_call_24(p, f, r, FLEXIO_2_2_ARG(a), FLEXIO_2_2_ARG(b), FLEXIO_2_2_ARG(c),       \
                           FLEXIO_2_2_ARG(d), FLEXIO_2_2_ARG(e), FLEXIO_2_2_ARG(g),                \
                           FLEXIO_2_2_ARG(h), FLEXIO_2_2_ARG(i))

#endif
