/* Asks code on the DPA for capitals, by message queues of DOCA comch.
 *
 *     capitals DEVICE TEXT...     each text is one message; the answers are printed
 */
#include <doca_comch_msgq.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dpa.h>
#include <doca_pe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capitals.h"

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const doca_error_t result_ = (call);                                                       \
        if (result_ != DOCA_SUCCESS) {                                                             \
            fprintf(stderr, "%s: %s\n", #call, doca_error_get_descr(result_));                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

extern struct doca_dpa_app *capitals_app;
doca_dpa_func_t capitals, post_receives;

static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_dpa *dpa;
static struct doca_dpa_thread *thread;
static struct handles handles;

/* To the DPA, and back. */
static struct doca_comch_msgq *there, *back;
static struct doca_comch_consumer_completion *completion;
static struct doca_comch_consumer *dpa_consumer, *consumer;
static struct doca_comch_producer *producer, *dpa_producer;
static int answers;

static void open_device(const char *name)
{
    struct doca_devinfo **list;
    uint32_t count = 0;
    char its[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    TRY(doca_devinfo_create_list(&list, &count));
    for (uint32_t i = 0; i < count && !dev; i++)
        if (doca_devinfo_get_ibdev_name(list[i], its, sizeof its) == DOCA_SUCCESS &&
            strcmp(its, name) == 0)
            TRY(doca_dev_open(list[i], &dev));
    doca_devinfo_destroy_list(list);
    if (!dev) {
        fprintf(stderr, "no device %s\n", name);
        exit(1);
    }
}

/* ---- To the DPA ---- */

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void open_there(void)
{
    TRY(doca_comch_msgq_create(dev, &there));
    TRY(doca_comch_msgq_set_dpa_consumer(there, dpa));
    TRY(doca_comch_msgq_start(there));

    TRY(doca_comch_consumer_completion_create(&completion));
    TRY(doca_comch_consumer_completion_set_max_num_recv(completion, MESSAGES));
    TRY(doca_comch_consumer_completion_set_dpa_thread(completion, thread));
    TRY(doca_comch_consumer_completion_start(completion));
    TRY(doca_comch_consumer_completion_get_dpa_handle(completion, &handles.completion));

    TRY(doca_comch_msgq_consumer_create(there, &dpa_consumer));
    struct doca_ctx *ctx = doca_comch_consumer_as_ctx(dpa_consumer);
    TRY(doca_ctx_set_datapath_on_dpa(ctx, dpa));
    TRY(doca_comch_consumer_set_completion(dpa_consumer, completion, 0));
    TRY(doca_comch_consumer_set_dev_max_num_recv(dpa_consumer, MESSAGES));
    TRY(doca_ctx_start(ctx));
    TRY(doca_comch_consumer_get_dpa_handle(dpa_consumer, &handles.consumer));

    TRY(doca_comch_msgq_producer_create(there, &producer));
    ctx = doca_comch_producer_as_ctx(producer);
    TRY(doca_comch_producer_task_send_set_conf(producer, on_sent, on_sent, MESSAGES));
    TRY(doca_pe_connect_ctx(pe, ctx));
    TRY(doca_ctx_start(ctx));
}

/* ---- Back ---- */

static void on_answer(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    printf("%.*s\n", (int)doca_comch_consumer_task_post_recv_get_imm_data_len(task),
           (const char *)doca_comch_consumer_task_post_recv_get_imm_data(task));
    TRY(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
    answers++;
}

/* Receives that wait when the consumer stops end here. */
static void on_stopped(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void open_back(void)
{
    TRY(doca_comch_msgq_create(dev, &back));
    TRY(doca_comch_msgq_set_dpa_producer(back, dpa));
    TRY(doca_comch_msgq_start(back));

    TRY(doca_comch_msgq_consumer_create(back, &consumer));
    struct doca_ctx *ctx = doca_comch_consumer_as_ctx(consumer);
    TRY(doca_comch_consumer_task_post_recv_set_conf(consumer, on_answer, on_stopped, MESSAGES));
    TRY(doca_pe_connect_ctx(pe, ctx));
    TRY(doca_ctx_start(ctx));
    for (int i = 0; i < MESSAGES; i++) {
        struct doca_comch_consumer_task_post_recv *task;
        TRY(doca_comch_consumer_task_post_recv_alloc_init(consumer, NULL, &task));
        TRY(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
    }

    TRY(doca_comch_msgq_producer_create(back, &dpa_producer));
    ctx = doca_comch_producer_as_ctx(dpa_producer);
    TRY(doca_ctx_set_datapath_on_dpa(ctx, dpa));
    TRY(doca_comch_producer_set_dev_max_num_send(dpa_producer, MESSAGES));
    TRY(doca_ctx_start(ctx));
    TRY(doca_comch_producer_get_dpa_handle(dpa_producer, &handles.producer));
}

/* ---- The DPA ---- */

static void open_dpa(void)
{
    doca_dpa_dev_uintptr_t argument;
    uint64_t result;
    TRY(doca_dpa_create(dev, &dpa));
    TRY(doca_dpa_set_app(dpa, capitals_app));
    TRY(doca_dpa_start(dpa));
    TRY(doca_dpa_mem_alloc(dpa, sizeof handles, &argument));
    TRY(doca_dpa_thread_create(dpa, &thread));
    TRY(doca_dpa_thread_set_func_arg(thread, capitals, argument));
    TRY(doca_dpa_thread_start(thread));
    open_there();
    open_back();
    TRY(doca_dpa_h2d_memcpy(dpa, argument, &handles, sizeof handles));
    TRY(doca_dpa_rpc(dpa, post_receives, &result, handles.consumer, (uint32_t)MESSAGES));
    TRY(doca_dpa_thread_run(thread));
}

static void ask(const char *text)
{
    struct doca_comch_producer_task_send *task;
    uint8_t imm[MESSAGE_MAX] = {0};
    const size_t size = strlen(text);
    if (size == 0 || size > MESSAGE_MAX) {
        fprintf(stderr, "a text has 1 to %d bytes: \"%s\"\n", MESSAGE_MAX, text);
        exit(1);
    }
    memcpy(imm, text, size);
    TRY(doca_comch_producer_task_send_alloc_init(producer, NULL, imm, (uint32_t)size, 1, &task));
    TRY(doca_task_submit(doca_comch_producer_task_send_as_task(task)));
    for (const int before = answers; answers == before;)
        doca_pe_progress(pe);
}

static void stop(struct doca_ctx *ctx)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
    doca_ctx_stop(ctx);
    while (state != DOCA_CTX_STATE_IDLE) {
        doca_pe_progress(pe);
        TRY(doca_ctx_get_state(ctx, &state));
    }
}

static void close_all(void)
{
    stop(doca_comch_producer_as_ctx(producer));
    stop(doca_comch_consumer_as_ctx(consumer));
    TRY(doca_comch_producer_destroy(producer));
    TRY(doca_comch_producer_destroy(dpa_producer));
    TRY(doca_comch_consumer_destroy(consumer));
    TRY(doca_comch_consumer_destroy(dpa_consumer));
    TRY(doca_comch_consumer_completion_destroy(completion));
    TRY(doca_comch_msgq_destroy(there));
    TRY(doca_comch_msgq_destroy(back));
    TRY(doca_dpa_thread_destroy(thread));
    TRY(doca_dpa_destroy(dpa));
    TRY(doca_pe_destroy(pe));
    TRY(doca_dev_close(dev));
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: capitals DEVICE TEXT...\n");
        return 2;
    }
    open_device(argv[1]);
    TRY(doca_pe_create(&pe));
    open_dpa();
    for (int i = 2; i < argc; i++)
        ask(argv[i]);
    close_all();
    return 0;
}
