/* Message streams of libflexio, one behaviour for each function; host_messages.bats runs them. */
#include <time.h>
#include <unistd.h>

#include "flexio_world.h"

static void synchronous_messages_are_out_in_order_before_the_call_returns(void)
{
    struct flexio_process *p = process_new();
    struct flexio_msg_stream *s =
        stream_new(p, FLEXIO_LOG_DEV_SYNC_MODE_SYNC, FLEXIO_MSG_DEV_INFO, stdout);
    printf("before\n");
    device_counts(p, 0, FLEXIO_MSG_DEV_INFO, 3);
    printf("after\n");
    CHECK(flexio_msg_stream_destroy(s) == OK && flexio_process_destroy(p) == OK);
}

/* Messages "/thread/number\n" from `first` to `last`, and nothing else. */
static void counts(const char *at, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++) {
        unsigned thread = 0, number = 0;
        int used = 0;
        CHECK(sscanf(at, "/%u/%u%n", &thread, &number, &used) == 2 && number == i);
        at += used + 1;
    }
    CHECK(*at == '\0');
}

static void asynchronous_messages_are_out_after_a_flush(void)
{
    FILE *f = tmpfile();
    struct flexio_process *p = process_new();
    struct flexio_msg_stream *s =
        stream_new(p, FLEXIO_LOG_DEV_SYNC_MODE_ASYNC, FLEXIO_MSG_DEV_INFO, f);
    device_counts(p, 0, FLEXIO_MSG_DEV_INFO, 100);
    CHECK(lines(printed(f)) == 0);
    CHECK(flexio_msg_stream_flush(s) == OK);
    counts(printed(f), 0, 99);
    device_counts(p, 0, FLEXIO_MSG_DEV_INFO, 20);
    CHECK(flexio_msg_stream_destroy(s) == OK); /* the end is a flush, too */
    counts(printed(f), 0, 19);
    CHECK(flexio_process_destroy(p) == OK);
    fclose(f);
}

static void the_buffer_of_an_asynchronous_stream_wraps_around(void)
{
    FILE *f = tmpfile();
    struct flexio_process *p = process_new();
    struct flexio_msg_stream *s =
        stream_new(p, FLEXIO_LOG_DEV_SYNC_MODE_ASYNC, FLEXIO_MSG_DEV_INFO, f);
    device_counts(p, 0, FLEXIO_MSG_DEV_INFO, 2000); /* far more than 4096 bytes */
    CHECK(lines(printed(f)) == 0);
    CHECK(flexio_msg_stream_flush(s) == OK);
    const char *text = printed(f);
    unsigned first = 0;
    CHECK(strlen(text) <= 4096 && strlen(text) > 4096 - 16);
    CHECK(sscanf(text, "/%*u/%u", &first) == 1);
    counts(text, first, 1999);
    CHECK(flexio_msg_stream_destroy(s) == OK && flexio_process_destroy(p) == OK);
    fclose(f);
}

static void *print_for_ever(void *p)
{
    uint64_t result = 0;
    CHECK(flexio_process_call(p, &count, &result, (uint64_t)0, (uint64_t)FLEXIO_MSG_DEV_INFO,
                              UINT64_MAX) != OK);
    return NULL;
}

static void a_flush_does_not_wait_for_what_comes_later(void)
{
    FILE *f = tmpfile();
    struct flexio_process *p = process_new();
    struct flexio_msg_stream *s =
        stream_new(p, FLEXIO_LOG_DEV_SYNC_MODE_ASYNC, FLEXIO_MSG_DEV_INFO, f);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, print_for_ever, p) == 0);
    for (int out = 0; out<20; out += ftello(f)> 0) { /* it may take a while to begin */
        printed(f);
        usleep(1000);
        CHECK(flexio_msg_stream_flush(s) == OK);
    }
    CHECK(flexio_err_status_get(p) == FLEXIO_DEV_NO_ERROR); /* it still prints */
    CHECK(flexio_process_destroy(p) == OK);
    CHECK(pthread_join(thread, NULL) == 0);
    fclose(f);
}

static void batched_messages_wait_for_a_full_buffer_or_a_flush(void)
{
    FILE *f = tmpfile();
    struct flexio_process *p = process_new();
    struct flexio_msg_stream *s =
        stream_new(p, FLEXIO_LOG_DEV_SYNC_MODE_BATCH, FLEXIO_MSG_DEV_INFO, f);
    device_counts(p, 0, FLEXIO_MSG_DEV_INFO, 10);
    CHECK(lines(printed(f)) == 0);
    CHECK(flexio_msg_stream_flush(s) == OK);
    CHECK(lines(printed(f)) == 10);
    device_counts(p, 0, FLEXIO_MSG_DEV_INFO, 1000); /* over 8 bytes each: the buffer fills */
    size_t out = lines(printed(f));
    CHECK(out > 0 && out < 1000);
    CHECK(flexio_msg_stream_destroy(s) == OK);
    CHECK(lines(printed(f)) == 1000 - out);
    CHECK(flexio_process_destroy(p) == OK);
    fclose(f);
}

static void the_size_of_a_batch_is_the_buffers(void)
{
    size_t out[2], size[] = {2048, 8192};
    for (int i = 0; i < 2; i++) {
        FILE *f = tmpfile();
        struct flexio_process *p = process_new();
        struct flexio_msg_stream *s = NULL;
        flexio_msg_stream_attr_t attr = {.data_bsize = size[i],
                                         .sync_mode = FLEXIO_LOG_DEV_SYNC_MODE_BATCH,
                                         .level = FLEXIO_MSG_DEV_INFO};
        CHECK(flexio_msg_stream_create(p, &attr, f, NULL, &s) == OK);
        device_counts(p, 0, FLEXIO_MSG_DEV_INFO, 500); /* 8 bytes each, or less */
        out[i] = lines(printed(f));
        CHECK(flexio_msg_stream_destroy(s) == OK && flexio_process_destroy(p) == OK);
        fclose(f);
    }
    CHECK(out[0] > 0 && out[0] < 500 && out[1] == 0);
}

/* 0, as in attributes that name no level, is INFO for a process's first stream alone. */
static void the_first_stream_has_a_level(void)
{
    struct flexio_process *p = process_new();
    FILE *f = tmpfile();
    CHECK(f != NULL);
    struct flexio_msg_stream *s =
        stream_new(p, FLEXIO_LOG_DEV_SYNC_MODE_SYNC, FLEXIO_MSG_DEV_NO_PRINT, f);
    device_counts(p, 0, FLEXIO_MSG_DEV_INFO, 1);
    device_counts(p, 0, FLEXIO_MSG_DEV_DEBUG, 1);
    CHECK(lines(printed(f)) == 1);
    CHECK(flexio_msg_stream_destroy(s) == OK && flexio_process_destroy(p) == OK);
    CHECK(fclose(f) == 0);
}

static void a_stream_shows_messages_up_to_its_level(void)
{
    FILE *f = tmpfile();
    struct flexio_process *p = process_new();
    struct flexio_msg_stream *s =
        stream_new(p, FLEXIO_LOG_DEV_SYNC_MODE_SYNC, FLEXIO_MSG_DEV_WARN, f);
    for (unsigned level = FLEXIO_MSG_DEV_NO_PRINT; level <= FLEXIO_MSG_DEV_DEBUG; level++) {
        device_counts(p, 0, level, 1);
        bool shown = level >= FLEXIO_MSG_DEV_ALWAYS_PRINT && level <= FLEXIO_MSG_DEV_WARN;
        CHECK(lines(printed(f)) == (shown ? 1 : 0));
    }
    CHECK(flexio_msg_stream_level_set(s, FLEXIO_MSG_DEV_DEBUG) == OK);
    device_counts(p, 0, FLEXIO_MSG_DEV_DEBUG, 1);
    CHECK(lines(printed(f)) == 1);
    CHECK(flexio_msg_stream_level_set(s, FLEXIO_MSG_DEV_NO_PRINT) == OK);
    device_counts(p, 0, FLEXIO_MSG_DEV_ALWAYS_PRINT, 1);
    CHECK(lines(printed(f)) == 0);
    CHECK(flexio_msg_stream_level_set(s, 6) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_msg_stream_destroy(s) == OK && flexio_process_destroy(p) == OK);
    fclose(f);
}

static void messages_go_to_the_stream_of_their_number_or_to_all(void)
{
    FILE *f[2] = {tmpfile(), tmpfile()};
    struct flexio_msg_stream *s[2];
    struct flexio_process *p = process_new();
    device_counts(p, 0, FLEXIO_MSG_DEV_INFO, 1); /* no stream yet: lost */
    for (int i = 0; i < 2; i++) {
        s[i] = stream_new(p, FLEXIO_LOG_DEV_SYNC_MODE_SYNC, FLEXIO_MSG_DEV_INFO, f[i]);
        CHECK(flexio_msg_stream_get_id(s[i]) == i);
    }
    device_counts(p, 1, FLEXIO_MSG_DEV_INFO, 3);
    CHECK(lines(printed(f[0])) == 0 && lines(printed(f[1])) == 3);
    device_counts(p, 0xff, FLEXIO_MSG_DEV_INFO, 2);
    CHECK(lines(printed(f[0])) == 2 && lines(printed(f[1])) == 2);
    CHECK(flexio_msg_stream_destroy(s[0]) == OK);
    device_counts(p, 0, FLEXIO_MSG_DEV_INFO, 1);
    s[0] = stream_new(p, FLEXIO_LOG_DEV_SYNC_MODE_SYNC, FLEXIO_MSG_DEV_INFO, f[0]);
    CHECK(flexio_msg_stream_get_id(s[0]) == 0); /* the number is free again */
    CHECK(lines(printed(f[0])) == 0);
    CHECK(flexio_process_destroy(p) == OK); /* with its streams */
    fclose(f[0]);
    fclose(f[1]);
}

static void a_process_has_255_streams(void)
{
    FILE *f = tmpfile();
    struct flexio_process *p = process_new();
    for (int i = 0; i < FLEXIO_MSG_DEV_MAX_STREAMS_AMOUNT; i++)
        stream_new(p, FLEXIO_LOG_DEV_SYNC_MODE_BATCH, FLEXIO_MSG_DEV_INFO, f);
    flexio_msg_stream_attr_t attr = {.data_bsize = 2048, .level = FLEXIO_MSG_DEV_INFO};
    struct flexio_msg_stream *s = (struct flexio_msg_stream *)&s;
    CHECK(flexio_msg_stream_create(p, &attr, f, NULL, &s) == FLEXIO_STATUS_FAILED && !s);
    device_counts(p, 0xff, FLEXIO_MSG_DEV_INFO, 1);
    CHECK(flexio_process_destroy(p) == OK);
    CHECK(lines(printed(f)) == FLEXIO_MSG_DEV_MAX_STREAMS_AMOUNT);
    fclose(f);
}

static void bad_stream_attributes_fail(void)
{
    struct flexio_process *p = process_new();
    const flexio_msg_stream_attr_t bad[] = {
        {.data_bsize = 1024, .level = FLEXIO_MSG_DEV_INFO},
        {.data_bsize = 3000, .level = FLEXIO_MSG_DEV_INFO},
        {.data_bsize = 2048, .level = (flexio_msg_dev_level)6},
        {.data_bsize = 2048, .sync_mode = FLEXIO_LOG_DEV_SYNC_MODE_TRACER},
        {.data_bsize = 2048, .sync_mode = (flexio_log_dev_sync_mode)4},
        {.data_bsize = 2048, .mgmt_affinity = {FLEXIO_AFFINITY_STRICT, 256}},
        {.data_bsize = 2048, .mgmt_affinity = {FLEXIO_AFFINITY_GROUP, 7}},
        {.data_bsize = 2048, .mgmt_affinity = {(enum flexio_affinity_type)3, 0}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        flexio_msg_stream_attr_t attr = bad[i];
        struct flexio_msg_stream *s = (struct flexio_msg_stream *)&s;
        CHECK(flexio_msg_stream_create(p, &attr, stdout, NULL, &s) == FLEXIO_STATUS_FAILED && !s);
    }
    pthread_t printer = pthread_self();
    flexio_msg_stream_attr_t good = {.data_bsize = 2048, .level = FLEXIO_MSG_DEV_INFO};
    struct flexio_msg_stream *s = NULL;
    CHECK(flexio_msg_stream_create(p, &good, NULL, NULL, &s) == FLEXIO_STATUS_FAILED && !s);
    CHECK(flexio_msg_stream_create(p, &good, stdout, &printer, &s) == OK);
    CHECK(!pthread_equal(printer, pthread_self()));
    CHECK(flexio_msg_stream_destroy(s) == OK && flexio_process_destroy(p) == OK);
}

/* As programs leave them that set what they need of a variable on the stack. */
static void attributes_that_no_mode_uses_may_be_anything(void)
{
    struct flexio_process *p = process_new();
    for (int i = 0; i < 2; i++) {
        flexio_msg_stream_attr_t attr;
        struct flexio_msg_stream *s = NULL;
        memset(&attr, 0xa5, sizeof attr);
        attr.data_bsize = 2048;
        attr.sync_mode = FLEXIO_MSG_DEV_SYNC_MODE_SYNC;
        attr.level = FLEXIO_MSG_DEV_INFO;
        attr.stream_name = NULL;
        attr.mgmt_affinity = (struct flexio_affinity){FLEXIO_AFFINITY_NONE, 0};
        CHECK(flexio_msg_stream_create(p, &attr, stdout, NULL, &s) == OK);
        CHECK(flexio_msg_stream_destroy(s) == OK);
    }
    CHECK(flexio_process_destroy(p) == OK);
}

static void streams_take_any_affinity_that_exists(void)
{
    const struct flexio_affinity good[] = {{FLEXIO_AFFINITY_NONE, 0},
                                           {FLEXIO_AFFINITY_NONE, 999},
                                           {FLEXIO_AFFINITY_STRICT, 15},
                                           {FLEXIO_AFFINITY_GROUP, 3}};
    struct flexio_process *p = process_new(); /* DPAKIT_EU_GROUPS=3=0-15 */
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        flexio_msg_stream_attr_t attr = {
            .data_bsize = 2048, .level = FLEXIO_MSG_DEV_INFO, .mgmt_affinity = good[i]};
        struct flexio_msg_stream *s = NULL;
        CHECK(flexio_msg_stream_create(p, &attr, stdout, NULL, &s) == OK);
    }
    CHECK(flexio_process_destroy(p) == OK);
}

static const struct test_case cases[] = {
    CASE(synchronous_messages_are_out_in_order_before_the_call_returns),
    CASE(asynchronous_messages_are_out_after_a_flush),
    CASE(the_buffer_of_an_asynchronous_stream_wraps_around),
    CASE(a_flush_does_not_wait_for_what_comes_later),
    CASE(batched_messages_wait_for_a_full_buffer_or_a_flush),
    CASE(the_size_of_a_batch_is_the_buffers),
    CASE(attributes_that_no_mode_uses_may_be_anything),
    CASE(streams_take_any_affinity_that_exists),
    CASE(a_stream_shows_messages_up_to_its_level),
    CASE(the_first_stream_has_a_level),
    CASE(messages_go_to_the_stream_of_their_number_or_to_all),
    CASE(a_process_has_255_streams),
    CASE(bad_stream_attributes_fail),
};

int main(int argc, char **argv)
{
    return run_case(cases, sizeof cases / sizeof cases[0], argc, argv);
}
