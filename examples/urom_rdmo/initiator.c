/* The initiator sends requests to the worker, and the target's program does nothing for them. */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rdmo.h"

static uint64_t flushed;

static ucs_status_t on_answer(void *arg, const void *header, size_t header_length, void *data,
                              size_t length, const ucp_am_recv_param_t *param)
{
    (void)arg, (void)data, (void)length, (void)param;
    if (header_length == sizeof(struct urom_rdmo_rsp_hdr) + sizeof flushed)
        memcpy(&flushed, (const char *)header + sizeof(struct urom_rdmo_rsp_hdr), sizeof flushed);
    return UCS_OK;
}

static int connect_to(const char *host, const char *port)
{
    struct addrinfo *list, hints = {.ai_socktype = SOCK_STREAM};
    if (getaddrinfo(host, port, &hints, &list) != 0)
        fail("the address of the host is unknown");
    int fd = -1;
    for (struct addrinfo *a = list; a; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) == 0)
            break;
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    freeaddrinfo(list);
    if (fd < 0)
        fail("no target listens there");
    return fd;
}

/* The header of a request: its first part, then that of the operation. */
static void request(struct peer *p, ucp_ep_h ep, uint32_t op, uint32_t flags, const void *part,
                    size_t part_size, const void *payload, size_t size)
{
    char header[sizeof(struct urom_rdmo_hdr) + sizeof(struct urom_rdmo_append_hdr)];
    const struct urom_rdmo_hdr first = {.id = CLIENT_ID, .op_id = op, .flags = flags};
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                       .flags = UCP_AM_SEND_FLAG_REPLY};
    memcpy(header, &first, sizeof first);
    memcpy(header + sizeof first, part, part_size);
    peer_await(p,
               ucp_am_send_nbx(ep, UROM_RDMO_AM_ID, header, sizeof first + part_size, payload, size,
                               &param),
               "a request was not sent");
}

static void append(struct peer *p, ucp_ep_h ep, const struct place *place, const char *text)
{
    const struct urom_rdmo_append_hdr h = {
        .ptr_addr = place->base, .ptr_rkey = place->rkey, .data_rkey = place->rkey};
    request(p, ep, UROM_RDMO_OP_APPEND, 0, &h, sizeof h, text, strlen(text));
}

/* Waits until all requests before it are visible in the target. */
static void flush(struct peer *p, ucp_ep_h ep)
{
    static uint64_t id;
    const struct urom_rdmo_flush_hdr h = {.flush_id = ++id};
    request(p, ep, UROM_RDMO_OP_FLUSH, UROM_RDMO_REQ_FLAG_FENCE, &h, sizeof h, NULL, 0);
    while (flushed != id)
        ucp_worker_progress(p->worker);
}

static size_t put_piece(char *to, uint64_t addr, uint64_t rkey, const char *text)
{
    const struct urom_rdmo_scatter_iov iov = {addr, rkey, (uint16_t)strlen(text)};
    memcpy(to, &iov, sizeof iov);
    memcpy(to + sizeof iov, text, strlen(text));
    return sizeof iov + strlen(text);
}

static void scatter(struct peer *p, ucp_ep_h ep, const struct place *place)
{
    char pieces[256];
    const struct urom_rdmo_scatter_hdr h = {.count = 2};
    size_t size = put_piece(pieces, place->base + PIECES_AT + 100, place->rkey, "there");
    size += put_piece(pieces + size, place->base + PIECES_AT, place->rkey, "here");
    request(p, ep, UROM_RDMO_OP_SCATTER, 0, &h, sizeof h, pieces, size);
}

int run_initiator(const char *host, const char *port)
{
    struct peer p;
    struct place place;
    ucp_ep_h ep;
    uint64_t size;
    const int fd = connect_to(host, port);
    peer_open(&p);
    const ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                          UCP_AM_HANDLER_PARAM_FIELD_CB,
                                            .id = UROM_RDMO_AM_ID,
                                            .cb = on_answer};
    if (ucp_worker_set_am_recv_handler(p.worker, &handler) != UCS_OK)
        fail("UCX takes no handler");
    say_bytes(fd, p.address, p.address_size);
    void *worker = hear_bytes(fd, &size);
    hear(fd, &place, sizeof place);
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE,
                                    .address = worker,
                                    .err_mode = UCP_ERR_HANDLING_MODE_PEER};
    if (ucp_ep_create(p.worker, &params, &ep) != UCS_OK)
        fail("the worker cannot be reached");
    append(&p, ep, &place, "first,");
    append(&p, ep, &place, "second,");
    append(&p, ep, &place, "third");
    flush(&p, ep);
    say(fd, "a", 1);
    scatter(&p, ep, &place);
    flush(&p, ep);
    say(fd, "s", 1);
    printf("3 records appended, 2 pieces scattered\n");
    free(worker);
    peer_close(&p);
    close(fd);
    return 0;
}
