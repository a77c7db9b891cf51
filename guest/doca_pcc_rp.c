/* Reaction points: algorithms, their parameters and counters. */
#include "guest/abi/doca_pcc.h"

#define _DOCA_PCC_DEV_LIBRARY
#include <doca_pcc_dev.h>
#include <doca_pcc_dev_algo_access.h>
#include <stdbool.h>
#include <string.h>

_Static_assert(DPA_PCC_SLOTS == DOCA_PCC_DEV_MAX_NUM_USER_SLOTS &&
                   DPA_PCC_ALGORITHMS == DOCA_PCC_DEV_MAX_NUM_ALGOS &&
                   DPA_PCC_PARAMETERS == DOCA_PCC_DEV_MAX_NUM_PARAMS_PER_ALGO &&
                   DPA_PCC_COUNTERS == DOCA_PCC_DEV_MAX_NUM_COUNTERS_PER_ALGO &&
                   DPA_PCC_INTERNAL == DOCA_PCC_DEV_ALGO_INDEX_INTERNAL,
               "one contract");
_Static_assert(sizeof(struct dpa_pcc_results) == sizeof(doca_pcc_dev_results_t) &&
                   DPA_PCC_EVENT == sizeof(doca_pcc_dev_event_t) &&
                   DPA_PCC_EVENT_2_5 == offsetof(doca_pcc_dev_event_t, ev_attr),
               "one contract");

/* Required functions of a program. The linker script (dpa.ld) reports a missing function in one
 * line. */
#pragma weak doca_pcc_dev_user_init
#pragma weak doca_pcc_dev_user_algo
#pragma weak doca_pcc_dev_user_set_algo_params

static void init(uint32_t *disable_event_bitmask);

#define ADDRESS(f) (uint64_t)(uintptr_t)(f)
__attribute__((used, retain)) const struct dpa_pcc_program _dpa_pcc_rp = {
    .version = DPA_PCC_VERSION,
    .call = ADDRESS(_dpa_pcc_call),
    .state = ADDRESS(&_dpa_pcc_state),
    .init = ADDRESS(init),
    .algorithm = ADDRESS(doca_pcc_dev_user_algo),
    .set_parameters = ADDRESS(doca_pcc_dev_user_set_algo_params),
    .port_changed = ADDRESS(doca_pcc_dev_user_port_info_changed),
    .mailbox = ADDRESS(doca_pcc_dev_user_mailbox_handle),
    .layout = ADDRESS(&_doca_pcc_dev_event_layout),
};

/* ---- Declarations of memory ---- */

static struct {
    bool open; /* doca_pcc_dev_user_declare_memory runs */
    bool used; /* the program has it */
    struct {
        bool has_slot, known;
        uint32_t parameter_count, counter_count;
    } algorithms[DPA_PCC_ALGORITHMS];
    uint8_t slots[DPA_PCC_PORTS][DPA_PCC_SLOTS]; /* index of the algorithm plus 1; 0: none */
} declared;

static void init(uint32_t *disable_event_bitmask)
{
    if (doca_pcc_dev_user_declare_memory) {
        declared.used = declared.open = true;
        doca_pcc_dev_user_declare_memory();
        declared.open = false;
    }
    doca_pcc_dev_user_init(disable_event_bitmask);
}

doca_pcc_dev_error_t doca_pcc_dev_declare_num_counter_groups(uint32_t num_counter_groups)
{
    return declared.open && num_counter_groups > 0 && num_counter_groups <= DPA_PCC_SLOTS
               ? DOCA_PCC_DEV_STATUS_OK
               : DOCA_PCC_DEV_STATUS_FAIL;
}

doca_pcc_dev_error_t doca_pcc_dev_declare_slot_algo(uint32_t port_num, uint32_t algo_slot,
                                                    uint8_t algo_idx)
{
    bool none = algo_idx == DOCA_PCC_DEV_SLOT_UNASSIGNED;
    if (!declared.open || port_num >= DPA_PCC_PORTS || algo_slot >= DPA_PCC_SLOTS ||
        (algo_idx >= DPA_PCC_ALGORITHMS && !none))
        return DOCA_PCC_DEV_STATUS_FAIL;
    declared.slots[port_num][algo_slot] = none ? 0 : algo_idx + 1;
    if (!none)
        declared.algorithms[algo_idx].has_slot = true;
    return DOCA_PCC_DEV_STATUS_OK;
}

doca_pcc_dev_error_t doca_pcc_dev_declare_algo(uint32_t algo_idx, uint32_t param_num,
                                               uint32_t counter_num)
{
    if (!declared.open || algo_idx >= DPA_PCC_ALGORITHMS || param_num > DPA_PCC_PARAMETERS ||
        counter_num > DPA_PCC_COUNTERS || !declared.algorithms[algo_idx].has_slot)
        return DOCA_PCC_DEV_STATUS_FAIL;
    declared.algorithms[algo_idx].known = true;
    declared.algorithms[algo_idx].parameter_count = param_num;
    declared.algorithms[algo_idx].counter_count = counter_num;
    return DOCA_PCC_DEV_STATUS_OK;
}

/* Returns false if the program has declared its algorithms, but not such an algorithm. */
static bool algorithm_is_declared(uint32_t algorithm, uint32_t parameters, uint32_t counters)
{
    return !declared.used || (declared.algorithms[algorithm].known &&
                              parameters <= declared.algorithms[algorithm].parameter_count &&
                              counters <= declared.algorithms[algorithm].counter_count);
}

/* ---- Registration ---- */

doca_pcc_dev_error_t
doca_pcc_dev_algo_init_metadata(uint32_t algo_idx,
                                const struct doca_pcc_dev_algo_meta_data *user_def,
                                uint32_t param_num, uint32_t counter_num)
{
    if (algo_idx >= DPA_PCC_ALGORITHMS || !user_def || param_num > DPA_PCC_PARAMETERS ||
        counter_num > DPA_PCC_COUNTERS || !algorithm_is_declared(algo_idx, param_num, counter_num))
        return DOCA_PCC_DEV_STATUS_FAIL;
    struct dpa_pcc_algorithm *a = &_dpa_pcc_state.algorithms[algo_idx];
    memset(a, 0, sizeof *a);
    a->id = user_def->algo_id;
    a->major = user_def->algo_major_version;
    a->minor = user_def->algo_minor_version;
    a->parameter_count = param_num;
    a->counter_count = counter_num;
    a->description = user_def->algo_desc_addr;
    a->description_size = user_def->algo_desc_size;
    a->known = 1;
    return DOCA_PCC_DEV_STATUS_OK;
}

static struct dpa_pcc_algorithm *known(uint32_t algo_idx)
{
    struct dpa_pcc_algorithm *a = &_dpa_pcc_state.algorithms[algo_idx % DPA_PCC_ALGORITHMS];
    return algo_idx < DPA_PCC_ALGORITHMS && a->known ? a : NULL;
}

doca_pcc_dev_error_t doca_pcc_dev_algo_init_param(uint32_t algo_idx, uint32_t param_id,
                                                  uint32_t default_value, uint32_t max_value,
                                                  uint32_t min_value, uint32_t permissions,
                                                  uint32_t param_desc_size,
                                                  uint64_t param_desc_addr)
{
    struct dpa_pcc_algorithm *a = known(algo_idx);
    if (!a || param_id >= a->parameter_count)
        return DOCA_PCC_DEV_STATUS_FAIL;
    a->parameters[param_id] = (struct dpa_pcc_value){
        default_value, max_value, min_value, permissions, param_desc_size, 0, param_desc_addr};
    return DOCA_PCC_DEV_STATUS_OK;
}

doca_pcc_dev_error_t doca_pcc_dev_algo_init_counter(uint32_t algo_idx, uint32_t counter_id,
                                                    uint32_t max_value, uint32_t permissions,
                                                    uint32_t counter_desc_size,
                                                    uint64_t counter_desc_addr)
{
    struct dpa_pcc_algorithm *a = known(algo_idx);
    if (!a || counter_id >= a->counter_count)
        return DOCA_PCC_DEV_STATUS_FAIL;
    a->counters[counter_id] = (struct dpa_pcc_value){
        0, max_value, 0, permissions, counter_desc_size, 0, counter_desc_addr};
    return DOCA_PCC_DEV_STATUS_OK;
}

doca_pcc_dev_error_t doca_pcc_dev_init_algo_slot(uint32_t portid, uint32_t algo_slot,
                                                 uint32_t algo_idx, uint32_t algo_en)
{
    const struct dpa_pcc_algorithm *a = known(algo_idx);
    if (!a || portid >= DPA_PCC_PORTS || algo_slot >= DPA_PCC_SLOTS ||
        (declared.used && declared.slots[portid][algo_slot] != algo_idx + 1))
        return DOCA_PCC_DEV_STATUS_FAIL;
    struct dpa_pcc_slot *s = &_dpa_pcc_state.ports[portid].slots[algo_slot];
    memset(s, 0, sizeof *s);
    s->algorithm = algo_idx;
    s->enabled = algo_en != 0;
    for (uint32_t i = 0; i < a->parameter_count; i++)
        s->parameters[i] = a->parameters[i].initial;
    s->known = 1;
    return DOCA_PCC_DEV_STATUS_OK;
}

/* ---- Getters ---- */

static struct dpa_pcc_slot *slot_of(uint32_t port, uint32_t slot)
{
    if (port >= DPA_PCC_PORTS || slot >= DPA_PCC_SLOTS)
        return NULL;
    struct dpa_pcc_slot *s = &_dpa_pcc_state.ports[port].slots[slot];
    return s->known ? s : NULL;
}

uint32_t *doca_pcc_dev_get_counters(uint32_t port_num, uint32_t algo_slot)
{
    struct dpa_pcc_slot *s = slot_of(port_num, algo_slot);
    return s ? s->counters : NULL;
}

uint32_t doca_pcc_dev_get_counters_num(uint32_t port_num, uint32_t algo_slot)
{
    const struct dpa_pcc_slot *s = slot_of(port_num, algo_slot);
    return s ? _dpa_pcc_state.algorithms[s->algorithm].counter_count : 0;
}

uint32_t *doca_pcc_dev_get_algo_params(uint32_t port_num, uint32_t algo_slot)
{
    struct dpa_pcc_slot *s = slot_of(port_num, algo_slot);
    return s ? s->parameters : NULL;
}

uint32_t doca_pcc_dev_get_algo_params_num(uint32_t port_num, uint32_t algo_slot)
{
    const struct dpa_pcc_slot *s = slot_of(port_num, algo_slot);
    return s ? _dpa_pcc_state.algorithms[s->algorithm].parameter_count : 0;
}

uint32_t doca_pcc_dev_get_algo_index(uint32_t port_num, uint32_t algo_slot)
{
    const struct dpa_pcc_slot *s = slot_of(port_num, algo_slot);
    return s ? s->algorithm : DOCA_PCC_DEV_ALGO_INDEX_INTERNAL;
}

/* ---- The algorithm of the library ---- */

static uint32_t type_of(const doca_pcc_dev_event_t *event)
{
    uint32_t word;
    const unsigned char *at = (const unsigned char *)event;
    if (_doca_pcc_dev_event_layout != DPA_PCC_LAYOUT_2_5)
        at += DPA_PCC_EVENT_2_5;
    memcpy(&word, at, sizeof word);
    return __builtin_bswap32(word) & 0xff;
}

void doca_pcc_dev_default_internal_algo(doca_pcc_dev_algo_ctxt_t *algo_ctxt,
                                        doca_pcc_dev_event_t *event,
                                        const doca_pcc_dev_attr_t *attr,
                                        doca_pcc_dev_results_t *results)
{
    uint32_t rate = algo_ctxt->data[0];
    uint32_t type = type_of(event);
    (void)attr;
    if (rate == 0 || rate > DOCA_PCC_DEV_MAX_RATE)
        rate = DOCA_PCC_DEV_MAX_RATE;
    if (type == DOCA_PCC_DEV_EVNT_ROCE_CNP)
        rate -= rate >> 3;
    else if (type == DOCA_PCC_DEV_EVNT_ROCE_TX)
        rate += DOCA_PCC_DEV_MAX_RATE >> 10;
    if (rate > DOCA_PCC_DEV_MAX_RATE)
        rate = DOCA_PCC_DEV_MAX_RATE;
    if (rate < DOCA_PCC_DEV_MAX_RATE >> 10)
        rate = DOCA_PCC_DEV_MAX_RATE >> 10;
    algo_ctxt->data[0] = rate;
    results->rate = rate;
    results->rtt_req = 0;
}

doca_pcc_dev_error_t doca_pcc_dev_custom_header_set(doca_pcc_dev_algo_ctxt_t *algo_ctxt,
                                                    doca_pcc_dev_event_t *event, uint32_t *header,
                                                    uint32_t header_size, uint32_t wait_completed)
{
    (void)algo_ctxt;
    (void)event;
    (void)header;
    (void)header_size;
    (void)wait_completed;
    return DOCA_PCC_DEV_STATUS_FAIL;
}

doca_pcc_dev_error_t doca_pcc_dev_probe_prio_set(doca_pcc_dev_algo_ctxt_t *algo_ctxt,
                                                 doca_pcc_dev_event_t *event, uint32_t first,
                                                 uint32_t second, uint32_t third)
{
    (void)algo_ctxt;
    (void)event;
    (void)first;
    (void)second;
    (void)third;
    return DOCA_PCC_DEV_STATUS_FAIL;
}

uint32_t doca_pcc_dev_get_dscp(doca_pcc_dev_event_t *event)
{
    (void)event;
    return 0;
}

uint32_t doca_pcc_dev_get_cc_hint_id(doca_pcc_dev_event_t *event)
{
    (void)event;
    return 0;
}

uint16_t doca_pcc_dev_get_cc_hint_usn(doca_pcc_dev_event_t *event, uint32_t hint_id)
{
    (void)event;
    (void)hint_id;
    return 0;
}

const uint8_t *doca_pcc_dev_get_cc_hint(doca_pcc_dev_event_t *event, uint32_t hint_id)
{
    (void)event;
    (void)hint_id;
    return NULL;
}
