/*
 * The host side: registers a buffer, lets the DPA overwrite it through a window, prints it.
 *
 *     flexio_window mlx5_0
 */
#include "../window_com.h"

#include <libflexio/flexio.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern struct flexio_app *flexio_window_app;
extern flexio_func_t overwrite;

#define WORDS 8 /* 64 bytes: what a window works with comes in multiples of that */

static struct ibv_context *open_device(const char *name)
{
    struct ibv_context *context = NULL;
    struct ibv_device **list = ibv_get_device_list(NULL);
    for (int i = 0; list && list[i] && !context; i++)
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            context = ibv_open_device(list[i]);
    ibv_free_device_list(list);
    if (!context)
        fprintf(stderr, "Cannot open device %s\n", name);
    return context;
}

/* Tells the DPA where the buffer is, and calls it. */
static int run(struct flexio_process *process, struct flexio_window *window,
               const struct ibv_mr *mr, uint64_t *sum)
{
    struct window_arg arg = {.address = (uintptr_t)mr->addr,
                             .words = WORDS,
                             .window_id = flexio_window_get_id(window),
                             .mkey = mr->lkey};
    flexio_uintptr_t arg_daddr;
    if (flexio_copy_from_host(process, &arg, sizeof arg, &arg_daddr) != FLEXIO_STATUS_SUCCESS)
        return 0;
    int ok = flexio_process_call(process, &overwrite, sum, arg_daddr) == FLEXIO_STATUS_SUCCESS &&
             *sum != UINT64_MAX;
    return flexio_buf_dev_free(process, arg_daddr) == FLEXIO_STATUS_SUCCESS && ok;
}

static void print_words(const char *title, const uint64_t *words)
{
    printf("%s", title);
    for (int i = 0; i < WORDS; i++)
        printf(" %" PRIu64, words[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    struct ibv_context *context = argc == 2 ? open_device(argv[1]) : NULL;
    struct flexio_process *process = NULL;
    struct flexio_window *window = NULL;
    struct ibv_mr *mr = NULL;
    uint64_t *words = NULL, sum = 0;
    int ok = 0;

    if (argc != 2)
        fprintf(stderr, "Usage: %s DEVICE\n", argv[0]);
    if (!context)
        return argc == 2 ? 1 : 2;
    if (flexio_process_create(context, flexio_window_app, NULL, &process) != FLEXIO_STATUS_SUCCESS)
        goto out;
    if (posix_memalign((void **)&words, 64, WORDS * sizeof *words) != 0)
        goto out;
    for (uint64_t i = 0; i < WORDS; i++)
        words[i] = i + 1;
    mr = ibv_reg_mr(flexio_process_get_pd(process), words, WORDS * sizeof *words,
                    IBV_ACCESS_LOCAL_WRITE);
    if (!mr || flexio_window_create(process, flexio_process_get_pd(process), &window) !=
                   FLEXIO_STATUS_SUCCESS)
        goto out;

    print_words("Before:", words);
    ok = run(process, window, mr, &sum);
    if (!ok)
        goto out;
    print_words("After: ", words);
    printf("The DPA saw a sum of %" PRIu64 "\n", sum);
out:
    flexio_window_destroy(window);
    if (mr)
        ibv_dereg_mr(mr);
    free(words);
    flexio_process_destroy(process);
    ibv_close_device(context);
    return ok ? 0 : 1;
}
