/* Hostile messages of UROM: words of a channel, wishes for workers, and what other programs of a domain
 * say about their workers and buffers. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus/urom/urom.h"
#include "urom-worker/worker.h"

enum { IS_DOMAIN = 1 };

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
        domain_lookups.addr_lookup(ctx, id, &at);
        domain_lookups.seg_lookup(ctx, id, id << 12, &segment);
        for (int i = 0; i < 3; i++) {
            if (domain_lookups.memh_lookup(ctx, id, i, &size, &at) == DOCA_SUCCESS)
                look_at(at, size);
            if (domain_lookups.mkey_lookup(ctx, id, i, &size, &at) == DOCA_SUCCESS)
                look_at(at, size);
        }
    }
}

static void fuzz_domain(struct dpk_reader *r)
{
    struct plugin plugin = {.id = 1};
    struct worker w = {.plugins = &plugin, .plugin_count = 1};
    plugin.worker = &w;
    if (domain_join(&w, 5, r) == DOCA_SUCCESS)
        look_up(&w);
    domain_leave(&w, 6);
    domain_leave_all(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_reader r = dpk_reader(data, size);
    const uint8_t kind = dpk_read_u8(&r);
    if (kind & IS_DOMAIN)
        fuzz_domain(&r);
    else
        fuzz_channel(&r);
    return 0;
}
