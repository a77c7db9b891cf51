/* The code that dpacc would generate for device.c: the program's variable, function stubs, pack
 * routines and the constructor that registers them. */
#include <libflexio/flexio.h>
#include <string.h>

#include "app.h"

__asm__(".section .dpa_bin_test_app, \"a\"\n"
        ".balign 8\n"
        ".globl test_elf, test_elf_end\n"
        "test_elf: .incbin \"" DEVICE_ELF "\"\n"
        "test_elf_end:\n"
        ".previous\n");
extern const char test_elf[], test_elf_end[];

struct flexio_app *test_app;

static void pack_words(void *argbuf, va_list ap, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        uint64_t value = va_arg(ap, uint64_t);
        memcpy((char *)argbuf + 8 * i, &value, sizeof value);
    }
}

#define FUNCTION(f, words)                                                                         \
    void f(void)                                                                                   \
    {                                                                                              \
    }                                                                                              \
    static void pack_##f(void *argbuf, va_list ap)                                                 \
    {                                                                                              \
        pack_words(argbuf, ap, words);                                                             \
    }
#define REGISTER(f, words)                                                                         \
    if (flexio_func_pup_register(app, #f, "_dpacc_unpack_" #f, f, 8 * (words), pack_##f) !=        \
        FLEXIO_STATUS_SUCCESS)                                                                     \
        abort();

FUNCTION(add, 2)
FUNCTION(sum, 2)
FUNCTION(count, 3)
FUNCTION(load, 1)
FUNCTION(add_rank, 2)
FUNCTION(append, 2)
FUNCTION(spin, 0)
FUNCTION(not_there, 0)

struct flexio_app *make_app(const char *name, const void *sig, size_t sig_size)
{
    struct flexio_app *app = NULL;
    struct flexio_app_attr attr = {.app_name = name,
                                   .app_ptr = (void *)(uintptr_t)test_elf,
                                   .app_bsize = (size_t)(test_elf_end - test_elf),
                                   .app_sig_ptr = sig,
                                   .app_sig_bsize = sig_size};
    if (flexio_app_create(&attr, &app) != FLEXIO_STATUS_SUCCESS)
        abort();
    REGISTER(add, 2)
    REGISTER(sum, 2)
    REGISTER(count, 3)
    REGISTER(load, 1)
    REGISTER(add_rank, 2)
    REGISTER(append, 2)
    REGISTER(spin, 0)
    REGISTER(not_there, 0)
    return app;
}

__attribute__((constructor)) static void enter(void)
{
    test_app = make_app("test_app", NULL, 0);
}

__attribute__((destructor)) static void leave(void)
{
    flexio_app_destroy(test_app);
}
