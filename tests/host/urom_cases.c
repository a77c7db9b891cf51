/* Behaviours of DOCA UROM, one function each; main runs the function that argv[1] names. */
#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>
#include <doca_urom.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "check.h"

#define OK DOCA_SUCCESS

/* Sizes as NVIDIA's headers of DOCA 3.0 have them. */
_Static_assert(sizeof(doca_cpu_set_t) == 128, "1024 processors");
_Static_assert(sizeof(struct doca_urom_domain_oob_coll) == 40, "layout");
_Static_assert(sizeof(struct doca_urom_service_plugin_info) == 64, "layout");
_Static_assert(sizeof(struct urom_domain_lookups_iface) == 32, "layout");
_Static_assert(sizeof(struct urom_plugin_iface) == 56, "layout");
_Static_assert(sizeof(struct urom_worker_cmd) == 24, "layout");
_Static_assert(sizeof(struct urom_worker_cmd_desc) == 48, "layout");
_Static_assert(sizeof(struct urom_worker_ctx) == 96, "layout");
_Static_assert(sizeof(struct urom_worker_notif_desc) == 56, "layout");
_Static_assert(sizeof(struct urom_worker_notify) == 32, "layout");

struct message { /* of worker_graph */
    uint64_t type, data;
};

static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_urom_service *service;

static void open_host(void)
{
    struct doca_devinfo **list = NULL;
    uint32_t n = 0;
    CHECK(doca_devinfo_create_list(&list, &n) == OK && n >= 1);
    CHECK(doca_dev_open(list[0], &dev) == OK && doca_devinfo_destroy_list(list) == OK);
    CHECK(doca_pe_create(&pe) == OK);
    CHECK(doca_urom_service_create(&service) == OK);
    CHECK(doca_urom_service_set_dev(service, dev) == OK);
    CHECK(doca_pe_connect_ctx(pe, doca_urom_service_as_ctx(service)) == OK);
}

static void connect_service(void)
{
    open_host();
    CHECK(doca_ctx_start(doca_urom_service_as_ctx(service)) == OK);
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
    enum doca_ctx_states state;
    CHECK(doca_ctx_get_state(ctx, &state) == OK);
    return state;
}

static void await_state(struct doca_ctx *ctx, enum doca_ctx_states state)
{
    while (state_of(ctx) != state)
        doca_pe_progress(pe);
}

static uint64_t plugin_id(const char *name)
{
    const struct doca_urom_service_plugin_info *p;
    size_t n;
    CHECK(doca_urom_service_get_plugins_list(service, &p, &n) == OK);
    for (size_t i = 0; i < n; i++)
        if (strcmp(p[i].plugin_name, name) == 0) {
            CHECK(p[i].version == 1);
            return p[i].id;
        }
    return 0;
}

static struct doca_urom_worker *new_worker(uint64_t id, uint64_t plugins)
{
    struct doca_urom_worker *w = NULL;
    CHECK(doca_urom_worker_create(&w) == OK && doca_urom_worker_set_service(w, service) == OK);
    CHECK(doca_urom_worker_set_id(w, id) == OK);
    CHECK(doca_urom_worker_set_plugins(w, plugins) == OK);
    CHECK(doca_pe_connect_ctx(pe, doca_urom_worker_as_ctx(w)) == OK);
    return w;
}

/* Starts a worker, and returns the state that it comes to. */
static enum doca_ctx_states start(struct doca_urom_worker *w)
{
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(w);
    CHECK(doca_ctx_start(ctx) == DOCA_ERROR_IN_PROGRESS);
    while (state_of(ctx) == DOCA_CTX_STATE_STARTING || state_of(ctx) == DOCA_CTX_STATE_STOPPING)
        doca_pe_progress(pe);
    return state_of(ctx);
}

static void end_worker(struct doca_urom_worker *w)
{
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(w);
    const doca_error_t result = doca_ctx_stop(ctx);
    CHECK(result == OK || result == DOCA_ERROR_IN_PROGRESS);
    await_state(ctx, DOCA_CTX_STATE_IDLE);
    CHECK(doca_urom_worker_destroy(w) == OK);
}

static void close_host(void)
{
    CHECK(doca_ctx_stop(doca_urom_service_as_ctx(service)) == OK);
    CHECK(doca_urom_service_destroy(service) == OK);
    CHECK(doca_pe_destroy(pe) == OK && doca_dev_close(dev) == OK);
}

/* ---- Commands ---- */

static unsigned ended;
static doca_error_t last_status;
static uint8_t last[256];
static size_t last_size;

static void on_end(struct doca_urom_worker_cmd_task *task, union doca_data a, union doca_data b)
{
    void *data = NULL;
    (void)a, (void)b;
    last_status = doca_task_get_status(doca_urom_worker_cmd_task_as_task(task));
    struct doca_buf *response = doca_urom_worker_cmd_task_get_response(task);
    CHECK(doca_buf_get_data(response, &data) == OK);
    CHECK(doca_buf_get_data_len(response, &last_size) == OK);
    memcpy(last, data, last_size < sizeof last ? last_size : sizeof last);
    ended++;
    CHECK(doca_urom_worker_cmd_task_release(task) == OK);
}

static doca_error_t say(struct doca_urom_worker *w, uint64_t plugin, const void *bytes, size_t size)
{
    struct doca_urom_worker_cmd_task *task = NULL;
    void *data;
    size_t room;
    doca_error_t result = doca_urom_worker_cmd_task_allocate_init(w, plugin, &task);
    if (result != OK)
        return result;
    struct doca_buf *payload = doca_urom_worker_cmd_task_get_payload(task);
    CHECK(doca_buf_get_data(payload, &data) == OK);
    CHECK(doca_buf_get_data_len(payload, &room) == OK && room >= size);
    memcpy(data, bytes, size);
    CHECK(doca_buf_set_data(payload, data, size) == OK);
    doca_urom_worker_cmd_task_set_cb(task, on_end);
    result = doca_task_submit(doca_urom_worker_cmd_task_as_task(task));
    if (result != OK)
        CHECK(doca_urom_worker_cmd_task_release(task) == OK);
    return result;
}

static void await_ends(unsigned count)
{
    while (ended < count)
        doca_pe_progress(pe);
}

static void loop_back(struct doca_urom_worker *w, uint64_t graph, uint64_t number)
{
    struct message m = {0, number};
    const unsigned before = ended;
    CHECK(say(w, graph, &m, sizeof m) == OK);
    await_ends(before + 1);
    CHECK(last_status == OK && last_size == sizeof m);
    memcpy(&m, last, sizeof m);
    CHECK(m.data == number);
}

static size_t group_size;
static bool group_told;
static void on_group(struct doca_urom_service_get_workers_by_gid_task *task, union doca_data a,
                     union doca_data b)
{
    (void)a, (void)b;
    CHECK(doca_task_get_status(doca_urom_service_get_workers_by_gid_task_as_task(task)) == OK);
    group_size = doca_urom_service_get_workers_by_gid_task_get_workers_count(task);
    const uint64_t *ids = doca_urom_service_get_workers_by_gid_task_get_worker_ids(task);
    for (size_t i = 0; i < group_size; i++)
        CHECK(ids[i] == 7 || ids[i] == 8);
    group_told = true;
    CHECK(doca_urom_service_get_workers_by_gid_task_release(task) == OK);
}

static size_t ask_group(uint32_t gid)
{
    struct doca_urom_service_get_workers_by_gid_task *task;
    CHECK(doca_urom_service_get_workers_by_gid_task_allocate_init(service, gid, on_group, &task) ==
          OK);
    group_told = false;
    CHECK(doca_task_submit(doca_urom_service_get_workers_by_gid_task_as_task(task)) == OK);
    while (!group_told)
        doca_pe_progress(pe);
    return group_size;
}

/* ---- Cases ---- */

static void workers_run_commands(void)
{
    uint64_t id = 0;
    uint32_t gid = 0;
    doca_cpu_set_t cpus;
    connect_service();
    const uint64_t graph = plugin_id("worker_graph");
    CHECK(graph && doca_urom_service_get_cpuset(service, &cpus) == OK);
    CHECK(doca_cpu_is_set(0, &cpus) && doca_cpu_is_set(15, &cpus) && !doca_cpu_is_set(16, &cpus));
    struct doca_urom_worker *a = new_worker(7, graph), *b = new_worker(8, graph);
    struct doca_urom_worker *any = new_worker((uint64_t)DOCA_UROM_WORKER_ID_ANY, graph);
    CHECK(doca_urom_worker_set_gid(a, 3) == OK && doca_urom_worker_set_gid(b, 3) == OK);
    CHECK(doca_urom_worker_get_gid(any, &gid) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_urom_worker_get_gid(a, &gid) == OK && gid == 3);
    doca_cpu_zero(&cpus);
    CHECK(doca_urom_worker_set_cpuset(a, cpus) == DOCA_ERROR_INVALID_VALUE);
    doca_cpu_set(4, &cpus);
    CHECK(doca_urom_worker_set_cpuset(a, cpus) == OK);
    char *env[] = {"UROM_TEST=here", "TWO=2"}, *bad[] = {"LD_PRELOAD=/tmp/x"}, *none[] = {"X"};
    CHECK(doca_urom_worker_set_env(a, env, 2) == OK);
    CHECK(doca_urom_worker_set_env(a, bad, 1) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_urom_worker_set_env(a, none, 1) == DOCA_ERROR_INVALID_VALUE);
    CHECK(start(a) == DOCA_CTX_STATE_RUNNING && start(b) == DOCA_CTX_STATE_RUNNING);
    CHECK(start(any) == DOCA_CTX_STATE_RUNNING);
    CHECK(doca_urom_worker_get_id(a, &id) == OK && id == 7);
    CHECK(doca_urom_worker_get_id(any, &id) == OK && id != 7 && id != 8);
    for (uint64_t n = 1; n <= 20; n++)
        loop_back(n % 2 ? a : b, graph, n << 40);
    const struct message wrong = {5, 0};
    CHECK(say(a, graph, &wrong, sizeof wrong) == OK);
    await_ends(ended + 1);
    CHECK(last_status == DOCA_ERROR_INVALID_VALUE);
    CHECK(say(a, graph << 20, &wrong, sizeof wrong) == DOCA_ERROR_INVALID_VALUE);
    CHECK(ask_group(3) == 2 && ask_group(4) == 0);
    printf("ready\n");
    fflush(stdout);
    getchar(); /* the test looks at the processes */
    CHECK(doca_ctx_stop(doca_urom_service_as_ctx(service)) == DOCA_ERROR_IN_USE);
    end_worker(a);
    end_worker(b);
    end_worker(any);
    close_host();
}

static void refusals_are_told(void)
{
    connect_service();
    const uint64_t graph = plugin_id("worker_graph");
    struct doca_urom_worker *a = new_worker(1, graph), *b = new_worker(1, graph);
    doca_cpu_set_t cpus;
    CHECK(start(a) == DOCA_CTX_STATE_RUNNING);
    CHECK(start(b) == DOCA_CTX_STATE_IDLE); /* there is a worker 1 */
    CHECK(doca_urom_worker_set_id(b, 2) == OK);
    doca_cpu_zero(&cpus);
    doca_cpu_set(99, &cpus);
    CHECK(doca_urom_worker_set_cpuset(b, cpus) == OK);
    CHECK(start(b) == DOCA_CTX_STATE_IDLE); /* no such processor */
    CHECK(doca_urom_worker_set_plugins(b, graph << 30) == OK);
    CHECK(doca_ctx_start(doca_urom_worker_as_ctx(b)) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_urom_worker_set_plugins(a, graph) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_urom_service_set_max_workers(service, 0) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_urom_service_set_max_workers(service, 5) == DOCA_ERROR_BAD_STATE);
    loop_back(a, graph, 1);
    CHECK(doca_urom_worker_destroy(b) == OK);
    end_worker(a);
    close_host();
}

static void no_service_is_told(void)
{
    open_host();
    struct doca_urom_worker *w = new_worker(1, 1);
    CHECK(doca_ctx_start(doca_urom_service_as_ctx(service)) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_ctx_start(doca_urom_worker_as_ctx(w)) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_urom_worker_destroy(w) == OK);
    CHECK(doca_urom_service_destroy(service) == OK);
}

static void other_versions_are_refused(void)
{
    open_host();
    CHECK(doca_ctx_start(doca_urom_service_as_ctx(service)) == DOCA_ERROR_UNSUPPORTED_VERSION);
}

/* The test kills the worker's process, and then the service, and starts another. */
static void deaths_are_told(void)
{
    connect_service();
    const uint64_t graph = plugin_id("worker_graph");
    const struct message m = {0, 1};
    struct doca_urom_worker *w = new_worker(5, graph);
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(w), *s = doca_urom_service_as_ctx(service);
    CHECK(start(w) == DOCA_CTX_STATE_RUNNING);
    printf("worker\n");
    fflush(stdout);
    CHECK(getchar() == 's'); /* it is stopped, and gets this command: */
    CHECK(say(w, graph, &m, sizeof m) == OK);
    printf("said\n");
    fflush(stdout);
    await_ends(1);
    CHECK(last_status == DOCA_ERROR_CONNECTION_RESET);
    await_state(ctx, DOCA_CTX_STATE_IDLE);
    CHECK(start(w) == DOCA_CTX_STATE_RUNNING);
    loop_back(w, graph, 6);
    printf("again\n");
    fflush(stdout);
    CHECK(getchar() == 'k'); /* the service was killed */
    await_state(ctx, DOCA_CTX_STATE_IDLE);
    await_state(s, DOCA_CTX_STATE_IDLE);
    printf("gone\n");
    fflush(stdout);
    CHECK(getchar() == 'n'); /* there is another */
    CHECK(doca_ctx_start(s) == OK);
    CHECK(start(w) == DOCA_CTX_STATE_RUNNING);
    loop_back(w, graph, 7);
    end_worker(w);
    close_host();
}

/* ---- A domain of one program with two workers ---- */

static doca_error_t gather(void *from, void *to, size_t size, void *info, void **request)
{
    CHECK(info == &pe);
    memcpy(to, from, size);
    *request = &service;
    return OK;
}
static doca_error_t test_gather(void *request)
{
    static unsigned asked;
    CHECK(request == &service);
    return asked++ % 2 ? OK : DOCA_ERROR_IN_PROGRESS;
}
static doca_error_t free_gather(void *request)
{
    CHECK(request == &service);
    return OK;
}

#if __has_include(<ucp/api/ucp.h>)
#include <ucp/api/ucp.h>
struct tagged { /* a command of worker_sandbox */
    uint64_t type;
    union {
        struct {
            uint64_t context;
            ucp_mem_map_params_t params;
            size_t size;
        } map;
        struct {
            uint64_t context, dest, buffer, count, tag, memh_id;
        } send;
        struct {
            uint64_t context, buffer, count, tag, mask, memh_id;
        } recv;
    };
    char data[8];
};

static void send_between(struct doca_urom_worker *from, struct doca_urom_worker *to, uint64_t id,
                         uint64_t sandbox)
{
    struct tagged m = {.type = 1, .data = "tagged!"};
    const size_t head = offsetof(struct tagged, data);
    m.send.dest = id;
    m.send.count = sizeof m.data;
    m.send.tag = 77;
    unsigned before = ended;
    CHECK(say(from, sandbox, &m, head) == OK); /* the data is missing */
    await_ends(++before);
    CHECK(last_status == DOCA_ERROR_INVALID_VALUE);
    m.send.dest = 99;
    CHECK(say(from, sandbox, &m, sizeof m) == OK);
    await_ends(++before);
    CHECK(last_status == DOCA_ERROR_NOT_FOUND);
    m.send.dest = id;
    CHECK(say(from, sandbox, &m, head + sizeof m.data) == OK);
    await_ends(++before);
    CHECK(last_status == OK);
    struct tagged r = {.type = 2};
    r.recv.count = 100;
    r.recv.tag = 77;
    r.recv.mask = ~UINT64_C(0);
    CHECK(say(to, sandbox, &r, head) == OK);
    await_ends(++before);
    CHECK(last_status == OK);
    CHECK(last_size == 48 + sizeof m.data);
    CHECK(strcmp((char *)last + 48, "tagged!") == 0);
}
#else
static void send_between(struct doca_urom_worker *from, struct doca_urom_worker *to, uint64_t id,
                         uint64_t sandbox)
{
    (void)from, (void)to, (void)id, (void)sandbox;
}
#endif

static void domains_connect_workers(void)
{
    struct doca_urom_domain *domain = NULL;
    struct doca_urom_domain_oob_coll oob = {.allgather = gather,
                                            .req_test = test_gather,
                                            .req_free = free_gather,
                                            .coll_info = &pe,
                                            .n_oob_indexes = 1};
    uint64_t ids[] = {40, 41}, same[] = {40, 40};
    connect_service();
    const uint64_t sandbox = plugin_id("worker_sandbox");
    const uint64_t plugins = plugin_id("worker_graph") | sandbox;
    struct doca_urom_worker *w[] = {new_worker(1, plugins), new_worker(2, plugins)};
    CHECK(start(w[0]) == DOCA_CTX_STATE_RUNNING && start(w[1]) == DOCA_CTX_STATE_RUNNING);
    CHECK(doca_urom_domain_create(&domain) == OK);
    struct doca_ctx *ctx = doca_urom_domain_as_ctx(domain);
    CHECK(doca_pe_connect_ctx(pe, ctx) == OK);
    CHECK(doca_ctx_start(ctx) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_urom_domain_set_workers(domain, same, w, 2) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_urom_domain_set_workers(domain, ids, w, 2) == OK);
    oob.oob_index = 1;
    CHECK(doca_urom_domain_set_oob(domain, &oob) == DOCA_ERROR_INVALID_VALUE);
    oob.oob_index = 0;
    CHECK(doca_urom_domain_set_oob(domain, &oob) == OK);
    CHECK(doca_urom_domain_add_buffer(domain, ids, 16, "m", 1, "k", 1) == DOCA_ERROR_FULL);
    CHECK(doca_urom_domain_set_buffers_count(domain, 1) == OK);
    CHECK(doca_urom_domain_add_buffer(domain, ids, 16, "m", 1, "k", 1) == OK);
    CHECK(doca_ctx_start(ctx) == DOCA_ERROR_IN_PROGRESS);
    await_state(ctx, DOCA_CTX_STATE_RUNNING);
    CHECK(doca_urom_worker_destroy(w[0]) == DOCA_ERROR_IN_USE);
    if (sandbox)
        send_between(w[0], w[1], 41, sandbox);
    CHECK(doca_ctx_stop(ctx) == OK && doca_urom_domain_destroy(domain) == OK);
    end_worker(w[0]);
    end_worker(w[1]);
    close_host();
}

static void programs_that_leave_free_their_workers(void)
{
    connect_service();
    struct doca_urom_worker *w = new_worker(9, plugin_id("worker_graph"));
    CHECK(start(w) == DOCA_CTX_STATE_RUNNING);
    _exit(0);
}

static const struct test_case cases[] = {CASE(workers_run_commands),
                                         CASE(refusals_are_told),
                                         CASE(no_service_is_told),
                                         CASE(other_versions_are_refused),
                                         CASE(deaths_are_told),
                                         CASE(domains_connect_workers),
                                         CASE(programs_that_leave_free_their_workers)};

int main(int argc, char **argv)
{
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
