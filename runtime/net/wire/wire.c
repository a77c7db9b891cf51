/* The parts that all kinds of wires share: threads, counters, messages. */
#include "kinds.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* ---- For the kinds ---- */

static void count_port(struct dpk_wire *wire, enum dpk_counter counter, uint64_t more)
{
    if (wire->sink.counters && more > 0)
        dpk_count(dpk_counters_port(wire->sink.counters), counter, more);
}

/* Offers frames that the port lets in. */
static size_t offer(struct dpk_wire *wire, const struct dpk_frame *frames, size_t count, bool waits)
{
    const size_t taken = wire->sink.arrive(wire->sink.context, frames, count, waits);
    const size_t received = waits ? taken : count;
    uint64_t bytes = 0;
    for (size_t i = 0; i < received; i++)
        bytes += frames[i].size;
    atomic_fetch_add_explicit(&wire->received, received, memory_order_relaxed);
    count_port(wire, DPK_WIRE_IN, received);
    count_port(wire, DPK_WIRE_IN_BYTES, bytes);
    return received;
}

/* Returns the number of frames from the first on that the settings of the port treat alike. */
static size_t alike(const struct dpk_wire *wire, const struct dpk_frame *frames, size_t count,
                    enum dpk_port_way *way)
{
    size_t n = 1;
    *way = dpk_port_way(wire->sink.port, frames[0].size);
    while (n < count && dpk_port_way(wire->sink.port, frames[n].size) == *way)
        n++;
    return n;
}

size_t wire_arrive(struct dpk_wire *wire, const struct dpk_frame *frames, size_t count, bool waits)
{
    size_t done = 0;
    while (done < count) {
        enum dpk_port_way way;
        const size_t some = alike(wire, frames + done, count - done, &way);
        size_t taken = some;
        if (way == DPK_PORT_PASSES)
            taken = offer(wire, frames + done, some, waits);
        else
            wire_drop_received(wire, way == DPK_PORT_TOO_LONG ? DPK_WIRE_TOO_LONG : DPK_WIRE_DOWN,
                               some);
        done += taken;
        if (taken < some)
            break;
    }
    return done;
}

void wire_sent(struct dpk_wire *wire, size_t count, size_t bytes)
{
    atomic_fetch_add_explicit(&wire->sent, count, memory_order_relaxed);
    count_port(wire, DPK_WIRE_OUT, count);
    count_port(wire, DPK_WIRE_OUT_BYTES, bytes);
}

static const enum dpk_counter drop_counters[DPK_WIRE_DROPS] = {
    [DPK_WIRE_DOWN] = DPK_DROP_WIRE_DOWN,      [DPK_WIRE_NO_PEER] = DPK_DROP_NO_PEER,
    [DPK_WIRE_NO_ROOM] = DPK_DROP_WIRE_FULL,   [DPK_WIRE_TOO_LONG] = DPK_DROP_TOO_LONG,
    [DPK_WIRE_TOO_SHORT] = DPK_DROP_TOO_SHORT, [DPK_WIRE_BROKEN] = DPK_DROP_WIRE_BROKEN};

void wire_drop_sent(struct dpk_wire *wire, enum dpk_wire_drop why, size_t count)
{
    atomic_fetch_add_explicit(&wire->sent_dropped[why], count, memory_order_relaxed);
    count_port(wire, drop_counters[why], count);
}

void wire_lost(struct dpk_wire *wire, enum dpk_wire_drop why, size_t count, size_t bytes)
{
    if (count == 0)
        return;
    atomic_fetch_sub_explicit(&wire->sent, count, memory_order_relaxed);
    count_port(wire, DPK_WIRE_OUT, -(uint64_t)count);
    count_port(wire, DPK_WIRE_OUT_BYTES, -(uint64_t)bytes);
    wire_drop_sent(wire, why, count);
}

void wire_drop_received(struct dpk_wire *wire, enum dpk_wire_drop why, size_t count)
{
    atomic_fetch_add_explicit(&wire->received_dropped[why], count, memory_order_relaxed);
    count_port(wire, DPK_WIRE_IN, count);
    count_port(wire, drop_counters[why], count);
}

static void tell(struct dpk_wire *wire, bool detail, const char *format, va_list ap)
{
    char reason[512], text[768];
    vsnprintf(reason, sizeof reason, format, ap);
    snprintf(text, sizeof text, "wire %.200s: %s", wire->spec, reason);
    wire->sink.tell(wire->sink.context, detail, text);
}

void wire_warn(struct dpk_wire *wire, enum wire_trouble trouble, const char *format, ...)
{
    va_list ap;
    const unsigned bit = 1u << trouble;
    if (atomic_fetch_or(&wire->told, bit) & bit)
        return;
    va_start(ap, format);
    tell(wire, false, format, ap);
    va_end(ap);
}

void wire_detail(struct dpk_wire *wire, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    tell(wire, true, format, ap);
    va_end(ap);
}

enum wire_wait wire_wait(struct dpk_wire *wire, int fd, int milliseconds)
{
    struct pollfd fds[] = {{.fd = wire->ends, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
    const int n = poll(fds, 2, milliseconds);
    if (fds[0].revents)
        return WIRE_ENDS;
    return n > 0 && fds[1].revents ? WIRE_READY : WIRE_TIMEOUT;
}

/* ---- Life ---- */

static void *wire_main(void *context)
{
    struct dpk_wire *wire = context;
    while (wire_wait(wire, -1, 0) != WIRE_ENDS && wire->ops->receive(wire))
        continue;
    if (wire->ops->drain)
        wire->ops->drain(wire);
    return NULL;
}

enum dpk_status dpk_wire_start(struct dpk_wire *wire, struct dpk_error *err)
{
    if (!wire->ops->receive || (wire->ops->start && !wire->ops->start(wire)))
        return DPK_OK;
    wire->runs = dpk_pthread_start(&wire->thread, wire_main, wire) == 0;
    return wire->runs ? DPK_OK : dpk_fail_nomem(err);
}

bool dpk_wire_send(struct dpk_wire *wire, const uint8_t *frame, size_t size)
{
    const enum dpk_port_way way = dpk_port_way(wire->sink.port, size);
    if (way == DPK_PORT_COMES_BACK)
        return false;
    if (way != DPK_PORT_PASSES) {
        wire_drop_sent(wire, way == DPK_PORT_TOO_LONG ? DPK_WIRE_TOO_LONG : DPK_WIRE_DOWN, 1);
        return true;
    }
    pthread_mutex_lock(&wire->sends);
    const bool leaves = wire->ops->send(wire, frame, size);
    pthread_mutex_unlock(&wire->sends);
    return leaves;
}

void dpk_wire_flush(struct dpk_wire *wire)
{
    if (!wire->ops->flush)
        return;
    pthread_mutex_lock(&wire->sends);
    wire->ops->flush(wire);
    pthread_mutex_unlock(&wire->sends);
}

void dpk_wire_close(struct dpk_wire *wire)
{
    if (!wire)
        return;
    if (wire->owner == getpid()) {
        if (wire->runs) {
            eventfd_write(wire->ends, 1);
            pthread_join(wire->thread, NULL);
        }
        dpk_wire_flush(wire);
        pthread_mutex_destroy(&wire->sends);
    }
    wire->ops->close(wire);
    close(wire->ends);
    free(wire->spec);
    free(wire);
}

void dpk_wire_counters(const struct dpk_wire *wire, struct dpk_wire_counters *out)
{
    out->sent = atomic_load(&wire->sent);
    out->received = atomic_load(&wire->received);
    for (size_t i = 0; i < DPK_WIRE_DROPS; i++) {
        out->sent_dropped[i] = atomic_load(&wire->sent_dropped[i]);
        out->received_dropped[i] = atomic_load(&wire->received_dropped[i]);
    }
}
