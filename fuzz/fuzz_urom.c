/* Hostile messages of UROM: words of a channel, wishes for workers, what other programs of a domain say
 * about their workers and buffers, requests of remote direct memory operations, and handles of memory. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/memh/handle.h"
#include "api/urom/rdmo/rdmo.h"
#include "bus/urom/urom.h"
#include "urom-worker/worker.h"

enum { IS_DOMAIN = 1, IS_REQUEST = 2, IS_HANDLE = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads each byte, so that the sanitizer sees a wrong one. */
static void look_at(const void *bytes, size_t size)
{
    static volatile uint8_t sum;
    for (size_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + ((const uint8_t *)bytes)[i]);
}

/* ---- A channel ---- */

/* Words: a head of eight bytes, a size, and as many bytes. */
static void send_words(int fd, struct dpk_reader *r)
{
    uint8_t word[300];
    while (dpk_reader_left(r) > 9) {
        memcpy(word, dpk_read_bytes(r, 8), 8);
        const size_t size = dpk_read_u8(r);
        const uint8_t *bytes = dpk_read_bytes(r, size);
        if (bytes)
            memcpy(word + 8, bytes, size);
        if (bytes && send(fd, word, 8 + size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
            return;
    }
}

static void look_at_message(struct dpk_urom_message *m)
{
    struct dpk_urom_wish wish;
    struct dpk_reader text = m->body;
    size_t size;
    const uint8_t *bytes = dpk_urom_read_text(&text, 1000, &size);
    if (bytes)
        look_at(bytes, size);
    if (!dpk_urom_read_wish(&m->body, &wish))
        return;
    if (wish.env_size > DPK_UROM_ENV_MAX || (wish.env_size > 0 && wish.env[wish.env_size - 1] != 0))
        abort();
    struct dpk_buf again = {0};
    dpk_urom_put_wish(&again, &wish);
    struct dpk_reader r = dpk_reader(again.data, again.size);
    if (!dpk_urom_read_wish(&r, &wish))
        abort();
    dpk_buf_free(&again);
}

static void fuzz_channel(struct dpk_reader *r)
{
    int ends[2];
    struct dpk_urom_channel c;
    struct dpk_urom_message m;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        abort();
    dpk_urom_open(&c, ends[0]);
    send_words(ends[1], r);
    close(ends[1]);
    while (dpk_urom_hear(&c, &m) == DPK_COMCH_HEARD)
        look_at_message(&m);
    dpk_urom_close(&c);
}

/* ---- A domain ---- */

static void look_up(struct worker *w)
{
    struct urom_worker_ctx *ctx = &w->plugins[0].ctx;
    void *at;
    size_t size;
    int segment;
    for (uint64_t id = 0; id < 4; id++) {
        worker_domain_lookups.addr_lookup(ctx, id, &at);
        worker_domain_lookups.seg_lookup(ctx, id, id << 12, &segment);
        for (int i = 0; i < 3; i++) {
            if (worker_domain_lookups.memh_lookup(ctx, id, i, &size, &at) == DOCA_SUCCESS)
                look_at(at, size);
            if (worker_domain_lookups.mkey_lookup(ctx, id, i, &size, &at) == DOCA_SUCCESS)
                look_at(at, size);
        }
    }
}

static void fuzz_domain(struct dpk_reader *r)
{
    struct plugin plugin = {.id = 1};
    struct worker w = {.plugins = &plugin, .plugin_count = 1};
    plugin.worker = &w;
    if (worker_domain_join(&w, 5, r) == DOCA_SUCCESS)
        look_up(&w);
    worker_domain_leave(&w, 6);
    worker_domain_leave_all(&w);
}

/* ---- A request: the size of its header, the header, the payload ---- */

static void check_pieces(const uint8_t *payload, size_t size, const struct rdmo_piece *pieces,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct rdmo_piece *p = &pieces[i];
        if (p->len == 0 || p->at > size || p->len > size - p->at)
            abort();
        if (i > 0 && rdmo_fits(p->addr, 1, pieces[i - 1].addr, pieces[i - 1].len) &&
            p->addr != pieces[i - 1].addr + pieces[i - 1].len)
            abort();
        look_at(payload + p->at, p->len);
    }
}

static void fuzz_request(struct dpk_reader *r)
{
    struct rdmo_request request;
    struct rdmo_piece *pieces;
    size_t count;
    const size_t header_size = dpk_read_u8(r);
    const uint8_t *header = dpk_read_bytes(r, header_size);
    const size_t size = dpk_reader_left(r);
    const uint8_t *payload = dpk_read_bytes(r, size);
    if (!header || !payload)
        return;
    const enum rdmo_refusal no = rdmo_read_header(header, header_size, &request);
    if (no >= RDMO_REFUSALS || !rdmo_refusal_text(no))
        abort();
    if (no == RDMO_GOOD &&
        rdmo_read_scatter(payload, size, request.count, &pieces, &count) == RDMO_GOOD)
        check_pieces(payload, size, pieces, count);
    if (no == RDMO_GOOD)
        free(pieces);
}

/* ---- Handles ---- */

/* What is read can be written again. */
static void fuzz_handle(struct dpk_reader *r)
{
    struct memh_handle h;
    struct dpk_buf again = {0};
    const uint8_t *bytes = r->pos;
    if (!memh_handle_read(r, &h))
        return;
    memh_handle_write(&h, &again);
    if (again.size != MEMH_HANDLE_SIZE || memcmp(again.data, bytes, again.size) != 0)
        abort();
    dpk_buf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_reader r = dpk_reader(data, size);
    const uint8_t kind = dpk_read_u8(&r);
    if (kind & IS_HANDLE)
        fuzz_handle(&r);
    else if (kind & IS_REQUEST)
        fuzz_request(&r);
    else if (kind & IS_DOMAIN)
        fuzz_domain(&r);
    else
        fuzz_channel(&r);
    return 0;
}
