/* A target and its initiators, for programs that test or measure the plugin worker_rdmo. The target is
 * this process; initiators are children, which are forked before UCX starts. */
#ifndef TESTS_HOST_RDMO_WORLD_H
#define TESTS_HOST_RDMO_WORLD_H

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>
#include <doca_urom.h>
#include <doca_urom_rdmo.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

#include "check.h"

#define OK            DOCA_SUCCESS
#define CLIENT        77
#define QUEUE         64 /* records begin here in the target's memory; its first word is the pointer */
#define INITIATOR_MAX 128

/* The answers that an initiator has received. */
struct place {
    uint64_t base, size, rkey, address_size;
    uint8_t address[2048];
    uint64_t packed_size; /* UCX's key of the memory, for puts of the initiator's own */
    uint8_t packed[2048];
    uint64_t target_size;
    uint8_t target[2048];
};

/* ---- UCX ---- */

struct peer {
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_address_t *address;
    size_t address_size;
};

static inline struct peer new_peer(void)
{
    struct peer p;
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_AMO64};
    const ucp_worker_params_t single = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                        .thread_mode = UCS_THREAD_MODE_SINGLE};
    ucp_config_t *config;
    CHECK(ucp_config_read(NULL, NULL, &config) == UCS_OK);
    (void)ucp_config_modify(config, "MM_ERROR_HANDLING", "y");
    CHECK(ucp_init(&params, config, &p.context) == UCS_OK);
    ucp_config_release(config);
    CHECK(ucp_worker_create(p.context, &single, &p.worker) == UCS_OK);
    CHECK(ucp_worker_get_address(p.worker, &p.address, &p.address_size) == UCS_OK);
    return p;
}

static inline void on_error(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    (void)arg, (void)ep, (void)status;
}

static inline ucp_ep_h connect_peer(struct peer *p, const void *address)
{
    ucp_ep_h ep;
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLER,
                                    .address = address,
                                    .err_mode = UCP_ERR_HANDLING_MODE_PEER,
                                    .err_handler = {.cb = on_error}};
    CHECK(ucp_ep_create(p->worker, &params, &ep) == UCS_OK);
    return ep;
}

/* Lets others run if there was nothing to do. */
static inline void progress_peer(struct peer *p)
{
    if (ucp_worker_progress(p->worker) == 0)
        sched_yield();
}

static inline ucs_status_t await_request(struct peer *p, void *request)
{
    ucs_status_t status = UCS_PTR_STATUS(request);
    if (!UCS_PTR_IS_PTR(request))
        return status;
    while ((status = ucp_request_check_status(request)) == UCS_INPROGRESS)
        progress_peer(p);
    ucp_request_free(request);
    return status;
}

static inline void say_all(int fd, const void *bytes, size_t size)
{
    CHECK(write(fd, bytes, size) == (ssize_t)size);
}

static inline void hear_all(int fd, void *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        const ssize_t n = read(fd, (char *)bytes + at, size - at);
        CHECK(n > 0);
        at += (size_t)n;
    }
}

/* ---- Initiators ---- */

struct initiator {
    struct peer peer;
    ucp_ep_h ep; /* of the worker */
    struct place place;
    unsigned number;
    uint64_t flushed;
    int fd; /* to the target's process */
    unsigned under_way;
};

static inline ucs_status_t on_answer(void *arg, const void *header, size_t size, void *data,
                                     size_t length, const ucp_am_recv_param_t *param)
{
    struct initiator *i = arg;
    uint32_t kind;
    (void)data, (void)param;
    CHECK(size == sizeof kind + sizeof i->flushed && length == 0);
    memcpy(&kind, header, sizeof kind);
    CHECK(kind == UROM_RDMO_RSP_FLUSH);
    memcpy(&i->flushed, (const char *)header + sizeof kind, sizeof i->flushed);
    return UCS_OK;
}

/* In the child: greets the target, and connects to its worker. */
static inline struct initiator *new_initiator(int fd, unsigned number)
{
    struct initiator *i = calloc(1, sizeof *i);
    CHECK(i);
    i->peer = new_peer();
    i->number = number;
    i->fd = fd;
    const ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                          UCP_AM_HANDLER_PARAM_FIELD_CB |
                                                          UCP_AM_HANDLER_PARAM_FIELD_ARG,
                                            .id = UROM_RDMO_AM_ID,
                                            .cb = on_answer,
                                            .arg = i};
    CHECK(ucp_worker_set_am_recv_handler(i->peer.worker, &handler) == UCS_OK);
    const uint64_t size = i->peer.address_size;
    say_all(fd, &size, sizeof size);
    say_all(fd, i->peer.address, size);
    hear_all(fd, &i->place, sizeof i->place);
    i->ep = connect_peer(&i->peer, i->place.address);
    return i;
}

/* Sends a request with any header, and waits until UCX has it. */
static inline ucs_status_t send_raw(struct initiator *i, const void *header, size_t size,
                                    const void *payload, size_t length, unsigned flags)
{
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS, .flags = flags};
    return await_request(
        &i->peer, ucp_am_send_nbx(i->ep, UROM_RDMO_AM_ID, header, size, payload, length, &param));
}

struct append_header {
    struct urom_rdmo_hdr first;
    struct urom_rdmo_append_hdr second;
};
static inline struct append_header append_to(const struct initiator *i)
{
    return (struct append_header){{CLIENT, UROM_RDMO_OP_APPEND, 0},
                                  {i->place.base, i->place.rkey, i->place.rkey}};
}

static inline void append(struct initiator *i, const void *bytes, size_t size)
{
    const struct append_header h = append_to(i);
    CHECK(send_raw(i, &h, sizeof h, bytes, size, UCP_AM_SEND_FLAG_REPLY) == UCS_OK);
}

struct one_header {
    struct urom_rdmo_hdr first;
    uint64_t second;
};
static inline void flush(struct initiator *i)
{
    static uint64_t id;
    const struct one_header h = {{CLIENT, UROM_RDMO_OP_FLUSH, UROM_RDMO_REQ_FLAG_FENCE}, ++id};
    CHECK(send_raw(i, &h, sizeof h, NULL, 0, UCP_AM_SEND_FLAG_REPLY) == UCS_OK);
    while (i->flushed != id)
        progress_peer(&i->peer);
}

/* ---- The target ---- */

struct target {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_urom_service *service;
    struct doca_urom_worker *worker;
    uint64_t plugin;
    struct peer peer;
    uint8_t *memory;
    size_t size;
    ucp_mem_h handle;
    struct place place;
    unsigned count;
    pid_t pids[INITIATOR_MAX];
    int fds[INITIATOR_MAX];
    uint64_t rqs[INITIATOR_MAX];
    bool ended; /* the last command */
    doca_error_t status;
    struct urom_worker_notify_rdmo told;
    uint8_t told_bytes[2048];
};

/* Before target_start: each initiator runs `run` in a child. */
static inline void target_fork(struct target *t, unsigned count, void (*run)(struct initiator *))
{
    for (unsigned n = 0; n < count; n++) {
        int ends[2];
        CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
        const pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            close(ends[0]);
            run(new_initiator(ends[1], n));
            _exit(0);
        }
        close(ends[1]);
        t->pids[t->count] = pid;
        t->fds[t->count++] = ends[0];
    }
}

static inline void target_progress(struct target *t)
{
    if (doca_pe_progress(t->pe) == 0)
        progress_peer(&t->peer);
}

static inline void on_command(struct doca_urom_worker_cmd_task *task, union doca_data a,
                              union doca_data b)
{
    struct target *t;
    void *data = NULL;
    size_t size = 0;
    (void)a, (void)b;
    memcpy(&t, doca_urom_worker_cmd_task_get_user_data(task), sizeof t);
    t->status = doca_task_get_status(doca_urom_worker_cmd_task_as_task(task));
    struct doca_buf *response = doca_urom_worker_cmd_task_get_response(task);
    CHECK(doca_buf_get_data(response, &data) == OK);
    CHECK(doca_buf_get_data_len(response, &size) == OK);
    memset(&t->told, 0, sizeof t->told);
    if (size >= sizeof t->told) {
        memcpy(&t->told, data, sizeof t->told);
        CHECK(size - sizeof t->told <= sizeof t->told_bytes);
        memcpy(t->told_bytes, (char *)data + sizeof t->told, size - sizeof t->told);
    }
    t->ended = true;
    CHECK(doca_urom_worker_cmd_task_release(task) == OK);
}

/* Sends a command, which bytes follow, and returns the status of its answer. */
static inline doca_error_t command(struct target *t, const struct urom_worker_rdmo_cmd *cmd,
                                   const void *bytes, size_t size)
{
    struct doca_urom_worker_cmd_task *task;
    void *data;
    CHECK(doca_urom_worker_cmd_task_allocate_init(t->worker, t->plugin, &task) == OK);
    struct doca_buf *payload = doca_urom_worker_cmd_task_get_payload(task);
    CHECK(doca_buf_get_data(payload, &data) == OK);
    memcpy(data, cmd, sizeof *cmd);
    if (size > 0)
        memcpy((char *)data + sizeof *cmd, bytes, size);
    CHECK(doca_buf_set_data(payload, data, sizeof *cmd + size) == OK);
    memcpy(doca_urom_worker_cmd_task_get_user_data(task), &t, sizeof t);
    doca_urom_worker_cmd_task_set_cb(task, on_command);
    t->ended = false;
    CHECK(doca_task_submit(doca_urom_worker_cmd_task_as_task(task)) == OK);
    while (!t->ended)
        target_progress(t);
    return t->status;
}

static inline void start_worker(struct target *t)
{
    struct doca_devinfo **list;
    const struct doca_urom_service_plugin_info *plugins;
    uint32_t n;
    size_t count;
    enum doca_ctx_states state;
    char tls[100], *env[] = {tls};
    CHECK(doca_devinfo_create_list(&list, &n) == OK && n >= 1);
    CHECK(doca_dev_open(list[0], &t->dev) == OK && doca_devinfo_destroy_list(list) == OK);
    CHECK(doca_pe_create(&t->pe) == OK && doca_urom_service_create(&t->service) == OK);
    CHECK(doca_urom_service_set_dev(t->service, t->dev) == OK);
    CHECK(doca_pe_connect_ctx(t->pe, doca_urom_service_as_ctx(t->service)) == OK);
    CHECK(doca_ctx_start(doca_urom_service_as_ctx(t->service)) == OK);
    CHECK(doca_urom_service_get_plugins_list(t->service, &plugins, &count) == OK);
    for (size_t i = 0; i < count; i++)
        if (strcmp(plugins[i].plugin_name, "worker_rdmo") == 0)
            t->plugin = plugins[i].id;
    CHECK(t->plugin && doca_urom_worker_create(&t->worker) == OK);
    CHECK(doca_urom_worker_set_service(t->worker, t->service) == OK);
    CHECK(doca_urom_worker_set_plugins(t->worker, t->plugin) == OK);
    if (getenv("UCX_TLS")) {
        snprintf(tls, sizeof tls, "UCX_TLS=%s", getenv("UCX_TLS"));
        CHECK(doca_urom_worker_set_env(t->worker, env, 1) == OK);
    }
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(t->worker);
    CHECK(doca_pe_connect_ctx(t->pe, ctx) == OK && doca_ctx_start(ctx) == DOCA_ERROR_IN_PROGRESS);
    do {
        doca_pe_progress(t->pe);
        CHECK(doca_ctx_get_state(ctx, &state) == OK && state != DOCA_CTX_STATE_IDLE);
    } while (state != DOCA_CTX_STATE_RUNNING);
}

/* Returns the size of the handle, which is 0 without one. */
static inline size_t put_exported(ucp_mem_h memh, uint8_t to[2048])
{
#if UCP_API_VERSION >= UCP_VERSION(1, 16)
    const ucp_memh_pack_params_t params = {.field_mask = UCP_MEMH_PACK_PARAM_FIELD_FLAGS,
                                           .flags = UCP_MEMH_PACK_FLAG_EXPORT};
    void *packed;
    size_t size;
    CHECK(ucp_memh_pack(memh, &params, &packed, &size) == UCS_OK && size <= 2048);
    memcpy(to, packed, size);
    ucp_memh_buffer_release(packed, NULL);
    return size;
#else
    (void)memh, (void)to;
    return 0;
#endif
}

static inline void map_memory(struct target *t, size_t size)
{
    const ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                                                       UCP_MEM_MAP_PARAM_FIELD_FLAGS,
                                         .length = size,
                                         .flags = UCP_MEM_MAP_ALLOCATE};
    ucp_mem_attr_t attr = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    void *packed;
    size_t packed_size;
    CHECK(ucp_mem_map(t->peer.context, &params, &t->handle) == UCS_OK);
    CHECK(ucp_mem_query(t->handle, &attr) == UCS_OK);
    t->memory = attr.address;
    t->size = size;
    memset(t->memory, 0, size);
    CHECK(ucp_rkey_pack(t->peer.context, t->handle, &packed, &packed_size) == UCS_OK);
    CHECK(packed_size <= sizeof t->place.packed);
    uint8_t both[4096]; /* the key and, where UCX has it, the exported handle */
    const size_t handle_size = put_exported(t->handle, both + packed_size);
    memcpy(both, packed, packed_size);
    struct urom_worker_rdmo_cmd cmd = {.type = UROM_WORKER_CMD_RDMO_MR_REG,
                                       .mr_reg = {.va = (uintptr_t)t->memory,
                                                  .len = size,
                                                  .packed_rkey_len = packed_size,
                                                  .packed_memh_len = handle_size}};
    CHECK(command(t, &cmd, both, packed_size + handle_size) == OK);
    t->place.rkey = t->told.mr_reg.rkey;
    t->place.packed_size = packed_size;
    memcpy(t->place.packed, packed, packed_size);
    ucp_rkey_buffer_release(packed);
}

static inline void set_pointer(struct target *t, size_t offset)
{
    const uint64_t value = (uintptr_t)t->memory + offset;
    memcpy(t->memory, &value, sizeof value);
}

/* Returns how many bytes the queue has. */
static inline size_t queue_size(const struct target *t)
{
    uint64_t value;
    memcpy(&value, t->memory, sizeof value);
    CHECK(value >= (uintptr_t)t->memory + QUEUE && value <= (uintptr_t)t->memory + t->size);
    return (size_t)(value - (uintptr_t)t->memory - QUEUE);
}

static inline void target_start(struct target *t, size_t size)
{
    start_worker(t);
    t->peer = new_peer();
    struct urom_worker_rdmo_cmd cmd = {
        .type = UROM_WORKER_CMD_RDMO_CLIENT_INIT,
        .client_init = {.id = CLIENT, .addr_len = t->peer.address_size}};
    CHECK(command(t, &cmd, t->peer.address, t->peer.address_size) == OK);
    t->place.address_size = t->told.client_init.addr_len;
    memcpy(t->place.address, t->told_bytes, t->place.address_size);
    t->place.target_size = t->peer.address_size;
    CHECK(t->peer.address_size <= sizeof t->place.target);
    memcpy(t->place.target, t->peer.address, t->peer.address_size);
    map_memory(t, size);
    set_pointer(t, QUEUE);
    t->place.base = (uintptr_t)t->memory;
    t->place.size = size;
}

/* Lets the initiators in. */
static inline void target_connect(struct target *t)
{
    for (unsigned n = 0; n < t->count; n++) {
        uint64_t size;
        uint8_t address[2048];
        hear_all(t->fds[n], &size, sizeof size);
        CHECK(size <= sizeof address);
        hear_all(t->fds[n], address, size);
        struct urom_worker_rdmo_cmd cmd = {.type = UROM_WORKER_CMD_RDMO_RQ_CREATE,
                                           .rq_create = {.addr_len = size}};
        CHECK(command(t, &cmd, address, size) == OK);
        t->rqs[n] = t->told.rq_create.rq_id;
    }
    for (unsigned n = 0; n < t->count; n++)
        say_all(t->fds[n], &t->place, sizeof t->place);
}

/* An initiator meets the target: each waits for the other. */
static inline void meet_target(struct initiator *i)
{
    char c = 'm';
    say_all(i->fd, &c, 1);
    hear_all(i->fd, &c, 1);
}

static inline void await_initiator(struct target *t, unsigned n)
{
    char c;
    while (recv(t->fds[n], &c, 1, MSG_DONTWAIT) != 1)
        target_progress(t);
}

static inline void release_initiator(struct target *t, unsigned n)
{
    say_all(t->fds[n], "r", 1);
}

/* Waits for the ends of all initiators, who succeed. */
static inline void target_wait(struct target *t)
{
    for (unsigned n = 0; n < t->count; n++) {
        int status;
        while (waitpid(t->pids[n], &status, WNOHANG) == 0)
            target_progress(t);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

static inline void target_end(struct target *t)
{
    enum doca_ctx_states state;
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(t->worker);
    doca_ctx_stop(ctx);
    do {
        target_progress(t);
        CHECK(doca_ctx_get_state(ctx, &state) == OK);
    } while (state != DOCA_CTX_STATE_IDLE);
    CHECK(doca_urom_worker_destroy(t->worker) == OK);
    CHECK(doca_ctx_stop(doca_urom_service_as_ctx(t->service)) == OK);
    CHECK(doca_urom_service_destroy(t->service) == OK);
    CHECK(doca_pe_destroy(t->pe) == OK && doca_dev_close(t->dev) == OK);
}

#endif
