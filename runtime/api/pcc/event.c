/* Events of reaction points. */
#include <inttypes.h>
#include <string.h>

#include "api/pcc/private.h"

static const char *type_name(enum dpk_pcc_type type)
{
    switch (type) {
    case DPK_PCC_FW:
        return "FW";
    case DPK_PCC_CNP:
        return "CNP";
    case DPK_PCC_TX:
        return "TX";
    case DPK_PCC_ACK:
        return "ACK";
    case DPK_PCC_NACK:
        return "NACK";
    case DPK_PCC_RTT:
        return "RTT";
    case DPK_PCC_TX_FOR_ACK_NACK:
        return "TX of an ACK or NACK";
    }
    return "unknown";
}

/* Puts the event's description before the message. */
static void name_event(struct dpk_error *err, const struct pcc_thread *t, unsigned thread,
                       const struct dpk_pcc_event *e)
{
    dpk_error_prefix(err,
                     "event %" PRIu64 " of thread %u, %s of flow %" PRIu32 " at %" PRIu64 " ns",
                     t->stats.events, thread, type_name(e->type), e->flow, e->time_ns);
}

/* ---- Arguments of the program ---- */

/* Offsets of an event, and of the part that its type has (doca_pcc_dev_data_structures.h). All words have
 * their most significant byte first. */
enum { AT_QP = 8, AT_ATTR = 12, AT_TAG = 16, AT_SERIAL = 20, AT_TIME = 24, AT_MORE = 28 };

static void fill_rtt(uint8_t *to, enum dpa_pcc_layout layout, const struct dpk_pcc_event *e)
{
    const uint32_t times[3] = {(uint32_t)e->request_sent_ns, (uint32_t)e->request_received_ns,
                               (uint32_t)e->response_sent_ns};
    const bool cx8 = layout == DPA_PCC_LAYOUT_CX8;
    for (size_t i = 0; i < 3; i++)
        dpk_store_be32(to + 4 * i, cx8 ? times[i] & ~0xfu : times[i]);
    if (cx8) {
        dpk_store_be32(to + 4, (times[1] & ~0xfu) | (e->np_port_type & 0xf));
        dpk_store_be32(to + 12, e->np_received << 4 | 1); /* version 1 */
    }
    if (e->raw_size)
        memcpy(to, e->raw, sizeof e->raw);
}

static void fill(uint8_t *to, enum dpa_pcc_layout layout, const struct dpk_pcc_event *e)
{
    uint8_t *more = to + AT_MORE;
    memset(to, 0, DPA_PCC_EVENT);
    if (layout == DPA_PCC_LAYOUT_CX8)
        dpk_store_be32(to + AT_QP, (uint32_t)e->hop_limit << 24 | (e->qp & 0xffffff));
    dpk_store_be32(to + AT_ATTR, (uint32_t)e->flags << 24 | (uint32_t)e->port << 16 |
                                     (uint32_t)e->subtype << 8 | (uint32_t)e->type);
    dpk_store_be32(to + AT_TAG, e->flow);
    dpk_store_be32(to + AT_SERIAL, e->serial);
    dpk_store_be32(to + AT_TIME, (uint32_t)e->time_ns);
    switch (e->type) {
    case DPK_PCC_TX:
    case DPK_PCC_TX_FOR_ACK_NACK:
        dpk_store_be32(more, (uint32_t)e->first_time_ns);
        dpk_store_be32(more + 4, e->packets << 16 | ((e->bytes + 31) / 32 & 0xffff));
        if (layout != DPA_PCC_LAYOUT_CX8)
            dpk_store_be32(more + 8, e->qp & 0xffffff);
        break;
    case DPK_PCC_ACK:
    case DPK_PCC_NACK:
    case DPK_PCC_CNP:
        dpk_store_be32(more, (uint32_t)e->first_time_ns);
        dpk_store_be32(more + 4, e->first_serial);
        dpk_store_be32(more + 8, e->coalesced & 0xffff);
        break;
    case DPK_PCC_RTT:
        fill_rtt(more, layout, e);
        break;
    case DPK_PCC_FW:
        for (size_t i = 0; i < 3; i++)
            dpk_store_be32(more + 4 * i, e->fw[i]);
        break;
    }
}

/* Returns the slot of the algorithm that gets the port's events. */
static unsigned slot_of(const struct dpk_pcc *pcc, unsigned port)
{
    for (unsigned i = 0; i < DPA_PCC_SLOTS; i++)
        if (pcc->state->ports[port].slots[i].known && pcc->state->ports[port].slots[i].enabled)
            return i;
    return DPK_PCC_SLOT_INTERNAL;
}

/* ---- Handling an event ---- */

static enum dpk_status check(const struct dpk_pcc *pcc, unsigned thread,
                             const struct dpk_pcc_event *e, struct dpk_error *err)
{
    if (pcc->options.role != DPK_PCC_RP)
        return dpk_fail(err, DPK_ERR_RANGE, "a notification point gets no events");
    if (thread >= pcc->options.threads)
        return dpk_fail(err, DPK_ERR_RANGE, "thread %u; there are %u", thread,
                        pcc->options.threads);
    if (e->port >= pcc->options.ports)
        return dpk_fail(err, DPK_ERR_RANGE, "port %u; there are %u", e->port, pcc->options.ports);
    if (e->raw_size > sizeof e->raw || (unsigned)e->type > DPK_PCC_TX_FOR_ACK_NACK)
        return dpk_fail(err, DPK_ERR_RANGE, "an event of type %u with %u bytes of data",
                        (unsigned)e->type, e->raw_size);
    return DPK_OK;
}

static enum dpk_status take(const struct dpa_pcc_results *r, struct dpk_pcc_result *result,
                            struct dpk_error *err)
{
    result->rate = r->rate;
    result->rtt_request = r->rtt_request != 0;
    result->probe_slot = (uint8_t)r->probe_slot;
    result->handled = true;
    if (r->rate == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "the algorithm sets a rate of 0");
    if (r->rate > DPK_PCC_RATE_MAX)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "the algorithm sets a rate of 0x%" PRIx32 ", above the line rate 0x%x",
                        r->rate, DPK_PCC_RATE_MAX);
    return DPK_OK;
}

/* Returns the offset of the first changed byte of a guard, or `size`. */
static size_t first_written(const uint8_t *guard, size_t size)
{
    size_t at = 0;
    while (at < size && guard[at] == PCC_GUARD)
        at++;
    return at;
}

/* Guards are not restored, so all later events of this thread fail, too. */
static enum dpk_status check_guards(const struct event_work *w, struct dpk_error *err)
{
    const size_t behind = first_written(w->behind, sizeof w->behind);
    const size_t before = first_written(w->before, sizeof w->before);
    if (behind < sizeof w->behind)
        return dpk_fail(err, DPK_ERR_FAULT,
                        "the algorithm wrote at byte %zu of the flow's context "
                        "(doca_pcc_dev_algo_ctxt_t), which has %zu bytes: keep less for a flow",
                        sizeof w->context + behind, sizeof w->context);
    if (before < sizeof w->before)
        return dpk_fail(err, DPK_ERR_FAULT,
                        "the algorithm wrote %zu bytes before the flow's context "
                        "(doca_pcc_dev_algo_ctxt_t)",
                        sizeof w->before - before);
    return DPK_OK;
}

enum dpk_status dpk_pcc_event(struct dpk_pcc *pcc, unsigned thread, struct dpk_pcc_context *context,
                              const struct dpk_pcc_event *event, struct dpk_pcc_result *result,
                              struct dpk_error *err)
{
    enum dpk_status status = check(pcc, thread, event, err);
    if (status != DPK_OK)
        return status;
    struct pcc_thread *t = &pcc->threads[thread];
    struct event_work *w = t->work;
    result->handled = false;
    result->instructions = 0;
    if (pcc->disabled >> event->type & 1) {
        t->stats.masked++;
        return DPK_OK;
    }
    memcpy(&w->context, context->bytes, sizeof w->context);
    fill(w->event, pcc->layout, event);
    w->attr = (doca_pcc_dev_attr_t){.algo_slot = slot_of(pcc, event->port) & 0xf};
    w->results = (struct dpa_pcc_results){.rate = result->rate};

    const struct dpk_call call = pcc_call(pcc, pcc->program.algorithm);
    uint64_t instructions = 0;
    t->stats.events++;
    status = dpk_direct_call(t->direct, &call, &t->arguments, sizeof t->arguments, NULL,
                             &instructions, err);
    t->stats.instructions += instructions;
    if (instructions > t->stats.longest)
        t->stats.longest = instructions;
    result->instructions = instructions > UINT32_MAX ? UINT32_MAX : (uint32_t)instructions;
    const struct dpa_pcc_results results = w->results; /* copied before it is checked */
    if (status == DPK_OK)
        status = check_guards(w, err);
    if (status == DPK_OK)
        status = take(&results, result, err);
    if (status != DPK_OK)
        name_event(err, t, thread, event);
    else
        memcpy(context->bytes, &w->context, sizeof w->context);
    return status;
}
