/* proc: debuggers of programs on devices that allow them to read, to do everything, or nothing. The
 * clients here send requests that GDB never would. */
#include "dpa.h"

#include "device_world.h"

#include "engine/debug/gdb.h"
#include "engine/proc/process.h"

/* ---- A process of the device, and a client on it ---- */

static void set_authentication(bool on)
{
    const struct dpk_device_setting s = {
        .def = &auth_def, .param = &auth_param, .value = on ? "True" : "False"};
    assert_int_equal(dpk_device_set(dev, NULL, &s, 1, NULL), DPK_OK);
    reset();
}

static struct dpk_process *process_on_device(void)
{
    struct dpk_image *image = kernels_image();
    struct dpk_process *p = NULL;
    snprintf(image->device, sizeof image->device, "dev0"); /* as dpk_load leaves it */
    assert_int_equal(dpk_process_create(image, NULL, &p, NULL), DPK_OK);
    dpk_image_free(image);
    return p;
}

struct client {
    struct dpk_process *process;
    struct dpk_debugger *debugger;
    pthread_t thread;
    int to, from; /* ends of the client */
    int in, out;  /* ends of the server */
    char answer[2 * GDB_PACKET_MAX], console[1000];
};

static void *serve(void *context)
{
    struct client *c = context;
    dpk_debugger_serve(c->debugger, c->in, c->out, true, NULL);
    dpk_debugger_detach(c->debugger);
    close(c->out);
    return NULL;
}

static void client_begin(struct client *c, struct dpk_process *p)
{
    int ends[2][2];
    struct dpk_error err = {0};
    *c = (struct client){.process = p};
    if (dpk_debugger_create(p, &c->debugger, &err) != DPK_OK)
        fail_msg("%s", err.message);
    assert_true(pipe(ends[0]) == 0 && pipe(ends[1]) == 0);
    c->in = ends[0][0];
    c->to = ends[0][1];
    c->from = ends[1][0];
    c->out = ends[1][1];
    assert_int_equal(pthread_create(&c->thread, NULL, serve, c), 0);
}

static void client_end(struct client *c)
{
    close(c->to);
    pthread_join(c->thread, NULL);
    close(c->from);
    close(c->in);
    dpk_debugger_destroy(c->debugger);
}

static char next_byte(struct client *c)
{
    char byte = 0;
    if (read(c->from, &byte, 1) != 1)
        fail_msg("the server has gone");
    return byte;
}

/* The next packet's body, acknowledged. */
static const char *receive(struct client *c)
{
    size_t n = 0;
    while (next_byte(c) != '$')
        ;
    while ((c->answer[n] = next_byte(c)) != '#')
        assert_true(++n < sizeof c->answer);
    c->answer[n] = 0;
    next_byte(c), next_byte(c);
    return c->answer;
}

static void send_packet(struct client *c, const char *body, size_t size)
{
    char tail[8];
    uint8_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + (uint8_t)body[i]);
    snprintf(tail, sizeof tail, "#%02x", sum);
    assert_true(write(c->to, "$", 1) == 1 && write(c->to, body, size) == (ssize_t)size &&
                write(c->to, tail, 3) == 3);
}

/* What comes of a packet; text for the console on the way is kept. */
__attribute__((format(printf, 2, 3))) static const char *ask(struct client *c, const char *format,
                                                             ...)
{
    char body[2000];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(body, sizeof body, format, args);
    va_end(args);
    send_packet(c, body, (size_t)size);
    c->console[0] = 0;
    size_t said = 0;
    while (receive(c)[0] == 'O' && c->answer[1] != 'K') {
        unsigned byte;
        for (const char *at = c->answer + 1; sscanf(at, "%2x", &byte) == 1; at += 2)
            c->console[said++] = (char)byte;
        c->console[said] = 0;
    }
    return c->answer;
}

static void refused(struct client *c, const char *answer)
{
    assert_string_equal(answer, "E.dev0 has DPA_AUTHENTICATION on and is in its production life "
                                "cycle: debuggers may look, and change nothing");
    (void)c;
}

/* ---- What the device's log says ---- */

static void put_event(void *context, const struct dpk_device_event *e)
{
    if (strcmp(e->action, "attach") == 0 || strcmp(e->action, "detach") == 0 ||
        strcmp(e->action, "debug") == 0)
        dpk_put_format(context, "%s %s %s\n", e->action, e->result, e->detail);
}

static void assert_logged(const char *want)
{
    struct dpk_buf text = {0};
    assert_int_equal(dpk_device_events(dev, 0, put_event, &text, NULL), DPK_OK);
    dpk_put_u8(&text, 0);
    assert_string_equal((const char *)text.data, want);
    dpk_buf_free(&text);
}

/* ---- Tests ---- */

static uint64_t symbol(struct dpk_process *p, const char *name)
{
    return function(p, name).function;
}

/* A thread of the kernel "append" is stopped before its first instruction. */
static void stand_still(struct client *c, uint64_t *log)
{
    struct dpk_process *p = process_on_device();
    *log = buffer(p, 4096);
    client_begin(c, p);
    launch(p, (struct kernel){.name = "append", .args = {*log, 7}, .threads = 2});
    dpk_debugger_await(c->debugger);
}

static void let_end(struct client *c, uint64_t log)
{
    client_end(c);
    drain(c->process);
    assert_int_equal(word(c->process, log), 2);
    dpk_process_destroy(c->process);
}

static void a_debugger_that_may_look_reads_stops_and_goes_on(void **state)
{
    (void)state;
    struct client c;
    uint64_t log;
    char code[9];
    set_authentication(true);
    stand_still(&c, &log);
    assert_int_equal(strlen(ask(&c, "g")), 33 * 16);
    snprintf(code, sizeof code, "%s", ask(&c, "m%llx,4", (long long)symbol(c.process, "append")));
    assert_int_equal(strlen(code), 8);
    assert_string_equal(ask(&c, "Z0,%llx,4", (long long)symbol(c.process, "append")), "OK");
    assert_memory_equal(ask(&c, "vCont;c"), "T05thread:", 10);
    assert_string_equal(ask(&c, "m%llx,4", (long long)symbol(c.process, "append")), code);
    assert_memory_equal(ask(&c, "vCont;s"), "T05thread:", 10);
    assert_string_equal(ask(&c, "z0,%llx,4", (long long)symbol(c.process, "append")), "OK");
    let_end(&c, log);
    assert_logged("attach OK app kernels: may look\n"
                  "detach OK app kernels: 0 writes to code, 0 bytes; 0 jumps; 0 changes refused\n");
}

static void it_changes_no_code_no_data_and_no_register(void **state)
{
    (void)state;
    struct client c;
    uint64_t log;
    char registers[33 * 16 + 1], event[400];
    set_authentication(true);
    stand_still(&c, &log);
    unsigned long long add = symbol(c.process, "add");
    snprintf(registers, sizeof registers, "%s", ask(&c, "g"));
    refused(&c, ask(&c, "M%llx,4:00000000", add));
    refused(&c, ask(&c, "X%llx,4:abcd", add));
    refused(&c, ask(&c, "M%llx,8:0000000000000000", (unsigned long long)log));
    refused(&c, ask(&c, "P20=%016llx", 0x1000ull)); /* pc */
    refused(&c, ask(&c, "P20=%016llx", add));       /* to verified code */
    refused(&c, ask(&c, "P1=%016llx", 0x1000ull));  /* ra */
    refused(&c, ask(&c, "P2=%016llx", 0x1000ull));  /* sp */
    refused(&c, ask(&c, "G%s", registers));
    assert_string_equal(ask(&c, "g"), registers);
    let_end(&c, log);
    snprintf(event, sizeof event,
             "attach OK app kernels: may look\n"
             "debug READ_ONLY app kernels: write of 4 bytes of code at 0x%llx\n"
             "detach OK app kernels: 0 writes to code, 0 bytes; 0 jumps; 8 changes refused\n",
             add);
    assert_logged(event);
}

static void the_reason_is_told_on_the_console_when_the_program_goes_on(void **state)
{
    (void)state;
    struct client c;
    uint64_t log;
    set_authentication(true);
    stand_still(&c, &log);
    refused(&c, ask(&c, "M%llx,1:00", (unsigned long long)log));
    assert_memory_equal(ask(&c, "vCont;s"), "T05thread:", 10);
    assert_string_equal(c.console,
                        "not changed: dev0 has DPA_AUTHENTICATION on and is in its production life "
                        "cycle: debuggers may look, and change nothing\n");
    ask(&c, "vCont;s"); /* once */
    assert_string_equal(c.console, "");
    let_end(&c, log);
}

static void monitor_tells_the_policy(void **state)
{
    (void)state;
    struct client c;
    uint64_t log;
    for (int on = 0; on < 2; on++) {
        set_authentication(on);
        stand_still(&c, &log);
        assert_string_equal(ask(&c, "qRcmd,706f6c696379"), "OK");
        assert_string_equal(c.console, on ? "dev0 has DPA_AUTHENTICATION on and is in its "
                                            "production life cycle: debuggers may look, and change "
                                            "nothing\n"
                                          : "debuggers may look and change everything\n");
        assert_string_equal(ask(&c, "qRcmd,"), "OK");
        assert_string_equal(c.console, "monitor policy: what the device allows debuggers\n");
        for (size_t i = 0; i < 3; i++)
            assert_string_equal(ask(&c, "qRcmd,%s", (const char *[]){"7", "zz", "70,"}[i]), "E16");
        assert_string_equal(ask(&c, "qRcmd,%0400x", 1), "E16");
        let_end(&c, log);
    }
}

/* All that is mapped. */
static struct dpk_buf snapshot(struct dpk_process *p)
{
    struct dpk_buf all = {0};
    uint64_t address = 0, size;
    unsigned access;
    while (rv64_memory_next(p->memory, address, &address, &size, &access)) {
        for (uint64_t i = 0; i < size && i < 16 * RV64_PAGE; i += RV64_PAGE)
            dpk_put(&all, rv64_memory_at(p->memory, address + i, RV64_PAGE, 0), RV64_PAGE);
        address += size;
    }
    assert_false(all.failed);
    return all;
}

/* Letters that let the program continue, end it, or end the conversation. */
static bool goes_on(char c)
{
    return strchr("cCsSvkD", c) != NULL;
}

static void no_packet_changes_anything(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "%llx,4:00112233", "%llx,4:abcd", "%llx,0:",
        "20=%016llx",      "1=%016llx",   "0,%llx,4",
        "1,%llx,4",        "4,%llx,8",    "%llx",
        "g%llx",           "Rcmd,%llx",   "%llx,ffffffffffffffff:00",
        "%0528llx"};
    struct client c;
    uint64_t log;
    char registers[33 * 16 + 1], body[700];
    set_authentication(true);
    stand_still(&c, &log);
    const unsigned long long places[] = {symbol(c.process, "append"),    log, 0, ~0ull, 0x40000000,
                                         symbol(c.process, "append") - 2};
    struct dpk_buf before = snapshot(c.process);
    snprintf(registers, sizeof registers, "%s", ask(&c, "g"));
    for (int letter = 1; letter < 128; letter++)
        for (size_t f = 0; f < sizeof forms / sizeof *forms && !goes_on((char)letter); f++)
            for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
                if (letter == '#' || letter == '$')
                    continue;
                body[0] = (char)letter;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
                int n = snprintf(body + 1, sizeof body - 1, forms[f], places[p]);
#pragma GCC diagnostic pop
                send_packet(&c, body, (size_t)n + 1);
                while (receive(&c)[0] == 'O' && c.answer[1] != 'K')
                    ;
            }
    assert_string_equal(ask(&c, "H%s", "g1"), "OK");
    assert_string_equal(ask(&c, "g"), registers);
    struct dpk_buf after = snapshot(c.process);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, before.size);
    dpk_buf_free(&after);
    dpk_buf_free(&before);
    let_end(&c, log);
}

static void the_development_life_cycle_allows_writes_to_code_which_are_logged(void **state)
{
    (void)state;
    struct client c;
    uint64_t log;
    char event[400];
    set_authentication(true);
    stand_still(&c, &log);
    unsigned long long add = symbol(c.process, "add");
    assert_string_equal(ask(&c, "M%llx,4:13000000", add), "OK");
    assert_string_equal(ask(&c, "m%llx,4", add), "13000000");
    assert_string_equal(ask(&c, "X%llx,2:ab", add + 4), "OK");
    let_end(&c, log);
    snprintf(event, sizeof event,
             "attach OK app kernels: may change everything\n"
             "debug OK app kernels: write of 4 bytes of code at 0x%llx\n"
             "detach OK app kernels: 2 writes to code, 6 bytes; 0 jumps; 0 changes refused\n",
             add);
    assert_logged(event);
}

static void jumps_and_writes_are_logged_without_authentication_too(void **state)
{
    (void)state;
    struct client c;
    uint64_t log;
    stand_still(&c, &log);
    unsigned long long append = symbol(c.process, "append");
    const char *pc = ask(&c, "p20");
    char old[17];
    snprintf(old, sizeof old, "%s", pc);
    assert_string_equal(ask(&c, "P20=%s", "0000010000000000"), "OK");
    assert_string_equal(ask(&c, "P20=%s", old), "OK");
    assert_string_equal(ask(&c, "P1f=%s", "0000010000000000"), "OK");
    assert_string_equal(ask(&c, "M%llx,1:00", (unsigned long long)log), "OK");
    assert_string_equal(ask(&c, "m%llx,1", append)[0] ? "some" : "none", "some");
    let_end(&c, log);
    struct dpk_buf text = {0};
    assert_int_equal(dpk_device_events(dev, 0, put_event, &text, NULL), DPK_OK);
    dpk_put_u8(&text, 0);
    assert_non_null(strstr((char *)text.data, "debug OK app kernels: registers, pc from 0x"));
    assert_non_null(strstr((char *)text.data, "0 writes to code, 0 bytes; 2 jumps; 0 changes"));
    dpk_buf_free(&text);
}

#define DENIED                                                                                     \
    "dev0 allows no debuggers: it has DPA_AUTHENTICATION on and DPAKIT_DPA_DEBUG DISABLED"

/* From now on the device has authentication on, and denies debuggers. */
static void deny(void)
{
    uint8_t disabled[4] = {0x80};
    struct dpk_nv_list list = vendor(KEEP);
    put_tlv(&list, DPK_NV_GLOBAL, DPK_NV_INDEX_DPAKIT_DEBUG, 4, false, disabled, 4);
    accept(dpk_device_apply, claim_file());
    accept(dpk_device_apply, by_owner(list));
    set_authentication(true);
}

static void a_device_that_allows_none_lets_none_come(void **state)
{
    (void)state;
    struct dpk_debugger *d = NULL;
    struct dpk_error err = {0};
    deny();
    struct dpk_process *p = process_on_device();
    assert_int_equal(dpk_debugger_create(p, &d, &err), DPK_ERR_REFUSED);
    assert_null(d);
    assert_string_equal(err.message, DENIED);
    assert_int_equal(rpc(p, "add", 1, 2), 3); /* it runs on */
    dpk_process_destroy(p);
    assert_logged("attach NOT_ALLOWED app kernels\n");
}

static void a_lock_that_comes_later_takes_the_debugger_its_rights(void **state)
{
    (void)state;
    struct client c;
    uint64_t log;
    char event[400];
    stand_still(&c, &log);
    unsigned long long add = symbol(c.process, "add");
    assert_string_equal(ask(&c, "M%llx,1:00", (unsigned long long)log), "OK");
    set_authentication(true);
    refused(&c, ask(&c, "M%llx,4:00000000", add));
    refused(&c, ask(&c, "P20=%016llx", add));
    assert_memory_equal(ask(&c, "vCont;s"), "T05thread:", 10);
    assert_non_null(strstr(c.console, "not changed: dev0 has DPA_AUTHENTICATION on"));
    set_authentication(false); /* what was taken stays taken */
    refused(&c, ask(&c, "M%llx,1:00", (unsigned long long)log));
    let_end(&c, log);
    snprintf(event, sizeof event,
             "attach OK app kernels: may change everything\n"
             "debug READ_ONLY app kernels: may look from now on\n"
             "debug READ_ONLY app kernels: write of 4 bytes of code at 0x%llx\n"
             "detach OK app kernels: 0 writes to code, 0 bytes; 0 jumps; 3 changes refused\n",
             add);
    assert_logged(event);
}

static void assert_sent_away(struct client *c)
{
    char byte;
    while (read(c->from, &byte, 1) == 1) /* an acknowledgement, or the rest of a packet */
        assert_true(byte != '$');
    struct dpk_buf text = {0};
    assert_int_equal(dpk_device_events(dev, 0, put_event, &text, NULL), DPK_OK);
    dpk_put_u8(&text, 0);
    assert_non_null(strstr((char *)text.data, "debug NOT_ALLOWED app kernels\n"
                                              "detach OK app kernels: "));
    dpk_buf_free(&text);
}

static void a_denial_that_comes_later_sends_the_debugger_away_with_its_next_change(void **state)
{
    (void)state;
    struct client c;
    uint64_t log;
    stand_still(&c, &log);
    deny();
    assert_string_equal(ask(&c, "M%llx,1:00", (unsigned long long)log), "E." DENIED);
    assert_sent_away(&c);
    let_end(&c, log);
}

/* It need not change anything: looking is over, too, in a moment. */
static void a_denial_that_comes_later_sends_the_debugger_away_that_looks(void **state)
{
    (void)state;
    struct client c;
    uint64_t log;
    stand_still(&c, &log);
    deny();
    assert_true(comes_true(strlen(ask(&c, "m%llx,8", (unsigned long long)log)) != 16));
    assert_string_equal(c.answer, "E." DENIED);
    assert_sent_away(&c);
    let_end(&c, log);
}

static void a_denial_that_comes_while_the_program_runs_is_told_when_it_stops(void **state)
{
    (void)state;
    struct client c;
    struct dpk_process *p = process_on_device();
    uint64_t flag = buffer(p, 8);
    client_begin(&c, p);
    launch(p, (struct kernel){.name = "poll", .args = {flag}});
    dpk_debugger_await(c.debugger);
    send_packet(&c, "vCont;c", 7);
    assert_int_equal(next_byte(&c), '+');
    deny();
    usleep(150000); /* what the device said before counts no more */
    assert_int_equal(write(c.to, "\3", 1), 1);
    assert_string_equal(receive(&c),
                        "O64657630"
                        "20616c6c6f7773206e6f20646562756767657273"
                        "3a20697420686173204450415f41555448454e5449434154494f4e206f6e"
                        "20616e64204450414b49545f4450415f44454255472044495341424c4544");
    assert_string_equal(receive(&c), "O0a");
    assert_sent_away(&c);
    client_end(&c);
    set_word(p, flag, 1);
    drain(p); /* it ran on */
    dpk_process_destroy(p);
}

static void a_denial_between_coming_and_talking_counts(void **state)
{
    (void)state;
    struct dpk_process *p = process_on_device();
    struct dpk_debugger *d = NULL;
    struct dpk_error err = {0};
    assert_int_equal(dpk_debugger_create(p, &d, &err), DPK_OK);
    deny();
    assert_int_equal(dpk_debugger_serve(d, -1, -1, true, &err), DPK_ERR_REFUSED);
    assert_string_equal(err.message, DENIED);
    dpk_debugger_destroy(d);
    dpk_process_destroy(p);
    assert_logged("attach NOT_ALLOWED app kernels\n");
}

static void a_device_that_cannot_be_asked_lets_none_come(void **state)
{
    (void)state;
    struct dpk_process *p = process_on_device();
    struct dpk_debugger *d = NULL;
    struct dpk_error err = {0};
    dpk_device_close(dev);
    assert_int_equal(dpk_device_delete("dev0", NULL), DPK_OK);
    assert_int_equal(dpk_debugger_create(p, &d, &err), DPK_ERR_REFUSED);
    assert_non_null(strstr(err.message, "dev0"));
    dpk_process_destroy(p);
    assert_int_equal(fresh_device(NULL), 0);
}

#define ON(test, how) cmocka_unit_test_setup_teardown(test, how, drop_device)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON(a_debugger_that_may_look_reads_stops_and_goes_on, fresh_device),
        ON(it_changes_no_code_no_data_and_no_register, fresh_device),
        ON(the_reason_is_told_on_the_console_when_the_program_goes_on, fresh_device),
        ON(monitor_tells_the_policy, fresh_device),
        ON(no_packet_changes_anything, fresh_device),
        ON(the_development_life_cycle_allows_writes_to_code_which_are_logged, fresh_development),
        ON(jumps_and_writes_are_logged_without_authentication_too, fresh_device),
        ON(a_device_that_allows_none_lets_none_come, fresh_device),
        ON(a_lock_that_comes_later_takes_the_debugger_its_rights, fresh_device),
        ON(a_denial_that_comes_later_sends_the_debugger_away_with_its_next_change, fresh_device),
        ON(a_denial_that_comes_later_sends_the_debugger_away_that_looks, fresh_device),
        ON(a_denial_that_comes_while_the_program_runs_is_told_when_it_stops, fresh_device),
        ON(a_denial_between_coming_and_talking_counts, fresh_device),
        ON(a_device_that_cannot_be_asked_lets_none_come, fresh_device),
    };
    return cmocka_run_group_tests_name("proc_debug_policy", tests, make_world, free_world);
}
