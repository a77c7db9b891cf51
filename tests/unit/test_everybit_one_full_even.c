/* lib/elfcrypto: every even bit of hostelf/one.full.blob. */
#include "everybit_crypto.h"

static void no_mutation_is_accepted(void **state)
{
    (void)state;
    mutate_blob("hostelf/dev1.elf", "hostelf/one.full.blob", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_mutation_is_accepted),
    };
    return cmocka_run_group_tests_name("one.full.blob", tests, NULL, NULL);
}
