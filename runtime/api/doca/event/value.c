/* Values of sync events, and waits of the host program for them. */
#include "sync_event.h"

#define STOP_CHECK_MS 50u /* interval in which a wait checks whether its event was stopped */
#define LOOK_MS       1u  /* interval for counters that only wake waits for larger values */

uint64_t event_sync_event_value(const struct dpk_sync_event *e)
{
    return e->word.memory ? event_shared_word_value(&e->word) : dpk_event_get(e->event);
}

uint64_t event_sync_event_add(struct dpk_sync_event *e, uint64_t value)
{
    return e->word.memory ? event_shared_word_add(&e->word, value) : dpk_event_add(e->event, value);
}

void event_sync_event_set(struct dpk_sync_event *e, uint64_t value)
{
    if (e->word.memory)
        event_shared_word_set(&e->word, value);
    else
        dpk_event_set(e->event, value);
}

bool event_sync_event_is(const struct dpk_sync_event *e, const struct condition *c)
{
    const uint64_t value = event_sync_event_value(e) & c->mask;
    return c->kind == WAIT_GT   ? value > c->value
           : c->kind == WAIT_EQ ? value == c->value
                                : value != c->value;
}

doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct dpk_sync_event *e = value ? dpk_sync_event_running(event, &result) : NULL;
    if (e)
        *value = event_sync_event_value(e);
    dpk_object_drop(e);
    return dpk_doca_end(event, __func__, result);
}

doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
                                        uint64_t *fetched)
{
    doca_error_t result;
    struct dpk_sync_event *e = dpk_sync_event_running(event, &result);
    if (e) {
        uint64_t before = event_sync_event_add(e, value);
        if (fetched)
            *fetched = before;
    }
    dpk_object_drop(e);
    return dpk_doca_end(event, __func__, result);
}

doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value)
{
    doca_error_t result;
    struct dpk_sync_event *e = dpk_sync_event_running(event, &result);
    if (e)
        event_sync_event_set(e, value);
    dpk_object_drop(e);
    return dpk_doca_end(event, __func__, result);
}

/* ---- Waits ---- */

/* Warns once for each event, because there is no DPA process whose report would show the wait. */
static void tell_of_wait(struct dpk_sync_event *e, const struct condition *c)
{
    static const char *const signs[] = {">", "==", "!="};
    char mask[32] = "";
    if (atomic_exchange(&e->wait_told, true))
        return;
    if (c->mask != UINT64_MAX)
        snprintf(mask, sizeof mask, " & 0x%llx", (unsigned long long)c->mask);
    dpk_host_log(DPK_HOST_LOG_WARNING,
                 "the host waits for event 0x%llx%s %s %llu (is %llu) since %u s, and no DPA works "
                 "on it",
                 (unsigned long long)(uintptr_t)e->ctx.object.handle, mask, signs[c->kind],
                 (unsigned long long)c->value, (unsigned long long)event_sync_event_value(e),
                 DPK_WARN_AFTER_MS / 1000u);
}

/* Waits for an event that only the host program and peers update. Only stopping the event ends a
 * wait in vain, so the loop checks for this. */
static doca_error_t wait_without_dpa(struct dpk_sync_event *e, const struct condition *c)
{
    const unsigned step = e->word.memory || c->kind == WAIT_GT ? STOP_CHECK_MS : LOOK_MS;
    const uint64_t began = dpk_now_ms();
    while (!event_sync_event_is(e, c)) {
        if (!dpk_ctx_is_running(&e->ctx))
            return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the event was stopped meanwhile");
        if (dpk_now_ms() - began >= DPK_WARN_AFTER_MS)
            tell_of_wait(e, c);
        const uint32_t changes = e->word.memory ? event_shared_word_changes(&e->word) : 0;
        const uint64_t value = event_sync_event_value(e);
        if (event_sync_event_is(e, c))
            break;
        if (e->word.memory)
            event_shared_word_wait(&e->word, changes, step);
        else if (c->kind == WAIT_GT)
            dpk_event_wait_gt(e->event, c->value, c->mask, NULL, step, NULL);
        else
            dpk_event_wait_gt(e->event, value, UINT64_MAX, NULL, step, NULL);
    }
    return DOCA_SUCCESS;
}

/* Waits for an event that a DPA process updates. The wait fails if this process ends. */
static doca_error_t wait_with_dpa(struct dpk_sync_event *e, const struct condition *c,
                                  struct dpk_process *p)
{
    struct dpk_error err = {0};
    enum dpk_status status = DPK_OK;
    if (c->kind == WAIT_GT)
        status = dpk_event_wait_gt(e->event, c->value, c->mask, p, 0, &err);
    while (c->kind != WAIT_GT && !event_sync_event_is(e, c)) {
        status =
            dpk_event_wait_gt(e->event, event_sync_event_value(e), UINT64_MAX, p, LOOK_MS, &err);
        if (status != DPK_OK && status != DPK_ERR_TIMEOUT)
            break;
        status = DPK_OK;
    }
    return status == DPK_OK ? DOCA_SUCCESS : dpk_doca_error_of(&err);
}

/* Returns the DPA context whose end would make a wait endless, or NULL. */
static struct dpk_dpa *awaited(const struct dpk_sync_event *e)
{
    return e->publisher.dpa ? e->publisher.dpa : e->subscriber.dpa;
}

doca_error_t event_sync_event_look(const struct dpk_sync_event *e, const struct condition *c)
{
    struct dpk_dpa *d = awaited(e);
    if (event_sync_event_is(e, c))
        return DOCA_SUCCESS;
    if (!d)
        return DOCA_ERROR_IN_PROGRESS;
    struct dpk_process *p = dpk_dpa_enter(d, 0);
    const bool works = p && dpk_process_state(p, NULL) == DPK_OK;
    if (p)
        dpk_dpa_leave(d);
    /* Checks again, because the value may have changed just before the process ended. */
    return event_sync_event_is(e, c) ? DOCA_SUCCESS
           : works                   ? DOCA_ERROR_IN_PROGRESS
                                     : dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                                        "nothing updates the event: its DPA context "
                                                                          "is not started, or its program ended");
}

static doca_error_t wait_for(struct dpk_sync_event *e, const struct condition *c)
{
    if (event_sync_event_is(e, c))
        return DOCA_SUCCESS;
    struct dpk_dpa *d = awaited(e);
    if (!d)
        return wait_without_dpa(e, c);
    struct dpk_process *p = dpk_dpa_enter(d, 0);
    if (!p)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                "nothing updates the event: its DPA context is not started");
    doca_error_t result = wait_with_dpa(e, c, p);
    dpk_dpa_leave(d);
    return result;
}

static doca_error_t wait_of(const char *call, struct doca_sync_event *event,
                            const struct condition *c)
{
    doca_error_t result;
    const bool possible = c->kind == WAIT_GT   ? c->mask > c->value
                          : c->kind == WAIT_EQ ? (c->value & ~c->mask) == 0
                                               : c->mask != 0 || c->value != 0;
    if (!possible)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, call,
                                    "no event can fulfil this: value 0x%llx, mask 0x%llx",
                                    (unsigned long long)c->value, (unsigned long long)c->mask);
    struct dpk_sync_event *e = dpk_sync_event_running(event, &result);
    if (e)
        result = wait_for(e, c);
    dpk_object_drop(e);
    return dpk_doca_end(event, call, result);
}

doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
    return wait_of(__func__, event, &(struct condition){WAIT_GT, value, mask});
}

doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask)
{
    return wait_of(__func__, event, &(struct condition){WAIT_GT, value, mask});
}

doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
    return wait_of(__func__, event, &(struct condition){WAIT_EQ, value, mask});
}

doca_error_t doca_sync_event_wait_eq_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask)
{
    return wait_of(__func__, event, &(struct condition){WAIT_EQ, value, mask});
}

doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
    return wait_of(__func__, event, &(struct condition){WAIT_NEQ, value, mask});
}

doca_error_t doca_sync_event_wait_neq_yield(struct doca_sync_event *event, uint64_t value,
                                            uint64_t mask)
{
    return wait_of(__func__, event, &(struct condition){WAIT_NEQ, value, mask});
}
