/*
 * Sends a text to the server on the DPU, and waits for one from there.
 *
 *     doca_comch_ctrl_path_client -p 03:00.0 -t 'some text'
 */
#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_pe.h>
#include <stdbool.h>
#include <string.h>

#include "sample.h"

DOCA_LOG_REGISTER(COMCH_CTRL_PATH_CLIENT);

static bool answered;

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    TRY(doca_task_get_status(doca_comch_task_send_as_task(task)));
    doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t size,
                       struct doca_comch_connection *connection)
{
    (void)event, (void)connection;
    DOCA_LOG_INFO("Received: %.*s", (int)size, (const char *)bytes);
    answered = true;
}

static void talk(struct doca_comch_client *client, struct doca_pe *pe, const char *text)
{
    struct doca_ctx *ctx = doca_comch_client_as_ctx(client);
    struct doca_comch_connection *connection;
    struct doca_comch_task_send *task;
    enum doca_ctx_states state = DOCA_CTX_STATE_STARTING;
    while (state == DOCA_CTX_STATE_STARTING) {
        doca_pe_progress(pe);
        TRY(doca_ctx_get_state(ctx, &state));
    }
    TRY(doca_comch_client_get_connection(client, &connection));
    TRY(doca_comch_client_task_send_alloc_init(client, connection, text, (uint32_t)strlen(text),
                                               &task));
    TRY(doca_task_submit(doca_comch_task_send_as_task(task)));
    while (!answered && state == DOCA_CTX_STATE_RUNNING) {
        doca_pe_progress(pe);
        TRY(doca_ctx_get_state(ctx, &state));
    }
    if (!answered) {
        DOCA_LOG_ERR("The server went without an answer");
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char **argv)
{
    struct sample_option options[] = {
        {"p", "pci-addr", "PCI address of the device; default: 03:00.0", "03:00.0"},
        {"t", "text", "Text to send", "Message from the client"},
    };
    struct doca_comch_client *client;
    struct doca_pe *pe;
    sample_options("doca_comch_ctrl_path_client", argc, argv, options, 2);
    struct doca_dev *dev = sample_open(options[0].value);
    TRY(doca_pe_create(&pe));
    TRY(doca_comch_client_create(dev, "comch_ctrl_path", &client));
    struct doca_ctx *ctx = doca_comch_client_as_ctx(client);
    TRY(doca_comch_client_task_send_set_conf(client, on_sent, on_sent, 1));
    TRY(doca_comch_client_event_msg_recv_register(client, on_message));
    TRY(doca_pe_connect_ctx(pe, ctx));
    const doca_error_t result = doca_ctx_start(ctx);
    if (result != DOCA_ERROR_IN_PROGRESS)
        TRY(result);
    talk(client, pe, options[1].value);
    (void)doca_ctx_stop(ctx);
    enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
    while (state != DOCA_CTX_STATE_IDLE) {
        doca_pe_progress(pe);
        TRY(doca_ctx_get_state(ctx, &state));
    }
    TRY(doca_comch_client_destroy(client));
    TRY(doca_pe_destroy(pe));
    TRY(doca_dev_close(dev));
    return EXIT_SUCCESS;
}
