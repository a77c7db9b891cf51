/*
 * doca_verbs_event: events that a program waits for instead of polling. doca_verbs.h includes it.
 *
 *     doca_verbs_comp_channel_create(context, &channel);
 *     doca_verbs_cq_attr_set_comp_channel(cq_attr, channel);  ...  doca_verbs_cq_create(context, cq_attr, &cq);
 *     doca_verbs_req_notify_cq(cq, 0);                        // one event, of the next completion
 *     doca_verbs_get_cq_event(channel, &cq, &cq_context);     // waits
 *     doca_verbs_ack_cq_events(cq, 1);
 */
#ifndef DOCA_VERBS_EVENT_H
#define DOCA_VERBS_EVENT_H

#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_verbs_comp_channel;
struct doca_verbs_context;
struct doca_verbs_cq;
struct doca_verbs_qp;

/* ---- Completion channels ---- */

/* Handles are descriptors for epoll and poll. The handle is doca_event_invalid_handle if the argument
 * is not a channel. Errors of destroy: IN_USE if a completion queue uses the channel, or a thread
 * waits. */
doca_error_t doca_verbs_comp_channel_create(struct doca_verbs_context *context,
                                            struct doca_verbs_comp_channel **channel);
doca_error_t doca_verbs_comp_channel_destroy(struct doca_verbs_comp_channel *channel);
doca_event_handle_t doca_verbs_comp_channel_get_handle(struct doca_verbs_comp_channel *channel);
/* Requests an event for the next completion, or for the next completion that is solicited or an
 * error. */
doca_error_t doca_verbs_req_notify_cq(struct doca_verbs_cq *cq, int solicited_only);
/* Waits for an event. Errors: DRIVER if a non-blocking handle has no event. */
doca_error_t doca_verbs_get_cq_event(struct doca_verbs_comp_channel *channel,
                                     struct doca_verbs_cq **cq, void **context);
/* Acknowledges events. doca_verbs_cq_destroy waits until all events are acknowledged. */
void doca_verbs_ack_cq_events(struct doca_verbs_cq *cq, unsigned int num);

/* ---- Asynchronous events ---- */

#define DOCA_VERBS_EVENT_QP_FATAL      0x0
#define DOCA_VERBS_EVENT_QP_REQ_ERR    0x1
#define DOCA_VERBS_EVENT_QP_ACCESS_ERR 0x2
#define DOCA_VERBS_EVENT_CQ_ERR        0x3

struct doca_verbs_async_event {
    union {
        struct doca_verbs_qp *qp;
        struct doca_verbs_cq *cq; /* of CQ_ERR */
        void *reserved;
    } element;
    int event_type; /* DOCA_VERBS_EVENT_... */
};

/* Asynchronous events of objects of the CPU. An imported context shares its events with the program:
 * events of objects that DOCA did not make are dropped here. Waits as doca_verbs_get_cq_event.
 * Destroying an object does not wait for acknowledgements. */
doca_event_handle_t doca_verbs_get_async_event_handle(struct doca_verbs_context *context);
doca_error_t doca_verbs_get_async_event(struct doca_verbs_context *context,
                                        struct doca_verbs_async_event *event);
void doca_verbs_ack_async_event(struct doca_verbs_async_event *event);

#ifdef __cplusplus
}
#endif

#endif
