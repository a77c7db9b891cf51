/* runtime/device/registers: registers of ports that can be set, and what a set changes. */
#include "register_world.h"

enum {
    PMTU = 0x5003,
    PTYS = 0x5004,
    PAOS = 0x5006,
    PMAOS = 0x5012,
    PPLR = 0x5018,
    PPLM = 0x5023,
    PDDR = 0x5031,
    PPAOS = 0x5040
};
static unsigned trouble(void)
{
    name(PDDR, 1);
    put(PDDR, "page_select", 1);
    assert_int_equal(dpk_register_access(registers, PDDR, DPK_REGISTER_GET, r, SIZE), OK);
    return field(PDDR, "monitor_opcode");
}

static void a_port_goes_down_and_up(void **state)
{
    (void)state;
    assert_int_equal(change_field(PAOS, "admin_status", 2), OK);
    assert_int_equal(field(PAOS, "oper_status"), 2); /* the answer */
    assert_null(dpk_port_link(port));
    assert_true(is_logged("port disabled by PAOS"));
    assert_int_equal(read_register(PAOS), OK);
    assert_int_equal(field(PAOS, "admin_status"), 2);
    assert_int_equal(field(PAOS, "physical_state_status"), 3);
    assert_int_equal(read_register(PTYS), OK);
    assert_int_equal(field(PTYS, "ext_eth_proto_oper"), 0);
    assert_int_equal(field(PTYS, "an_status"), 4);
    assert_int_equal(trouble(), 1);
    assert_int_equal(read_register(PDDR), OK);
    assert_int_equal(field(PDDR, "phy_mngr_fsm_state"), 0);
    assert_int_equal(change_field(PAOS, "admin_status", 1), OK);
    assert_non_null(dpk_port_link(port));
    assert_int_equal(trouble(), 0);
}

static void a_state_changes_only_if_that_is_asked(void **state)
{
    (void)state;
    assert_int_equal(read_register(PAOS), OK);
    put(PAOS, "admin_status", 2); /* without ase */
    put(PAOS, "e", 2);            /* without ee */
    assert_int_equal(write_register(PAOS), OK);
    assert_int_equal(field(PAOS, "admin_status"), 1);
    assert_int_equal(field(PAOS, "e"), 0);
    put(PAOS, "e", 2);
    put(PAOS, "ee", 1);
    assert_int_equal(write_register(PAOS), OK);
    assert_int_equal(field(PAOS, "e"), 2);
    for (uint32_t admin = 0; admin < 16; admin++)
        if (admin != 1 && admin != 2)
            assert_int_equal(change_field(PAOS, "admin_status", admin), BAD);
    assert_string_equal(dpk_registers_reason(registers), "admin_status 15 is neither up nor down");
    assert_int_equal(dpk_port_get(port, DPK_PORT_DOWNS), 0);
}

static void a_module_is_disabled_and_reset(void **state)
{
    (void)state;
    assert_int_equal(change_field(PMAOS, "admin_status", 2), OK);
    assert_int_equal(field(PMAOS, "oper_status"), 4);
    assert_null(dpk_port_link(port));
    assert_int_equal(trouble(), 1);
    assert_int_equal(read_register(PAOS), OK);
    assert_int_equal(field(PAOS, "oper_status"), 2);
    assert_int_equal(field(PAOS, "admin_status"), 1);
    assert_int_equal(change_field(PMAOS, "admin_status", 1), OK);
    assert_int_equal(field(PMAOS, "oper_status"), 1);
    assert_int_equal(read_register(PMAOS), OK);
    put(PMAOS, "rst", 1);
    assert_int_equal(write_register(PMAOS), OK);
    assert_int_equal(field(PMAOS, "rst"), 0);
    assert_non_null(dpk_port_link(port));
    assert_int_equal(dpk_port_get(port, DPK_PORT_DOWNS), 2);
    assert_true(is_logged("module reset by PMAOS"));
}

static void a_port_has_the_speed_that_is_asked(void **state)
{
    (void)state;
    assert_int_equal(read_register(PTYS), OK);
    assert_int_equal(field(PTYS, "ext_eth_proto_capability"), 0x2f2);
    assert_int_equal(field(PTYS, "ext_eth_proto_admin"), 0x2f2);
    assert_int_equal(change_field(PTYS, "ext_eth_proto_admin", 1u << 6 | 1u << 4), OK);
    assert_int_equal(field(PTYS, "data_rate_oper"), 250);
    assert_int_equal(field(PTYS, "ext_eth_proto_oper"), 1u << 6);
    assert_int_equal(field(PTYS, "eth_proto_admin"), 1u << 27 | 1u << 12);
    assert_int_equal(field(PTYS, "eth_proto_oper"), 1u << 27);
    assert_int_equal(dpk_port_link(port)->mbps, 25000);
    assert_int_equal(change_field(PTYS, "eth_proto_admin", 1u << 6), OK); /* by its legacy number */
    assert_int_equal(dpk_port_link(port)->mbps, 40000);
    name(PTYS, 1);
    assert_int_equal(write_register(PTYS), OK); /* no mask: all */
    assert_int_equal(dpk_port_link(port)->mbps, 100000);
    assert_int_equal(change_field(PTYS, "an_disable_admin", 1), OK);
    assert_int_equal(field(PTYS, "an_status"), 3);
    assert_int_equal(change_field(PTYS, "ext_eth_proto_admin", 1u << 12), BAD); /* 200G */
    assert_int_equal(change_field(PTYS, "eth_proto_admin", 1u << 24), BAD);
    assert_int_equal(change_field(PTYS, "proto_mask", 1), BAD); /* InfiniBand */
    assert_int_equal(dpk_port_link(port)->mbps, 100000);
}

static void an_mtu_has_limits(void **state)
{
    (void)state;
    assert_int_equal(read_register(PMTU), OK);
    assert_int_equal(field(PMTU, "max_mtu"), 9238);
    assert_int_equal(field(PMTU, "oper_mtu"), 9238);
    assert_int_equal(change_field(PMTU, "admin_mtu", 1522), OK);
    assert_int_equal(field(PMTU, "oper_mtu"), 1522);
    assert_int_equal(dpk_port_mtu(port), 1522);
    assert_int_equal(change_field(PMTU, "admin_mtu", 89), BAD);
    assert_int_equal(change_field(PMTU, "admin_mtu", 9239), BAD);
    assert_int_equal(change_field(PMTU, "i_e", 1), BAD);
    assert_int_equal(dpk_port_mtu(port), 1522);
    assert_int_equal(change_field(PMTU, "admin_mtu", 90), OK);
    assert_int_equal(change_field(PMTU, "admin_mtu", 9238), OK);
}

static void a_port_loops_without_a_wire(void **state)
{
    (void)state;
    assert_int_equal(dpk_device_set_wire(dev, "none", NULL), DPK_OK);
    assert_int_equal(trouble(), 1024);
    assert_int_equal(change_field(PPLR, "lb_en", 2), OK);
    assert_int_equal(field(PPLR, "lb_en"), 2);
    assert_true(dpk_port_loops(port));
    assert_int_equal(trouble(), 0);
    assert_int_equal(read_register(PDDR), OK);
    assert_int_equal(field(PDDR, "loopback_mode"), 2);
    for (unsigned mode = 1; mode <= 0x800; mode <<= 1)
        if (mode != 2)
            assert_int_equal(change_field(PPLR, "lb_en", mode), BAD);
    assert_int_equal(change_field(PPLR, "lb_en", 0), OK);
    assert_false(dpk_port_loops(port));
}

static void a_code_is_chosen_for_each_speed(void **state)
{
    (void)state;
    static const struct {
        uint32_t protocol, automatic;
        const char *admin;
    } speeds[] = {{1u << 9, 4, "fec_override_admin_100g"},
                  {1u << 7, 4, "fec_override_admin_50g"},
                  {1u << 6, 4, "fec_override_admin_25g"},
                  {1u << 5, 1, "fec_override_admin_10g_40g"}};
    for (size_t i = 0; i < COUNT(speeds); i++) {
        assert_int_equal(change_field(PTYS, "ext_eth_proto_admin", speeds[i].protocol), OK);
        assert_int_equal(read_register(PPLM), OK);
        assert_int_equal(field(PPLM, "fec_mode_active"), speeds[i].automatic);
        assert_int_equal(change_field(PPLM, speeds[i].admin, 8), BAD); /* no such code */
        assert_int_equal(change_field(PPLM, speeds[i].admin, 1), OK);
        assert_int_equal(field(PPLM, "fec_mode_active"), 1);
        assert_int_equal(field(PPLM, speeds[i].admin), 1);
        assert_int_equal(read_register(PDDR), OK);
        assert_int_equal(field(PDDR, "fec_mode_active"), 0); /* the number of the bit */
        assert_int_equal(field(PDDR, "fec_mode_request"), 1);
    }
    assert_int_equal(change_field(PPLM, "fec_override_admin_100g", 2), BAD); /* Firecode */
    assert_int_equal(change_field(PPLM, "fec_override_admin_50g", 2 | 1), OK);
    assert_int_equal(change_field(PTYS, "ext_eth_proto_admin", 1u << 7), OK);
    assert_int_equal(read_register(PPLM), OK);
    assert_int_equal(field(PPLM, "fec_mode_active"), 2);
}

static void the_other_end_of_a_cable_matters(void **state)
{
    (void)state;
    char other[PATH_MAX + 8];
    struct dpk_port *far = NULL;
    snprintf(other, sizeof other, "%s/other", getenv("DPAKIT_DEVICES"));
    assert_int_equal(mkdir(other, 0700), 0);
    assert_int_equal(dpk_port_open(other, NULL, &far, NULL), DPK_OK);
    assert_int_equal(dpk_device_set_wire(dev, "dev:other", NULL), DPK_OK);
    assert_int_equal(trouble(), 0);
    dpk_port_set(far, DPK_PORT_ADMIN, DPK_PORT_DOWN);
    assert_int_equal(trouble(), 2);
    assert_int_equal(read_register(PAOS), OK);
    assert_int_equal(field(PAOS, "oper_status"), 2);
    assert_int_equal(field(PAOS, "physical_state_status"), 2); /* it is enabled, and polls */
    dpk_port_close(far);
    strcat(other, "/port");
    assert_int_equal(unlink(other), 0);
    *strrchr(other, '/') = 0;
    assert_int_equal(rmdir(other), 0);
}

static void only_the_own_port_is_set(void **state)
{
    (void)state;
    static const unsigned numbers[] = {PMTU, PTYS, PAOS, PMAOS, PPLR, PPLM};
    for (size_t i = 0; i < COUNT(numbers); i++)
        for (unsigned which = 0; which < 4; which++) {
            const unsigned own = numbers[i] != PMAOS;
            name(numbers[i], which);
            if (numbers[i] == PMTU)
                put(PMTU, "admin_mtu", 1522);
            assert_int_equal(write_register(numbers[i]), which == own ? OK : BAD);
        }
    assert_int_equal(read_register(PPAOS), OK);
    assert_int_equal(write_register(PPAOS), DPK_REGISTER_METHOD_NOT_SUPPORTED);
}

static void a_boot_ends_all_settings(void **state)
{
    (void)state;
    assert_int_equal(change_field(PAOS, "admin_status", 2), OK);
    assert_int_equal(change_field(PMTU, "admin_mtu", 1522), OK);
    assert_int_equal(change_field(PTYS, "ext_eth_proto_admin", 1u << 6), OK);
    assert_int_equal(dpk_device_reset(dev, NULL), DPK_OK);
    assert_int_equal(read_register(PAOS), OK);
    assert_int_equal(field(PAOS, "admin_status"), 1);
    assert_int_equal(read_register(PMTU), OK);
    assert_int_equal(field(PMTU, "oper_mtu"), 9238);
    assert_int_equal(read_register(PTYS), OK);
    assert_int_equal(field(PTYS, "data_rate_oper"), 1000);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_registers, close_registers)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_port_goes_down_and_up),
        CASE(a_state_changes_only_if_that_is_asked),
        CASE(a_module_is_disabled_and_reset),
        CASE(a_port_has_the_speed_that_is_asked),
        CASE(an_mtu_has_limits),
        CASE(a_port_loops_without_a_wire),
        CASE(a_code_is_chosen_for_each_speed),
        CASE(the_other_end_of_a_cable_matters),
        CASE(only_the_own_port_is_set),
        CASE(a_boot_ends_all_settings),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
