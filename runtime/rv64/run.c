/* The engine. */
#include "core.h"

enum rv64_stop rv64_run(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget)
{
    enum rv64_stop why = RV64_STOP_BUDGET;
    while (budget-- > 0 && why == RV64_STOP_BUDGET)
        why = rv64_step(core, hart);
    return why;
}
