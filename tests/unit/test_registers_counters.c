/* runtime/device/registers: counters of a port (PPCNT), which are those of the device. */
#include "register_world.h"

#include "device/counters/counters.h"

#define PPCNT 0x5008

static struct dpk_counters *counters;

static int open_world(void **state)
{
    char directory[PATH_MAX];
    const int made = open_registers(state);
    assert_int_equal(dpk_device_directory(dev, directory, NULL), DPK_OK);
    assert_int_equal(dpk_counters_open(directory, &counters, NULL), DPK_OK);
    return made;
}

static int close_world(void **state)
{
    dpk_counters_close(counters);
    return close_registers(state);
}

static unsigned read_group(unsigned group)
{
    name(PPCNT, 1);
    put(PPCNT, "grp", group);
    return dpk_register_access(registers, PPCNT, DPK_REGISTER_GET, r, SIZE);
}

static uint64_t number_at(unsigned offset)
{
    struct dpk_reader reader = dpk_reader(r + offset, 8);
    const uint64_t high = dpk_read_be32(&reader);
    return high << 32 | dpk_read_be32(&reader);
}

static void count(enum dpk_counter counter, uint64_t more)
{
    dpk_count(dpk_counters_port(counters), counter, more);
}

static void groups_show_the_counters_of_the_device(void **state)
{
    (void)state;
    static const struct {
        unsigned group, offset;
        uint64_t value;
    } places[] = {{0, 0x08, 70},
                  {0, 0x10, 90},
                  {0, 0x28, 7000},
                  {0, 0x30, UINT64_C(9) << 33},
                  {1, 0x08, UINT64_C(9) << 33},
                  {1, 0x10, 90},
                  {1, 0x18, 5},
                  {1, 0x30, 7000},
                  {1, 0x38, 70},
                  {1, 0x40, 3},
                  {2, 0x08, 5},
                  {2, 0x18, 90},
                  {3, 0x08, 0},
                  {0x16, 0x10, UINT64_C(9) << 36}};
    count(DPK_WIRE_OUT, 70);
    count(DPK_WIRE_OUT_BYTES, 7000);
    count(DPK_WIRE_IN, 90);
    count(DPK_WIRE_IN_BYTES, UINT64_C(9) << 33);
    count(DPK_DROP_OUT_OF_BUFFER, 5);
    count(DPK_DROP_WIRE_FULL, 3);
    for (size_t i = 0; i < COUNT(places); i++) {
        assert_int_equal(read_group(places[i].group), OK);
        assert_int_equal(number_at(places[i].offset), places[i].value);
    }
    for (unsigned group = 4; group < 0x40; group++)
        if (group != 0x12 && group != 0x16)
            assert_int_equal(read_group(group), BAD);
    assert_string_equal(dpk_registers_reason(registers), "no counters of group 0x3f, swid 0");
}

static void downs_of_the_link_are_counted(void **state)
{
    (void)state;
    dpk_port_set(port, DPK_PORT_ADMIN, DPK_PORT_DOWN);
    dpk_port_set(port, DPK_PORT_ADMIN, DPK_PORT_UP);
    assert_int_equal(read_group(0x12), OK);
    assert_int_equal(field(PPCNT, "link_down_events"), 1);
    assert_int_equal(read_group(0x16), OK);
    assert_int_equal(field(PPCNT, "raw_ber"), 0xff0f);
}

static void a_set_clears_all_counters(void **state)
{
    (void)state;
    struct dpk_counters_seen seen;
    count(DPK_WIRE_IN, 90);
    dpk_port_set(port, DPK_PORT_ADMIN, DPK_PORT_DOWN);
    dpk_port_set(port, DPK_PORT_CLEARED, 1); /* in 1970 */
    assert_int_equal(read_group(0x12), OK);
    assert_true(number_at(8) > UINT64_C(1000000000000));
    name(PPCNT, 1);
    put(PPCNT, "grp", 0x3f);
    assert_int_equal(write_register(PPCNT), BAD); /* it only clears */
    put(PPCNT, "clr", 1);
    assert_int_equal(write_register(PPCNT), OK);
    dpk_counters_read(counters, false, &seen);
    assert_int_equal(seen.port[DPK_WIRE_IN], 0);
    assert_int_equal(read_group(0x12), OK);
    assert_int_equal(field(PPCNT, "link_down_events"), 0);
    assert_true(number_at(8) < 3600000);
    assert_int_equal(dpk_port_get(port, DPK_PORT_ADMIN), DPK_PORT_DOWN);
    assert_true(is_logged("counters cleared by PPCNT"));
    name(PPCNT, 1);
    put(PPCNT, "clr", 1);
    count(DPK_WIRE_IN, 7);
    assert_int_equal(dpk_register_access(registers, PPCNT, DPK_REGISTER_GET, r, SIZE), OK);
    assert_int_equal(number_at(0x10), 7); /* it shows what it clears */
    assert_int_equal(read_group(0), OK);
    assert_int_equal(number_at(0x10), 0);
}

static void another_port_has_counted_nothing(void **state)
{
    (void)state;
    count(DPK_WIRE_IN, 90);
    name(PPCNT, 2);
    assert_int_equal(dpk_register_access(registers, PPCNT, DPK_REGISTER_GET, r, SIZE), OK);
    assert_int_equal(number_at(0x10), 0);
    put(PPCNT, "clr", 1);
    assert_int_equal(write_register(PPCNT), BAD);
    name(PPCNT, 3);
    assert_int_equal(dpk_register_access(registers, PPCNT, DPK_REGISTER_GET, r, SIZE), BAD);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(groups_show_the_counters_of_the_device),
        CASE(downs_of_the_link_are_counted),
        CASE(a_set_clears_all_counters),
        CASE(another_port_has_counted_nothing),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
