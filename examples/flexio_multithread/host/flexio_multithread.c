/*
 * The host side: multiplies two 5x5 matrices with 25 tasks of a command queue, one for each cell.
 *
 *     flexio_multithread mlx5_0
 */
#include "../multithread_com.h"

#include <libflexio/flexio.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern struct flexio_app *flexio_multithread_app;
extern flexio_func_t multiply_cell, cells_done;

#define WORKERS      8
#define RESULT_BSIZE 256 /* of the 200 bytes' next multiple of 64 */

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

/* A task for each cell; all of them are in DPA memory. */
static int add_tasks(struct flexio_process *process, struct flexio_cmdq *cmdq,
                     flexio_uintptr_t matrices)
{
    struct task tasks[SIDE * SIDE];
    flexio_uintptr_t daddr;
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        tasks[i] = (struct task){.matrices = matrices, .row = i / SIDE, .column = i % SIDE};
    if (flexio_copy_from_host(process, tasks, sizeof tasks, &daddr) != FLEXIO_STATUS_SUCCESS)
        return 0;
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        if (flexio_cmdq_task_add(cmdq, &multiply_cell, daddr + i * sizeof tasks[0]) !=
            FLEXIO_STATUS_SUCCESS)
            return 0;
    return 1;
}

static int multiply(struct flexio_process *process, struct matrices *m)
{
    struct flexio_cmdq_attr attr = {
        .workers = WORKERS, .batch_size = 1, .state = FLEXIO_CMDQ_STATE_PENDING};
    struct flexio_cmdq *cmdq = NULL;
    flexio_uintptr_t daddr;
    uint64_t done = 0;
    int empty = 0;
    if (flexio_copy_from_host(process, m, sizeof *m, &daddr) != FLEXIO_STATUS_SUCCESS ||
        flexio_cmdq_create(process, &attr, &cmdq) != FLEXIO_STATUS_SUCCESS)
        return 0;
    int ok =
        add_tasks(process, cmdq, daddr) && flexio_cmdq_state_running(cmdq) == FLEXIO_STATUS_SUCCESS;
    while (ok && (empty = flexio_cmdq_is_empty(cmdq)) == 0)
        usleep(1000);
    ok = ok && empty == 1 &&
         flexio_process_call(process, &cells_done, &done, daddr) == FLEXIO_STATUS_SUCCESS;
    flexio_cmdq_destroy(cmdq);
    if (ok)
        printf("%" PRIu64 " cells by %d workers\n", done, WORKERS);
    return ok;
}

int main(int argc, char **argv)
{
    struct ibv_context *context = argc == 2 ? open_device(argv[1]) : NULL;
    struct flexio_process *process = NULL;
    struct flexio_window *window = NULL;
    struct ibv_mr *mr = NULL;
    uint64_t(*result)[SIDE] = NULL;
    struct matrices m = {0};
    int ok = 0;

    if (argc != 2)
        fprintf(stderr, "Usage: %s DEVICE\n", argv[0]);
    if (!context)
        return argc == 2 ? 1 : 2;
    if (flexio_process_create(context, flexio_multithread_app, NULL, &process) !=
            FLEXIO_STATUS_SUCCESS ||
        posix_memalign((void **)&result, 64, RESULT_BSIZE) != 0)
        goto out;
    memset(result, 0, RESULT_BSIZE);
    mr = ibv_reg_mr(flexio_process_get_pd(process), result, RESULT_BSIZE, IBV_ACCESS_LOCAL_WRITE);
    if (!mr || flexio_window_create(process, flexio_process_get_pd(process), &window) !=
                   FLEXIO_STATUS_SUCCESS)
        goto out;

    for (uint64_t i = 0; i < SIDE * SIDE; i++) {
        m.a[i / SIDE][i % SIDE] = i + 1;
        m.b[i / SIDE][i % SIDE] = i / SIDE == i % SIDE ? 2 : 1;
    }
    m.result = (uintptr_t)result;
    m.window_id = flexio_window_get_id(window);
    m.mkey = mr->lkey;
    ok = multiply(process, &m);
    for (int i = 0; ok && i < SIDE * SIDE; i++)
        printf("%4" PRIu64 "%s", result[i / SIDE][i % SIDE], i % SIDE == SIDE - 1 ? "\n" : "");
out:
    flexio_window_destroy(window);
    if (mr)
        ibv_dereg_mr(mr);
    free(result);
    flexio_process_destroy(process);
    ibv_close_device(context);
    return ok ? 0 : 1;
}
