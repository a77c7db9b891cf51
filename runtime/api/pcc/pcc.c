/* Congestion control programs: loads an image and makes threads for events. */
#include "api/pcc/pcc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/pcc/private.h"
#include "guest/abi/dpa_abi.h"

/* The control thread runs initialization and requests, which may take longer than events. */
#define CONTROL_FACTOR 100u
#define MAILBOX_MAX    (1u << 20)

bool dpk_pcc_is_program(const struct dpk_image *image, enum dpk_pcc_role *role)
{
    uint64_t address;
    const bool rp = dpk_image_symbol(image, DPA_PCC_RP, &address, NULL);
    if (!rp && !dpk_image_symbol(image, DPA_PCC_NP, &address, NULL))
        return false;
    *role = rp ? DPK_PCC_RP : DPK_PCC_NP;
    return true;
}

/* ---- Calls of the program ---- */

static void sink(void *context, unsigned stream, unsigned level, unsigned thread, const char *text,
                 size_t size)
{
    const struct dpk_pcc *pcc = context;
    (void)stream;
    (void)level;
    if (pcc->options.print)
        pcc->options.print(pcc->options.context, thread, text, size);
}

/* DOCA_PCC_DEV_GET_PORT_COUNTER_ID */
static uint64_t counter(const struct dpk_pcc_options *o, uint64_t id)
{
    const unsigned port = id & 0xf, which = id >> 4 & 0xf;
    if (id >> 24 != 1 || !o->counter || port >= o->ports ||
        (which != DPK_PCC_RX_BYTES && which != DPK_PCC_TX_BYTES))
        return 0;
    return o->counter(o->context, port, which);
}

static bool device_call(void *context, struct dpk_caller *caller, unsigned call,
                        const uint64_t args[6], uint64_t *result, char *fault, size_t size)
{
    const struct dpk_pcc_options *o = &((const struct dpk_pcc *)context)->options;
    switch (call) {
    case DPA_PCC_COUNTER:
        *result = counter(o, args[0]);
        return true;
    case DPA_PCC_TRACE:
        if (o->trace)
            o->trace(o->context, caller->thread_id, (int)args[0], args + 1);
        return true;
    case DPA_PCC_FLUSH:
        if (o->flush)
            o->flush(o->context);
        return true;
    default:
        snprintf(fault, size, "no such call of congestion control");
        return false;
    }
}

/* ---- The process ---- */

/* Returns the name of a required function that the program does not have, or NULL. */
static const char *missing_function(const struct dpa_pcc_program *p, bool rp)
{
    if (!rp)
        return p->packet ? NULL : "doca_pcc_dev_np_user_packet_handler";
    return !p->init             ? "doca_pcc_dev_user_init"
           : !p->algorithm      ? "doca_pcc_dev_user_algo"
           : !p->set_parameters ? "doca_pcc_dev_user_set_algo_params"
                                : NULL;
}

/* Learns which events the program was compiled for. */
static enum dpk_status find_layout(struct dpk_pcc *pcc, const struct dpk_image *image,
                                   struct dpk_error *err)
{
    uint32_t layout;
    if (dpk_copy_out(pcc->process, &layout, pcc->program.layout, sizeof layout, NULL) != DPK_OK ||
        layout < DPA_PCC_LAYOUT_2_5 || layout > DPA_PCC_LAYOUT_CX8)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "program %s does not say which events it reads (dpa-pcc(7))",
                        dpk_image_app(image));
    pcc->layout = (enum dpa_pcc_layout)layout;
    return DPK_OK;
}

/* Finds the program's table and its state, which are not trusted: they are checked here, and the
 * core checks each address that it uses. */
static enum dpk_status find_program(struct dpk_pcc *pcc, const struct dpk_image *image,
                                    struct dpk_error *err)
{
    const bool rp = pcc->options.role == DPK_PCC_RP;
    uint64_t address;
    struct dpa_pcc_program *p = &pcc->program;
    if (!dpk_image_symbol(image, rp ? DPA_PCC_RP : DPA_PCC_NP, &address, NULL))
        return dpk_fail(err, DPK_ERR_NOT_FOUND,
                        "program %s is not a %s of congestion control: it was not linked with "
                        "-device-libs=\"-ldoca_pcc_%sdev\"",
                        dpk_image_app(image), rp ? "reaction point" : "notification point",
                        rp ? "" : "np_");
    if (dpk_copy_out(pcc->process, p, address, sizeof *p, NULL) != DPK_OK ||
        p->version != DPA_PCC_VERSION)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "program %s: its library of congestion control is of another version",
                        dpk_image_app(image));
    const char *missing = missing_function(p, rp);
    if (missing)
        return dpk_fail(err, DPK_ERR_FORMAT, "program %s has no function %s (dpa-pcc(7))",
                        dpk_image_app(image), missing);
    pcc->state = dpk_process_memory(pcc->process, p->state, sizeof *pcc->state, true);
    if (!pcc->state || p->state % 8)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "program %s: the tables of its algorithms are not in its memory",
                        dpk_image_app(image));
    return rp ? find_layout(pcc, image, err) : DPK_OK;
}

static enum dpk_status make_direct(struct dpk_pcc *pcc, unsigned rank, uint64_t instructions,
                                   struct dpk_direct **out, struct dpk_error *err)
{
    const struct dpk_direct_options o = {.rank = rank,
                                         .peers = pcc->options.threads,
                                         .instructions = instructions,
                                         .now = pcc->options.now,
                                         .context = pcc->options.context};
    return dpk_direct_create(pcc->process, &o, out, err);
}

static enum dpk_status make_thread(struct dpk_pcc *pcc, unsigned rank, struct dpk_error *err)
{
    struct pcc_thread *t = &pcc->threads[rank];
    const bool rp = pcc->options.role == DPK_PCC_RP;
    const size_t size = rp ? sizeof(struct event_work) : sizeof(struct packet_work);
    uint64_t at;
    enum dpk_status status = make_direct(pcc, rank, pcc->options.instructions, &t->direct, err);
    if (status == DPK_OK)
        status = dpk_heap_alloc(pcc->process, size, &at, err);
    if (status != DPK_OK)
        return status;
    t->work = dpk_process_memory(pcc->process, at, size, true);
    if (!t->work)
        return dpk_fail_nomem(err);
    if (rp) {
        struct event_work *w = t->work;
        memset(w->before, PCC_GUARD, sizeof w->before);
        memset(w->behind, PCC_GUARD, sizeof w->behind);
        const uint64_t event = at + offsetof(struct event_work, event);
        t->arguments = (struct dpa_pcc_arguments){
            {at + offsetof(struct event_work, context),
             pcc->layout == DPA_PCC_LAYOUT_2_5 ? event + DPA_PCC_EVENT_2_5 : event,
             at + offsetof(struct event_work, attr), at + offsetof(struct event_work, results)}};
        return DPK_OK;
    }
    t->arguments = (struct dpa_pcc_arguments){{at + offsetof(struct packet_work, request),
                                               at + offsetof(struct packet_work, answer), at}};
    return DPK_OK;
}

static enum dpk_status make_threads(struct dpk_pcc *pcc, struct dpk_error *err)
{
    const size_t size = pcc->options.threads * sizeof *pcc->threads;
    pcc->threads = aligned_alloc(_Alignof(struct pcc_thread), size);
    if (!pcc->threads)
        return dpk_fail_nomem(err);
    memset(pcc->threads, 0, size);
    enum dpk_status status = DPK_OK;
    for (unsigned i = 0; i < pcc->options.threads && status == DPK_OK; i++)
        status = make_thread(pcc, i, err); /* the thread's id is its number */
    return status == DPK_OK
               ? make_direct(pcc, pcc->options.threads, CONTROL_FACTOR * pcc->options.instructions,
                             &pcc->control, err)
               : status;
}

enum dpk_status pcc_control(struct dpk_pcc *pcc, uint64_t function,
                            const struct dpa_pcc_arguments *arguments, uint32_t *result,
                            struct dpk_error *err)
{
    const struct dpk_call call = pcc_call(pcc, function);
    uint64_t value = 0;
    enum dpk_status status =
        dpk_direct_call(pcc->control, &call, arguments, sizeof *arguments, &value, NULL, err);
    if (result)
        *result = (uint32_t)value;
    return status;
}

/* ---- Initialization ---- */

static enum dpk_status run_init(struct dpk_pcc *pcc, struct dpk_error *err)
{
    uint64_t at;
    enum dpk_status status = dpk_heap_alloc(pcc->process, sizeof pcc->disabled, &at, err);
    if (status != DPK_OK)
        return status;
    const struct dpa_pcc_arguments arguments = {{at}};
    status = dpk_copy_in(pcc->process, at, &(uint32_t){0}, sizeof pcc->disabled, err);
    if (status == DPK_OK)
        status = pcc_control(pcc, pcc->program.init, &arguments, NULL, err);
    if (status == DPK_OK)
        status = dpk_copy_out(pcc->process, &pcc->disabled, at, sizeof pcc->disabled, err);
    if (status != DPK_OK)
        return dpk_error_prefix(err, "doca_pcc_dev_user_init"), status;
    return dpk_heap_free(pcc->process, at, err);
}

static enum dpk_status tell_ports(struct dpk_pcc *pcc, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (unsigned i = 0; i < pcc->options.ports && status == DPK_OK; i++) {
        const struct dpa_pcc_arguments arguments = {{i}};
        if (pcc->program.port_changed)
            status = pcc_control(pcc, pcc->program.port_changed, &arguments, NULL, err);
    }
    return status == DPK_OK
               ? DPK_OK
               : (dpk_error_prefix(err, "doca_pcc_dev_user_port_info_changed"), status);
}

static enum dpk_status start(struct dpk_pcc *pcc, const struct dpk_image *image,
                             struct dpk_error *err)
{
    const struct dpk_process_options options = {.device = pcc->options.device,
                                                .directory = pcc->options.directory};
    enum dpk_status status = dpk_process_create(image, &options, &pcc->process, err);
    if (status != DPK_OK)
        return status;
    dpk_process_set_sink(pcc->process, sink, pcc);
    dpk_process_set_calls(pcc->process, DPA_SYS_FAMILY_PCC, device_call, pcc);
    if ((status = find_program(pcc, image, err)) != DPK_OK ||
        (status = make_threads(pcc, err)) != DPK_OK)
        return status;
    for (unsigned i = 0; i < pcc->options.ports; i++)
        pcc->state->ports[i].speed = pcc->options.speed_gbps;
    if (pcc->options.role == DPK_PCC_RP &&
        ((status = run_init(pcc, err)) != DPK_OK || (status = pcc_read_texts(pcc, err)) != DPK_OK))
        return status;
    return tell_ports(pcc, err);
}

/* Sets defaults and checks the options. */
static enum dpk_status complete(struct dpk_pcc_options *o, struct dpk_error *err)
{
    o->threads += o->threads == 0;
    o->ports += o->ports == 0;
    if (o->speed_gbps == 0)
        o->speed_gbps = 200;
    if (o->instructions == 0)
        o->instructions = DPK_PCC_INSTRUCTIONS;
    if (o->threads > DPK_PCC_THREADS_MAX)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "%u threads; a program of congestion control has 1 to %u", o->threads,
                        DPK_PCC_THREADS_MAX);
    if (o->ports > DPK_PCC_PORTS_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "%u ports; a program of congestion control has 1 to %u",
                        o->ports, DPK_PCC_PORTS_MAX);
    if (o->instructions > UINT64_MAX / CONTROL_FACTOR)
        return dpk_fail(err, DPK_ERR_RANGE, "a limit of %" PRIu64 " instructions is too large",
                        o->instructions);
    return DPK_OK;
}

enum dpk_status dpk_pcc_open(const struct dpk_image *image, const struct dpk_pcc_options *options,
                             struct dpk_pcc **out, struct dpk_error *err)
{
    *out = NULL;
    struct dpk_pcc *pcc = calloc(1, sizeof *pcc);
    if (!pcc)
        return dpk_fail_nomem(err);
    pcc->options = *options;
    pthread_mutex_init(&pcc->lock, NULL);
    enum dpk_status status = complete(&pcc->options, err);
    if (status == DPK_OK)
        status = start(pcc, image, err);
    if (status != DPK_OK) {
        dpk_pcc_close(pcc);
        return status;
    }
    *out = pcc;
    return DPK_OK;
}

void dpk_pcc_close(struct dpk_pcc *pcc)
{
    if (!pcc)
        return;
    for (unsigned i = 0; pcc->threads && i < pcc->options.threads; i++)
        dpk_direct_destroy(pcc->threads[i].direct);
    dpk_direct_destroy(pcc->control);
    dpk_process_destroy(pcc->process);
    pcc_free_texts(pcc);
    pthread_mutex_destroy(&pcc->lock);
    free(pcc->threads);
    free(pcc);
}

struct dpk_process *dpk_pcc_process(struct dpk_pcc *pcc)
{
    return pcc->process;
}

void dpk_pcc_stats(const struct dpk_pcc *pcc, struct dpk_pcc_stats *out)
{
    *out = (struct dpk_pcc_stats){0};
    for (unsigned i = 0; i < pcc->options.threads; i++) {
        const struct dpk_pcc_stats *s = &pcc->threads[i].stats;
        out->events += s->events;
        out->masked += s->masked;
        out->instructions += s->instructions;
        if (s->longest > out->longest)
            out->longest = s->longest;
    }
}

/* ---- The mailbox ---- */

struct mail {
    uint64_t at, request, response, size; /* guest addresses; `size` has 32 bits */
};

static enum dpk_status send(struct dpk_pcc *pcc, const struct mail *m, const void *request,
                            size_t request_size, void *response, size_t *response_size,
                            uint32_t *returned, struct dpk_error *err)
{
    uint32_t written = 0;
    const struct dpa_pcc_arguments arguments = {
        {m->request, request_size, *response_size, m->response, m->size}};
    enum dpk_status status = dpk_copy_in(pcc->process, m->request, request, request_size, err);
    if (status == DPK_OK)
        status = dpk_copy_in(pcc->process, m->size, &written, sizeof written, err);
    if (status == DPK_OK)
        status = pcc_control(pcc, pcc->program.mailbox, &arguments, returned, err);
    if (status != DPK_OK)
        return dpk_error_prefix(err, "doca_pcc_dev_user_mailbox_handle"), status;
    status = dpk_copy_out(pcc->process, &written, m->size, sizeof written, err);
    if (status == DPK_OK && written > *response_size)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "doca_pcc_dev_user_mailbox_handle says that its response has %" PRIu32
                        " bytes; there is room for %zu",
                        written, *response_size);
    if (status == DPK_OK)
        status = dpk_copy_out(pcc->process, response, m->response, written, err);
    *response_size = written;
    return status;
}

enum dpk_status dpk_pcc_mailbox(struct dpk_pcc *pcc, const void *request, size_t request_size,
                                void *response, size_t *response_size, uint32_t *returned,
                                struct dpk_error *err)
{
    struct mail m;
    if (!pcc->program.mailbox)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "the program has no doca_pcc_dev_user_mailbox_handle");
    if (request_size > MAILBOX_MAX || *response_size > MAILBOX_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "a request or response of more than %u bytes",
                        MAILBOX_MAX);
    pthread_mutex_lock(&pcc->lock);
    const size_t aligned = (request_size + 63) / 64 * 64;
    enum dpk_status status =
        dpk_heap_alloc(pcc->process, 64 + aligned + *response_size, &m.at, err);
    if (status == DPK_OK) {
        m.size = m.at;
        m.request = m.at + 64;
        m.response = m.request + aligned;
        status = send(pcc, &m, request, request_size, response, response_size, returned, err);
        dpk_heap_free(pcc->process, m.at, NULL);
    }
    pthread_mutex_unlock(&pcc->lock);
    return status;
}
