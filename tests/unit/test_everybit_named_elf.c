/* lib/elfcrypto: every truncation and bit flip of hostelf/host-named.elf and of
 * edge/host-empty-sections.elf. */
#include "everybit_host.h"

static void no_truncation_or_flipped_bit_does_harm(void **state)
{
    (void)state;
    mutate_host_file("hostelf/host-named.elf");
}

static void empty_sections_do_no_harm(void **state)
{
    (void)state;
    mutate_host_file("edge/host-empty-sections.elf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_truncation_or_flipped_bit_does_harm),
        cmocka_unit_test(empty_sections_do_no_harm),
    };
    return cmocka_run_group_tests_name("host-named.elf", tests, NULL, NULL);
}
