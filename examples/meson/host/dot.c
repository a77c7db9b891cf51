/*
 * The host side: puts two vectors into DPA memory and prints their dot product.
 *
 *     dot_product mlx5_0 1,2,3 4,5,6
 */
#include <libflexio/flexio.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern struct flexio_app *dot_app; /* dpacc's --app-name */
extern flexio_func_t dot_product;

#define ELEMENTS_MAX 64

/* "1,-2,3"; the number of elements, 0 if the text is none. */
static uint32_t parse_vector(const char *text, int64_t out[ELEMENTS_MAX])
{
    for (uint32_t n = 0; n < ELEMENTS_MAX; text++) {
        char *end = NULL;
        errno = 0;
        out[n] = strtoll(text, &end, 0);
        if (end == text || errno)
            return 0;
        n++;
        text = end;
        if (*text == '\0')
            return n;
        if (*text != ',')
            return 0;
    }
    return 0;
}

static struct ibv_context *open_device(const char *name)
{
    int count = 0;
    struct ibv_context *context = NULL;
    struct ibv_device **list = ibv_get_device_list(&count);
    for (int i = 0; list && i < count && !context; i++)
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            context = ibv_open_device(list[i]);
    if (list)
        ibv_free_device_list(list);
    if (!context)
        fprintf(stderr, "%s: no such device\n", name);
    return context;
}

int main(int argc, char **argv)
{
    int64_t a[ELEMENTS_MAX], b[ELEMENTS_MAX];
    uint32_t count = argc == 4 ? parse_vector(argv[2], a) : 0;
    if (!count || parse_vector(argv[3], b) != count) {
        fprintf(stderr, "Usage: %s DEVICE A,B,... C,D,...   (equally many integers)\n", argv[0]);
        return 2;
    }
    struct ibv_context *context = open_device(argv[1]);
    if (!context)
        return 1;

    struct flexio_process *process = NULL;
    flexio_uintptr_t dev_a = 0, dev_b = 0;
    uint64_t result = 0;
    size_t size = count * sizeof *a;
    int ok = flexio_process_create(context, dot_app, NULL, &process) == FLEXIO_STATUS_SUCCESS &&
             flexio_copy_from_host(process, a, size, &dev_a) == FLEXIO_STATUS_SUCCESS &&
             flexio_copy_from_host(process, b, size, &dev_b) == FLEXIO_STATUS_SUCCESS &&
             flexio_process_call(process, &dot_product, &result, dev_a, dev_b, count) ==
                 FLEXIO_STATUS_SUCCESS;
    if (ok)
        printf("%" PRId64 "\n", (int64_t)result);
    if (process) {
        flexio_buf_dev_free(process, dev_b);
        flexio_buf_dev_free(process, dev_a);
        ok &= flexio_process_destroy(process) == FLEXIO_STATUS_SUCCESS;
    }
    ok &= ibv_close_device(context) == 0;
    return ok ? 0 : 1;
}
