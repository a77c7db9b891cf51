/* lib/elfcrypto: every odd bit and truncation of hostelf/one.compact.section. */
#include "everybit_crypto.h"

static void no_mutation_is_accepted(void **state)
{
    (void)state;
    mutate_section("hostelf/dev1.elf", "hostelf/one.compact.section", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_mutation_is_accepted),
    };
    return cmocka_run_group_tests_name("one.compact.section", tests, NULL, NULL);
}
