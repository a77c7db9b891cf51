/* Settings of a device's port: processes share them, they end at a boot, and wires obey them. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire_open.h"

static char folder[] = "/tmp/dpk-port-XXXXXX";
static char here[64], there[64]; /* directories of two devices */

static int make_folder(void **state)
{
    (void)state;
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    if (!mkdtemp(folder))
        return 1;
    snprintf(here, sizeof here, "%s/mlx5_0", folder);
    snprintf(there, sizeof there, "%s/mlx5_1", folder);
    return mkdir(here, 0700) != 0 || mkdir(there, 0700) != 0;
}

static int remove_folder(void **state)
{
    static const char *const files[] = {"port", "sent.pcap"};
    char path[96];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", here, files[i]);
        unlink(path);
        snprintf(path, sizeof path, "%s/%s", there, files[i]);
        unlink(path);
    }
    return rmdir(here) != 0 || rmdir(there) != 0 || rmdir(folder) != 0;
}

static struct dpk_port *port_of(const char *directory, const char *wire)
{
    struct dpk_port *port = NULL;
    assert_int_equal(dpk_port_open(directory, wire, &port, NULL), DPK_OK);
    return port;
}

static void processes_share_settings_until_a_boot(void **state)
{
    (void)state;
    struct dpk_port *port = port_of(here, NULL);
    int status = 0;
    assert_int_equal(dpk_port_get(port, DPK_PORT_STORED), 0);
    const pid_t child = fork();
    if (child == 0) {
        struct dpk_port *other = port_of(here, NULL);
        dpk_port_set(other, DPK_PORT_STORED, UINT64_MAX);
        dpk_port_set(other, DPK_PORT_ADMIN, DPK_PORT_DOWN);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(dpk_port_get(port, DPK_PORT_STORED), UINT64_MAX);
    assert_false(dpk_port_is_enabled(port));
    assert_int_equal(dpk_port_reset(here, NULL), DPK_OK);
    assert_int_equal(dpk_port_get(port, DPK_PORT_STORED), 0);
    assert_true(dpk_port_is_enabled(port));
    dpk_port_close(port);
    assert_int_equal(dpk_port_reset(there, NULL), DPK_OK); /* it has no settings */
    assert_int_equal(dpk_port_look(there, NULL, &port, NULL), DPK_ERR_NOT_FOUND);
    assert_null(port);
    assert_int_equal(dpk_port_look(here, "dev:mlx5_1", &port, NULL), DPK_OK);
    assert_non_null(dpk_port_link(port));
    dpk_port_close(port);
    assert_int_equal(dpk_port_look(there, NULL, &port, NULL), DPK_ERR_NOT_FOUND); /* still */
}

static void a_link_that_is_taken_down_is_counted(void **state)
{
    (void)state;
    struct dpk_port *port = port_of(NULL, NULL);
    dpk_port_set(port, DPK_PORT_ADMIN, DPK_PORT_DOWN);
    dpk_port_set(port, DPK_PORT_MODULE, DPK_PORT_DOWN); /* it is down already */
    assert_int_equal(dpk_port_get(port, DPK_PORT_DOWNS), 1);
    dpk_port_set(port, DPK_PORT_ADMIN, DPK_PORT_UP);
    assert_null(dpk_port_link(port));
    dpk_port_set(port, DPK_PORT_MODULE, DPK_PORT_UP);
    assert_non_null(dpk_port_link(port));
    assert_int_equal(dpk_port_get(port, DPK_PORT_DOWNS), 1);
    dpk_port_close(port);
}

static void any_number_is_a_setting(void **state)
{
    (void)state;
    struct dpk_port *port = port_of(NULL, NULL);
    for (unsigned i = 0; i < DPK_PORT_SETTINGS; i++)
        dpk_port_set(port, i, UINT64_MAX - i);
    assert_true(dpk_port_is_enabled(port));
    assert_false(dpk_port_loops(port));
    assert_int_equal(dpk_port_mtu(port), DPK_PORT_MTU_MAX);
    assert_non_null(dpk_port_fastest(port));
    dpk_port_set(port, DPK_PORT_PROTOCOLS, 1u << 31); /* none that there is */
    assert_int_equal(dpk_port_offers(port), dpk_port_protocols(false));
    dpk_port_set(port, DPK_PORT_MTU, DPK_PORT_MTU_MIN - 1);
    assert_int_equal(dpk_port_mtu(port), DPK_PORT_MTU_MAX);
    dpk_port_close(port);
}

static void the_ends_of_a_cable_agree_on_a_speed(void **state)
{
    (void)state;
    struct dpk_port *port = port_of(here, "dev:mlx5_1"), *other = port_of(there, "dev:mlx5_0"),
                    *alone = port_of(here, "loop");
    assert_int_equal(dpk_port_link(port)->mbps, 100000);
    dpk_port_set(other, DPK_PORT_PROTOCOLS, 1u << 6 | 1u << 4); /* 25G, 10G */
    assert_int_equal(dpk_port_link(port)->mbps, 25000);
    assert_int_equal(dpk_port_link(other)->mbps, 25000);
    assert_int_equal(dpk_port_link(alone)->mbps, 100000);
    dpk_port_set(port, DPK_PORT_PROTOCOLS, 1u << 9);
    assert_null(dpk_port_link(port));
    assert_int_equal(dpk_port_way(port, 60), DPK_PORT_DROPS);
    dpk_port_set(other, DPK_PORT_PROTOCOLS, 0);
    assert_non_null(dpk_port_link(port));
    dpk_port_set(other, DPK_PORT_ADMIN, DPK_PORT_DOWN);
    assert_null(dpk_port_link(port));
    dpk_port_set(port, DPK_PORT_LOOPBACK, DPK_PORT_LOCAL); /* without the cable */
    assert_non_null(dpk_port_link(port));
    dpk_port_close(port);
    dpk_port_close(other);
    dpk_port_close(alone);
}

static void names_of_other_places_are_no_devices(void **state)
{
    (void)state;
    static const char *const names[] = {"dev:", "dev:..", "dev:../x", "dev:none", "switch:mlx5_1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct dpk_port *port = port_of(here, names[i]);
        assert_non_null(dpk_port_link(port));
        dpk_port_close(port);
    }
}

/* ---- Wires ---- */

struct sink {
    unsigned arrived, room;
};

static size_t arrive(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    struct sink *s = context;
    (void)frames, (void)waits;
    const size_t taken = count < s->room ? count : s->room;
    s->arrived += (unsigned)taken;
    return taken;
}

static void tell(void *context, bool detail, const char *text)
{
    (void)context, (void)detail, (void)text;
}

static struct dpk_wire *wire_of(const char *spec, struct sink *s, const struct dpk_port *port)
{
    const struct dpk_wire_sink sink = {
        .arrive = arrive, .tell = tell, .context = s, .port = port, .directory = here};
    return wire_open(spec, &sink);
}

static void wires_obey_the_settings_when_they_send(void **state)
{
    (void)state;
    static const uint8_t frame[DPK_FRAME_MAX];
    char spec[96];
    struct sink s = {.room = 64};
    struct dpk_port *port = port_of(here, NULL);
    snprintf(spec, sizeof spec, "pcap:,%s/sent.pcap", here);
    struct dpk_wire *wire = wire_of(spec, &s, port);
    assert_true(dpk_wire_send(wire, frame, sizeof frame));
    dpk_port_set(port, DPK_PORT_MTU, 1522);
    assert_true(dpk_wire_send(wire, frame, 1518));
    assert_true(dpk_wire_send(wire, frame, 1519));
    dpk_port_set(port, DPK_PORT_LOOPBACK, DPK_PORT_LOCAL);
    assert_false(dpk_wire_send(wire, frame, 60)); /* the caller takes it in */
    assert_true(dpk_wire_send(wire, frame, 1519));
    dpk_port_set(port, DPK_PORT_ADMIN, DPK_PORT_DOWN);
    assert_true(dpk_wire_send(wire, frame, 60));
    assert_int_equal(dpk_port_reset(here, NULL), DPK_OK);
    assert_true(dpk_wire_send(wire, frame, 1519));
    dpk_wire_flush(wire);
    const struct dpk_wire_counters c = counters(wire);
    assert_int_equal(c.sent, 3);
    assert_int_equal(c.sent_dropped[DPK_WIRE_TOO_LONG], 2);
    assert_int_equal(c.sent_dropped[DPK_WIRE_DOWN], 1);
    dpk_wire_close(wire);
    dpk_port_close(port);
}

/* Frames arrive from a wire that generates them, and all of them are offered or dropped. */
static struct dpk_wire_counters after_generating(const char *spec, struct sink *s,
                                                 const struct dpk_port *port)
{
    struct dpk_wire *wire = wire_of(spec, s, port);
    struct dpk_wire_counters c;
    assert_int_equal(dpk_wire_start(wire, NULL), DPK_OK);
    do {
        usleep(1000);
        c = counters(wire);
    } while (c.received + c.received_dropped[DPK_WIRE_DOWN] +
                 c.received_dropped[DPK_WIRE_TOO_LONG] <
             100);
    dpk_wire_close(wire);
    return c;
}

static void wires_obey_the_settings_when_frames_arrive(void **state)
{
    (void)state;
    struct sink s = {.room = 7}; /* frames wait for room */
    struct dpk_port *port = port_of(here, NULL);
    struct dpk_wire_counters c = after_generating("generate:100,1519,1", &s, port);
    assert_int_equal(c.received, 100);
    dpk_port_set(port, DPK_PORT_MTU, 1522);
    c = after_generating("generate:100,1519,1", &s, port);
    assert_int_equal(c.received_dropped[DPK_WIRE_TOO_LONG], 100);
    c = after_generating("generate:100,1518,1", &s, port);
    assert_int_equal(c.received, 100);
    dpk_port_set(port, DPK_PORT_LOOPBACK, DPK_PORT_LOCAL);
    c = after_generating("generate:100,60,1", &s, port);
    assert_int_equal(c.received_dropped[DPK_WIRE_DOWN], 100);
    dpk_port_set(port, DPK_PORT_LOOPBACK, 0);
    dpk_port_set(port, DPK_PORT_MODULE, DPK_PORT_DOWN);
    c = after_generating("generate:100,60,1", &s, port);
    assert_int_equal(c.received_dropped[DPK_WIRE_DOWN], 100);
    assert_int_equal(s.arrived, 200);
    dpk_port_close(port);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(processes_share_settings_until_a_boot),
        CASE(a_link_that_is_taken_down_is_counted),
        CASE(any_number_is_a_setting),
        CASE(the_ends_of_a_cable_agree_on_a_speed),
        CASE(names_of_other_places_are_no_devices),
        CASE(wires_obey_the_settings_when_they_send),
        CASE(wires_obey_the_settings_when_frames_arrive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
