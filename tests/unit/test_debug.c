/* debug: source lines, and the packets of GDB, from friends and others. */
#include "dpa.h"
#include "engine/debug/gdb.h"

/* ---- Lines ---- */

static void a_line_is_found_for_every_function_of_the_program(void **state)
{
    (void)state;
    struct dpk_image *image = kernels_image();
    const char *name;
    unsigned found = 0, functions = 0;
    for (size_t i = 0; (name = dpk_image_symbol_name(image, i)); i++) {
        uint64_t address;
        struct dpk_line at;
        if (strncmp(name, "_dpacc_unpack_", 14) != 0)
            continue;
        functions++;
        assert_true(dpk_image_symbol(image, name, &address, NULL));
        if (!dpk_line_find(image, address, &at))
            continue;
        found++;
        assert_non_null(strstr(at.file, "kernels.c"));
        assert_in_range(at.line, 10, 2000);
    }
    assert_true(functions > 10);
    assert_int_equal(found, functions);
    dpk_image_free(image);
}

static void no_line_is_found_where_there_is_no_code(void **state)
{
    (void)state;
    struct dpk_image *image = kernels_image();
    struct dpk_line at;
    assert_false(dpk_line_find(image, 0, &at));
    assert_false(dpk_line_find(image, 0x80000000, &at));
    assert_false(dpk_line_find(image, UINT64_MAX, &at));
    dpk_image_free(image);
}

/* Every byte of the line table wrong once: a line or none, and nothing worse. */
static void a_damaged_line_table_is_survived(void **state)
{
    (void)state;
    struct dpk_image *image = kernels_image();
    size_t size = 0;
    const uint8_t *lines = dpk_image_section(image, ".debug_line", &size);
    uint64_t entry = dpk_image_entry(image);
    struct dpk_line at;
    assert_non_null(lines);
    assert_true(size > 100);
    uint8_t *bytes = image->copy + (lines - image->copy);
    for (size_t i = 0; i < size; i += 1 + i / 64) {
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[i] ^= (uint8_t)(1u << bit);
            dpk_line_find(image, entry + 64, &at);
            bytes[i] ^= (uint8_t)(1u << bit);
        }
    }
    dpk_image_free(image);
}

static void sections_that_are_not_there_are_not_found(void **state)
{
    (void)state;
    struct dpk_image *image = kernels_image();
    size_t size = 0;
    assert_non_null(dpk_image_section(image, ".text", &size));
    assert_true(size > 0);
    assert_null(dpk_image_section(image, ".debug_lin", &size));
    assert_null(dpk_image_section(image, ".no_such", &size));
    dpk_image_free(image);
}

/* ---- Packets ---- */

struct target {
    bool runs, interrupted, killed, detached;
    struct dpk_stop stop;
    enum dpk_resume how[3], others;
    uint64_t x[32], pc;
    uint8_t memory[16];
};

static size_t threads(void *target, unsigned *ids, size_t max)
{
    (void)target, (void)max;
    ids[0] = 1;
    ids[1] = 2;
    return 2;
}
static void describe(void *target, unsigned id, char *out, size_t size)
{
    (void)target;
    snprintf(out, size, "number %u <&>", id);
}
static bool get_registers(void *target, unsigned id, uint64_t x[32], uint64_t *pc)
{
    struct target *t = target;
    memcpy(x, t->x, sizeof t->x);
    *pc = t->pc + id;
    return true;
}
static bool set_registers(void *target, unsigned id, const uint64_t x[32], uint64_t pc)
{
    struct target *t = target;
    (void)id;
    memcpy(t->x, x, sizeof t->x);
    t->pc = pc;
    return true;
}
static bool read_memory(void *target, uint64_t address, void *to, size_t size)
{
    struct target *t = target;
    if (address > sizeof t->memory || size > sizeof t->memory - address)
        return false;
    memcpy(to, t->memory + address, size);
    return true;
}
static bool write_memory(void *target, uint64_t address, const void *from, size_t size)
{
    struct target *t = target;
    if (address > sizeof t->memory || size > sizeof t->memory - address)
        return false;
    memcpy(t->memory + address, from, size);
    return true;
}
static bool breakpoint(void *target, uint64_t address, bool on)
{
    (void)target;
    return !on || address != 0xbad;
}
static bool watch(void *target, const struct rv64_watch *w, bool on)
{
    (void)target, (void)on;
    return w->access == RV64_W;
}
static void resume(void *target, unsigned id, enum dpk_resume how)
{
    ((struct target *)target)->how[id] = how;
}
static void go(void *target, enum dpk_resume others)
{
    ((struct target *)target)->runs = true;
    ((struct target *)target)->others = others;
}
static void interrupt(void *target)
{
    ((struct target *)target)->interrupted = true;
}
static bool stopped(void *target, struct dpk_stop *out)
{
    *out = ((struct target *)target)->stop;
    return out->how != DPK_STOP_NONE;
}
static void kill_target(void *target)
{
    ((struct target *)target)->killed = true;
}
static void detach(void *target)
{
    ((struct target *)target)->detached = true;
}

struct talk {
    struct target target;
    struct gdb gdb;
};

static int talk_setup(void **state)
{
    static const struct dpk_debug_ops ops = {
        .threads = threads,
        .describe = describe,
        .get_registers = get_registers,
        .set_registers = set_registers,
        .read = read_memory,
        .write = write_memory,
        .breakpoint = breakpoint,
        .watch = watch,
        .resume = resume,
        .go = go,
        .interrupt = interrupt,
        .stopped = stopped,
        .kill = kill_target,
        .detach = detach,
    };
    struct talk *t = calloc(1, sizeof *t);
    assert_non_null(t);
    debug_gdb_begin(&t->gdb, &ops, &t->target);
    t->gdb.no_ack = true;
    *state = t;
    return 0;
}

static int talk_teardown(void **state)
{
    struct talk *t = *state;
    debug_gdb_end(&t->gdb);
    free(t);
    return 0;
}

static void assert_said(struct talk *t, const char *bytes)
{
    size_t size = strlen(bytes);
    if (t->gdb.out.size != size || (size && memcmp(t->gdb.out.data, bytes, size) != 0))
        fail_msg("said %.*s, not %s", (int)t->gdb.out.size, (const char *)t->gdb.out.data, bytes);
    t->gdb.out.size = 0;
}

static void framed(const char *body, char *out, size_t size)
{
    unsigned sum = 0;
    for (const char *c = body; *c; c++)
        sum += (uint8_t)*c;
    snprintf(out, size, "$%s#%02x", body, sum & 0xff);
}

static void assert_answer(struct talk *t, const char *body)
{
    char packet[512];
    framed(body, packet, sizeof packet);
    assert_said(t, packet);
}

/* A packet with `body` gets `answer`; NULL: none at all. */
static void ask(struct talk *t, const char *body, const char *answer)
{
    char packet[512], want[512] = "";
    framed(body, packet, sizeof packet);
    if (answer)
        framed(answer, want, sizeof want);
    debug_gdb_feed(&t->gdb, packet, strlen(packet));
    assert_said(t, want);
}

static void packets_are_acknowledged_until_the_client_wants_no_more(void **state)
{
    struct talk *t = *state;
    t->gdb.no_ack = false;
    debug_gdb_feed(&t->gdb, "$qC#b4", 6);
    assert_said(t, "+$QC1#c5");
    debug_gdb_feed(&t->gdb, "$qC#b5", 6);
    assert_said(t, "-");
    debug_gdb_feed(&t->gdb, "$qC#zz", 6);
    assert_said(t, "-");
    debug_gdb_feed(&t->gdb, "-", 1);
    assert_said(t, "$QC1#c5");
    debug_gdb_feed(&t->gdb, "---", 3); /* one read of the client, one copy: each would be 16 KiB */
    assert_said(t, "$QC1#c5");
    debug_gdb_feed(&t->gdb, "$QStartNoAckMode#b0", 19);
    assert_said(t, "+$OK#9a");
    ask(t, "qC", "QC1");
}

/* A web page can let the browser of this user send what it likes to a port of 127.0.0.1, but not
 * as its first byte. */
static void who_does_not_begin_as_gdb_does_is_sent_away(void **state)
{
    static const char *const others[] = {"POST / HTTP/1.1\r\n\r\n$M0,1:7f#b1", "\x16\x03\x01$k#6b",
                                         "\n$k#6b", "#$k#6b"};
    struct talk *t = *state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct dpk_debug_ops *ops = t->gdb.ops;
        debug_gdb_feed(&t->gdb, others[i], strlen(others[i]));
        assert_said(t, "");
        assert_true(t->gdb.over && t->target.detached);
        assert_false(t->target.killed || t->target.memory[0] == 0x7f);
        debug_gdb_end(&t->gdb);
        debug_gdb_begin(&t->gdb, ops, &t->target);
        t->target.detached = false;
    }
    debug_gdb_feed(&t->gdb, "+", 1);
    debug_gdb_feed(&t->gdb, "noise$qC#b4", 11); /* later, another thread may be the current one */
    assert_said(t, "+$QC1#c5");
}

static void what_is_not_known_gets_the_empty_answer(void **state)
{
    ask(*state, "", "");
    ask(*state, "vMustReplyEmpty", "");
    ask(*state, "qNoSuchThing", "");
    ask(*state, "Z9,0,0", "");
    ask(*state, "~", "");
}

static void malformed_packets_get_errors(void **state)
{
    static const char *const bad[] = {"m",
                                      "m1",
                                      "m1,",
                                      "m,1",
                                      "mx,1",
                                      "m1,1;",
                                      "M0,1",
                                      "M0,1:",
                                      "M0,1:1",
                                      "M0,1:zz",
                                      "M0,2:00",
                                      "X0,1:",
                                      "p",
                                      "p21",
                                      "pffff",
                                      "P0",
                                      "P0=00",
                                      "P21=0000000000000000",
                                      "G00",
                                      "Hg9",
                                      "Hx1",
                                      "H",
                                      "T9",
                                      "Z0",
                                      "Z0,",
                                      "Z0,0",
                                      "Z0,0,4;x",
                                      "Z2,0,0",
                                      "vCont;",
                                      "vCont;x",
                                      "vCont;C",
                                      "vCont;c:",
                                      "vCont;c:zz",
                                      "vCont;c:z",
                                      "vCont;c;",
                                      "vCont",
                                      "S",
                                      "c1000",
                                      "m11111111111111111,1",
                                      "qThreadExtraInfo,",
                                      "qXfer:features:read:target.xml:0",
                                      "qXfer:features:read:target.xml:ffff,1",
                                      "qXfer:features:read:other.xml:0,1"};
    struct talk *t = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char packet[200];
        framed(bad[i], packet, sizeof packet);
        debug_gdb_feed(&t->gdb, packet, strlen(packet));
        if (t->gdb.out.size < 4 || t->gdb.out.data[1] != 'E')
            fail_msg("%s: %.*s", bad[i], (int)t->gdb.out.size, (const char *)t->gdb.out.data);
        t->gdb.out.size = 0;
        assert_false(t->target.runs);
    }
}

static void a_packet_that_is_too_long_is_an_error_and_the_next_one_works(void **state)
{
    struct talk *t = *state;
    char *flood = malloc(GDB_PACKET_MAX + 100);
    assert_non_null(flood);
    memset(flood, 'a', GDB_PACKET_MAX + 100);
    debug_gdb_feed(&t->gdb, "$", 1);
    unsigned sum = 'a' * (GDB_PACKET_MAX + 100u) & 0xff;
    char tail[4];
    snprintf(tail, sizeof tail, "#%02x", sum);
    debug_gdb_feed(&t->gdb, flood, GDB_PACKET_MAX + 100);
    debug_gdb_feed(&t->gdb, tail, 3);
    assert_answer(t, "E07");
    ask(t, "qC", "QC1");
    free(flood);
}

static void memory_is_read_up_to_where_it_ends_and_written_whole_or_not(void **state)
{
    struct talk *t = *state;
    ask(t, "M2,3:0a0b0c", "OK");
    ask(t, "m0,6", "00000a0b0c00");
    ask(t, "mf,1", "00");
    ask(t, "m100,1", "E0e");
    ask(t, "Mf,2:0102", "E0e");
    ask(t, "X0,2:a}\x03", "OK");
    assert_memory_equal(t->target.memory, "a#", 2);
    ask(t, "X0,0:", "OK");
}

static void registers_are_numbered_as_target_xml_says(void **state)
{
    struct talk *t = *state;
    t->target.x[2] = 0x1122334455667788;
    t->target.pc = 0x1000;
    ask(t, "p2", "8877665544332211");
    ask(t, "p20", "0110000000000000");
    ask(t, "Hg2", "OK");
    ask(t, "p20", "0210000000000000");
    ask(t, "P1f=0100000000000000", "OK");
    assert_int_equal(t->target.x[31], 1);
}

static void breakpoints_and_watches_that_do_not_fit_are_errors(void **state)
{
    ask(*state, "Z0,1000,2", "OK");
    ask(*state, "Z1,bad,2", "E1c");
    ask(*state, "z0,1000,2", "OK");
    ask(*state, "Z2,8,8", "OK");
    ask(*state, "Z3,8,8", "E1c");
}

static void the_first_action_that_names_a_thread_counts(void **state)
{
    struct talk *t = *state;
    ask(t, "vCont;s:2;c", NULL);
    assert_true(t->target.runs);
    assert_int_equal(t->target.how[1], DPK_RESUME_RUN);
    assert_int_equal(t->target.how[2], DPK_RESUME_STEP);
    assert_int_equal(t->target.others, DPK_RESUME_RUN);
}

static void threads_that_are_not_named_stay(void **state)
{
    struct talk *t = *state;
    ask(t, "vCont;C0b:1", NULL);
    assert_int_equal(t->target.how[1], DPK_RESUME_FAIL);
    assert_int_equal(t->target.how[2], DPK_RESUME_HOLD);
    assert_int_equal(t->target.others, DPK_RESUME_HOLD);
}

static void while_it_runs_only_an_interrupt_means_anything(void **state)
{
    struct talk *t = *state;
    debug_gdb_feed(&t->gdb, "\x03", 1);
    assert_false(t->target.interrupted);
    ask(t, "vCont;c", NULL);
    ask(t, "g", NULL);
    ask(t, "M0,1:ff", NULL);
    assert_int_equal(t->target.memory[0], 0);
    debug_gdb_feed(&t->gdb, "\x03", 1);
    assert_true(t->target.interrupted);
    debug_gdb_tell_stop(&t->gdb);
    assert_said(t, "");
    t->target.stop = (struct dpk_stop){.how = DPK_STOP_SIGNAL, .thread = 2, .signal = 2};
    debug_gdb_tell_stop(&t->gdb);
    assert_answer(t, "T02thread:2;");
    ask(t, "?", "T02thread:2;");
}

static void ends_are_told(void **state)
{
    struct talk *t = *state;
    ask(t, "vCont;c", NULL);
    t->target.stop = (struct dpk_stop){.how = DPK_STOP_EXITED, .code = 3};
    debug_gdb_tell_stop(&t->gdb);
    assert_answer(t, "W03");
    assert_true(t->gdb.over);
}

static void watches_are_told_with_their_address(void **state)
{
    struct talk *t = *state;
    ask(t, "c", NULL);
    t->target.stop = (struct dpk_stop){
        .how = DPK_STOP_SIGNAL, .thread = 1, .signal = 5, .watched = RV64_W, .address = 0x1230};
    debug_gdb_tell_stop(&t->gdb);
    assert_answer(t, "T05thread:1;watch:1230;");
}

static void detach_and_kill_end_the_conversation(void **state)
{
    struct talk *t = *state;
    ask(t, "D", "OK");
    assert_true(t->target.detached && t->gdb.over && !t->target.killed);
}

static void kill_is_not_answered(void **state)
{
    struct talk *t = *state;
    ask(t, "k", NULL);
    assert_true(t->target.killed && t->gdb.over);
}

#define TALK(name) cmocka_unit_test_setup_teardown(name, talk_setup, talk_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_found_for_every_function_of_the_program),
        cmocka_unit_test(no_line_is_found_where_there_is_no_code),
        cmocka_unit_test(a_damaged_line_table_is_survived),
        cmocka_unit_test(sections_that_are_not_there_are_not_found),
        TALK(packets_are_acknowledged_until_the_client_wants_no_more),
        TALK(who_does_not_begin_as_gdb_does_is_sent_away),
        TALK(what_is_not_known_gets_the_empty_answer),
        TALK(malformed_packets_get_errors),
        TALK(a_packet_that_is_too_long_is_an_error_and_the_next_one_works),
        TALK(memory_is_read_up_to_where_it_ends_and_written_whole_or_not),
        TALK(registers_are_numbered_as_target_xml_says),
        TALK(breakpoints_and_watches_that_do_not_fit_are_errors),
        TALK(the_first_action_that_names_a_thread_counts),
        TALK(threads_that_are_not_named_stay),
        TALK(while_it_runs_only_an_interrupt_means_anything),
        TALK(ends_are_told),
        TALK(watches_are_told_with_their_address),
        TALK(detach_and_kill_end_the_conversation),
        TALK(kill_is_not_answered),
    };
    return cmocka_run_group_tests_name("debug", tests, NULL, NULL);
}
