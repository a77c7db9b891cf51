/* Trace messages of libflexio, one behaviour for each function; host_tracer.bats runs them. */
#include "flexio_world.h"

extern struct flexio_app *tracer_app;
flexio_func_t trace_all, trace_many, trace_flush;

static char *formats[] = {"none\n",
                          "%lu\n",
                          "%u %#lx\n",
                          "%u %d %03u%%\n",
                          "%lu%lu%lu%lu\n",
                          "%lu%lu%lu%lu%lu\n",
                          "%lu%lu%lu%lu%lu%lu\n",
                          NULL};

static struct flexio_msg_stream *tracer_new(struct flexio_process *p, FILE *out)
{
    struct flexio_msg_stream *s = NULL;
    flexio_msg_stream_attr_t attr = {.data_bsize = 2048,
                                     .sync_mode = FLEXIO_MSG_DEV_SYNC_MODE_TRACER,
                                     .level = FLEXIO_MSG_DEV_INFO,
                                     .tracer_mode = FLEXIO_TRACER_TRANSPORT_QP,
                                     .tracer_msg_formats = formats};
    CHECK(flexio_msg_stream_create(p, &attr, out, NULL, &s) == OK);
    return s;
}

static struct flexio_process *traced_process(void)
{
    struct flexio_process *p = NULL;
    CHECK(flexio_process_create(context, tracer_app, NULL, &p) == OK);
    return p;
}

static void traces_are_text_of_their_formats(void)
{
    static const char *const expected[] = {"none", "1",     "1 0xff", "1 -2 003%",
                                           "1234", "12345", "123456", "format 99: 0x7 0x8"};
    FILE *f = tmpfile();
    uint64_t result = 0;
    struct flexio_process *p = traced_process();
    struct flexio_msg_stream *s = tracer_new(p, f);
    CHECK(flexio_process_call(p, &trace_all, &result, (uint64_t)0) == OK);
    CHECK(lines(printed(f)) == 0); /* not before a flush */
    CHECK(flexio_msg_stream_destroy(s) == OK);
    char *text = printed(f);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        char *end = strchr(text, '\n');
        CHECK(end && text[0] == '/' && text[3] == '/');
        *end = '\0';
        CHECK(strcmp(text + 4, expected[i]) == 0);
        text = end + 1;
    }
    CHECK(*text == '\0');
    CHECK(flexio_process_destroy(p) == OK);
    fclose(f);
}

static void traces_are_printed_at_a_flush_of_either_side(void)
{
    FILE *f = tmpfile();
    uint64_t result = 0;
    struct flexio_process *p = traced_process();
    struct flexio_msg_stream *s = tracer_new(p, f);
    for (uint64_t notify = 0; notify < 2; notify++) {
        CHECK(flexio_process_call(p, &trace_many, &result, (uint64_t)0, UINT64_C(3)) == OK);
        CHECK(lines(printed(f)) == 0);
        CHECK(flexio_process_call(p, &trace_flush, &result, (uint64_t)0, notify) == OK);
        CHECK(lines(printed(f)) == 3);
    }
    CHECK(flexio_process_call(p, &trace_many, &result, (uint64_t)0, UINT64_C(4)) == OK);
    CHECK(flexio_msg_stream_flush(s) == OK);
    CHECK(lines(printed(f)) == 4);
    CHECK(flexio_process_call(p, &trace_many, &result, (uint64_t)0, UINT64_C(1000)) == OK);
    CHECK(flexio_process_call(p, &trace_flush, &result, UINT64_C(200), (uint64_t)0) == OK);
    CHECK(flexio_msg_stream_destroy(s) == OK);
    CHECK(lines(printed(f)) == 1000); /* none is lost */
    CHECK(flexio_process_destroy(p) == OK);
    fclose(f);
}

static void formats_are_checked(void)
{
    static char *const bad[] = {"%s\n", "%n", "%f", "%lu%lu%lu%lu%lu%lu%lu\n", "%*d", "%"};
    struct flexio_process *p = traced_process();
    struct flexio_msg_stream *s = NULL;
    flexio_msg_stream_attr_t attr = {.data_bsize = 2048,
                                     .sync_mode = FLEXIO_MSG_DEV_SYNC_MODE_TRACER,
                                     .level = FLEXIO_MSG_DEV_INFO};
    CHECK(flexio_msg_stream_create(p, &attr, stdout, NULL, &s) == FLEXIO_STATUS_FAILED && !s);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char *list[] = {formats[0], bad[i], NULL};
        attr.tracer_msg_formats = list;
        CHECK(flexio_msg_stream_create(p, &attr, stdout, NULL, &s) == FLEXIO_STATUS_FAILED && !s);
    }
    CHECK(flexio_process_destroy(p) == OK);
}

int main(int argc, char **argv)
{
    const struct test_case cases[] = {
        CASE(traces_are_text_of_their_formats),
        CASE(traces_are_printed_at_a_flush_of_either_side),
        CASE(formats_are_checked),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
