/* The target gives a worker on its DPU access to its memory, and lets an initiator use it. */
#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>
#include <doca_urom.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rdmo.h"

struct target {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_urom_service *service;
    struct doca_urom_worker *worker;
    uint64_t plugin;
    struct peer peer;
    ucp_mem_h handle;
    char *memory;
    /* The answer to the last command. */
    bool answered;
    doca_error_t status;
    struct urom_worker_notify_rdmo told;
    char *bytes; /* behind it */
    uint64_t size;
};
static struct target target;

static void must(doca_error_t result, const char *what)
{
    if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
        fail(what);
}

/* ---- The worker on the DPU ---- */

static void open_device(const char *name)
{
    struct doca_devinfo **list;
    char found[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    uint32_t count;
    must(doca_devinfo_create_list(&list, &count), "no devices");
    for (uint32_t i = 0; i < count && !target.dev; i++)
        if (doca_devinfo_get_ibdev_name(list[i], found, sizeof found) == DOCA_SUCCESS &&
            strcmp(found, name) == 0)
            must(doca_dev_open(list[i], &target.dev), "the device does not open");
    doca_devinfo_destroy_list(list);
    if (!target.dev)
        fail("no device has that name");
}

static void find_plugin(void)
{
    const struct doca_urom_service_plugin_info *plugins;
    size_t count;
    must(doca_urom_service_get_plugins_list(target.service, &plugins, &count), "no plugins");
    for (size_t i = 0; i < count; i++)
        if (strcmp(plugins[i].plugin_name, "worker_rdmo") == 0)
            target.plugin = plugins[i].id;
    if (target.plugin == 0)
        fail("the service has no plugin worker_rdmo");
}

static void await_state(struct doca_ctx *ctx, enum doca_ctx_states wanted)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_STARTING;
    while (state != wanted) {
        doca_pe_progress(target.pe);
        must(doca_ctx_get_state(ctx, &state), "no state");
        if (state == DOCA_CTX_STATE_IDLE && wanted != DOCA_CTX_STATE_IDLE)
            fail("the worker does not run");
    }
}

static void start_worker(const char *device)
{
    open_device(device);
    must(doca_pe_create(&target.pe), "no progress engine");
    must(doca_urom_service_create(&target.service), "no service");
    must(doca_urom_service_set_dev(target.service, target.dev), "the device is not a pair");
    struct doca_ctx *ctx = doca_urom_service_as_ctx(target.service);
    must(doca_pe_connect_ctx(target.pe, ctx), "no service");
    must(doca_ctx_start(ctx), "no service of UROM runs for the device");
    find_plugin();
    must(doca_urom_worker_create(&target.worker), "no worker");
    must(doca_urom_worker_set_service(target.worker, target.service), "no worker");
    must(doca_urom_worker_set_plugins(target.worker, target.plugin), "no worker");
    ctx = doca_urom_worker_as_ctx(target.worker);
    must(doca_pe_connect_ctx(target.pe, ctx), "no worker");
    must(doca_ctx_start(ctx), "the worker does not start");
    await_state(ctx, DOCA_CTX_STATE_RUNNING);
}

static void stop_worker(void)
{
    doca_ctx_stop(doca_urom_worker_as_ctx(target.worker));
    await_state(doca_urom_worker_as_ctx(target.worker), DOCA_CTX_STATE_IDLE);
    doca_urom_worker_destroy(target.worker);
    doca_ctx_stop(doca_urom_service_as_ctx(target.service));
    doca_urom_service_destroy(target.service);
    doca_pe_destroy(target.pe);
    doca_dev_close(target.dev);
}

/* ---- Commands ---- */

static void on_answer(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    void *data;
    size_t size;
    struct doca_buf *response = doca_urom_worker_cmd_task_get_response(task);
    (void)task_data, (void)ctx_data;
    target.status = doca_task_get_status(doca_urom_worker_cmd_task_as_task(task));
    must(doca_buf_get_data(response, &data), "no answer");
    must(doca_buf_get_data_len(response, &size), "no answer");
    if (size >= sizeof target.told) {
        memcpy(&target.told, data, sizeof target.told);
        target.size = size - sizeof target.told;
        target.bytes = realloc(target.bytes, target.size + 1);
        memcpy(target.bytes, (char *)data + sizeof target.told, target.size);
    }
    target.answered = true;
    doca_urom_worker_cmd_task_release(task);
}

/* Sends a command, followed by bytes, and waits for its answer. */
static void command(const struct urom_worker_rdmo_cmd *cmd, const void *bytes, size_t size)
{
    struct doca_urom_worker_cmd_task *task;
    void *data;
    must(doca_urom_worker_cmd_task_allocate_init(target.worker, target.plugin, &task), "no task");
    struct doca_buf *payload = doca_urom_worker_cmd_task_get_payload(task);
    must(doca_buf_get_data(payload, &data), "no payload");
    memcpy(data, cmd, sizeof *cmd);
    memcpy((char *)data + sizeof *cmd, bytes, size);
    must(doca_buf_set_data(payload, data, sizeof *cmd + size), "no payload");
    doca_urom_worker_cmd_task_set_cb(task, on_answer);
    target.answered = false;
    must(doca_task_submit(doca_urom_worker_cmd_task_as_task(task)), "no command");
    while (!target.answered) {
        doca_pe_progress(target.pe);
        ucp_worker_progress(target.peer.worker);
    }
    must(target.status, "a command failed");
}

/* Makes memory that the worker may write to. Returns the number by which requests name it. */
static uint64_t register_memory(void)
{
    void *key;
    size_t key_size;
    ucp_mem_attr_t attr = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    const ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                                                       UCP_MEM_MAP_PARAM_FIELD_FLAGS,
                                         .length = MEMORY_SIZE,
                                         .flags = UCP_MEM_MAP_ALLOCATE};
    if (ucp_mem_map(target.peer.context, &params, &target.handle) != UCS_OK ||
        ucp_mem_query(target.handle, &attr) != UCS_OK ||
        ucp_rkey_pack(target.peer.context, target.handle, &key, &key_size) != UCS_OK)
        fail("no memory");
    target.memory = attr.address;
    memset(target.memory, 0, MEMORY_SIZE);
    const struct urom_worker_rdmo_cmd cmd = {.type = UROM_WORKER_CMD_RDMO_MR_REG,
                                             .mr_reg = {.va = (uintptr_t)target.memory,
                                                        .len = MEMORY_SIZE,
                                                        .packed_rkey_len = key_size}};
    command(&cmd, key, key_size);
    ucp_rkey_buffer_release(key);
    return target.told.mr_reg.rkey;
}

/* ---- The initiator ---- */

static int await_initiator(const char *port)
{
    struct addrinfo *list, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    const int on = 1;
    if (getaddrinfo(NULL, port, &hints, &list) != 0)
        fail("no such port");
    const int fd = socket(list->ai_family, list->ai_socktype, list->ai_protocol);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd < 0 || bind(fd, list->ai_addr, list->ai_addrlen) != 0 || listen(fd, 1) != 0)
        fail("the port is in use");
    freeaddrinfo(list);
    printf("waiting\n");
    fflush(stdout);
    const int initiator = accept(fd, NULL, NULL);
    close(fd);
    return initiator;
}

/* UCX may need the target's progress, where the worker cannot write to its memory by itself. */
static void await_word(int fd)
{
    char c;
    ssize_t n;
    while ((n = recv(fd, &c, 1, MSG_DONTWAIT)) < 0)
        ucp_worker_progress(target.peer.worker);
    if (n == 0)
        fail("the initiator is gone");
}

int run_target(const char *device, const char *port)
{
    uint64_t size, end;
    start_worker(device);
    peer_open(&target.peer);
    const struct urom_worker_rdmo_cmd init = {
        .type = UROM_WORKER_CMD_RDMO_CLIENT_INIT,
        .client_init = {.id = CLIENT_ID, .addr_len = target.peer.address_size}};
    command(&init, target.peer.address, target.peer.address_size);
    const int fd = await_initiator(port);
    void *initiator = hear_bytes(fd, &size);
    say_bytes(fd, target.bytes, target.size); /* the worker's address */
    const uint64_t rkey = register_memory();
    const struct place place = {.rkey = rkey, .base = (uintptr_t)target.memory};
    end = place.base + QUEUE_AT;
    memcpy(target.memory, &end, sizeof end);
    const struct urom_worker_rdmo_cmd create = {.type = UROM_WORKER_CMD_RDMO_RQ_CREATE,
                                                .rq_create = {.addr_len = size}};
    command(&create, initiator, size);
    say(fd, &place, sizeof place);
    await_word(fd);
    memcpy(&end, target.memory, sizeof end);
    printf("queue: %.*s\n", (int)(end - place.base - QUEUE_AT), target.memory + QUEUE_AT);
    await_word(fd);
    printf("pieces: %s, %s\n", target.memory + PIECES_AT, target.memory + PIECES_AT + 100);
    free(initiator);
    close(fd);
    stop_worker();
    ucp_mem_unmap(target.peer.context, target.handle);
    peer_close(&target.peer);
    free(target.bytes);
    return 0;
}
