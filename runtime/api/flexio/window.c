/* Windows, keys of DPA memory, outboxes and UARs, and the device's calls on them. A window pointer
 * is RV64_EXTERNAL_BASE plus an address in the memory of the key; pointers of the thread's second
 * window also have the bit SECOND. Each access through a pointer is checked. */
#include <inttypes.h>
#include <string.h>

#include "engine/rv64/rv64.h"
#include "guest/abi/flexio_abi.h"
#include "private.h"

/* Words of a caller's state with the thread's configuration. */
enum { STATE_WINDOW, STATE_OUTBOX, STATE_WINDOW_1 = 3 };
#define CONFIGURED (UINT64_C(1) << 63)

static const unsigned window_words[DPA_FLEXIO_WINDOWS] = {STATE_WINDOW, STATE_WINDOW_1};

/* Distinguishes pointers of the thread's second window. */
#define SECOND (UINT64_C(1) << 59)
_Static_assert(SECOND < RV64_EXTERNAL_BASE, "a window pointer is outside of guest memory");

/* ---- Windows ---- */

struct flexio_window {
    struct flexio_process *process;
    struct dpk_memory_domain *domain;
    uint32_t id;
    struct dpk_told told;
};

flexio_status flexio_window_create(struct flexio_process *process, struct ibv_pd *pd,
                                   struct flexio_window **window)
{
    if (window)
        *window = NULL;
    if (!process || !pd || !window)
        return libflexio_failed_because(
            "flexio_window_create: no process or protection domain, or nowhere "
            "to put the window");
    if (pd->context != process->context)
        return libflexio_failed_because(
            "flexio_window_create: the protection domain is of another device");
    struct flexio_window *w = calloc(1, sizeof *w);
    if (w) {
        w->process = process;
        w->domain = dpk_verbs_domain(pd);
        atomic_store(&w->domain->has_windows, true);
        w->id = libflexio_table_add(process, &process->windows, w);
    }
    if (!w || w->id == 0) {
        free(w);
        return libflexio_failed_because("flexio_window_create: out of memory, or of numbers");
    }
    *window = w;
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_window_destroy(struct flexio_window *window)
{
    if (window)
        libflexio_table_remove(window->process, &window->process->windows, window->id);
    free(window);
    return FLEXIO_STATUS_SUCCESS;
}

uint32_t flexio_window_get_id(struct flexio_window *window)
{
    return window ? window->id : UINT32_MAX;
}

/* ---- Keys of DPA memory ---- */

struct flexio_mkey {
    uint32_t id;
};

flexio_status flexio_device_mkey_create(struct flexio_process *process,
                                        struct flexio_mkey_attr *attr, struct flexio_mkey **mkey)
{
    if (mkey)
        *mkey = NULL;
    if (!process || !attr || !attr->pd || !mkey)
        return libflexio_failed_because(
            "flexio_device_mkey_create: no process, attributes or protection "
            "domain, or nowhere to put the key");
    if (attr->pd->context != process->context)
        return libflexio_failed_because(
            "flexio_device_mkey_create: the protection domain is of another "
            "device");
    struct dpk_error err = {0};
    struct flexio_mkey *m = calloc(1, sizeof *m);
    enum dpk_status status =
        m ? dpk_memory_add(&(struct dpk_memory){.kind = DPK_MEMORY_DPA,
                                                .rights = dpk_verbs_rights(attr->access),
                                                .address = attr->daddr,
                                                .size = attr->len,
                                                .process = process->dpa,
                                                .domains = {dpk_verbs_domain(attr->pd)}},
                           &m->id, &err)
          : dpk_fail_nomem(&err);
    if (status != DPK_OK) {
        free(m);
        return libflexio_failed("flexio_device_mkey_create", &err);
    }
    *mkey = m;
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_device_mkey_destroy(struct flexio_mkey *mkey)
{
    if (mkey)
        dpk_memory_remove(mkey->id);
    free(mkey);
    return FLEXIO_STATUS_SUCCESS;
}

uint32_t flexio_mkey_get_id(struct flexio_mkey *mkey)
{
    return mkey ? mkey->id : UINT32_MAX;
}

/* Returns a key without memory: a number that no other memory of the device has until the process
 * ends. */
uint32_t flexio_process_get_dumem_id(struct flexio_process *process)
{
    if (!process || !process->pd)
        return UINT32_MAX;
    pthread_mutex_lock(&process->objects_lock);
    if (process->dumem_id == 0)
        dpk_memory_add(&(struct dpk_memory){.kind = DPK_MEMORY_NONE, .process = process->dpa},
                       &process->dumem_id, NULL);
    uint32_t id = process->dumem_id;
    pthread_mutex_unlock(&process->objects_lock);
    return id ? id : UINT32_MAX;
}

/* ---- Calls of the device ---- */

static bool is_aligned(const struct dpk_memory *m)
{
    return (m->address | m->size) % DPK_MEMORY_WINDOW_ALIGN == 0;
}

/* Returns why a window does not reach memory that it has the right to access, or NULL. */
static const char *unreachable(const struct dpk_memory *m)
{
    if (!m->host)
        return "the key is of memory of the DPA, which needs no window";
    return !is_aligned(m)
               ? "the memory was not registered with 64-byte alignment of address and size "
                 "(ibv_reg_mr)"
               : NULL;
}

/* Acquires the memory of a configured window at a host address. Returns NULL, with a reason in
 * `reason`, if it is not accessible. */
static const struct dpk_memory *behind_window(struct flexio_process *p, uint64_t configured,
                                              uint64_t address, uint64_t size, bool write,
                                              char *reason, size_t room)
{
    const struct dpk_memory *m = NULL;
    char text[DPK_MEMORY_REASON_MAX];
    const char *why = "the window has no key (flexio_dev_window_config)";
    struct dpk_memory_access a = {(uint32_t)configured, write ? DPK_MEMORY_WRITE : DPK_MEMORY_READ,
                                  address, size, NULL};
    pthread_mutex_lock(&p->objects_lock);
    const struct flexio_window *w = libflexio_table_find(&p->windows, configured >> 32 & 0xffff);
    if (w)
        a.domain = w->domain;
    pthread_mutex_unlock(&p->objects_lock);
    if (configured & CONFIGURED && !w)
        why = "the window was destroyed";
    else if (configured & CONFIGURED)
        why = (m = dpk_memory_acquire(&a)) ? unreachable(m) : dpk_memory_explain(&a, text);
    if (!why)
        return m;
    if (m)
        dpk_memory_release(m);
    snprintf(reason, room, "window: %s of %" PRIu64 " bytes at host address 0x%" PRIx64 ": %s",
             write ? "write" : "read", size, address, why);
    return NULL;
}

static void *find_memory(void *context, const struct dpk_caller *caller, uint64_t address,
                         unsigned size, bool write, void **pinned, char *reason)
{
    const unsigned entity = ((address - RV64_EXTERNAL_BASE) & SECOND) != 0;
    const uint64_t host = address - RV64_EXTERNAL_BASE - (entity ? SECOND : 0);
    const struct dpk_memory *m = behind_window(context, caller->state[window_words[entity]], host,
                                               size, write, reason, DPK_FAULT_REASON_MAX);
    *pinned = (void *)m;
    return m ? dpk_memory_at(m, host) : NULL;
}

static void release(void *context, void *pinned)
{
    (void)context;
    dpk_memory_release(pinned);
}

/* Copies between host and DPA. Returns false, with a reason, if it failed. */
static bool copy(struct flexio_process *p, uint64_t configured, uint64_t host, uint64_t daddr,
                 uint64_t size, bool to_host, char *reason, size_t room)
{
    struct dpk_error err = {0};
    if (size == 0)
        return true;
    const struct dpk_memory *m = behind_window(p, configured, host, size, to_host, reason, room);
    if (!m)
        return false;
    void *at = dpk_memory_at(m, host);
    enum dpk_status status = to_host ? dpk_copy_out(p->dpa, at, daddr, size, &err)
                                     : dpk_copy_in(p->dpa, daddr, at, size, &err);
    dpk_memory_release(m);
    if (status != DPK_OK)
        snprintf(reason, room, "window: %.150s", err.message);
    return status == DPK_OK;
}

static uint64_t state_of(uint64_t id, uint64_t number)
{
    return CONFIGURED | (id & 0xffff) << 32 | (uint32_t)number;
}

bool libflexio_defaults_of(struct flexio_process *p, struct flexio_window *window,
                           struct flexio_outbox *outbox, uint64_t state[DPK_CALLER_STATE])
{
    const uint32_t w = flexio_window_get_id(window), o = flexio_outbox_get_id(outbox);
    pthread_mutex_lock(&p->objects_lock);
    bool own = (!window || libflexio_table_find(&p->windows, w) == window) &&
               (!outbox || libflexio_table_find(&p->outboxes, o) == outbox);
    pthread_mutex_unlock(&p->objects_lock);
    /* A window without a key exists, but has no memory. */
    state[STATE_WINDOW] = window ? state_of(w, 0) & ~CONFIGURED : 0;
    state[STATE_OUTBOX] = outbox ? state_of(o, 0) : 0;
    return own;
}

/* Warns about a key whose memory the window cannot reach, because the access may fail much
 * later. */
static void warn_of_key(struct flexio_process *p, uint64_t id, uint64_t key)
{
    struct dpk_memory m;
    if (!dpk_memory_describe((uint32_t)key, &m) || !m.host || is_aligned(&m))
        return;
    pthread_mutex_lock(&p->objects_lock);
    struct flexio_window *w = libflexio_table_find(&p->windows, id);
    const bool first = w && dpk_first(&w->told, 0);
    pthread_mutex_unlock(&p->objects_lock);
    if (first)
        dpk_host_log(DPK_HOST_LOG_WARNING,
                     "window 0x%x: key 0x%x is of %llu bytes at 0x%llx, which were not registered "
                     "with 64-byte alignment of address and size (ibv_reg_mr)",
                     (unsigned)id, (unsigned)key, (unsigned long long)m.size,
                     (unsigned long long)m.address);
}

static uint64_t configure(struct flexio_process *p, uint64_t *word,
                          const struct object_table *table, uint64_t id, uint64_t number)
{
    if (!libflexio_table_has(p, table, id))
        return 1;
    *word = state_of(id, number);
    return 0;
}

/* Carries out calls on the thread's window args[0]. */
static bool window_call(struct flexio_process *p, struct dpk_caller *caller, unsigned call,
                        const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    const bool copies = call == DPA_FLEXIO_COPY_FROM_HOST || call == DPA_FLEXIO_COPY_TO_HOST;
    if (args[0] >= DPA_FLEXIO_WINDOWS) {
        snprintf(reason, size, "window: a thread has no entity %" PRIu64, args[0]);
        *result = call != DPA_FLEXIO_WINDOW_POINTER;
        return !copies;
    }
    uint64_t *word = &caller->state[window_words[args[0]]];
    switch (call) {
    case DPA_FLEXIO_WINDOW_CONFIG:
        *result = configure(p, word, &p->windows, args[1], args[2]);
        warn_of_key(p, args[1], args[2]);
        return true;
    case DPA_FLEXIO_WINDOW_MKEY:
        warn_of_key(p, *word >> 32 & 0xffff, args[1]);
        *result = configure(p, word, &p->windows, *word >> 32 & 0xffff, args[1]);
        return true;
    case DPA_FLEXIO_WINDOW_POINTER:
        *result = *word && args[1] < SECOND ? RV64_EXTERNAL_BASE + args[0] * SECOND + args[1] : 0;
        return true;
    case DPA_FLEXIO_COPY_FROM_HOST:
        return copy(p, *word, args[2], args[1], args[3], false, reason, size);
    default:
        return copy(p, *word, args[1], args[2], args[3], true, reason, size);
    }
}

/* Returns the UAR of the queues that the thread's outbox reaches: the UAR of its extension, else
 * its own; without an outbox, the UAR of the process. Returns 0 if the UAR no longer exists. */
static uint32_t page_of(struct flexio_process *p, uint64_t outbox)
{
    const uint32_t extended = (uint32_t)outbox;
    if (!(outbox & CONFIGURED) || extended)
        return libflexio_uar_page(p, extended);
    return libflexio_outbox_page(p, outbox >> 32 & 0xffff);
}

/* Lets the thread's outbox reach queues of another UAR. Returns false if the outbox or UAR does not
 * exist. */
static bool extend(struct flexio_process *p, uint64_t *outbox, uint64_t uar)
{
    if (!(*outbox & CONFIGURED) || !libflexio_table_has(p, &p->uars, uar))
        return false;
    *outbox = state_of(*outbox >> 32 & 0xffff, uar);
    return true;
}

static bool device_call(void *context, struct dpk_caller *caller, unsigned call,
                        const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    struct flexio_process *p = context;
    uint64_t *outbox = &caller->state[STATE_OUTBOX];
    *result = 0;
    switch (call) {
    case DPA_FLEXIO_WINDOW_CONFIG:
    case DPA_FLEXIO_WINDOW_MKEY:
    case DPA_FLEXIO_WINDOW_POINTER:
    case DPA_FLEXIO_COPY_FROM_HOST:
    case DPA_FLEXIO_COPY_TO_HOST:
        return window_call(p, caller, call, args, result, reason, size);
    case DPA_FLEXIO_OUTBOX_CONFIG:
        *result = configure(p, outbox, &p->outboxes, args[0], 0);
        return true;
    case DPA_FLEXIO_OUTBOX_UAR:
        *result = !extend(p, outbox, args[0]);
        return true;
    case DPA_FLEXIO_RING_ACROSS:
        *result = !libflexio_table_has(p, &p->uars, args[0]);
        return *result ||
               libflexio_queue_call(p, caller, DPA_FLEXIO_RING, args + 1,
                                    libflexio_uar_page(p, (uint32_t)args[0]), reason, size);
    case DPA_FLEXIO_TRACE:
    case DPA_FLEXIO_TRACE_FLUSH:
        return libflexio_trace_call(p, caller, call, args, reason, size);
    default:
        return libflexio_queue_call(p, caller, call, args, page_of(p, *outbox), reason, size);
    }
}

bool libflexio_windows_attach(struct flexio_process *p, uint32_t uar)
{
    dpk_process_set_external_memory(
        p->dpa,
        &(struct dpk_external_memory){.find = find_memory, .release = release, .context = p});
    dpk_process_set_calls(p->dpa, DPA_SYS_FAMILY_FLEXIO, device_call, p);
    return libflexio_uar_new(p, uar, "flexio_process_create", &p->uar) == FLEXIO_STATUS_SUCCESS;
}

void libflexio_windows_free(struct flexio_process *p)
{
    free(p->uar);
    free(p->windows.objects);
    free(p->outboxes.objects);
    free(p->uars.objects);
}
