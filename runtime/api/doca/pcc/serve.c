/* DOCA PCC: the active program of a device gets the events of its RDMA traffic, and sets rates. */
#include <string.h>
#include <unistd.h>

#include "api/doca/pcc/private.h"

#define LEAST_RATE      1u
#define PORT_100_GBIT_S 3u /* np_port_type */

_Static_assert(sizeof(struct dpk_rates_state) == sizeof(struct dpk_pcc_context) &&
                   _Alignof(struct dpk_rates_state) == _Alignof(struct dpk_pcc_context),
               "the server keeps the flow's context");
_Static_assert(DPK_RATES_MAX == DPK_PCC_RATE_MAX && (int)DPK_RATES_TX == DPK_PCC_TX &&
                   (int)DPK_RATES_ACK == DPK_PCC_ACK && (int)DPK_RATES_NACK == DPK_PCC_NACK &&
                   (int)DPK_RATES_RTT == DPK_PCC_RTT &&
                   (int)DPK_RATES_NACK_RNR == DPK_PCC_NACK_RNR &&
                   (int)DPK_RATES_ACK_EXPECTED == DPK_PCC_TX_ACK_EXPECTED &&
                   (int)DPK_RATES_PROBE_SENT == DPK_PCC_TX_RTT_REQ_SENT,
               "both have the numbers of DOCA PCC");

/* The peer does not say when it got the probe. Half of the round trip time is assumed. */
static struct dpk_pcc_event event_of(const struct dpk_rates_event *e)
{
    const uint64_t there = e->sent_ns + (e->time_ns - e->sent_ns) / 2;
    return (struct dpk_pcc_event){.type = (enum dpk_pcc_type)e->type,
                                  .subtype = e->subtype,
                                  .flags = e->flags,
                                  .flow = e->flow,
                                  .qp = e->qp,
                                  .serial = e->serial,
                                  .time_ns = e->time_ns,
                                  .first_time_ns = e->first_time_ns,
                                  .first_serial = e->first_serial,
                                  .coalesced = e->count,
                                  .bytes = e->bytes,
                                  .packets = e->count,
                                  .request_sent_ns = e->sent_ns,
                                  .request_received_ns = there,
                                  .response_sent_ns = there,
                                  .np_port_type = PORT_100_GBIT_S};
}

/* Each worker has its own threads of the program: every `workers`th thread. */
static unsigned thread_of(const struct context *c, unsigned worker, uint32_t flow)
{
    const unsigned own = (c->run_threads - worker + c->workers - 1) / c->workers;
    return worker + flow % own * c->workers;
}

static bool run(void *context, unsigned worker, struct dpk_rates_state *state,
                const struct dpk_rates_event *from, struct dpk_rates_order *order)
{
    struct context *c = context;
    struct dpk_error err = {0};
    const struct dpk_pcc_event event = event_of(from);
    struct dpk_pcc_result result = {.rate = order->rate};
    switch (dpk_pcc_event(c->run, thread_of(c, worker, from->flow),
                          (struct dpk_pcc_context *)(void *)state, &event, &result, &err)) {
    case DPK_OK:
        order->rate = result.rate;
        order->probe = result.rtt_request;
        return true;
    case DPK_ERR_FORMAT:
        order->rate = LEAST_RATE;
        if (!atomic_exchange(&c->told, true))
            dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "%s; such rates count as the least", err.message);
        return true;
    case DPK_ERR_FAULT:
    case DPK_ERR_TIMEOUT:
        return false; /* doca_pcc_get_process_state reports the error */
    default:
        return true;
    }
}

static unsigned workers_for(unsigned threads)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned most =
        cores > 0 && cores < (long)DPK_RATES_WORKERS_MAX ? (unsigned)cores : DPK_RATES_WORKERS_MAX;
    return threads < most ? threads : most;
}

void pcc_context_serve(struct context *c)
{
    struct dpk_error err = {0};
    if (c->role != DPK_PCC_RP || c->server)
        return;
    c->workers = workers_for(c->run_threads);
    atomic_store(&c->told, false);
    const struct dpk_rates_options options = {.workers = c->workers, .event = run, .context = c};
    if (dpk_rates_serve(c->directory, &options, &c->server, &err) != DPK_OK)
        dpk_doca_log(DOCA_LOG_LEVEL_WARNING, "%s; RDMA of %s is not limited", err.message,
                     NAME_OF(c));
}

void pcc_context_rest(struct context *c)
{
    dpk_rates_stop(c->server);
    c->server = NULL;
}
