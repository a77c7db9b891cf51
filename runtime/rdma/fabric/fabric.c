/* Fabrics: the worker and the listener of UCX, and their pending work. */
#if __has_include(<ucp/api/ucp.h>)
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "link.h"

#define LINKS_MAX 65536u
#define AT_ONCE   64   /* most calls of progress in one run, so that other threads get the lock */
#define CLOSE_MS  1000 /* longest wait for the end of links in milliseconds */
#define PINGS     6    /* signs of life that an idle link sends within `silent_ms` */

/* ---- Opening ---- */

static enum dpk_status failed(const struct dpk_fabric *f, ucs_status_t status, const char *what,
                              struct dpk_error *err)
{
    return dpk_fail(err, DPK_ERR_IO, "%s: %s", what, f->ucx->ucs_status_string(status));
}

/* UCX calls this when a peer opens a link. */
static void asked(ucp_conn_request_h request, void *of)
{
    struct dpk_fabric *f = of;
    struct dpk_fabric_link *l;
    struct dpk_fabric_place from;
    ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_CONN_REQUEST,
                              .conn_request = request};
    ucp_conn_request_attr_t attributes = {.field_mask = UCP_CONN_REQUEST_ATTR_FIELD_CLIENT_ADDR};
    if (f->count >= f->options.links_max ||
        f->ucx->ucp_conn_request_query(request, &attributes) != UCS_OK)
        f->ucx->ucp_listener_reject(f->listener, request);
    else if (fabric_link_new(f, &params, NULL, &l, NULL) == DPK_OK &&
             dpk_fabric_place_of_socket((const struct sockaddr *)&attributes.client_address, &from))
        memcpy(l->from, from.ip, sizeof l->from);
}

/* Sets an option of UCX to the value of the environment variable `variable`, or to `value`. A
 * fabric ignores UCX's own variables (UCX_...), which are for programs that use UCX themselves. */
static void set(const struct dpk_fabric *f, ucp_config_t *config, const char *name,
                const char *variable, const char *value)
{
    const char *users = secure_getenv(variable);
    f->ucx->ucp_config_modify(config, name, users ? users : value);
}

static enum dpk_status open_context(struct dpk_fabric *f, struct dpk_error *err)
{
    ucp_config_t *config;
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME,
                                 .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP,
                                 .name = "dpakit"};
    ucs_status_t status = f->ucx->ucp_config_read(NULL, NULL, &config);
    if (status != UCS_OK)
        return failed(f, status, "no settings of UCX", err);
    set(f, config, "TLS", "DPAKIT_UCX_TLS", "tcp");
    set(f, config, "NET_DEVICES", "DPAKIT_UCX_NET_DEVICES", "all");
    f->ucx->ucp_config_modify(config, "WARN_INVALID_CONFIG", "n");
    /* A port of dpk_fabric_listen may still have connections of a process that has ended. Releases of UCX
     * differ in the name. */
    f->ucx->ucp_config_modify(config, "CM_REUSEADDR", "y");
    f->ucx->ucp_config_modify(config, "TCP_CM_REUSEADDR", "y");
    status = f->ucx->ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &f->context);
    f->ucx->ucp_config_release(config);
    return status == UCS_OK ? DPK_OK : failed(f, status, "UCX cannot start", err);
}

static enum dpk_status open_worker(struct dpk_fabric *f, struct dpk_error *err)
{
    const ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                        .thread_mode = UCS_THREAD_MODE_SERIALIZED};
    const ucp_am_handler_param_t handler = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                      UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG,
        .id = FABRIC_AM,
        .flags = UCP_AM_FLAG_WHOLE_MSG,
        .cb = fabric_link_hear,
        .arg = f};
    ucs_status_t status = f->ucx->ucp_worker_create(f->context, &params, &f->worker);
    if (status == UCS_OK)
        status = f->ucx->ucp_worker_get_efd(f->worker, &f->fd);
    if (status == UCS_OK)
        status = f->ucx->ucp_worker_set_am_recv_handler(f->worker, &handler);
    return status == UCS_OK ? DPK_OK : failed(f, status, "no worker of UCX", err);
}

/* Listens at a place, whose port may be 0: the system chooses a port then, and sets it. */
static enum dpk_status open_listener(struct dpk_fabric *f, struct dpk_fabric_place *place,
                                     ucp_listener_h *out, struct dpk_error *err)
{
    struct sockaddr_storage at;
    const socklen_t size = dpk_fabric_place_to_socket(place, &at);
    const ucp_listener_params_t params = {
        .field_mask = UCP_LISTENER_PARAM_FIELD_SOCK_ADDR | UCP_LISTENER_PARAM_FIELD_CONN_HANDLER,
        .sockaddr = {.addr = (const struct sockaddr *)&at, .addrlen = size},
        .conn_handler = {.cb = asked, .arg = f}};
    ucp_listener_attr_t attributes = {.field_mask = UCP_LISTENER_ATTR_FIELD_SOCKADDR};
    struct dpk_fabric_place bound = {.port = 0};
    ucs_status_t status = f->ucx->ucp_listener_create(f->worker, &params, out);
    if (status == UCS_OK)
        status = f->ucx->ucp_listener_query(*out, &attributes);
    if (status != UCS_OK && place->port != 0)
        return dpk_fail(err, DPK_ERR_IO, "UCX cannot listen at port %u of %s: %s", place->port,
                        f->spec, f->ucx->ucs_status_string(status));
    if (status != UCS_OK)
        return dpk_fail(err, DPK_ERR_IO,
                        "UCX cannot listen at %s, which must be an address of this machine: %s",
                        f->spec, f->ucx->ucs_status_string(status));
    dpk_fabric_place_of_socket((const struct sockaddr *)&attributes.sockaddr, &bound);
    place->port = bound.port;
    return DPK_OK;
}

enum dpk_status dpk_fabric_listen(struct dpk_fabric *f, uint16_t port, struct dpk_error *err)
{
    struct dpk_fabric_place place = f->place;
    struct fabric_port *p;
    SLIST_FOREACH(p, &f->ports, link)
    if (p->port == port)
        return DPK_OK;
    if (!(p = calloc(1, sizeof *p)))
        return dpk_fail_nomem(err);
    place.port = p->port = port;
    const enum dpk_status status = open_listener(f, &place, &p->listener, err);
    if (status == DPK_OK)
        SLIST_INSERT_HEAD(&f->ports, p, link);
    else
        free(p);
    return status;
}

/* A closed fabric stays, for the next fabric with the same specification. UCX 1.13 must not destroy
 * a listener or an endpoint while a peer connects or does not answer, because UCX's own thread may
 * still use it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct dpk_fabric *idle;

static struct dpk_fabric *take_idle(const char *spec)
{
    pthread_mutex_lock(&lock);
    struct dpk_fabric **at = &idle;
    while (*at && ((*at)->owner != getpid() || strcmp((*at)->spec, spec) != 0))
        at = &(*at)->idle;
    struct dpk_fabric *f = *at;
    if (f)
        *at = f->idle;
    pthread_mutex_unlock(&lock);
    return f;
}

static void keep_idle(struct dpk_fabric *f)
{
    pthread_mutex_lock(&lock);
    f->idle = idle;
    idle = f;
    pthread_mutex_unlock(&lock);
}

static void set_options(struct dpk_fabric *f, const struct dpk_fabric_options *options)
{
    f->options = *options;
    f->options.links_max = options->links_max ? options->links_max : LINKS_MAX;
    f->options.silent_ms = options->silent_ms ? options->silent_ms : DPK_FABRIC_SILENT_MS;
    f->next_ms = 0;
}

static enum dpk_status open_all(struct dpk_fabric *f, struct dpk_error *err)
{
    enum dpk_status status = dpk_fabric_parse(f->spec, &f->place, err);
    if (status == DPK_OK)
        status = fabric_library_load(&f->ucx, err);
    if (status == DPK_OK)
        status = open_context(f, err);
    if (status == DPK_OK)
        status = open_worker(f, err);
    return status == DPK_OK ? open_listener(f, &f->place, &f->listener, err) : status;
}

/* Frees a fabric that dpk_fabric_open could not open. */
static void free_new(struct dpk_fabric *f)
{
    if (f->worker)
        f->ucx->ucp_worker_destroy(f->worker);
    if (f->context)
        f->ucx->ucp_cleanup(f->context);
    free(f);
}

enum dpk_status dpk_fabric_open(const char *spec, const struct dpk_fabric_options *options,
                                struct dpk_fabric **out, struct dpk_error *err)
{
    if ((*out = take_idle(spec))) {
        set_options(*out, options);
        return DPK_OK;
    }
    struct dpk_fabric *f = calloc(1, sizeof *f);
    if (!f)
        return dpk_fail_nomem(err);
    snprintf(f->spec, sizeof f->spec, "%s", spec);
    f->owner = getpid();
    TAILQ_INIT(&f->links);
    TAILQ_INIT(&f->ending);
    TAILQ_INIT(&f->closing);
    set_options(f, options);
    const enum dpk_status status =
        strlen(spec) < sizeof f->spec
            ? open_all(f, err)
            : dpk_fail(err, DPK_ERR_USAGE, "a fabric of %zu characters", strlen(spec));
    if (status == DPK_OK)
        *out = f;
    else
        free_new(f);
    return status;
}

void dpk_fabric_close(struct dpk_fabric *f)
{
    struct dpk_fabric_link *l;
    if (!f)
        return;
    f->polled = false;
    f->options.links_max = 0; /* peers cannot open links any more */
    while ((l = TAILQ_FIRST(&f->links)))
        dpk_fabric_drop(l);
    TAILQ_FOREACH(l, &f->ending, in_list)
    l->of = NULL;
    const uint64_t begin = dpk_now_ms();
    while (f->count > 0 && dpk_now_ms() - begin < CLOSE_MS)
        if (!dpk_fabric_run(f))
            poll(&(struct pollfd){.fd = f->fd, .events = POLLIN}, 1, 10);
    keep_idle(f);
}

const struct dpk_fabric_place *dpk_fabric_place(const struct dpk_fabric *f)
{
    return &f->place;
}

int dpk_fabric_fd(const struct dpk_fabric *f)
{
    return f->fd;
}

enum dpk_status dpk_fabric_link(struct dpk_fabric *f, const struct dpk_fabric_place *to, void *of,
                                struct dpk_fabric_link **out, struct dpk_error *err)
{
    struct sockaddr_storage at;
    const socklen_t size = dpk_fabric_place_to_socket(to, &at);
    ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_FLAGS | UCP_EP_PARAM_FIELD_SOCK_ADDR,
                              .flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER,
                              .sockaddr = {.addr = (const struct sockaddr *)&at, .addrlen = size}};
    return fabric_link_new(f, &params, of, out, err);
}

/* ---- Work ---- */

/* Lets UCX work. Returns the number of calls that made progress, at most AT_ONCE. */
static unsigned progress(const struct dpk_fabric *f)
{
    unsigned count = 0;
    while (count < AT_ONCE && f->ucx->ucp_worker_progress(f->worker) != 0)
        count++;
    return count;
}

void dpk_fabric_poll(struct dpk_fabric *f, bool polls)
{
    f->polled = polls;
    fabric_wake(f);
}

bool dpk_fabric_run(struct dpk_fabric *f)
{
    bool any = false;
    if (f->runs)
        return false;
    f->runs = true;
    for (unsigned total = 0; total < AT_ONCE;) {
        const unsigned count = progress(f);
        const bool ended = fabric_links_end(f);
        any = any || count > 0 || ended;
        total += count + 1;
        if (count == 0 && !ended && (f->polled || f->ucx->ucp_worker_arm(f->worker) == UCS_OK)) {
            f->runs = false;
            return any;
        }
    }
    f->runs = false;
    fabric_wake(f); /* more work waits */
    return true;
}

static void look_at(struct dpk_fabric_link *l, uint64_t now)
{
    const uint64_t silent_ms = l->fabric->options.silent_ms;
    if (now - l->heard_ms >= silent_ms || (!l->of && now - l->since_ms >= silent_ms))
        fabric_link_fail(l);
    else if (now - l->sent_ms >= silent_ms / PINGS)
        fabric_link_ping(l);
}

uint64_t dpk_fabric_look(struct dpk_fabric *f)
{
    const uint64_t now = dpk_now_ms(), each = f->options.silent_ms / PINGS;
    struct dpk_fabric_link *l, *next;
    if (TAILQ_EMPTY(&f->links))
        return UINT64_MAX;
    if (now < f->next_ms)
        return f->next_ms - now;
    for (l = TAILQ_FIRST(&f->links); l; l = next) {
        next = TAILQ_NEXT(l, in_list);
        look_at(l, now);
    }
    f->next_ms = now + each;
    return each;
}
#endif
