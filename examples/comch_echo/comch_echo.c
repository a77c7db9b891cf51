/* A message there and back between the host and the DPU, over DOCA comch.
 *
 *     comch_echo serve DEVICE NAME        on the DPU: answers what one client says, until it goes
 *     comch_echo ask DEVICE NAME TEXT     on the host: says TEXT, and prints the answer
 */
#include <doca_comch.h>
#include <doca_ctx.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const doca_error_t result_ = (call);                                                       \
        if (result_ != DOCA_SUCCESS) {                                                             \
            fprintf(stderr, "%s: %s\n", #call, doca_error_get_descr(result_));                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static struct doca_pe *pe;
static struct doca_comch_server *server;
static uint8_t answer[4080]; /* of the server, until it was sent */
static bool done;

static struct doca_dev *open_device(const char *name)
{
    struct doca_devinfo **list;
    uint32_t count = 0;
    char its[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    struct doca_dev *dev = NULL;
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
    return dev;
}

/* ---- Both ---- */

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_failed(struct doca_comch_task_send *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    struct doca_task *t = doca_comch_task_send_as_task(task);
    fprintf(stderr, "send: %s\n", doca_error_get_descr(doca_task_get_status(t)));
    on_sent(task, task_data, ctx_data);
    done = true;
}

static void wait_until_done(struct doca_ctx *ctx)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_STARTING;
    while (!done && state != DOCA_CTX_STATE_IDLE) {
        doca_pe_progress(pe);
        TRY(doca_ctx_get_state(ctx, &state));
    }
}

/* ---- The DPU ---- */

static void on_question(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t size,
                        struct doca_comch_connection *connection)
{
    struct doca_comch_task_send *task;
    (void)event;
    memcpy(answer, bytes, size);
    TRY(doca_comch_server_task_send_alloc_init(server, connection, answer, size, &task));
    TRY(doca_task_submit(doca_comch_task_send_as_task(task)));
}

static void on_came(struct doca_comch_event_connection_status_changed *event,
                    struct doca_comch_connection *connection, uint8_t success)
{
    (void)event, (void)connection, (void)success;
    puts("a client came");
}

static void on_went(struct doca_comch_event_connection_status_changed *event,
                    struct doca_comch_connection *connection, uint8_t success)
{
    (void)event, (void)connection, (void)success;
    puts("it went");
    done = true;
}

static void serve(struct doca_dev *dev, const char *name)
{
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep;
    uint32_t count = 0;
    TRY(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &count));
    if (count == 0) {
        fprintf(stderr, "there is no representor: is DPAKIT_SIDE=dpu set?\n");
        exit(1);
    }
    TRY(doca_dev_rep_open(list[0], &rep));
    TRY(doca_devinfo_rep_destroy_list(list));
    TRY(doca_comch_server_create(dev, rep, name, &server));
    struct doca_ctx *ctx = doca_comch_server_as_ctx(server);
    TRY(doca_comch_server_task_send_set_conf(server, on_sent, on_failed, 1));
    TRY(doca_comch_server_event_msg_recv_register(server, on_question));
    TRY(doca_comch_server_event_connection_status_changed_register(server, on_came, on_went));
    TRY(doca_pe_connect_ctx(pe, ctx));
    TRY(doca_ctx_start(ctx));
    wait_until_done(ctx);
    TRY(doca_ctx_stop(ctx));
    TRY(doca_comch_server_destroy(server));
    TRY(doca_dev_rep_close(rep));
}

/* ---- The host ---- */

static void on_answer(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t size,
                      struct doca_comch_connection *connection)
{
    (void)event, (void)connection;
    printf("%.*s\n", (int)size, (const char *)bytes);
    done = true;
}

static void ask(struct doca_dev *dev, const char *name, const char *text)
{
    struct doca_comch_client *client;
    struct doca_comch_connection *connection;
    struct doca_comch_task_send *task;
    enum doca_ctx_states state = DOCA_CTX_STATE_STARTING;
    TRY(doca_comch_client_create(dev, name, &client));
    struct doca_ctx *ctx = doca_comch_client_as_ctx(client);
    TRY(doca_comch_client_task_send_set_conf(client, on_sent, on_failed, 1));
    TRY(doca_comch_client_event_msg_recv_register(client, on_answer));
    TRY(doca_pe_connect_ctx(pe, ctx));
    const doca_error_t result = doca_ctx_start(ctx);
    if (result != DOCA_ERROR_IN_PROGRESS)
        TRY(result);
    while (state == DOCA_CTX_STATE_STARTING) {
        doca_pe_progress(pe);
        TRY(doca_ctx_get_state(ctx, &state));
    }
    TRY(doca_comch_client_get_connection(client, &connection));
    TRY(doca_comch_client_task_send_alloc_init(client, connection, text, (uint32_t)strlen(text),
                                               &task));
    TRY(doca_task_submit(doca_comch_task_send_as_task(task)));
    wait_until_done(ctx);
    TRY(doca_ctx_stop(ctx));
    TRY(doca_comch_client_destroy(client));
}

int main(int argc, char **argv)
{
    const bool serves = argc == 4 && strcmp(argv[1], "serve") == 0;
    if (!serves && (argc != 5 || strcmp(argv[1], "ask") != 0)) {
        fprintf(stderr, "usage: comch_echo serve DEVICE NAME | ask DEVICE NAME TEXT\n");
        return 2;
    }
    struct doca_dev *dev = open_device(argv[2]);
    TRY(doca_pe_create(&pe));
    if (serves)
        serve(dev, argv[3]);
    else
        ask(dev, argv[3], argv[4]);
    TRY(doca_pe_destroy(pe));
    TRY(doca_dev_close(dev));
    return 0;
}
