/* generate:FRAMES,SIZE,FLOWS,RATE,FIELD=VALUE...: a source of frames, which counts the frames that
 * come back. Frame n belongs to flow n mod FLOWS: UDP over IPv4, whose source addresses and source
 * port end in the flow's number, except for a given MAC. After the headers come n, the time of the
 * offer, and a mark. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kinds.h"

#define HEADERS    42u /* bytes of Ethernet, IPv4 and UDP */
#define MARK       0x6470u
#define SIZE_MIN   60u
#define FLOWS_MAX  4096u
#define RATE_MAX   1000000u
#define FIRST_PORT 1024u
#define LAST_PORT  9u /* of the destination: discard */
#define PORT_MAX   65535u
#define MAC        6u
#define TIMES      4000u /* intervals of TIME_NS; the last also counts longer times */
#define TIME_NS    250u
#define NS         UINT64_C(1000000000)

#define USAGE "generate:FRAMES,SIZE,FLOWS,RATE,dmac=MAC,smac=MAC,sport=PORT,dport=PORT"

struct generate {
    uint64_t frames, size, flows, rate; /* rate: a second, or 0 for no limit */
    uint8_t smac[MAC], dmac[MAC];
    bool has_smac, has_dmac;
    uint64_t sport, dport; /* sport: of flow 0 */
    uint8_t *headers;      /* the headers of each flow */
    uint8_t *batch;
    uint64_t offered;          /* frames that were offered and taken */
    uint64_t begin;            /* time of the first offer, ns */
    uint64_t sent, sent_bytes; /* frames and bytes from the port since the last flush */
    /* Frames that came back, and the flushes that brought them: */
    uint64_t back, sum;          /* number of frames, and sum of their numbers */
    uint64_t first, since, last; /* frames of the first flush; times of the first and last flush,
                                  * ns */
    uint64_t seen;               /* frames until the last flush */
    uint32_t times[TIMES];
};

/* ---- The argument ---- */

#define NUMBER_MAX UINT64_C(999999999999999999) /* sums of numbers do not overflow */

static bool take_mac(const char **at, uint8_t out[MAC])
{
    for (unsigned i = 0; i < 2 * MAC; i++) {
        static const char digits[] = "0123456789abcdef";
        if (i > 0 && i % 2 == 0 && *(*at)++ != ':')
            return false;
        const char *digit = **at ? strchr(digits, tolower((unsigned char)**at)) : NULL;
        if (!digit)
            return false;
        out[i / 2] = (uint8_t)(out[i / 2] << 4 | (digit - digits));
        (*at)++;
    }
    return true;
}

/* Takes a field such as "dmac=02:00:00:00:01:00". */
static bool take_field(const char **at, struct generate *g)
{
    struct {
        const char *name;
        uint8_t *mac;
        bool *given;
        uint64_t *port;
    } const fields[] = {{"smac=", g->smac, &g->has_smac, NULL},
                        {"dmac=", g->dmac, &g->has_dmac, NULL},
                        {"sport=", NULL, NULL, &g->sport},
                        {"dport=", NULL, NULL, &g->dport}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const size_t length = strlen(fields[i].name);
        if (strncmp(*at, fields[i].name, length) != 0)
            continue;
        *at += length;
        if (fields[i].port)
            return dpk_take_number(at, NUMBER_MAX, fields[i].port);
        *fields[i].given = true;
        return take_mac(at, fields[i].mac);
    }
    return false;
}

/* Takes FRAMES,SIZE,FLOWS,RATE, of which two may be absent, then fields. */
static bool take_all(const char *at, struct generate *g)
{
    uint64_t *const numbers[] = {&g->frames, &g->size, &g->flows, &g->rate};
    unsigned n = 0;
    bool good = true, fields = false;
    do {
        fields = fields || (n >= 2 && *at >= 'a' && *at <= 'z');
        good =
            fields ? take_field(&at, g) : n < 4 && dpk_take_number(&at, NUMBER_MAX, numbers[n++]);
    } while (good && *at == ',' && *at++);
    return good && !*at && n >= 2;
}

static enum dpk_status parse(const char *argument, struct generate *g, struct dpk_error *err)
{
    g->flows = 1;
    g->rate = 0;
    g->sport = FIRST_PORT;
    g->dport = LAST_PORT;
    if (!take_all(argument, g))
        return dpk_fail(err, DPK_ERR_USAGE, "'%.200s' is not " USAGE, argument);
    if (g->size < SIZE_MIN || g->size > DPK_FRAME_MAX)
        return dpk_fail(err, DPK_ERR_USAGE, "generate: frames of %" PRIu64 " bytes, not %u to %u",
                        g->size, SIZE_MIN, DPK_FRAME_MAX);
    if (g->flows < 1 || g->flows > FLOWS_MAX || g->rate > RATE_MAX)
        return dpk_fail(err, DPK_ERR_USAGE, "generate: at most %u flows and %u frames a second",
                        FLOWS_MAX, RATE_MAX);
    if (g->dport > PORT_MAX || g->sport > PORT_MAX - (g->flows - 1))
        return dpk_fail(err, DPK_ERR_USAGE, "generate: ports of %" PRIu64 " flows beyond %u",
                        g->flows, PORT_MAX);
    return DPK_OK;
}

static enum dpk_status generate_check(const char *argument, struct dpk_buf *out,
                                      struct dpk_error *err)
{
    struct generate g = {0};
    const enum dpk_status status = parse(argument, &g, err);
    dpk_put_format(out, "%s", argument);
    return status;
}

/* ---- Frames that arrive ---- */

static uint16_t sum_header(const uint8_t *header)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < 20; i += 2)
        sum += (uint32_t)(header[i] << 8 | header[i + 1]);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t) ~(sum + (sum >> 16));
}

/* The addresses are reserved for benchmarks (RFC 2544), from 198.18.0.0 to 198.19.0.1, with local
 * MACs. */
static void make_headers(const struct generate *g, uint16_t flow, uint8_t out[HEADERS])
{
    static const uint8_t plain[HEADERS] = {2,   0,    0, 0, 1,   0,  2, 0,    0, 0,  0,  0, 8,
                                           0,   0x45, 0, 0, 0,   0,  0, 0x40, 0, 64, 17, 0, 0,
                                           198, 18,   0, 0, 198, 19, 0, 1,    0, 0,  0,  9};
    memcpy(out, plain, HEADERS);
    dpk_store_be16(out + 10, flow);
    if (g->has_dmac)
        memcpy(out, g->dmac, MAC);
    if (g->has_smac)
        memcpy(out + MAC, g->smac, MAC);
    dpk_store_be16(out + 16, (uint16_t)(g->size - 14));
    dpk_store_be16(out + 28, flow);
    dpk_store_be16(out + 24, sum_header(out + 14));
    dpk_store_be16(out + 34, (uint16_t)(g->sport + flow));
    dpk_store_be16(out + 36, (uint16_t)g->dport);
    dpk_store_be16(out + 38, (uint16_t)(g->size - 34));
}

/* Returns how many frames may be offered now. */
static uint64_t due(const struct generate *g, uint64_t at)
{
    const uint64_t left = g->frames - g->offered, passed = at - g->begin;
    if (g->rate == 0 || g->offered == 0)
        return g->rate == 0 ? left : left > 0;
    const uint64_t by_now = passed / NS * g->rate + passed % NS * g->rate / NS + 1;
    const uint64_t more = by_now > g->offered ? by_now - g->offered : 0;
    return more < left ? more : left;
}

static size_t make_frames(struct generate *g, uint64_t at, struct dpk_frame frames[WIRE_BATCH])
{
    const uint64_t some = due(g, at);
    const size_t count = some < WIRE_BATCH ? (size_t)some : WIRE_BATCH;
    for (size_t i = 0; i < count; i++) {
        uint8_t *bytes = g->batch + i * g->size;
        const uint64_t number = g->offered + i;
        memcpy(bytes, g->headers + number % g->flows * HEADERS, HEADERS);
        dpk_store_le64(bytes + HEADERS, number);
        dpk_store_le64(bytes + HEADERS + 8, at);
        frames[i] = (struct dpk_frame){bytes, g->size};
    }
    return count;
}

/* If the port has no room, waits before the next offer. */
static bool generate_receive(struct dpk_wire *wire)
{
    struct generate *g = wire->kind;
    struct dpk_frame frames[WIRE_BATCH];
    const uint64_t at = dpk_now_ns();
    if (g->offered == g->frames)
        return false;
    const size_t count = make_frames(g, at, frames);
    const size_t taken = count > 0 ? wire_arrive(wire, frames, count, true) : 0;
    if (g->offered == 0)
        g->begin = at;
    g->offered += taken;
    if (taken < count || count == 0)
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    return true;
}

/* ---- Frames that leave ---- */

static bool generate_send(struct dpk_wire *wire, const uint8_t *frame, size_t size)
{
    struct generate *g = wire->kind;
    struct dpk_reader r = dpk_reader(frame, size);
    g->sent++;
    g->sent_bytes += size;
    dpk_read_skip(&r, HEADERS);
    const uint64_t number = dpk_read_le64(&r), offered = dpk_read_le64(&r);
    if (dpk_read_be16(&r) != MARK || r.failed)
        return true;
    g->back++;
    g->sum += number;
    if (g->rate > 0) {
        const uint64_t place = (dpk_now_ns() - offered) / TIME_NS;
        g->times[place < TIMES ? place : TIMES - 1]++;
    }
    return true;
}

static void generate_flush(struct dpk_wire *wire)
{
    struct generate *g = wire->kind;
    wire_sent(wire, g->sent, g->sent_bytes);
    g->sent = g->sent_bytes = 0;
    if (g->back == g->seen)
        return;
    g->seen = g->back;
    g->last = dpk_now_ns();
    if (g->first > 0)
        return;
    g->first = g->back;
    g->since = g->last;
}

/* ---- Life ---- */

static enum dpk_status generate_open(struct dpk_wire *wire, const char *argument,
                                     struct dpk_error *err)
{
    struct generate *g = wire->kind = calloc(1, sizeof *g);
    if (!g)
        return dpk_fail_nomem(err);
    const enum dpk_status status = parse(argument, g, err);
    if (status != DPK_OK)
        return status;
    g->headers = malloc(g->flows * HEADERS);
    g->batch = calloc(WIRE_BATCH, g->size);
    if (!g->headers || !g->batch)
        return dpk_fail_nomem(err);
    for (uint64_t flow = 0; flow < g->flows; flow++)
        make_headers(g, (uint16_t)flow, g->headers + flow * HEADERS);
    for (size_t i = 0; i < WIRE_BATCH; i++)
        dpk_store_be16(g->batch + i * g->size + HEADERS + 16, MARK);
    return DPK_OK;
}

/* Returns the median of the times that frames were away, rounded up to TIME_NS. */
static double median_us(const struct generate *g)
{
    uint64_t count = 0;
    size_t place = 0;
    while (place < TIMES - 1 && (count += g->times[place]) * 2 < g->back)
        place++;
    return (double)((place + 1) * TIME_NS) / 1e3;
}

static void tell(struct dpk_wire *wire, const struct generate *g)
{
    const uint64_t n = g->offered, sum = n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1);
    const double seconds = (double)(g->last - g->since) / 1e9;
    char away[60] = "";
    if (g->rate > 0 && g->back > 0)
        snprintf(away, sizeof away, ", half of them after at most %.2f us", median_us(g));
    wire_warn(wire, WIRE_RESULT, "%" PRIu64 " frames, %" PRIu64 " came back%s; %.0f a second", n,
              g->back, away, seconds > 0 ? (double)(g->back - g->first) / seconds : 0);
    if (g->back > n || (g->back == n && g->sum != sum))
        wire_warn(wire, WIRE_FAILS, "some frames came back twice");
}

static void generate_close(struct dpk_wire *wire)
{
    struct generate *g = wire->kind;
    if (!g)
        return;
    if (g->offered > 0)
        tell(wire, g);
    free(g->headers);
    free(g->batch);
    free(g);
}

const struct wire_ops wire_generate = {.name = "generate",
                                       .usage = USAGE,
                                       .check = generate_check,
                                       .open = generate_open,
                                       .receive = generate_receive,
                                       .send = generate_send,
                                       .flush = generate_flush,
                                       .close = generate_close};
