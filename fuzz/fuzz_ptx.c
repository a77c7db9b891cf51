/* Any text as inline PTX and as source with assembly statements: an error with a message, or
 * instructions within their limits; text that is escaped twice stays as it is. */
#include "dpacu/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_argument(const struct ptx *ptx, const struct ptx_argument *a)
{
    if (!a->count || a->count > PTX_VECTOR_MAX)
        abort();
    for (unsigned i = 0; i < a->count; i++) {
        const struct ptx_value *v = &a->at[i];
        if ((v->kind == PTX_REGISTER && v->index >= ptx->register_count) ||
            (v->kind == PTX_OPERAND && v->index >= PTX_OPERANDS_MAX) ||
            memchr(v->name, 0, sizeof v->name) == NULL)
            abort();
    }
}

static void parse(const char *text, size_t size)
{
    static struct ptx ptx;
    struct dpk_error err = {0};
    if (ptx_parse(text, size, &ptx, &err) != DPK_OK) {
        if (!err.message[0] || strchr(err.message, '\n'))
            abort();
        return;
    }
    for (unsigned i = 0; i < ptx.count; i++) {
        const struct ptx_instruction *now = &ptx.instructions[i];
        for (unsigned k = 0; k < now->part_count; k++)
            if (!ptx_part(now, k)[0])
                abort();
        for (unsigned k = 0; k < now->count; k++)
            check_argument(&ptx, &now->arguments[k]);
        if (now->target > ptx.count || (now->guarded && (now->guard.kind != PTX_REGISTER ||
                                                         now->guard.index >= ptx.register_count)))
            abort();
    }
}

static void escape(const char *text, size_t size)
{
    struct dpk_buf once = {0}, twice = {0};
    const bool changed = ptx_escape(text, size, &once);
    if (once.failed || once.size < size || changed != (once.size > size) ||
        ptx_escape((const char *)once.data, once.size, &twice) || twice.size != once.size ||
        (once.size && memcmp(twice.data, once.data, once.size) != 0))
        abort();
    dpk_buf_free(&once);
    dpk_buf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parse((const char *)data, size);
    escape((const char *)data, size);
    return 0;
}
