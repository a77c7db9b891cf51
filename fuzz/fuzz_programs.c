/*
 * The input describes a guest program of functions, loops, calls and faults: the engine and the
 * reference run it alike. The first eight bytes are the seed of memory, registers and host events;
 * with every other seed the program is translated.
 */
#include <stdlib.h>

#include "engine/jit/jit.h"

#include "../tests/unit/rv64_trial.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void translate(struct trial *t)
{
    t->exact = chance(&t->choices, 2);
    jit_attach(t->core[0], JIT_SYNC, t->exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct trial trial;
    static struct program program;
    uint64_t seed;
    if (size < sizeof seed)
        return 0;
    memcpy(&seed, data, sizeof seed);
    struct choices c = {.bytes = data + sizeof seed, .left = size - sizeof seed};
    if (trial.mem[0] == NULL && !trial_create(&trial))
        abort();
    const bool translated = seed % 2 == 1;
    trial.attach = translated ? translate : NULL;
    trial.exact = false;
    trial.most = 4000;
    program_generate(&program, &c, translated ? 100 : PROGRAM_ITEMS);
    if (trial_run(&trial, &program, seed | 1))
        return 0;
    fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, trial.what);
    program_print(&program, stderr);
    abort();
}
