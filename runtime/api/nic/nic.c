/* The port of an opened device, connected to its wire. */
#include <stdlib.h>
#include <unistd.h>

#include "api/host/host.h"
#include "api/verbs/verbs.h"
#include "private.h"

#define FIRED 64u

struct nic {
    struct dpk_rc *rc;
    struct dpk_queues *queues;
    struct dpk_counters *counters;
    struct dpk_port *port; /* settings; NULL: those of the device cannot be read */
    struct ibv_context *context;
    pthread_mutex_t plugging;
    bool plugged, started;         /* the configured wire; under `plugging` */
    struct dpk_wire *nothing;      /* the wire until then; NULL: not needed */
    struct dpk_wire *_Atomic wire; /* the current wire */
    struct dpk_deferred *flush;    /* flushes the wire */
    struct retry *retry;
    struct dpk_trigger *fired[FIRED]; /* triggers of this turn; the lock of the port */
    size_t fired_count;
};

/* ---- Memory and completions, which belong to the owners of queues ---- */

static bool load(void *memory, uint64_t address, void *to, size_t size)
{
    const struct dpk_nic_memory *m = memory;
    return m->load(m, address, to, size);
}

static bool store(void *memory, uint64_t address, const void *from, size_t size)
{
    const struct dpk_nic_memory *m = memory;
    return m->store(m, address, from, size);
}

/* Starts the threads of queues that got completions in this turn. */
static void told(void *context)
{
    struct nic *nic = context;
    dpk_triggers_fire(nic->fired, nic->fired_count);
    nic->fired_count = 0;
}

static void completed(void *context, void *user, unsigned count, bool event)
{
    struct nic *nic = context;
    struct dpk_nic_listener *l = user;
    struct dpk_trigger *fires = l->completed(l, count, event);
    if (fires)
        nic->fired[nic->fired_count++] = fires;
    if (nic->fired_count == FIRED)
        told(nic);
}

static bool listens(void *user)
{
    const struct dpk_nic_listener *l = user;
    return l->listens(l);
}

/* ---- The port ---- */

static bool leaves(void *context, const uint8_t *frame, size_t size)
{
    const struct nic *nic = context;
    return dpk_wire_send(nic->wire, frame, size);
}

/* One system call sends the frames of several threads. */
static void left(void *context)
{
    const struct nic *nic = context;
    if (!dpk_defer(nic->flush))
        dpk_wire_flush(nic->wire);
}

static void flush(void *context)
{
    const struct nic *nic = context;
    dpk_wire_flush(nic->wire);
}

static void waits(void *context)
{
    const struct nic *nic = context;
    nic_retry_soon(nic->retry);
}

static void warn(void *context, const char *reason)
{
    (void)context;
    dpk_host_log(DPK_HOST_LOG_WARNING, "%s", reason);
}

static size_t arrive(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    const struct nic *nic = context;
    return dpk_frames_arrive(nic->queues, frames, count, waits);
}

static void tell(void *context, bool detail, const char *text)
{
    (void)context;
    dpk_host_log(detail ? DPK_HOST_LOG_INFO : DPK_HOST_LOG_WARNING, "%s", text);
}

/* A device without write permission has no counters. */
static enum dpk_status open_counters(struct nic *nic, const char *directory, struct dpk_error *err)
{
    struct dpk_error trouble = {0};
    if (directory[0] && dpk_counters_open(directory, &nic->counters, &trouble) == DPK_OK)
        return DPK_OK;
    if (directory[0] && access(directory, W_OK) == 0)
        dpk_host_log(DPK_HOST_LOG_WARNING, "%s; packets are not counted", trouble.message);
    return dpk_counters_open(NULL, &nic->counters, err);
}

/* Maps the settings of the port. A device without write permission has none. */
static void open_port(struct nic *nic, const char *wire)
{
    const char *directory = dpk_verbs_device(nic->context)->directory;
    if (!nic->port && directory[0])
        (void)dpk_port_open(directory, wire, &nic->port, NULL);
}

static enum dpk_status open_wire(struct nic *nic, const char *spec, struct dpk_wire **out,
                                 struct dpk_error *err)
{
    const struct dpk_wire_sink sink = {.arrive = arrive,
                                       .tell = tell,
                                       .context = nic,
                                       .counters = nic->counters,
                                       .port = nic->port,
                                       .directory = dpk_verbs_device(nic->context)->directory};
    return dpk_wire_open(spec, &sink, out, err);
}

/* Opens the wire of the environment, else of the device's state. The wire stays if it does not start,
 * because other threads may already send to it. */
static enum dpk_status plug(struct nic *nic, struct dpk_error *err)
{
    struct dpk_wire *wire = NULL;
    char *spec = NULL, origin[DPK_WIRE_ORIGIN_MAX];
    enum dpk_status status = dpk_wire_choose(
        nic->context->device->name, dpk_verbs_device(nic->context)->wire, &spec, origin, err);
    if (status == DPK_OK)
        open_port(nic, spec);
    if (status == DPK_OK && (status = open_wire(nic, spec, &wire, err)) != DPK_OK)
        dpk_error_prefix(err, "%s", origin);
    free(spec);
    if (status != DPK_OK)
        return status;
    atomic_store(&nic->wire, wire);
    nic->plugged = true;
    return DPK_OK;
}

/* Completion queues and connected pairs work without a wire, so failing to open it is not an
 * error. */
static enum dpk_status plug_if_possible(struct nic *nic, struct dpk_error *err)
{
    struct dpk_error unplugged = {0}; /* reported when the program makes a queue of frames */
    if (plug(nic, &unplugged) == DPK_OK)
        return DPK_OK;
    enum dpk_status status = open_wire(nic, "none", &nic->nothing, err);
    atomic_store(&nic->wire, nic->nothing);
    return status;
}

/* ---- Life ---- */

static const struct dpk_queue_ops ops = {.load = load,
                                         .store = store,
                                         .completed = completed,
                                         .told = told,
                                         .listens = listens,
                                         .leaves = leaves,
                                         .left = left,
                                         .waits = waits,
                                         .warn = warn};

static void nic_end(void *attached)
{
    struct nic *nic = attached;
    nic_retry_end(nic->retry);
    dpk_deferred_free(nic->flush);
    if (nic->plugged)
        dpk_wire_close(nic->wire);
    dpk_wire_close(nic->nothing);
    dpk_queues_close(nic->queues);
    dpk_counters_close(nic->counters);
    dpk_port_close(nic->port);
    if (nic->rc)
        dpk_rc_leave(nic->rc);
    pthread_mutex_destroy(&nic->plugging);
    free(nic);
}

static void *nic_make(struct ibv_context *context)
{
    struct dpk_error err = {0};
    struct nic *nic = calloc(1, sizeof *nic);
    if (!nic)
        return NULL;
    nic->context = context;
    pthread_mutex_init(&nic->plugging, NULL);
    enum dpk_status status = open_counters(nic, dpk_verbs_device(context)->directory, &err);
    if (status == DPK_OK)
        status = plug_if_possible(nic, &err);
    if (status == DPK_OK)
        status = dpk_rc_enter(&nic->rc, &err);
    if (status == DPK_OK)
        status = dpk_queues_open(&ops, nic, nic->rc, dpk_verbs_device(context)->steering,
                                 nic->counters, &nic->queues, &err);
    if (status == DPK_OK &&
        !((nic->retry = nic_retry_new(nic->queues)) && (nic->flush = dpk_deferred_new(flush, nic))))
        status = dpk_fail_nomem(&err);
    if (status == DPK_OK)
        status = dpk_wire_start(nic->wire, &err);
    nic->started = nic->plugged;
    if (status == DPK_OK)
        return nic;
    dpk_host_log(DPK_HOST_LOG_ERROR, "%s", err.message);
    nic_end(nic);
    return NULL;
}

struct dpk_queues *dpk_nic_queues(struct ibv_context *context)
{
    const struct nic *nic = dpk_verbs_attached(context, nic_make, nic_end);
    return nic ? nic->queues : NULL;
}

bool dpk_nic_wired(struct ibv_context *context)
{
    struct nic *nic = dpk_verbs_attached(context, nic_make, nic_end);
    struct dpk_error err = {0};
    enum dpk_status status = DPK_OK;
    if (!nic)
        return false;
    pthread_mutex_lock(&nic->plugging);
    if (!nic->plugged)
        status = plug(nic, &err);
    if (status == DPK_OK && !nic->started) {
        status = dpk_wire_start(nic->wire, &err);
        nic->started = status == DPK_OK;
    }
    pthread_mutex_unlock(&nic->plugging);
    if (status != DPK_OK)
        dpk_host_log(DPK_HOST_LOG_ERROR, "%s", err.message);
    return status == DPK_OK;
}
