/* Channels: messages in words of comch. The value of a word says how many bytes of its message
 * follow in later words. */
#include <string.h>
#include <unistd.h>

#include "urom.h"

#define HEAD 8u /* the head of a word that waits: value, size */

void dpk_urom_open(struct dpk_urom_channel *c, int fd)
{
    memset(c, 0, sizeof *c);
    c->fd = fd;
}

void dpk_urom_close(struct dpk_urom_channel *c)
{
    if (c->fd >= 0)
        close(c->fd);
    dpk_buf_free(&c->in);
    dpk_buf_free(&c->out);
    dpk_urom_open(c, -1);
}

bool dpk_urom_waits(const struct dpk_urom_channel *c)
{
    return c->out_at < c->out.size;
}

/* ---- Sending ---- */

struct dpk_buf *dpk_urom_begin(struct dpk_urom_channel *c, enum dpk_urom_kind kind)
{
    c->begun = c->out.size;
    dpk_put_le64(&c->out, 0); /* room for the head of the first word */
    dpk_put_le32(&c->out, (uint32_t)kind);
    return &c->out;
}

static void put_head(uint8_t *at, uint32_t value, uint32_t size)
{
    memcpy(at, &value, sizeof value);
    memcpy(at + sizeof value, &size, sizeof size);
}

/* Cuts the message that starts at c->begun into words. */
static bool cut(struct dpk_urom_channel *c)
{
    const size_t size = c->out.size - c->begun - HEAD;
    const size_t words = (size + DPK_COMCH_MESSAGE_MAX - 1) / DPK_COMCH_MESSAGE_MAX;
    if (size > DPK_UROM_BODY_MAX || !dpk_buf_reserve(&c->out, (words - 1) * HEAD))
        return false;
    uint8_t *const body = c->out.data + c->begun + HEAD;
    for (size_t i = words; i-- > 0;) {
        const size_t at = i * DPK_COMCH_MESSAGE_MAX;
        const size_t part = size - at < DPK_COMCH_MESSAGE_MAX ? size - at : DPK_COMCH_MESSAGE_MAX;
        memmove(body + at + i * HEAD, body + at, part);
        put_head(body + at + i * HEAD - HEAD, (uint32_t)(size - at - part), (uint32_t)part);
    }
    c->out.size += (words - 1) * HEAD;
    return true;
}

bool dpk_urom_end(struct dpk_urom_channel *c)
{
    if (c->fd < 0 || c->out.failed || c->out.size - c->out_at > DPK_UROM_KEPT_MAX || !cut(c)) {
        c->out.size = c->begun;
        return false;
    }
    return dpk_urom_flush(c);
}

bool dpk_urom_flush(struct dpk_urom_channel *c)
{
    while (c->fd >= 0 && dpk_urom_waits(c)) {
        const uint8_t *at = c->out.data + c->out_at;
        uint32_t value, size;
        memcpy(&value, at, sizeof value);
        memcpy(&size, at + sizeof value, sizeof size);
        const enum dpk_comch_said said =
            dpk_comch_say(c->fd, DPK_COMCH_MESSAGE, value, at + HEAD, size);
        if (said == DPK_COMCH_GONE)
            return false;
        if (said == DPK_COMCH_FULL)
            break;
        c->out_at += HEAD + size;
    }
    if (!dpk_urom_waits(c))
        c->out.size = c->out_at = 0;
    return c->fd >= 0;
}

/* ---- Receiving ---- */

static enum dpk_comch_heard take(struct dpk_urom_channel *c, const struct dpk_comch_word *w)
{
    if (w->kind != DPK_COMCH_MESSAGE || w->size == 0 || w->value > DPK_UROM_BODY_MAX ||
        (c->left > 0 && (w->size > c->left || w->value != c->left - w->size)))
        return DPK_COMCH_BROKEN;
    if (c->left == 0)
        c->in.size = 0;
    dpk_put(&c->in, w->bytes, w->size);
    c->left = w->value;
    return c->in.failed ? DPK_COMCH_BROKEN : DPK_COMCH_HEARD;
}

enum dpk_comch_heard dpk_urom_hear(struct dpk_urom_channel *c, struct dpk_urom_message *m)
{
    struct dpk_comch_word w;
    if (c->fd < 0)
        return DPK_COMCH_HUNG_UP;
    for (;;) {
        enum dpk_comch_heard heard = dpk_comch_hear(c->fd, c->room, &w);
        if (heard == DPK_COMCH_HEARD) {
            heard = take(c, &w);
            if (w.memory >= 0)
                close(w.memory);
        }
        if (heard != DPK_COMCH_HEARD)
            return heard;
        if (c->left > 0)
            continue;
        m->body = dpk_reader(c->in.data, c->in.size);
        m->kind = (enum dpk_urom_kind)dpk_read_le32(&m->body);
        return m->body.failed ? DPK_COMCH_BROKEN : DPK_COMCH_HEARD;
    }
}
