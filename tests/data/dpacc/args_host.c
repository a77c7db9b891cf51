/* The host of args_dev.c over a stand-in for libflexio: packs each call's arguments and writes the
 * buffer to <function>.buf. */
#include "args_values.h"

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
    ARGS_VALUES;
    printf("%s %.8s %zu %zu %s\n", args_app->attr.app_name, (char *)args_app->attr.app_ptr,
           args_app->attr.app_bsize, args_app->attr.app_sig_bsize, args_app->attr.app_sig_sec_name);
    for (size_t i = 56; i < args_app->attr.app_sig_bsize; i++) /* after the area's table */
        if (((const char *)args_app->attr.app_sig_ptr)[i])
            puts("the room for the signature is not empty");
    call(&rpc_integers, ARGS_INTEGERS);
    call(rpc_structures, ARGS_STRUCTURES);
    call(rpc_wide, ARGS_WIDE);
    call(kernel_nothing);
    return 0;
}
