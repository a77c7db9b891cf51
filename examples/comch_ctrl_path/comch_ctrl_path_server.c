/*
 * Waits on the DPU for a text of one client, sends one back, and ends when the client has gone.
 *
 *     doca_comch_ctrl_path_server -p 03:00.0 -r 03:00.0 -t 'some text'
 */
#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_pe.h>
#include <stdbool.h>
#include <string.h>

#include "sample.h"

DOCA_LOG_REGISTER(COMCH_CTRL_PATH_SERVER);

static struct doca_comch_server *server;
static const char *text;
static bool gone;

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
    struct doca_comch_task_send *task;
    (void)event;
    DOCA_LOG_INFO("Received: %.*s", (int)size, (const char *)bytes);
    TRY(doca_comch_server_task_send_alloc_init(server, connection, text, (uint32_t)strlen(text),
                                               &task));
    TRY(doca_task_submit(doca_comch_task_send_as_task(task)));
}

static void on_connected(struct doca_comch_event_connection_status_changed *event,
                         struct doca_comch_connection *connection, uint8_t success)
{
    (void)event, (void)connection;
    DOCA_LOG_INFO("A client %s", success ? "is connected" : "did not get a connection");
}

static void on_gone(struct doca_comch_event_connection_status_changed *event,
                    struct doca_comch_connection *connection, uint8_t success)
{
    (void)event, (void)connection, (void)success;
    DOCA_LOG_INFO("The client has gone");
    gone = true;
}

static struct doca_dev_rep *open_representor(struct doca_dev *dev, const char *pci_address)
{
    struct doca_devinfo_rep **list = NULL;
    struct doca_dev_rep *rep = NULL;
    uint32_t count = 0;
    /* Devices of the host have no representors. */
    (void)doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &count);
    for (uint32_t i = 0; i < count && !rep; i++) {
        uint8_t is_it = 0;
        TRY(doca_devinfo_rep_is_equal_pci_addr(list[i], pci_address, &is_it));
        if (is_it)
            TRY(doca_dev_rep_open(list[i], &rep));
    }
    if (list)
        TRY(doca_devinfo_rep_destroy_list(list));
    if (!rep) {
        DOCA_LOG_ERR("There is no representor %s: the server runs on the DPU (DPAKIT_SIDE=dpu)",
                     pci_address);
        exit(EXIT_FAILURE);
    }
    return rep;
}

int main(int argc, char **argv)
{
    struct sample_option options[] = {
        {"p", "pci-addr", "PCI address of the device; default: 03:00.0", "03:00.0"},
        {"r", "rep-pci", "PCI address of the host's function; default: 03:00.0", "03:00.0"},
        {"t", "text", "Text to send back", "Message from the server"},
    };
    struct doca_pe *pe;
    sample_options("doca_comch_ctrl_path_server", argc, argv, options, 3);
    text = options[2].value;
    struct doca_dev *dev = sample_open(options[0].value);
    struct doca_dev_rep *rep = open_representor(dev, options[1].value);
    TRY(doca_pe_create(&pe));
    TRY(doca_comch_server_create(dev, rep, "comch_ctrl_path", &server));
    struct doca_ctx *ctx = doca_comch_server_as_ctx(server);
    TRY(doca_comch_server_task_send_set_conf(server, on_sent, on_sent, 1));
    TRY(doca_comch_server_event_msg_recv_register(server, on_message));
    TRY(doca_comch_server_event_connection_status_changed_register(server, on_connected, on_gone));
    TRY(doca_pe_connect_ctx(pe, ctx));
    TRY(doca_ctx_start(ctx));
    while (!gone)
        doca_pe_progress(pe);
    TRY(doca_ctx_stop(ctx));
    TRY(doca_comch_server_destroy(server));
    TRY(doca_dev_rep_close(rep));
    TRY(doca_pe_destroy(pe));
    TRY(doca_dev_close(dev));
    return EXIT_SUCCESS;
}
