/* Wires: specifications, the setting that chooses a device's wire, captures, counters. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire_open.h"

/* A sink with room for a few frames at a time, which checks their order. */
struct sink {
    atomic_uint arrived, offers, tells;
    unsigned room; /* at each offer */
};

static size_t arrive(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    struct sink *s = context;
    const size_t taken = count < s->room ? count : s->room;
    assert_true(waits);
    for (size_t i = 0; i < taken; i++) {
        assert_int_equal(frames[i].size, 60);
        assert_int_equal(frames[i].bytes[0] | frames[i].bytes[1] << 8,
                         atomic_fetch_add(&s->arrived, 1));
    }
    atomic_fetch_add(&s->offers, 1);
    return taken;
}

static void tell(void *context, bool detail, const char *text)
{
    struct sink *s = context;
    (void)detail, (void)text;
    atomic_fetch_add(&s->tells, 1);
}

static struct dpk_wire *open_wire(const char *spec, struct sink *s)
{
    const struct dpk_wire_sink sink = {.arrive = arrive, .tell = tell, .context = s};
    return wire_open(spec, &sink);
}

/* Writes a capture of frames that are numbered; `size`: what the last record says. */
static void write_capture(const char *path, unsigned count, uint32_t size)
{
    struct dpk_buf b = {0};
    dpk_put_le32(&b, 0xa1b2c3d4);
    dpk_put_fill(&b, 0, 16);
    dpk_put_le32(&b, 1);
    for (unsigned i = 0; i < count; i++) {
        dpk_put_fill(&b, 0, 8);
        dpk_put_le32(&b, i == count - 1 ? size : 60);
        dpk_put_le32(&b, i == count - 1 ? size : 60);
        dpk_put_le16(&b, (uint16_t)i);
        dpk_put_fill(&b, 0, 58);
    }
    assert_int_equal(dpk_file_replace(path, b.data, b.size, 0600, NULL), DPK_OK);
    dpk_buf_free(&b);
}

static char folder[] = "/tmp/test_wire_XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return !mkdtemp(folder) || chdir(folder) != 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink("in.pcap");
    unlink("out,1.pcap");
    return rmdir(folder);
}

static void specifications_are_checked(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "loops",
                                        "loop:",
                                        "none:x",
                                        "pcap",
                                        "pcap:,",
                                        "pcap:a,b,c",
                                        "pcap",
                                        "generate",
                                        "generate:1",
                                        "generate:1,59",
                                        "generate:1,60,",
                                        "generate:1,60,0",
                                        "generate:1,60,4097",
                                        "generate:1,9235",
                                        "generate:-1,60",
                                        "generate:1,60,1,1,1",
                                        "generate:1000000000000000000000,60",
                                        "generate:1,60,1,1000001",
                                        "generate:1,60,dmac=02:00:00:00:01:0",
                                        "generate:1,60,dmac=02:00:00:00:01:000",
                                        "generate:1,60,dmac=02-00-00-00-01-00",
                                        "generate:1,60,dmac=",
                                        "generate:1,60,smac=02:00:00:00:01:0g",
                                        "generate:1,60,sport=65536",
                                        "generate:1,60,2,sport=65535",
                                        "generate:1,60,dport=65536",
                                        "generate:1,60,dport=9,2",
                                        "generate:1,60,dport",
                                        "generate:1,60,port=9",
                                        "generate:1,dport=9",
                                        "generate:1,60,dport=9,",
                                        "generate: 1,60"};
    char out[DPK_WIRE_SPEC_MAX], want[200];
    struct dpk_error err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(dpk_wire_check(wrong[i], out, &err), DPK_ERR_USAGE);
        assert_null(strchr(err.message, '\n'));
    }
    assert_int_equal(dpk_wire_check("loop", out, NULL), DPK_OK);
    assert_string_equal(out, "loop");
    assert_int_equal(dpk_wire_check("generate:1000,9234,4096,1000000", out, NULL), DPK_OK);
    assert_int_equal(
        dpk_wire_check("generate:1,60,2,0,sport=65534,dmac=B8:3f:d2:00:00:01", out, NULL), DPK_OK);
    assert_int_equal(dpk_wire_check("pcap:,b\\,c", out, NULL), DPK_OK);
    snprintf(want, sizeof want, "pcap:,%s/b\\,c", folder);
    assert_string_equal(out, want);
    char spec[DPK_WIRE_SPEC_MAX + 10] = "pcap:/";
    memset(spec + 6, 'a', DPK_WIRE_SPEC_MAX);
    assert_int_equal(dpk_wire_check(spec, out, NULL), DPK_ERR_RANGE);
}

static void the_environment_comes_before_the_device(void **state)
{
    (void)state;
    static const struct {
        const char *own, *in, *out, *spec, *origin;
    } cases[] = {
        {NULL, NULL, NULL, "none", "device a-1"},
        {NULL, "x", NULL, "pcap:x,", "DPAKIT_PACKETS"},
        {NULL, NULL, "a,b", "pcap:,a\\,b", "DPAKIT_PACKETS_SENT"},
        {NULL, "x", "y", "pcap:x,y", "DPAKIT_PACKETS, DPAKIT_PACKETS_SENT"},
        {"loop", "x", "y", "loop", "DPAKIT_WIRE_a_1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const names[] = {"DPAKIT_WIRE_a_1", "DPAKIT_PACKETS", "DPAKIT_PACKETS_SENT"};
        const char *const values[] = {cases[i].own, cases[i].in, cases[i].out};
        char *spec = NULL, origin[DPK_WIRE_ORIGIN_MAX];
        for (size_t n = 0; n < 3; n++)
            if (values[n])
                setenv(names[n], values[n], 1);
            else
                unsetenv(names[n]);
        assert_int_equal(dpk_wire_choose("a-1", "none", &spec, origin, NULL), DPK_OK);
        assert_string_equal(spec, cases[i].spec);
        assert_string_equal(origin, cases[i].origin);
        free(spec);
    }
}

static void a_capture_waits_for_room(void **state)
{
    (void)state;
    struct sink s = {.room = 7};
    write_capture("in.pcap", 1000, 60);
    struct dpk_wire *wire = open_wire("pcap:in.pcap", &s);
    assert_int_equal(atomic_load(&s.arrived), 0);
    assert_int_equal(dpk_wire_start(wire, NULL), DPK_OK);
    for (unsigned i = 0; i < 20000 && atomic_load(&s.arrived) < 1000; i++)
        usleep(1000);
    dpk_wire_close(wire);
    assert_int_equal(atomic_load(&s.arrived), 1000);
    assert_true(atomic_load(&s.offers) >= 1000 / 7);
}

static void a_wire_closes_while_frames_wait(void **state)
{
    (void)state;
    struct sink s = {.room = 0};
    write_capture("in.pcap", 10, 60);
    struct dpk_wire *wire = open_wire("pcap:in.pcap", &s);
    assert_int_equal(dpk_wire_start(wire, NULL), DPK_OK);
    dpk_wire_close(wire);
    assert_int_equal(atomic_load(&s.arrived), 0);
}

static void captures_of_no_whole_frames_are_refused(void **state)
{
    (void)state;
    const uint32_t sizes[] = {0, DPK_FRAME_MIN - 1, DPK_FRAME_MAX + 1, UINT32_MAX};
    struct sink s = {0};
    const struct dpk_wire_sink sink = {.arrive = arrive, .tell = tell, .context = &s};
    struct dpk_wire *wire;
    for (size_t i = 0; i < 4; i++) {
        write_capture("in.pcap", 3, sizes[i]);
        assert_int_not_equal(dpk_wire_open("pcap:in.pcap", &sink, &wire, NULL), DPK_OK);
        assert_null(wire);
    }
    assert_int_equal(dpk_wire_open("pcap:gone.pcap", &sink, &wire, NULL), DPK_ERR_NOT_FOUND);
}

static void what_is_sent_is_counted(void **state)
{
    (void)state;
    static const uint8_t frame[60];
    struct sink s = {0};
    struct dpk_wire *wire = open_wire("loop", &s);
    assert_false(dpk_wire_send(wire, frame, sizeof frame));
    assert_int_equal(counters(wire).sent, 0); /* it never leaves */
    dpk_wire_close(wire);
    wire = open_wire("none", &s);
    assert_true(dpk_wire_send(wire, frame, sizeof frame));
    assert_int_equal(counters(wire).sent, 0);
    assert_int_equal(counters(wire).sent_dropped[DPK_WIRE_DOWN], 1);
    dpk_wire_close(wire);
    wire = open_wire("pcap:,out\\,1.pcap", &s);
    assert_true(dpk_wire_send(wire, frame, sizeof frame));
    dpk_wire_flush(wire);
    assert_int_equal(counters(wire).sent, 1);
    dpk_wire_close(wire);
    struct dpk_buf b = {0};
    assert_int_equal(dpk_file_read("out,1.pcap", DPK_FILE_MAX, &b, NULL), DPK_OK);
    assert_int_equal(b.size, 24 + 16 + 60);
    dpk_buf_free(&b);
}

static void a_full_disk_is_told_once(void **state)
{
    (void)state;
    static const uint8_t frame[60];
    struct sink s = {0};
    const struct dpk_wire_sink sink = {.arrive = arrive, .tell = tell, .context = &s};
    struct dpk_wire *wire = NULL;
    /* The header is refused as every frame would be. */
    assert_int_equal(dpk_wire_open("pcap:,/dev/full", &sink, &wire, NULL), DPK_ERR_IO);
    int ends[2];
    char spec[40];
    assert_int_equal(pipe(ends), 0);
    snprintf(spec, sizeof spec, "pcap:,/proc/self/fd/%d", ends[1]);
    wire = open_wire(spec, &s);
    close(ends[0]);
    for (unsigned i = 0; i < 3; i++)
        assert_true(dpk_wire_send(wire, frame, sizeof frame));
    assert_int_equal(counters(wire).sent_dropped[DPK_WIRE_BROKEN], 3);
    assert_int_equal(atomic_load(&s.tells), 1);
    dpk_wire_close(wire);
    close(ends[1]);
}

/* Takes frames by fives, checks their headers, and lets a wire have them back. */
struct mirror {
    struct dpk_wire *wire;
    atomic_uint taken, lines;
    bool twice; /* the wire gets the last one instead of the first, too */
    char text[256];
};

static unsigned half(const uint8_t *at)
{
    return (unsigned)(at[0] << 8 | at[1]);
}

static size_t take_some(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    struct mirror *m = context;
    const size_t some = count < 5 ? count : 5;
    assert_true(waits);
    for (size_t i = 0; i < some; i++) {
        const uint8_t *b = frames[i].bytes;
        unsigned sum = 0;
        for (unsigned at = 14; at < 34; at += 2)
            sum += half(b + at);
        assert_int_equal((sum & 0xffff) + (sum >> 16), 0xffff);
        assert_int_equal(frames[i].size, 100);
        assert_int_equal(half(b + 12), 0x0800);
        assert_int_equal(half(b + 16), 86);
        assert_int_equal(half(b + 38), 66);
        assert_int_equal(half(b + 34), 1024 + atomic_load(&m->taken) % 3);
        if (!m->twice || atomic_load(&m->taken) > 0)
            assert_true(dpk_wire_send(m->wire, b, frames[i].size));
        if (atomic_fetch_add(&m->taken, 1) == 99 && m->twice)
            assert_true(dpk_wire_send(m->wire, b, frames[i].size));
    }
    dpk_wire_flush(m->wire);
    return some;
}

static void hush(void *context, bool detail, const char *text)
{
    (void)context, (void)detail, (void)text;
}

static void keep(void *context, bool detail, const char *text)
{
    struct mirror *m = context;
    assert_false(detail);
    if (atomic_fetch_add(&m->lines, 1) == 0)
        snprintf(m->text, sizeof m->text, "%s", text);
}

/* Keeps the addresses and ports of two flows. */
static size_t take_headers(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    uint8_t(*headers)[16] = context;
    assert_true(waits);
    for (size_t i = 0; i < count; i++) {
        memcpy(headers[i % 2], frames[i].bytes, 12);
        memcpy(headers[i % 2] + 12, frames[i].bytes + 34, 4);
    }
    return count;
}

static void frames_have_the_addresses_that_are_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *fields, *want; /* of the second flow */
    } cases[] = {{"", "02000000010002000000000104010009"},
                 {",dmac=B8:3f:d2:00:00:0a", "b83fd200000a02000000000104010009"},
                 {",smac=aa:bb:cc:dd:ee:ff,dport=4789", "020000000100aabbccddeeff040112b5"},
                 {",0,sport=7,dport=0,smac=00:00:00:00:00:01", "02000000010000000000000100080000"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t headers[2][16] = {0};
        char spec[100], got[33] = "";
        struct dpk_wire *wire = NULL;
        const struct dpk_wire_sink sink = {
            .arrive = take_headers, .tell = hush, .context = headers};
        snprintf(spec, sizeof spec, "generate:2,60,2%s", cases[i].fields);
        assert_int_equal(dpk_wire_open(spec, &sink, &wire, NULL), DPK_OK);
        assert_int_equal(dpk_wire_start(wire, NULL), DPK_OK);
        struct dpk_wire_counters seen = {0};
        for (unsigned n = 0; n < 20000 && seen.received < 2; n++, usleep(1000))
            dpk_wire_counters(wire, &seen);
        dpk_wire_close(wire);
        for (unsigned n = 0; n < 16; n++)
            snprintf(got + (size_t)n * 2, 3, "%02x", headers[1][n]);
        assert_string_equal(got, cases[i].want);
    }
}

static void frames_are_generated_and_counted(void **state)
{
    (void)state;
    for (unsigned rate = 0; rate <= 50000; rate += 50000)
        for (unsigned twice = 0; twice <= 1; twice++) {
            struct mirror m = {.twice = twice};
            const struct dpk_wire_sink sink = {.arrive = take_some, .tell = keep, .context = &m};
            char spec[60];
            snprintf(spec, sizeof spec, "generate:100,100,3,%u", rate);
            assert_int_equal(dpk_wire_open(spec, &sink, &m.wire, NULL), DPK_OK);
            assert_int_equal(dpk_wire_start(m.wire, NULL), DPK_OK);
            for (unsigned i = 0; i < 20000 && atomic_load(&m.taken) < 100; i++)
                usleep(1000);
            dpk_wire_close(m.wire);
            assert_int_equal(atomic_load(&m.taken), 100);
            assert_non_null(strstr(m.text, "100 frames, 100 came back"));
            assert_true((strstr(m.text, " us; ") != NULL) == (rate > 0));
            assert_int_equal(atomic_load(&m.lines), 1 + twice);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specifications_are_checked),
        cmocka_unit_test(the_environment_comes_before_the_device),
        cmocka_unit_test(a_capture_waits_for_room),
        cmocka_unit_test(a_wire_closes_while_frames_wait),
        cmocka_unit_test(captures_of_no_whole_frames_are_refused),
        cmocka_unit_test(what_is_sent_is_counted),
        cmocka_unit_test(a_full_disk_is_told_once),
        cmocka_unit_test(frames_have_the_addresses_that_are_asked_for),
        cmocka_unit_test(frames_are_generated_and_counted),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
