/* The host of args_dev.c over a stand-in for libflexio: packs each call's arguments and writes the
 * buffer to <function>.buf. */
#include "args.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void(func_t)(void);
struct flexio_app_attr {
    const char *app_name;
    void *app_ptr;
    size_t app_bsize;
    char *app_sig_sec_name;
    const void *app_sig_ptr;
    size_t app_sig_bsize;
};
struct flexio_app {
    struct flexio_app_attr attr;
    struct {
        const char *name, *unpack;
        func_t *stub;
        size_t size;
        void (*pack)(void *, va_list);
    } functions[16];
    size_t count;
};
static int destroyed;

int flexio_app_create(struct flexio_app_attr *attr, struct flexio_app **app)
{
    *app = calloc(1, sizeof **app);
    (*app)->attr = *attr;
    return 0;
}

int flexio_app_destroy(struct flexio_app *app)
{
    free(app);
    destroyed++;
    puts("destroyed");
    return 0;
}

int flexio_func_pup_register(struct flexio_app *app, const char *name, const char *unpack,
                             func_t *stub, size_t size, void (*pack)(void *, va_list))
{
    size_t i = app->count++;
    app->functions[i].name = name;
    app->functions[i].unpack = unpack;
    app->functions[i].stub = stub;
    app->functions[i].size = size;
    app->functions[i].pack = pack;
    return 0;
}

extern struct flexio_app *args_app;
extern func_t rpc_integers, rpc_structures, rpc_wide, kernel_nothing;

static void call(func_t *stub, ...)
{
    static unsigned char buffer[4096];
    for (size_t i = 0; i < args_app->count; i++) {
        if (args_app->functions[i].stub != stub)
            continue;
        memset(buffer, 0xee, sizeof buffer);
        va_list ap;
        va_start(ap, stub);
        args_app->functions[i].pack(buffer, ap);
        va_end(ap);
        char path[256];
        snprintf(path, sizeof path, "%s.buf", args_app->functions[i].name);
        FILE *f = fopen(path, "wb");
        fwrite(buffer, 1, args_app->functions[i].size, f);
        fclose(f);
        if (buffer[args_app->functions[i].size] != 0xee)
            printf("%s: packed past its buffer\n", path);
        printf("%s %s %zu\n", args_app->functions[i].name, args_app->functions[i].unpack,
               args_app->functions[i].size);
        return;
    }
    puts("not registered");
    exit(1);
}

int main(void)
{
    struct big a = {.a = 1, .b = 2}, b = {.a = 3, .b = 4};
    for (unsigned k = 0; k < 9; k++) {
        a.words[k] = k + 100;
        b.words[k] = k + 200;
    }
    struct tight t = {9, 0x1122334455667788, 0x99aa};
    struct nested n = {.pair = {[1] = {.x = 77, .t.value = 88}},
                       .word = 0xcafe0000,
                       .color = GREEN,
                       .flag = true,
                       .grid = {[1] = {4, 5, 6}}};
    struct tiny y = {1, 2, 3};
    struct bits z = {.low = 17, .high = 0xabcde, .negative = -3};
    anonymous_t v = {-1, 1};
    struct pragma4 p = {5, 6};
    struct wide w = {.at0 = 7, .at16 = 8};
    printf("%s %.3s %zu %zu %s\n", args_app->attr.app_name, (char *)args_app->attr.app_ptr + 1,
           args_app->attr.app_bsize, args_app->attr.app_sig_bsize, args_app->attr.app_sig_sec_name);
    for (size_t i = 0; i < args_app->attr.app_sig_bsize; i++)
        if (((const char *)args_app->attr.app_sig_ptr)[i])
            puts("the room for the signature is not empty");
    call(&rpc_integers, 'x', -7, 250, -30000, 60000, -2000000000, 4000000000u, -5L,
         0xfedcba9876543210UL, (long long)INT64_MIN, true, BLUE, ONE);
    call(rpc_structures, a, t, n, 0xffffffff, y, z, v, b, p, w, (handle_t)0x8000000000000001);
    call(rpc_wide, (unsigned __int128)0x0102030405060708 << 64 | 42, -1);
    call(kernel_nothing);
    return 0;
}
