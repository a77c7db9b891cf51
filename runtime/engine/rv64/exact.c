/* Runs exactly to an instruction. rv64_run may go on to the end of a block. */
#include "block.h"

static enum rv64_stop run_exactly(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget,
                                  const struct rv64_translator *translator)
{
    const uint64_t before = hart->instret;
    const unsigned spare = budget < RV64_BLOCK_MAX ? (unsigned)budget : RV64_BLOCK_MAX;
    enum rv64_stop why = rv64_engine(core, hart, budget - spare, spare, translator);
    while (why == RV64_STOP_BUDGET && hart->instret - before < budget)
        why = rv64_step(core, hart);
    return why;
}

enum rv64_stop rv64_run_exactly(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget)
{
    return run_exactly(core, hart, budget, core->translator);
}

enum rv64_stop rv64_interpret(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget)
{
    return run_exactly(core, hart, budget, NULL);
}
