/* Takes bus errors of guarded accesses. */
#include "base/base.h"

_Thread_local struct dpk_guard *volatile dpk_guard_inside;

/* Returns to the start of the access. SIGBUS needs no unblocking, because the handler does not
 * block it. */
static bool leave(uintptr_t at)
{
    struct dpk_guard *g = dpk_guard_inside;
    if (!g || (at - g->one >= g->size && at - g->other >= g->size))
        return false;
    dpk_guard_inside = NULL;
    longjmp(g->back, 1); /* ThreadSanitizer does not know _longjmp */
}

void dpk_guard_begin(void)
{
    dpk_take_bus_errors(leave);
}
