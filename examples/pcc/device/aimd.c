/*
 * AIMD by delay: each flow sends a probe each round trip. Was it slower than a target, the flow's
 * rate is cut by a factor; else it grows by a constant. Many flows that do so share a link evenly
 * (Chiu and Jain, 1989), and the target bounds the queue.
 */
#include <doca_pcc_dev.h>
#include <doca_pcc_dev_algo_access.h>
#include <doca_pcc_dev_event.h>

/* Rates are fractions of the line rate with 20 bits, DOCA_PCC_DEV_MAX_RATE being all of it; factors
 * have 16 bits. */
enum { TARGET_NS, INCREASE, FACTOR, START_RATE, LEAST_RATE, PARAMETERS };
enum { PROBES, CUTS, LOST_PROBES, COUNTERS };
enum { ALGORITHM = 0, SLOT = 0, PROBE_TIMEOUT_NS = 1000000 };

/* What a flow keeps between its events: at most 48 bytes, zero at first. */
struct flow {
    uint32_t rate;
    uint32_t asked_ns; /* when a probe was asked for */
    uint32_t cut_ns;   /* when a lost packet or a CNP has cut the rate */
    uint32_t rtt_ns;   /* the last one */
};
_Static_assert(sizeof(struct flow) <= sizeof(doca_pcc_dev_algo_ctxt_t), "a flow keeps 48 bytes");

static const char description[] = "AIMD by delay";
static const char *const parameters[PARAMETERS] = {
    "TARGET_NS, round trip above which the rate is cut",
    "INCREASE, of the rate in a round trip, 1048576 is the line rate",
    "FACTOR, that a cut multiplies with, 65536 is one",
    "START_RATE, of a new flow, 1048576 is the line rate",
    "LEAST_RATE, 1048576 is the line rate",
};
static const struct {
    uint32_t standard, most, least;
} ranges[PARAMETERS] = {
    {12000, 10000000, 1000},
    {DOCA_PCC_DEV_MAX_RATE / 1024, DOCA_PCC_DEV_MAX_RATE, 1},
    {58982, 65535, 1}, /* 0.9 */
    {DOCA_PCC_DEV_MAX_RATE / 32, DOCA_PCC_DEV_MAX_RATE, 1},
    {DOCA_PCC_DEV_MAX_RATE / 8192, DOCA_PCC_DEV_MAX_RATE, 1},
};
static const char *const counters[COUNTERS] = {
    "PROBES, answers that came",
    "CUTS, of rates",
    "LOST_PROBES, that were asked for again",
};

static uint32_t length(const char *text)
{
    uint32_t n = 0;
    while (text[n])
        n++;
    return n + 1;
}

void doca_pcc_dev_user_init(uint32_t *disable_event_bitmask)
{
    struct doca_pcc_dev_algo_meta_data about = {0};
    about.algo_id = 0xA1;
    about.algo_major_version = 1;
    about.algo_desc_size = sizeof description;
    about.algo_desc_addr = (uint64_t)description;
    doca_pcc_dev_algo_init_metadata(ALGORITHM, &about, PARAMETERS, COUNTERS);
    for (uint32_t i = 0; i < PARAMETERS; i++)
        doca_pcc_dev_algo_init_param(ALGORITHM, i, ranges[i].standard, ranges[i].most,
                                     ranges[i].least, 1, length(parameters[i]),
                                     (uint64_t)parameters[i]);
    for (uint32_t i = 0; i < COUNTERS; i++)
        doca_pcc_dev_algo_init_counter(ALGORITHM, i, UINT32_MAX, 2, length(counters[i]),
                                       (uint64_t)counters[i]);
    for (uint32_t port = 0; port < DOCA_PCC_DEV_MAX_NUM_PORTS; port++)
        doca_pcc_dev_init_algo_slot(port, SLOT, ALGORITHM, 1);
    /* Acknowledgements say nothing that probes do not. */
    *disable_event_bitmask = 1u << DOCA_PCC_DEV_EVNT_ROCE_ACK;
}

doca_pcc_dev_error_t doca_pcc_dev_user_set_algo_params(uint32_t port_num, uint32_t algo_slot,
                                                       uint32_t param_id_base, uint32_t param_num,
                                                       const uint32_t *new_param_values,
                                                       uint32_t *params)
{
    (void)port_num;
    if (algo_slot != SLOT || param_id_base > PARAMETERS || param_num > PARAMETERS - param_id_base)
        return DOCA_PCC_DEV_STATUS_FAIL;
    for (uint32_t i = 0; i < param_num; i++)
        params[param_id_base + i] = new_param_values[i];
    return DOCA_PCC_DEV_STATUS_OK;
}

static void cut(struct flow *f, const uint32_t *p, uint32_t *count)
{
    f->rate = doca_pcc_dev_fxp_mult(p[FACTOR], f->rate);
    if (f->rate < p[LEAST_RATE])
        f->rate = p[LEAST_RATE];
    count[CUTS]++;
}

/* The probe came back: the one decision in a round trip. */
static void probed(struct flow *f, doca_pcc_dev_event_t *event, const uint32_t *p, uint32_t *count)
{
    f->rtt_ns = doca_pcc_dev_get_timestamp(event) - doca_pcc_dev_get_rtt_req_send_timestamp(event);
    count[PROBES]++;
    if (f->rtt_ns > p[TARGET_NS])
        cut(f, p, count);
    else if (f->rate < DOCA_PCC_DEV_MAX_RATE - p[INCREASE])
        f->rate += p[INCREASE];
    else
        f->rate = DOCA_PCC_DEV_MAX_RATE;
}

void doca_pcc_dev_user_algo(doca_pcc_dev_algo_ctxt_t *algo_ctxt, doca_pcc_dev_event_t *event,
                            const doca_pcc_dev_attr_t *attr, doca_pcc_dev_results_t *results)
{
    struct flow *f = (struct flow *)algo_ctxt;
    doca_pcc_dev_event_general_attr_t about = doca_pcc_dev_get_ev_attr(event);
    const uint32_t *p = doca_pcc_dev_get_algo_params(about.port_num, attr->algo_slot);
    uint32_t *count = doca_pcc_dev_get_counters(about.port_num, attr->algo_slot);
    uint32_t now = doca_pcc_dev_get_timestamp(event);

    results->rtt_req = 0;
    if (f->rate == 0) { /* a new flow */
        f->rate = p[START_RATE];
        f->asked_ns = f->cut_ns = now;
        results->rtt_req = 1;
    } else if (about.ev_type == DOCA_PCC_DEV_EVNT_RTT) {
        probed(f, event, p, count);
        f->asked_ns = now;
        results->rtt_req = 1;
    } else if (about.ev_type == DOCA_PCC_DEV_EVNT_ROCE_NACK ||
               about.ev_type == DOCA_PCC_DEV_EVNT_ROCE_CNP) {
        /* One cut in a round trip, however many packets tell of it. */
        if (now - f->cut_ns > f->rtt_ns) {
            cut(f, p, count);
            f->cut_ns = now;
        }
    } else if (now - f->asked_ns > PROBE_TIMEOUT_NS) { /* probes are packets, which get lost */
        count[LOST_PROBES]++;
        f->asked_ns = now;
        results->rtt_req = 1;
    }
    results->rate = f->rate;
}
