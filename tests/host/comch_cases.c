/* DOCA comch's messages and connections, with both ends in this process. */
#include <time.h>

#include "comch_world.h"

static void messages_arrive_whole_and_in_order(void)
{
    struct end *s = server_new("echo"), *c = client_new("echo");
    uint8_t bytes[MESSAGE_MAX];
    s->answers = true;
    connect_ends(s, c);
    for (unsigned i = 0; i < 3000; i++) {
        const uint32_t size = i % 3 ? 1 + i * 7919 % MESSAGE_MAX : MESSAGE_MAX;
        memset(bytes, (int)i, size);
        bytes[size - 1] = (uint8_t)~i;
        CHECK(say(c, bytes, size) == OK);
        AWAIT(s, c, c->heard == i + 1);
        CHECK(c->size == size && memcmp(c->message, bytes, size) == 0);
    }
    AWAIT(s, c, c->sent == 3000 && s->sent == 3000);
    CHECK(s->heard == 3000 && c->failed + s->failed == 0);
    end_free(c);
    AWAIT(s, s, s->went == 1);
    end_free(s);
}

static void the_smaller_size_counts(void)
{
    struct end *s = server_new("small"), *c = client_new("small");
    static uint8_t bytes[MESSAGE_MAX];
    uint32_t size = 0;
    CHECK(doca_comch_server_set_max_msg_size(s->server, 100) == OK);
    CHECK(doca_comch_server_set_max_msg_size(s->server, MESSAGE_MAX + 1) == INVALID);
    CHECK(doca_comch_server_set_max_msg_size(s->server, 0) == INVALID);
    CHECK(doca_comch_server_get_max_msg_size(s->server, &size) == OK && size == 100);
    CHECK(doca_comch_client_get_max_msg_size(c->client, &size) == OK && size == MESSAGE_MAX);
    connect_ends(s, c);
    CHECK(doca_comch_server_set_max_msg_size(s->server, 200) == BAD_STATE);
    CHECK(say(c, bytes, 101) == INVALID && say(s, bytes, 101) == INVALID);
    CHECK(say(c, bytes, 100) == OK && say(s, bytes, 100) == OK);
    AWAIT(s, c, s->heard == 1 && c->heard == 1);
    end_free(s);
    end_free(c);
}

/* They are not lost when the peer is slow; as many as there are tasks may be on their way. */
static void sends_wait_for_a_slow_peer(void)
{
    struct end *s = server_new("slow"), *c = client_new("slow");
    uint8_t bytes[MESSAGE_MAX] = {0};
    unsigned said = 0;
    connect_ends(s, c);
    for (;;) {
        doca_error_t result = OK;
        memcpy(bytes, &said, sizeof said);
        if ((result = say(c, bytes, sizeof bytes)) == DOCA_ERROR_NO_MEMORY && c->sent == 0)
            break;
        CHECK(result == OK || result == DOCA_ERROR_NO_MEMORY);
        said += result == OK;
        const unsigned before = c->sent;
        for (int i = 0; i < 200; i++)
            doca_pe_progress(c->pe);
        if (c->sent == before)
            break; /* nothing goes any more */
    }
    const unsigned waiting = said - c->sent;
    CHECK(waiting > 0 && s->heard == 0);
    for (unsigned last = 0; s->heard < said;) {
        AWAIT(s, c, s->heard > last);
        CHECK(memcmp(s->message, &(unsigned){s->heard - 1}, sizeof last) == 0);
        last = s->heard;
    }
    AWAIT(s, c, c->sent == said);
    /* Those that wait when it stops fail. */
    while (say(c, bytes, sizeof bytes) == OK || c->sent != said)
        for (said = c->sent, doca_pe_progress(c->pe); doca_pe_progress(c->pe);)
            ;
    CHECK(doca_ctx_stop(c->ctx) == DOCA_ERROR_IN_PROGRESS);
    stop(c->ctx, c->pe);
    CHECK(c->failed > 0 && c->status == BAD_STATE);
    end_free(c);
    end_free(s);
}

static void names_find_servers(void)
{
    struct end *s = server_new("name"), *again = server_new("name"), *c = client_new("nam");
    struct end *other = server_new("other");
    char longest[130];
    struct doca_comch_client *none = NULL;
    struct doca_comch_server *no_server = NULL;
    memset(longest, 'n', sizeof longest - 1);
    longest[129] = 0;
    CHECK(doca_ctx_start(s->ctx) == OK && doca_ctx_start(other->ctx) == OK);
    CHECK(doca_ctx_start(again->ctx) == DOCA_ERROR_ALREADY_EXIST);
    CHECK(doca_ctx_start(c->ctx) == DOCA_ERROR_NOT_FOUND);
    end_free(s);
    CHECK(doca_ctx_start(again->ctx) == OK);
    end_free(again);
    end_free(other);
    end_free(c);
    struct doca_dev *host = open_side("host");
    CHECK(doca_comch_client_create(host, "", &none) == INVALID && !none);
    CHECK(doca_comch_client_create(host, longest, &none) == INVALID);
    longest[120] = 0;
    CHECK(doca_comch_client_create(host, longest, &none) == OK);
    CHECK(doca_comch_client_destroy(none) == OK);
    CHECK(doca_comch_cap_client_is_supported(doca_dev_as_devinfo(host)) == OK);
    CHECK(doca_comch_cap_server_is_supported(doca_dev_as_devinfo(host)) ==
          DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_comch_server_create(host, NULL, "name", &no_server) == DOCA_ERROR_NOT_SUPPORTED);
    struct doca_dev *dpu = open_side("dpu");
    CHECK(doca_comch_server_create(dpu, NULL, "name", &no_server) == INVALID && !no_server);
    CHECK(doca_comch_client_create(dpu, "name", &none) == DOCA_ERROR_NOT_SUPPORTED && !none);
    CHECK(doca_dev_close(host) == OK && doca_dev_close(dpu) == OK);
}

/* A server has many, each with data of its own; it sends one away; it stops. */
static void clients_come_and_go(void)
{
    enum { CLIENTS = 20 };
    struct end *s = server_new("many"), *clients[CLIENTS];
    struct doca_comch_connection *theirs[CLIENTS];
    CHECK(doca_ctx_start(s->ctx) == OK);
    for (uintptr_t i = 0; i < CLIENTS; i++) {
        connect_ends(s, clients[i] = client_new("many"));
        theirs[i] = s->c;
        CHECK(doca_comch_connection_set_user_data(s->c, (union doca_data){.u64 = i + 1}) == OK);
        CHECK(doca_comch_server_get_server_ctx(s->c) == s->server);
        CHECK(!doca_comch_client_get_client_ctx(s->c));
        CHECK(doca_comch_client_get_client_ctx(clients[i]->c) == clients[i]->client);
    }
    for (uintptr_t i = 0; i < CLIENTS; i++)
        CHECK(doca_comch_connection_get_user_data(theirs[i]).u64 == i + 1);
    end_free(clients[3]);
    AWAIT(s, s, s->went == 1);
    CHECK(doca_comch_connection_set_user_data(theirs[3], (union doca_data){0}) == INVALID);
    CHECK(doca_comch_server_disconnect(s->server, theirs[3]) == INVALID);
    CHECK(doca_comch_server_disconnect(s->server, theirs[7]) == OK);
    AWAIT(s, clients[7], state_of(clients[7]->ctx) == DOCA_CTX_STATE_IDLE);
    CHECK(s->went == 1); /* it knows */
    connect_ends(s, clients[7]);
    stop(s->ctx, s->pe);
    for (int i = 0; i < CLIENTS; i++)
        if (i != 3) {
            AWAIT(s, clients[i], state_of(clients[i]->ctx) == DOCA_CTX_STATE_IDLE);
            end_free(clients[i]);
        }
    end_free(s);
}

static void connections_count(void)
{
    struct end *s = server_new("count"), *c = client_new("count");
    uint64_t n = 7;
    connect_ends(s, c);
    for (uint32_t i = 1; i <= 10; i++)
        CHECK(say(c, "0123456789", i) == OK);
    AWAIT(s, c, s->heard == 10);
    CHECK(doca_comch_connection_get_counter(s->c, DOCA_COMCH_COUNTER_RECV_BYTES, &n) == OK);
    CHECK(n == 0); /* until they are taken */
    CHECK(doca_comch_connection_update_info(s->c) == OK);
    CHECK(doca_comch_connection_get_counter(s->c, DOCA_COMCH_COUNTER_RECV_BYTES, &n) == OK);
    CHECK(n == 55);
    CHECK(doca_comch_connection_update_info(c->c) == OK);
    CHECK(doca_comch_connection_get_counter(c->c, DOCA_COMCH_COUNTER_SENT_MESSAGES, &n) == OK);
    CHECK(n == 10 && doca_comch_connection_get_counter(c->c, 0, &n) == INVALID);
    CHECK(doca_comch_connection_get_counter(c->c, 5, &n) == INVALID);
    end_free(s);
    CHECK(doca_comch_connection_update_info(c->c) == DOCA_ERROR_CONNECTION_ABORTED);
    end_free(c);
}

/* A thread that sleeps in poll() is woken by what comes. */
static void engines_sleep(void)
{
    struct end *s = server_new("sleep"), *c = client_new("sleep");
    doca_notification_handle_t fd;
    connect_ends(s, c);
    CHECK(doca_pe_get_notification_handle(s->pe, &fd) == OK);
    for (int i = 0; i < 20; i++) {
        while (doca_pe_progress(s->pe))
            ;
        CHECK(doca_pe_request_notification(s->pe) == OK);
        CHECK(say(c, "wake", 4) == OK);
        fd_set set;
        FD_ZERO(&set);
        FD_SET(fd, &set);
        CHECK(select(fd + 1, &set, NULL, NULL, &(struct timeval){.tv_sec = 100}) == 1);
        CHECK(doca_pe_clear_notification(s->pe, fd) == OK);
        AWAIT(s, c, s->heard == (unsigned)i + 1);
    }
    end_free(c);
    end_free(s);
}

const struct test_case comch_cases[] = {CASE(messages_arrive_whole_and_in_order),
                                        CASE(the_smaller_size_counts),
                                        CASE(sends_wait_for_a_slow_peer),
                                        CASE(names_find_servers),
                                        CASE(clients_come_and_go),
                                        CASE(connections_count),
                                        CASE(engines_sleep),
                                        {NULL, NULL}};
