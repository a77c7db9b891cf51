/* jit: where memory is short, nothing is translated, and the code runs interpreted. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rv64_guest.h"
#include "rv64_translations.h"
#include "rv64_words.h"
#include "skip.h"

/* Lets the process have `more` bytes of addresses than it has. False: the system does not say. */
static bool limit_to(uint64_t more)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    const bool known = f != NULL && fscanf(f, "%lu", &pages) == 1;
    if (f != NULL)
        (void)fclose(f);
    const rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
    return known && setrlimit(RLIMIT_AS, &(struct rlimit){most, most}) == 0;
}

/* Runs an instruction with a core's translator, and returns how many places have a translation. */
static uint64_t run_once(struct guest *g)
{
    struct rv64_hart hart = {.pc = CODE};
    assert_int_equal(guest_run(g, &hart, 10), RV64_STOP_EBREAK);
    return count_translations(g->core[0]);
}

static void code_is_interpreted_where_memory_is_short(void **state)
{
    struct guest *g = *state;
    const uint32_t words[] = {i_type(ADDI, A0, A0, 1), EBREAK};
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    skip_because("a sanitizer needs addresses of its own");
#endif
    (void)setenv("DPAKIT_CACHE", "off", 1);
    guest_store(g, CODE, words, sizeof words);
    assert_int_equal(run_once(g), 1); /* LLVM is loaded */
    fflush(NULL);
    if (!limit_to(UINT64_C(48) << 20))
        skip_because("there is no /proc");
    guest_store(g, CODE, words, sizeof words); /* all is to be translated anew */
    assert_int_equal(run_once(g), 0);
    struct jit_stats stats;
    jit_stats(&stats);
    assert_int_equal(stats.refused, 1);
    assert_string_equal(stats.reasons[0].text, "too little memory for LLVM");
}

int main(void)
{
    const struct CMUnitTest tests[] = {GUEST_TEST(code_is_interpreted_where_memory_is_short)};
    guest_mode = JIT_SYNC;
    return cmocka_run_group_tests_name("jit_room", tests, NULL, NULL);
}
