/* Bodies of messages: texts, and the settings of a worker that a program asks for. */
#include <string.h>

#include "urom.h"

void dpk_urom_put_text(struct dpk_buf *b, const void *bytes, size_t size)
{
    dpk_put_le32(b, (uint32_t)size);
    if (size > 0)
        dpk_put(b, bytes, size);
}

const uint8_t *dpk_urom_read_text(struct dpk_reader *r, size_t max, size_t *size)
{
    const uint32_t n = dpk_read_le32(r);
    const uint8_t *bytes = n <= max ? dpk_read_bytes(r, n) : NULL;
    if (!bytes)
        r->failed = true;
    *size = bytes ? n : 0;
    return bytes;
}

enum { HAS_GID = 1, HAS_CPUS = 2 };

void dpk_urom_put_wish(struct dpk_buf *b, const struct dpk_urom_wish *w)
{
    dpk_put_le32(b, w->version);
    dpk_put_le32(b, (w->has_gid ? HAS_GID : 0) | (w->has_cpus ? HAS_CPUS : 0));
    dpk_put_le64(b, w->id);
    dpk_put_le64(b, w->plugins);
    dpk_put_le32(b, w->gid);
    dpk_put_le32(b, w->max_size);
    dpk_put(b, w->cpus, sizeof w->cpus);
    dpk_urom_put_text(b, w->env, w->env_size);
}

static bool is_env(const uint8_t *env, size_t size)
{
    for (size_t at = 0; at < size;) {
        const uint8_t *end = memchr(env + at, 0, size - at);
        if (!end || !dpk_urom_env_allowed((const char *)env + at))
            return false;
        at = (size_t)(end - env) + 1;
    }
    return true;
}

bool dpk_urom_read_wish(struct dpk_reader *r, struct dpk_urom_wish *w)
{
    memset(w, 0, sizeof *w);
    w->version = dpk_read_le32(r);
    const uint32_t flags = dpk_read_le32(r);
    w->has_gid = flags & HAS_GID;
    w->has_cpus = flags & HAS_CPUS;
    w->id = dpk_read_le64(r);
    w->plugins = dpk_read_le64(r);
    w->gid = dpk_read_le32(r);
    w->max_size = dpk_read_le32(r);
    const uint8_t *cpus = dpk_read_bytes(r, sizeof w->cpus);
    if (cpus)
        memcpy(w->cpus, cpus, sizeof w->cpus);
    w->env = dpk_urom_read_text(r, DPK_UROM_ENV_MAX, &w->env_size);
    return !r->failed && dpk_reader_left(r) == 0 && !(flags & ~(uint32_t)(HAS_GID | HAS_CPUS)) &&
           w->max_size > 0 && w->max_size <= DPK_UROM_MESSAGE_MAX && is_env(w->env, w->env_size);
}

/* Variables LD_... would change the libraries that the worker loads, and PATH the programs that it
 * finds. */
bool dpk_urom_env_allowed(const char *text)
{
    const char *equals = strchr(text, '=');
    return equals && equals != text && strncmp(text, "LD_", 3) != 0 &&
           strncmp(text, "PATH=", 5) != 0;
}
