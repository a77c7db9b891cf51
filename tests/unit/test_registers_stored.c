/* runtime/device/registers: registers that are stored and shown, with the limits of a card. */
#include "register_world.h"

enum {
    QPTS = 0x4002,
    QETCR = 0x4005,
    QTCT = 0x400a,
    ROCE_ACCL = 0x402c,
    PFCC = 0x5007,
    PPTB = 0x500b,
    MLCR = 0x902b
};

static uint32_t dword_at(unsigned offset)
{
    struct dpk_reader reader = dpk_reader(r + offset, 4);
    return dpk_read_be32(&reader);
}

static void pause_is_for_a_port_or_for_priorities(void **state)
{
    (void)state;
    assert_int_equal(change_field(PFCC, "pptx", 1), OK);
    assert_int_equal(field(PFCC, "aptx"), 1);
    assert_int_equal(field(PFCC, "pprx"), 0);
    name(PFCC, 1);
    put(PFCC, "pptx_mask_n", 1);
    put(PFCC, "pprx_mask_n", 1);
    put(PFCC, "prio_mask_rx", 0x0f);
    put(PFCC, "pfcrx", 0xff);
    assert_int_equal(write_register(PFCC), OK);
    assert_int_equal(read_register(PFCC), OK);
    assert_int_equal(field(PFCC, "pptx"), 1); /* its mask keeps it */
    assert_int_equal(field(PFCC, "pfcrx"), 0x0f);
    assert_int_equal(field(PFCC, "pfctx"), 0);
    name(PFCC, 1);
    put(PFCC, "prio_mask_rx", 0x03);
    assert_int_equal(write_register(PFCC), OK);
    assert_int_equal(field(PFCC, "pfcrx"), 0x0c);
    assert_int_equal(field(PFCC, "pptx"), 0);
}

static void priorities_have_buffers(void **state)
{
    (void)state;
    assert_int_equal(read_register(PPTB), OK);
    dpk_store_be32(r + 4, 0x76543210);
    put(PPTB, "pm", 0x82);
    assert_int_equal(write_register(PPTB), OK);
    assert_int_equal(dword_at(4), 0x70000010);
    dpk_store_be32(r + 4, 0x76543210); /* as Linux does */
    put(PPTB, "pm", 0x0f);
    put(PPTB, "pm_msb", 0x0f);
    assert_int_equal(write_register(PPTB), OK);
    assert_int_equal(dword_at(4), 0x76543210);
    put(PPTB, "untagged_buff", 3);
    put(PPTB, "ctrl_buff", 9); /* not asked for */
    put(PPTB, "um", 1);
    put(PPTB, "pm", 0);
    put(PPTB, "pm_msb", 0);
    assert_int_equal(write_register(PPTB), OK);
    assert_int_equal(dword_at(8), 3);
    assert_int_equal(read_register(PPTB), OK);
    put(PPTB, "prio3buff", 8);
    put(PPTB, "pm", 8);
    assert_int_equal(write_register(PPTB), BAD);
    assert_string_equal(dpk_registers_reason(registers), "prio3buff: no buffer 8");
    assert_int_equal(read_register(PPTB), OK);
    assert_int_equal(dword_at(4), 0x76543210);
}

static void trust_is_in_pcp_or_dscp(void **state)
{
    (void)state;
    assert_int_equal(read_register(QPTS), OK);
    assert_int_equal(field(QPTS, "trust_state"), 1);
    assert_int_equal(change_field(QPTS, "trust_state", 2), OK);
    assert_int_equal(field(QPTS, "trust_state"), 2);
    for (unsigned trust = 0; trust < 8; trust++)
        assert_int_equal(change_field(QPTS, "trust_state", trust),
                         trust == 1 || trust == 2 ? OK : BAD);
}

static unsigned class_of(unsigned priority, unsigned type)
{
    name(QTCT, 1);
    put(QTCT, "switch_prio", priority);
    put(QTCT, "operation_type", type);
    return dpk_register_access(registers, QTCT, DPK_REGISTER_GET, r, SIZE);
}

static void priorities_have_traffic_classes(void **state)
{
    (void)state;
    for (unsigned priority = 0; priority < 8; priority++) {
        assert_int_equal(class_of(priority, 0), OK);
        assert_int_equal(field(QTCT, "tclass"), priority);
    }
    assert_int_equal(class_of(7, 0), OK);
    put(QTCT, "tclass", 0);
    assert_int_equal(write_register(QTCT), OK);
    assert_int_equal(class_of(7, 2), OK); /* the operational value */
    assert_int_equal(field(QTCT, "tclass"), 0);
    assert_int_equal(write_register(QTCT), BAD); /* it cannot be set */
    assert_int_equal(class_of(8, 0), BAD);
    assert_int_equal(class_of(0, 1), BAD); /* what the other end says: nothing */
    assert_int_equal(class_of(0, 0), OK);
    put(QTCT, "tclass", 8);
    assert_int_equal(write_register(QTCT), BAD);
}

/* ---- QETCR ---- */

#define GROUP     (1u << 31)
#define BANDWIDTH (1u << 30)
#define LIMIT     (1u << 29)

static void put_class(unsigned number, uint32_t first, uint32_t second)
{
    dpk_store_be32(r + 8 + 8 * number, first);
    dpk_store_be32(r + 12 + 8 * number, second);
}

static void classes_share_the_bandwidth_of_their_group(void **state)
{
    (void)state;
    assert_int_equal(read_register(QETCR), OK);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(dword_at(8 + 8 * i), i << 16 | 100);
    put_class(3, GROUP | BANDWIDTH | 5u << 16 | 40, 0);
    assert_int_equal(write_register(QETCR), BAD); /* 140% in group 5 */
    put_class(5, BANDWIDTH | 60, 0);
    assert_int_equal(write_register(QETCR), OK);
    assert_int_equal(dword_at(8 + 8 * 3), 5u << 16 | 40);
    assert_int_equal(dword_at(8 + 8 * 5), 5u << 16 | 60);
    assert_int_equal(dword_at(8 + 8 * 4), 4u << 16 | 100);
    put_class(4, GROUP | 8u << 16 | 100, 0); /* no such group */
    assert_int_equal(write_register(QETCR), BAD);
    assert_int_equal(read_register(QETCR), OK);
    put_class(4, BANDWIDTH | 4u << 16 | 101, 0);
    assert_int_equal(write_register(QETCR), BAD);
}

static void classes_and_the_port_have_limits(void **state)
{
    (void)state;
    assert_int_equal(read_register(QETCR), OK);
    put_class(2, LIMIT, 4u << 16 | 25); /* 25 Gb/s */
    put_class(8, LIMIT, 3u << 16 | 10); /* of the port */
    assert_int_equal(write_register(QETCR), OK);
    assert_int_equal(read_register(QETCR), OK);
    assert_int_equal(dword_at(12 + 8 * 2), 4u << 16 | 25);
    assert_int_equal(dword_at(8 + 8 * 2), 2u << 16 | 100);
    assert_int_equal(dword_at(0x4c), 3u << 16 | 10);
    put_class(2, LIMIT, 1u << 16 | 25); /* no such unit */
    assert_int_equal(write_register(QETCR), BAD);
    assert_int_equal(read_register(QETCR), OK);
    put(QETCR, "operation_type", 1);
    assert_int_equal(write_register(QETCR), BAD);
}

/* ---- The card ---- */

static void the_led_blinks_for_a_while(void **state)
{
    (void)state;
    assert_int_equal(read_register(MLCR), OK);
    assert_int_equal(field(MLCR, "beacon_remain"), 0);
    assert_int_equal(change_field(MLCR, "beacon_duration", 1000), OK);
    assert_int_equal(field(MLCR, "beacon_duration"), 1000);
    assert_in_range(field(MLCR, "beacon_remain"), 900, 1000);
    assert_true(is_logged("LED blinks for 1000 s by MLCR"));
    dpk_port_set(port, STORED_BEACON, 1000); /* in 1970 */
    assert_int_equal(read_register(MLCR), OK);
    assert_int_equal(field(MLCR, "beacon_remain"), 0);
    assert_int_equal(change_field(MLCR, "beacon_duration", 0xffff),
                     OK); /* until somebody ends it */
    assert_int_equal(field(MLCR, "beacon_remain"), 0xffff);
    assert_int_equal(change_field(MLCR, "beacon_duration", 0), OK);
    assert_int_equal(field(MLCR, "beacon_remain"), 0);
    name(MLCR, 0); /* the own port */
    put(MLCR, "beacon_duration", 50);
    assert_int_equal(write_register(MLCR), OK);
    assert_int_equal(read_register(MLCR), OK);
    assert_int_equal(field(MLCR, "beacon_duration"), 50);
    assert_int_equal(change_field(MLCR, "led_type", 1), BAD);
    assert_int_equal(change_field(MLCR, "operation", 1), BAD);
}

static unsigned set_roce(uint32_t selected, uint32_t features)
{
    memset(r, 0, sizeof r);
    put(ROCE_ACCL, "field_select", selected);
    put(ROCE_ACCL, "features", features);
    return write_register(ROCE_ACCL);
}

static void selected_features_of_roce_change(void **state)
{
    (void)state;
    assert_int_equal(set_roce(0x7, 0x5), OK);
    assert_int_equal(field(ROCE_ACCL, "features"), 0x5);
    assert_int_equal(set_roce(0x1, 0x2), OK);
    assert_int_equal(field(ROCE_ACCL, "features"), 0x4);
    assert_int_equal(field(ROCE_ACCL, "field_select"), 0x7f);
    assert_int_equal(dpk_device_reset(dev, NULL), DPK_OK);
    memset(r, 0, sizeof r);
    assert_int_equal(dpk_register_access(registers, ROCE_ACCL, DPK_REGISTER_GET, r, SIZE), OK);
    assert_int_equal(field(ROCE_ACCL, "features"), 0);
}

static void any_stored_number_is_read(void **state)
{
    (void)state;
    static const unsigned numbers[] = {QPTS, QETCR, QTCT, PFCC, PPTB, MLCR};
    for (unsigned i = DPK_PORT_STORED; i < DPK_PORT_SETTINGS; i++)
        dpk_port_set(port, i, UINT64_MAX);
    for (size_t i = 0; i < COUNT(numbers); i++)
        assert_int_equal(read_register(numbers[i]), OK);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        name(numbers[i], 2);
        assert_int_equal(write_register(numbers[i]), BAD); /* the port is another function's */
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_registers, close_registers)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(pause_is_for_a_port_or_for_priorities),
        CASE(priorities_have_buffers),
        CASE(trust_is_in_pcp_or_dscp),
        CASE(priorities_have_traffic_classes),
        CASE(classes_share_the_bandwidth_of_their_group),
        CASE(classes_and_the_port_have_limits),
        CASE(the_led_blinks_for_a_while),
        CASE(selected_features_of_roce_change),
        CASE(any_stored_number_is_read),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
