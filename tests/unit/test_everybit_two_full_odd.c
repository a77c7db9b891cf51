/* lib/elfcrypto: every odd bit and truncation of hostelf/two.full.blob. */
#include "everybit_crypto.h"

static void no_mutation_is_accepted(void **state)
{
    (void)state;
    mutate_blob("hostelf/dev2.elf", "hostelf/two.full.blob", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_mutation_is_accepted),
    };
    return cmocka_run_group_tests_name("two.full.blob", tests, NULL, NULL);
}
