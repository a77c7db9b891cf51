/* Programs of congestion control: their events, their results, and their errors. */
#include "pcc_world.h"

#include <sys/stat.h>

static struct dpk_pcc_event event_of(enum dpk_pcc_type type)
{
    return (struct dpk_pcc_event){.type = type, .flow = 7, .time_ns = 12000};
}

/* Gives one event in a mode, and returns what comes of it. */
static enum dpk_status try_mode(struct dpk_pcc *pcc, uint32_t mode, struct dpk_pcc_result *result,
                                struct dpk_error *err)
{
    struct dpk_pcc_context flow = {{0}};
    const struct dpk_pcc_event e = event_of(DPK_PCC_CNP);
    pcc_set(pcc, MODE, mode);
    return dpk_pcc_event(pcc, 0, &flow, &e, result, err);
}

/* ---- Opening ---- */

static void a_program_says_its_role(void **state)
{
    enum dpk_pcc_role role = DPK_PCC_NP;
    struct dpk_image *rp = pcc_image("rp"), *np = pcc_image("np"), *other = kernels_image();
    (void)state;
    assert_true(dpk_pcc_is_program(rp, &role));
    assert_int_equal(role, DPK_PCC_RP);
    assert_true(dpk_pcc_is_program(np, &role));
    assert_int_equal(role, DPK_PCC_NP);
    assert_false(dpk_pcc_is_program(other, &role));
    dpk_image_free(rp);
    dpk_image_free(np);
    dpk_image_free(other);
}

static void opening_refuses(const char *program, struct dpk_pcc_options o, enum dpk_status expected,
                            const char *text)
{
    struct dpk_pcc *pcc = NULL;
    struct dpk_error err = {0};
    assert_int_equal(pcc_try(program, o, NULL, &pcc, &err), expected);
    assert_null(pcc);
    if (!strstr(err.message, text))
        fail_msg("\"%s\" has no \"%s\"", err.message, text);
}

static void what_cannot_run_is_refused(void **state)
{
    (void)state;
    opening_refuses("np", (struct dpk_pcc_options){0}, DPK_ERR_NOT_FOUND, "-ldoca_pcc_dev");
    opening_refuses("rp", (struct dpk_pcc_options){.role = DPK_PCC_NP}, DPK_ERR_NOT_FOUND,
                    "-ldoca_pcc_np_dev");
    opening_refuses("rp", (struct dpk_pcc_options){.threads = 257}, DPK_ERR_RANGE, "1 to 256");
    opening_refuses("rp", (struct dpk_pcc_options){.ports = 9}, DPK_ERR_RANGE, "1 to 8");
    opening_refuses("init_faults", (struct dpk_pcc_options){0}, DPK_ERR_FAULT,
                    "doca_pcc_dev_user_init: thread 1: store access fault at address 0x8");
    opening_refuses("bad_tables", (struct dpk_pcc_options){0}, DPK_ERR_FORMAT, "algorithm 0");
    opening_refuses("bad_layout", (struct dpk_pcc_options){0}, DPK_ERR_FORMAT,
                    "does not say which events it reads");
}

static void initialization_sees_all_ports(void **state)
{
    struct pcc_world w = {0};
    struct dpk_pcc *pcc =
        pcc_open("rp", (struct dpk_pcc_options){.threads = 3, .ports = 2, .speed_gbps = 400}, &w);
    (void)state;
    assert_string_equal(w.printed, "doca_pcc_dev_user_init: 0\n");
    assert_int_equal(pcc_ask(pcc, ASK_SEEN, SEEN_BAD, 0), 0);
    assert_int_equal(pcc_ask(pcc, ASK_SEEN, SEEN_PORTS, 0), 3);
    assert_int_equal(pcc_ask(pcc, ASK_PORTS, 0, 0), 3);
    assert_int_equal(pcc_ask(pcc, ASK_SPEED, 1, 0), 400);
    assert_int_equal(pcc_ask(pcc, ASK_SPEED, 2, 0), 0);
    assert_int_equal(pcc_ask(pcc, ASK_SPEED, 1000, 0), 0);
    assert_int_equal(pcc_ask(pcc, ASK_PLANES, 0, 0), 1);
    assert_int_equal(pcc_ask(pcc, ASK_PLANES, 2, 0), 0);
    assert_int_equal(pcc_ask(pcc, ASK_RANK, 0, 0), 3); /* after those of events */
    dpk_pcc_close(pcc);
}

static void algorithms_keep_to_what_they_declared(void **state)
{
    struct pcc_world w = {0};
    struct dpk_pcc *pcc = pcc_open("declares", (struct dpk_pcc_options){0}, &w);
    (void)state;
    assert_string_equal(w.printed, "doca_pcc_dev_user_init: 0\n");
    dpk_pcc_close(pcc);
}

/* ---- Events ---- */

static void an_event_sets_a_rate_and_keeps_the_context(void **state)
{
    struct pcc_world w = {0};
    struct dpk_pcc *pcc = pcc_open("rp", (struct dpk_pcc_options){0}, &w);
    struct dpk_pcc_context flow = {{0}};
    struct dpk_pcc_result result = {.rate = DPK_PCC_RATE_MAX};
    const struct dpk_pcc_event e = event_of(DPK_PCC_TX);
    struct dpk_error err = {0};
    uint32_t data[12];
    (void)state;
    assert_int_equal(dpk_pcc_event(pcc, 0, &flow, &e, &result, &err), DPK_OK);
    assert_int_equal(result.rate, 1000);
    assert_true(result.rtt_request && result.handled);
    assert_int_equal(result.probe_slot, 3);
    const uint32_t instructions = result.instructions;
    assert_true(instructions > 10 && instructions < 1000);
    assert_int_equal(dpk_pcc_event(pcc, 0, &flow, &e, &result, &err), DPK_OK);
    assert_false(result.rtt_request);
    assert_true(result.instructions - instructions < 10);
    memcpy(data, flow.bytes, sizeof data);
    assert_int_equal(data[0], 2);
    assert_int_equal(data[11], 7);

    pcc_set(pcc, MODE, MODE_KEEP);
    result.rate = 1234;
    assert_int_equal(dpk_pcc_event(pcc, 0, &flow, &e, &result, &err), DPK_OK);
    assert_int_equal(result.rate, 1234);
    dpk_pcc_close(pcc);
}

static void events_that_are_masked_out_do_not_run(void **state)
{
    struct dpk_pcc *pcc = pcc_open("rp", (struct dpk_pcc_options){0}, NULL);
    struct dpk_pcc_context flow = {{0}};
    struct dpk_pcc_result result = {.rate = 55, .handled = true};
    const struct dpk_pcc_event e = event_of(DPK_PCC_ACK);
    struct dpk_pcc_stats stats;
    (void)state;
    assert_int_equal(dpk_pcc_event(pcc, 0, &flow, &e, &result, NULL), DPK_OK);
    assert_false(result.handled);
    assert_int_equal(result.rate, 55);
    dpk_pcc_stats(pcc, &stats);
    assert_int_equal(stats.events, 0);
    assert_int_equal(stats.masked, 1);
    dpk_pcc_close(pcc);
}

static void check_seen(struct dpk_pcc *pcc, const struct dpk_pcc_event *e, const uint64_t *expected,
                       unsigned from, unsigned count)
{
    struct dpk_pcc_context flow = {{0}};
    struct dpk_pcc_result result = {.rate = 4321};
    struct dpk_error err = {0};
    if (dpk_pcc_event(pcc, 0, &flow, e, &result, &err) != DPK_OK)
        fail_msg("%s", err.message);
    for (unsigned i = 0; i < count; i++)
        if (pcc_ask(pcc, ASK_SEEN, SEEN_EVENT + from + i, 0) != expected[i])
            fail_msg("type %u, number %u: 0x%lx is not 0x%lx", (unsigned)e->type, from + i,
                     (unsigned long)pcc_ask(pcc, ASK_SEEN, SEEN_EVENT + from + i, 0),
                     (unsigned long)expected[i]);
}

/* `size`: bytes of an event, `results`: of a result. A ConnectX-8 has more in its events than a
 * BlueField-3: the hop limit, the queue pair of each event, and more about the peer. */
static void check_accessors(const char *program, bool cx8, size_t size, size_t results)
{
    struct pcc_world w = {0};
    struct dpk_pcc *pcc = pcc_open(program, (struct dpk_pcc_options){.ports = 2}, &w);
    struct dpk_error err = {0};
    assert_int_equal(dpk_pcc_set_parameter(pcc, 1, SLOT, MODE, MODE_LOOK, &err), DPK_OK);
    struct dpk_pcc_event e = {.port = 1,
                              .flow = 0x12345678,
                              .serial = 0xabcdef,
                              .qp = 0x99,
                              .time_ns = UINT64_C(0x123456789a),
                              .first_time_ns = UINT64_C(0x9876543210),
                              .hop_limit = 64};
    const uint64_t sub = DPK_PCC_NACK_OOS;
    e.type = DPK_PCC_TX;
    e.flags = DPK_PCC_TX_ACK_EXPECTED | DPK_PCC_TX_RTT_REQ_SENT;
    e.bytes = 65; /* 3 units */
    e.packets = 0x10002;
    check_seen(pcc, &e,
               (uint64_t[]){3, 0, 1, 5, 0x12345678, 0xabcdef, 0x3456789a, cx8 ? 64 : 0, 0x99, SLOT,
                            4321, 0x76543210, 3, 2},
               0, 14);
    check_seen(pcc, &e, (uint64_t[]){size, results, 0xabcdef}, 26, 3);
    e.type = DPK_PCC_NACK;
    e.subtype = DPK_PCC_NACK_OOS;
    e.flags = 0;
    e.first_serial = 0x777;
    e.coalesced = 9;
    check_seen(pcc, &e, (uint64_t[]){5, sub, 1, 0}, 0, 4);
    check_seen(pcc, &e, (uint64_t[]){0x777, 9}, 14, 2);
    if (cx8)
        check_seen(pcc, &e, (uint64_t[]){64, 0x99}, 7, 2);
    e.type = DPK_PCC_RTT;
    e.request_sent_ns = UINT64_C(0x500000011);
    e.request_received_ns = 0x22;
    e.response_sent_ns = 0x33;
    e.np_received = 4;
    e.np_port_type = 5;
    if (cx8) /* steps of 16 ns; the port's type is in the lowest bits */
        check_seen(pcc, &e, (uint64_t[]){0x10, 0x25, 0x30, 4, 1, 5, 12}, 16, 7);
    else
        check_seen(pcc, &e, (uint64_t[]){0x11, 0x22, 0x33, 0, 0, 0, 12}, 16, 7);
    e.raw_size = 12;
    memcpy(e.raw, "\1\2\3\4\5\6\7\10", 8);
    check_seen(pcc, &e, (uint64_t[]){0x01020304}, 16, 1); /* the answer takes the times' place */
    check_seen(pcc, &e, (uint64_t[]){UINT64_C(0x0807060504030201)}, 23, 1);
    e.type = DPK_PCC_FW;
    e.fw[0] = 0xf0;
    e.fw[2] = 0xf2;
    check_seen(pcc, &e, (uint64_t[]){0xf0, 0xf2}, 24, 2);
    dpk_pcc_close(pcc);
}

static void each_accessor_gives_what_the_event_has(void **state)
{
    (void)state;
    check_accessors("rp", false, 44, 20);
}

static void events_of_doca_2_5_are_shorter(void **state)
{
    (void)state;
    check_accessors("rp_2_5", false, 32, 8);
}

static void events_of_a_connectx_8_tell_more(void **state)
{
    (void)state;
    check_accessors("rp_cx8", true, 44, 20);
}

static void events_out_of_range_are_refused(void **state)
{
    struct dpk_pcc *pcc = pcc_open("rp", (struct dpk_pcc_options){.threads = 2}, NULL);
    struct dpk_pcc *np = pcc_open("np", (struct dpk_pcc_options){.role = DPK_PCC_NP}, NULL);
    struct dpk_pcc_context flow = {{0}};
    struct dpk_pcc_result result = {0};
    struct dpk_pcc_event e = event_of(DPK_PCC_TX), wrong = e;
    (void)state;
    assert_int_equal(dpk_pcc_event(pcc, 2, &flow, &e, &result, NULL), DPK_ERR_RANGE);
    assert_int_equal(dpk_pcc_event(np, 0, &flow, &e, &result, NULL), DPK_ERR_RANGE);
    wrong.port = 1;
    assert_int_equal(dpk_pcc_event(pcc, 0, &flow, &wrong, &result, NULL), DPK_ERR_RANGE);
    wrong = e;
    wrong.raw_size = DPK_PCC_RAW_MAX + 1;
    assert_int_equal(dpk_pcc_event(pcc, 0, &flow, &wrong, &result, NULL), DPK_ERR_RANGE);
    wrong = e;
    wrong.type = 32;
    assert_int_equal(dpk_pcc_event(pcc, 0, &flow, &wrong, &result, NULL), DPK_ERR_RANGE);
    dpk_pcc_close(pcc);
    dpk_pcc_close(np);
}

/* ---- What goes wrong ---- */

static void garbage_is_told_and_the_next_event_goes_on(void **state)
{
    struct dpk_pcc *pcc = pcc_open("rp", (struct dpk_pcc_options){0}, NULL);
    struct dpk_pcc_result result = {0};
    struct dpk_error err = {0};
    (void)state;
    pcc_set(pcc, RATE, 0);
    assert_int_equal(try_mode(pcc, MODE_SET, &result, &err), DPK_ERR_FORMAT);
    assert_string_equal(err.message,
                        "event 1 of thread 0, CNP of flow 7 at 12000 ns: the algorithm "
                        "sets a rate of 0");
    pcc_set(pcc, RATE, DPK_PCC_RATE_MAX + 1);
    assert_int_equal(try_mode(pcc, MODE_SET, &result, &err), DPK_ERR_FORMAT);
    assert_string_equal(err.message,
                        "event 2 of thread 0, CNP of flow 7 at 12000 ns: the algorithm "
                        "sets a rate of 0x100001, above the line rate 0x100000");
    assert_int_equal(result.rate, DPK_PCC_RATE_MAX + 1);
    pcc_set(pcc, RATE, DPK_PCC_RATE_MAX);
    assert_int_equal(try_mode(pcc, MODE_SET, &result, &err), DPK_OK);
    dpk_pcc_close(pcc);
}

static void fails_with(uint32_t mode, enum dpk_status expected, const char *text)
{
    struct dpk_pcc *pcc = pcc_open("rp", (struct dpk_pcc_options){.instructions = 50000}, NULL);
    struct dpk_pcc_result result = {.rate = 3};
    struct dpk_error err = {0};
    char path[] = "/tmp/pcc-core-XXXXXX", mode_text[300];
    assert_int_equal(try_mode(pcc, MODE_KEEP, &result, &err), DPK_OK);
    assert_int_equal(try_mode(pcc, mode, &result, &err), expected);
    snprintf(mode_text, sizeof mode_text,
             "event 2 of thread 0, CNP of flow 7 at 12000 ns: thread 0: %s", text);
    if (strncmp(err.message, mode_text, strlen(mode_text)) != 0)
        fail_msg("mode %u: %s", mode, err.message);
    assert_int_equal(result.rate, 3);
    /* No event follows, and the process can be looked at. */
    struct dpk_pcc_context flow = {{0}};
    const struct dpk_pcc_event e = event_of(DPK_PCC_CNP);
    assert_int_equal(dpk_pcc_event(pcc, 0, &flow, &e, &result, &err), expected);
    assert_int_equal(dpk_process_state(dpk_pcc_process(pcc), &err), expected);
    struct stat core;
    close(mkstemp(path));
    assert_int_equal(dpk_process_core(dpk_pcc_process(pcc), path, &err), DPK_OK);
    assert_true(stat(path, &core) == 0 && core.st_size > 4096);
    unlink(path);
    dpk_pcc_close(pcc);
}

static void a_failure_names_its_event(void **state)
{
    (void)state;
    fails_with(MODE_FAULT, DPK_ERR_FAULT, "store access fault at address 0x8");
    fails_with(MODE_LOOP, DPK_ERR_TIMEOUT, "one call takes more than 50000 instructions");
    fails_with(MODE_WAIT, DPK_ERR_FAULT, "bad event handle 0x1");
    fails_with(MODE_END, DPK_ERR_FAULT, "the program ended its process");
    fails_with(MODE_BAD_CALL, DPK_ERR_FAULT, "no such call of congestion control, call 0x3c8");
}

static void a_write_beside_the_context_is_a_fault(void **state)
{
    (void)state;
    static const struct {
        uint32_t mode, word;
        const char *text;
    } cases[] = {{MODE_BEYOND, 0, "the algorithm wrote at byte 48 of the flow's context"},
                 {MODE_BEYOND, 3, "the algorithm wrote at byte 60 of the flow's context"},
                 {MODE_BEYOND, 51, "the algorithm wrote at byte 252 of the flow's context"},
                 {MODE_BEFORE, 0, "the algorithm wrote 4 bytes before the flow's context"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dpk_pcc *pcc = pcc_open("rp", (struct dpk_pcc_options){0}, NULL);
        struct dpk_pcc_result result = {.rate = 3};
        struct dpk_error err = {0};
        pcc_set(pcc, RATE, cases[i].word);
        assert_int_equal(try_mode(pcc, MODE_KEEP, &result, &err), DPK_OK);
        assert_int_equal(try_mode(pcc, cases[i].mode, &result, &err), DPK_ERR_FAULT);
        if (!strstr(err.message, "event 2 of thread 0, CNP of flow 7 at 12000 ns: ") ||
            !strstr(err.message, cases[i].text))
            fail_msg("%s", err.message);
        assert_int_equal(result.rate, 3);
        assert_int_equal(try_mode(pcc, MODE_KEEP, &result, &err), DPK_ERR_FAULT);
        dpk_pcc_close(pcc);
    }
}

/* ---- Services ---- */

static void messages_traces_and_time_are_the_callers(void **state)
{
    struct pcc_world w = {.now = 5000};
    struct dpk_pcc *pcc = pcc_open("rp", (struct dpk_pcc_options){0}, &w);
    struct dpk_pcc_result result = {.rate = 1};
    struct dpk_error err = {0};
    (void)state;
    assert_int_equal(try_mode(pcc, MODE_PRINT, &result, &err), DPK_OK);
    assert_string_equal(w.printed, "flow 7\n");
    assert_int_equal(w.traced[0], 7);
    assert_int_equal(w.traced[1], 1);
    assert_int_equal(w.traced[5], UINT64_C(1) << 40);
    assert_int_equal(w.flushed, 1);
    w.now = UINT64_C(0x123456789) * 1000 + 999;
    assert_int_equal(pcc_ask(pcc, ASK_TIMER, 0, 0), UINT64_C(0x123456789));
    assert_int_equal(pcc_ask(pcc, ASK_THREAD_TIME, 0, 0), UINT64_C(0x123456789));
    assert_int_equal(pcc_ask(pcc, ASK_TIMER_LO, 0, 0), 0x23456789);
    assert_int_equal(pcc_ask(pcc, ASK_COUNTERS, 0, 0), 1 | 2 << 16);
    assert_int_equal(w.counted, 4); /* two, by the names of older and of later releases */
    assert_int_equal(pcc_ask(pcc, ASK_COUNTERS, 5, 0), 0); /* there is no such port */
    assert_int_equal(pcc_ask(pcc, ASK_HEADER, 0, 0), 1);
    dpk_pcc_close(pcc);
}

static void fixed_point_is_exact(void **state)
{
    static const struct {
        uint64_t what, a, b, is;
    } cases[] = {
        {ASK_MULT, 0xffffffff, 0xffffffff, UINT64_C(0xfffffffe00000001)},
        {ASK_FXP_MULT, 3 << 16, 1 << 15, 3 << 15},
        {ASK_FXP_MULT, 0xffffffff, 0x10000, 0xffffffff},
        {ASK_FXP_MULT, 0xffffffff, 0x20000, 0xfffffffe},
        {ASK_FXP_MULT, 58982, 1 << 20, 58982 << 4},
        {ASK_RECIP, 1 << 16, 0, 1 << 16},
        {ASK_RECIP, 2 << 16, 0, 1 << 15},
        {ASK_RECIP, 3 << 16, 0, 21845},
        {ASK_RECIP, 0, 0, 0x7fffffff},
        {ASK_POWER2, 0, 0, 1 << 16},
        {ASK_POWER2, 3 << 16, 0, 8 << 16},
        {ASK_POWER2, 1 << 15, 0, 92682},
        {ASK_LOG2, 1, 0, 0},
        {ASK_LOG2, 1024, 0, 10 << 16},
        {ASK_LOG2, 3, 0, 103872},
        {ASK_LOG2, 0, 0, 0x80000000},
        {ASK_FLS, 1, 0, 1},
        {ASK_FLS, 0x80000000, 0, 32},
        {ASK_FLS, 0x0f, 0, 4},
    };
    struct dpk_pcc *pcc = pcc_open("rp", (struct dpk_pcc_options){0}, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (pcc_ask(pcc, cases[i].what, cases[i].a, cases[i].b) != cases[i].is)
            fail_msg("case %zu: 0x%lx is not 0x%lx", i,
                     (unsigned long)pcc_ask(pcc, cases[i].what, cases[i].a, cases[i].b),
                     (unsigned long)cases[i].is);
    dpk_pcc_close(pcc);
}

static void the_mailbox_tells_what_went_wrong(void **state)
{
    struct dpk_pcc *pcc = pcc_open("rp", (struct dpk_pcc_options){0}, NULL);
    struct dpk_pcc *np = pcc_open("np", (struct dpk_pcc_options){.role = DPK_PCC_NP}, NULL);
    const uint64_t too_much[3] = {ASK_TOO_MUCH}, faults[3] = {ASK_FAULT};
    uint64_t response;
    size_t size = sizeof response;
    uint32_t returned = 0;
    struct dpk_error err = {0};
    (void)state;
    assert_int_equal(dpk_pcc_mailbox(pcc, too_much, 8, &response, &size, &returned, &err), DPK_OK);
    assert_int_equal(returned, 1);
    assert_int_equal(size, 0);
    size = sizeof response;
    assert_int_equal(dpk_pcc_mailbox(pcc, too_much, 24, &response, &size, &returned, &err),
                     DPK_ERR_FORMAT);
    size = sizeof response;
    assert_int_equal(dpk_pcc_mailbox(np, too_much, 24, &response, &size, &returned, &err),
                     DPK_ERR_UNSUPPORTED);
    assert_int_equal(dpk_pcc_mailbox(pcc, faults, 24, &response, &size, &returned, &err),
                     DPK_ERR_FAULT);
    dpk_pcc_close(pcc);
    dpk_pcc_close(np);
}

/* ---- Algorithms ---- */

static void algorithms_have_names_and_ranges(void **state)
{
    struct dpk_pcc *pcc = pcc_open("rp", (struct dpk_pcc_options){0}, NULL);
    struct dpk_pcc_algorithm a;
    struct dpk_pcc_value v;
    (void)state;
    assert_false(dpk_pcc_algorithm(pcc, 0, 0, &a));
    assert_false(dpk_pcc_algorithm(pcc, 1, SLOT, &a)); /* there is one port */
    assert_true(dpk_pcc_algorithm(pcc, 0, SLOT, &a));
    assert_string_equal(a.name, "modes, for tests");
    assert_int_equal(a.index, 1);
    assert_int_equal(a.id, 0xBFFF);
    assert_int_equal(a.major, 3);
    assert_int_equal(a.minor, 4);
    assert_true(a.enabled);
    assert_int_equal(a.parameters, 4);
    assert_int_equal(a.counters, 2);
    assert_true(dpk_pcc_parameter(pcc, 0, SLOT, RATE, &v));
    assert_string_equal(v.name, "RATE");
    assert_string_equal(v.description, "what it sets");
    assert_int_equal(v.value, 1000);
    assert_int_equal(v.maximum, 0xffffffff);
    assert_true(v.writable);
    assert_true(dpk_pcc_parameter(pcc, 0, SLOT, FIXED, &v));
    assert_string_equal(v.name, "no name?");
    assert_false(v.writable);
    assert_true(dpk_pcc_parameter(pcc, 0, SLOT, 3, &v));
    assert_string_equal(v.name, "PARAM_3");
    assert_false(dpk_pcc_parameter(pcc, 0, SLOT, 4, &v));
    assert_true(dpk_pcc_counter(pcc, 0, SLOT, 0, &v));
    assert_string_equal(v.name, "EVENTS");
    assert_int_equal(v.maximum, 77);
    assert_false(dpk_pcc_counter(pcc, 0, SLOT, 2, &v));
    assert_int_equal(dpk_pcc_find_parameter(pcc, 0, SLOT, "rate"), RATE);
    assert_int_equal(dpk_pcc_find_parameter(pcc, 0, SLOT, "nothing"), -1);
    assert_int_equal(pcc_ask(pcc, ASK_INDEX, 0, SLOT), 1);
    assert_int_equal(pcc_ask(pcc, ASK_INDEX, 0, 0), 15);
    assert_int_equal(pcc_ask(pcc, ASK_PARAMS_NUM, 0, SLOT), 4);
    assert_int_equal(pcc_ask(pcc, ASK_COUNTERS_NUM, 0, SLOT), 2);
    assert_int_equal(pcc_ask(pcc, ASK_PARAMS_NUM, 99, SLOT), 0);
    assert_int_equal(pcc_ask(pcc, ASK_HAS_PARAMS, 0, SLOT), 1);
    assert_int_equal(pcc_ask(pcc, ASK_HAS_COUNTERS, 0, 1 << 16 | SLOT), 0);
    dpk_pcc_close(pcc);
}

static void parameters_are_set_when_all_agree(void **state)
{
    struct dpk_pcc *pcc = pcc_open("rp", (struct dpk_pcc_options){0}, NULL);
    struct dpk_pcc_value v;
    struct dpk_error err = {0};
    (void)state;
    pcc_set(pcc, RATE, 77);
    assert_true(dpk_pcc_parameter(pcc, 0, SLOT, RATE, &v));
    assert_int_equal(v.value, 77);
    assert_int_equal(v.initial, 1000);
    const uint64_t told[] = {0, SLOT, RATE, 1, 1};
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(pcc_ask(pcc, ASK_SEEN, SEEN_SET + i, 0), told[i]);
    assert_int_equal(dpk_pcc_set_parameter(pcc, 0, SLOT, RATE, REFUSED, &err), DPK_ERR_REFUSED);
    assert_int_equal(dpk_pcc_set_parameter(pcc, 0, SLOT, MODE, 101, &err), DPK_ERR_RANGE);
    assert_string_equal(err.message, "parameter MODE is 0 to 100, not 101");
    assert_int_equal(dpk_pcc_set_parameter(pcc, 0, SLOT, FIXED, 5, &err), DPK_ERR_REFUSED);
    assert_int_equal(dpk_pcc_set_parameter(pcc, 0, SLOT, 4, 5, &err), DPK_ERR_NOT_FOUND);
    assert_true(dpk_pcc_parameter(pcc, 0, SLOT, RATE, &v));
    assert_int_equal(v.value, 77);
    dpk_pcc_close(pcc);
}

static void check_librarys_own(const char *program)
{
    struct dpk_pcc *pcc = pcc_open(program, (struct dpk_pcc_options){0}, NULL);
    struct dpk_pcc_context flow = {{0}};
    struct dpk_pcc_result result = {.rate = DPK_PCC_RATE_MAX};
    struct dpk_pcc_event e = event_of(DPK_PCC_CNP);
    struct dpk_error err = {0};
    assert_int_equal(dpk_pcc_enable(pcc, 0, 0, true, &err), DPK_ERR_NOT_FOUND);
    assert_int_equal(dpk_pcc_enable(pcc, 0, SLOT, false, &err), DPK_OK);
    assert_int_equal(dpk_pcc_event(pcc, 0, &flow, &e, &result, &err), DPK_OK);
    assert_int_equal(result.rate, DPK_PCC_RATE_MAX * 7 / 8);
    e.type = DPK_PCC_TX;
    assert_int_equal(dpk_pcc_event(pcc, 0, &flow, &e, &result, &err), DPK_OK);
    assert_int_equal(result.rate, DPK_PCC_RATE_MAX * 7 / 8 + 1024);
    dpk_pcc_close(pcc);
}

static void without_an_algorithm_the_librarys_own_runs(void **state)
{
    (void)state;
    check_librarys_own("rp");
    check_librarys_own("rp_2_5");
}

/* ---- Threads ---- */

struct runner {
    pthread_t thread;
    struct dpk_pcc *pcc;
    unsigned number, good;
};

static void *run_events(void *context)
{
    struct runner *r = context;
    struct dpk_pcc_context flow = {{0}};
    const struct dpk_pcc_event e = {.type = DPK_PCC_TX, .flow = r->number};
    for (unsigned i = 0; i < 20000; i++) {
        struct dpk_pcc_result result = {.rate = r->number + 1};
        uint32_t data[12];
        if (dpk_pcc_event(r->pcc, r->number, &flow, &e, &result, NULL) != DPK_OK)
            break;
        memcpy(data, flow.bytes, sizeof data);
        r->good += result.rate == r->number + 1 && data[0] == i + 1 && data[11] == r->number;
    }
    return NULL;
}

static void threads_run_at_once(void **state)
{
    struct pcc_world w = {0};
    struct runner r[4];
    struct dpk_pcc *pcc = pcc_open("rp", (struct dpk_pcc_options){.threads = 4}, &w);
    struct dpk_pcc_stats stats;
    (void)state;
    pcc_set(pcc, MODE, MODE_KEEP);
    for (unsigned i = 0; i < 4; i++) {
        r[i] = (struct runner){.pcc = pcc, .number = i};
        assert_int_equal(pthread_create(&r[i].thread, NULL, run_events, &r[i]), 0);
    }
    for (unsigned i = 0; i < 50; i++)
        assert_int_equal(pcc_ask(pcc, ASK_RANK, 0, 0), 4); /* meanwhile */
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(r[i].thread, NULL);
        assert_int_equal(r[i].good, 20000);
    }
    dpk_pcc_stats(pcc, &stats);
    assert_int_equal(stats.events, 80000);
    assert_true(stats.longest > 10 && stats.instructions <= stats.events * stats.longest);
    dpk_pcc_close(pcc);
}

static void a_debugger_holds_events_back(void **state)
{
    struct dpk_pcc *pcc = pcc_open("rp", (struct dpk_pcc_options){.threads = 1}, NULL);
    struct dpk_debugger *d = NULL;
    struct runner r = {.pcc = pcc};
    struct dpk_error err = {0};
    (void)state;
    pcc_set(pcc, MODE, MODE_KEEP);
    assert_int_equal(pthread_create(&r.thread, NULL, run_events, &r), 0);
    usleep(2000);
    assert_int_equal(dpk_debugger_create(dpk_pcc_process(pcc), &d, &err), DPK_OK);
    dpk_debugger_detach(d);
    dpk_debugger_destroy(d);
    pthread_join(r.thread, NULL);
    assert_int_equal(r.good, 20000);
    dpk_pcc_close(pcc);
}

/* ---- Packets ---- */

static void a_packet_is_seen_as_it_came(void **state)
{
    struct dpk_pcc *np =
        pcc_open("np", (struct dpk_pcc_options){.role = DPK_PCC_NP, .ports = 4}, NULL);
    uint8_t packet[100] = {[0] = 0xee, [34] = 0x44, [42] = 0, [43] = 0x77};
    struct dpk_pcc_request q = {.packet = packet,
                                .size = sizeof packet,
                                .l4 = 34,
                                .payload = 42,
                                .port = 3,
                                .plane = 1,
                                .slot = 2,
                                .has_vlan = true,
                                .vlan_tci = 0x1234};
    const uint16_t expected[] = {100, 66, 58, 0xee, 0x44, 0x77, 3, 1, 2, 1, 0x1234, 1, 32};
    struct dpk_pcc_response response;
    struct dpk_error err = {0};
    (void)state;
    if (dpk_pcc_packet(np, 0, &q, &response, &err) != DPK_OK)
        fail_msg("%s", err.message);
    assert_true(response.send);
    assert_int_equal(response.size, sizeof expected);
    assert_memory_equal(response.data, expected, sizeof expected);
    assert_int_equal(response.priority, 5);
    packet[42] = 1;
    assert_int_equal(dpk_pcc_packet(np, 0, &q, &response, &err), DPK_OK);
    assert_false(response.send);
    packet[42] = 2;
    assert_int_equal(dpk_pcc_packet(np, 0, &q, &response, &err), DPK_ERR_FORMAT);
    q.payload = 101;
    assert_int_equal(dpk_pcc_packet(np, 0, &q, &response, &err), DPK_ERR_RANGE);
    q.payload = 42;
    assert_int_equal(dpk_pcc_packet(np, 1, &q, &response, &err), DPK_ERR_RANGE);
    packet[42] = 3;
    assert_int_equal(dpk_pcc_packet(np, 0, &q, &response, &err), DPK_ERR_FAULT);
    assert_non_null(
        strstr(err.message, "packet 4 of thread 0, 100 bytes on port 3: thread 0: store"));
    dpk_pcc_close(np);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_says_its_role),
        cmocka_unit_test(what_cannot_run_is_refused),
        cmocka_unit_test(initialization_sees_all_ports),
        cmocka_unit_test(algorithms_keep_to_what_they_declared),
        cmocka_unit_test(an_event_sets_a_rate_and_keeps_the_context),
        cmocka_unit_test(events_that_are_masked_out_do_not_run),
        cmocka_unit_test(each_accessor_gives_what_the_event_has),
        cmocka_unit_test(events_of_doca_2_5_are_shorter),
        cmocka_unit_test(events_of_a_connectx_8_tell_more),
        cmocka_unit_test(events_out_of_range_are_refused),
        cmocka_unit_test(garbage_is_told_and_the_next_event_goes_on),
        cmocka_unit_test(a_failure_names_its_event),
        cmocka_unit_test(a_write_beside_the_context_is_a_fault),
        cmocka_unit_test(messages_traces_and_time_are_the_callers),
        cmocka_unit_test(fixed_point_is_exact),
        cmocka_unit_test(the_mailbox_tells_what_went_wrong),
        cmocka_unit_test(algorithms_have_names_and_ranges),
        cmocka_unit_test(parameters_are_set_when_all_agree),
        cmocka_unit_test(without_an_algorithm_the_librarys_own_runs),
        cmocka_unit_test(threads_run_at_once),
        cmocka_unit_test(a_debugger_holds_events_back),
        cmocka_unit_test(a_packet_is_seen_as_it_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
