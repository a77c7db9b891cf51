/* lib/elfcrypto: every truncation and bit flip of hostelf/host-reserved.signed. */
#include "everybit_host.h"

static void no_truncation_or_flipped_bit_does_harm(void **state)
{
    (void)state;
    mutate_host_file("hostelf/host-reserved.signed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_truncation_or_flipped_bit_does_harm),
    };
    return cmocka_run_group_tests_name("host-reserved.signed", tests, NULL, NULL);
}
