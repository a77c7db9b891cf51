/* Hostile peers of a queue pair on a fabric: peers that do not know the secret of an address, and
 * peers that send malformed messages. */
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "rc_world.h"
#include "rdma/pairs/line.h"

#define HERE "ucx:127.0.0.1"

/* A hostile peer: it sends bytes without a queue pair. */
struct speaker {
    struct dpk_fabric *fabric;
    struct dpk_fabric_link *link;
    struct dpk_fabric_link *asked; /* the link on which the queue pair asks */
    uint32_t number;               /* of its first request */
    struct address self, to;
    unsigned heard, lost;
    unsigned carried; /* requests that carried an acknowledgement */
};

static bool arrived(void *context, struct dpk_fabric_link *link, void *of, const uint8_t *head,
                    size_t head_size, const uint8_t *data, size_t size)
{
    struct speaker *s = context;
    struct dpk_reader in = dpk_reader(head, head_size);
    (void)data, (void)size;
    s->heard++;
    s->carried += of == &s->asked && head_size == HEAD_SIZE + NUMBER_SIZE;
    if (of)
        return true;
    s->asked = link;
    dpk_read_skip(&in, SECRET_SIZE + 4);
    s->number = dpk_read_be32(&in);
    dpk_fabric_own(link, &s->asked);
    return true;
}

static void lost(void *context, void *of)
{
    struct speaker *s = context;
    if (of == &s->asked) {
        s->asked = NULL;
        return;
    }
    s->lost++;
    s->link = NULL;
}

/* Opens a link to the queue pair of a side. */
static void speaker_open(struct speaker *s, const struct side *to)
{
    struct dpk_error err = {0};
    const struct dpk_fabric_options options = {
        .arrived = arrived, .lost = lost, .context = s, .in_flight_max = 1000};
    *s = (struct speaker){.self = {.number = 1, .secret = 2}};
    must(dpk_fabric_open(HERE, &options, &s->fabric, &err), &err);
    dpk_uuid_new_time(&s->self.process);
    s->self.place = *dpk_fabric_place(s->fabric);
    must(pairs_address_parse(to->address.data, to->address.size, &s->to, &err), &err);
    must(dpk_fabric_link(s->fabric, &s->to.place, s, &s->link, &err), &err);
}

static void say(struct speaker *s, const void *head, size_t head_size, const void *data,
                uint32_t size)
{
    if (!s->link)
        return;
    uint8_t *room = dpk_fabric_room(s->link, size);
    assert_non_null(room);
    if (size > 0)
        memcpy(room, data, size);
    dpk_fabric_send(s->link, head, head_size, size);
}

static void say_hello(struct speaker *s, uint64_t secret)
{
    uint8_t head[WORD_SIZE] = {0};
    struct dpk_buf addresses = {0};
    struct address to = s->to;
    to.secret = secret;
    pairs_address_put(&s->self, &addresses);
    pairs_address_put(&to, &addresses);
    dpk_store_be64(head, secret);
    dpk_store_be32(head + SECRET_SIZE, HELLO);
    say(s, head, sizeof head, addresses.data, (uint32_t)addresses.size);
    dpk_buf_free(&addresses);
}

static void say_frame(struct speaker *s, uint64_t secret, const uint8_t frame[FRAME_SIZE],
                      const void *data, uint32_t size)
{
    uint8_t head[HEAD_SIZE];
    dpk_store_be64(head, secret);
    memcpy(head + SECRET_SIZE, frame, FRAME_SIZE);
    say(s, head, sizeof head, data, size);
}

/* Handles what has arrived, or arrives in some milliseconds. */
static void run(struct speaker *s)
{
    poll(&(struct pollfd){.fd = dpk_fabric_fd(s->fabric), .events = POLLIN}, 1, 10);
    dpk_fabric_run(s->fabric);
}

/* Waits for the loss without a limit: the runner ends a test that waits too long. */
static void await_lost(struct speaker *s)
{
    while (s->lost == 0)
        run(s);
}

static void connect_to(struct side *side, const struct address *peer)
{
    struct dpk_error err = {0};
    struct dpk_buf bytes = {0};
    pairs_address_put(peer, &bytes);
    must(dpk_rc_qp_connect(side->qp, bytes.data, bytes.size, &err), &err);
    dpk_buf_free(&bytes);
}

static bool is_untouched(const struct side *s)
{
    for (size_t i = 0; i < MEMORY; i++)
        if (s->memory[i] != 0)
            return false;
    return true;
}

static const struct request write_request = {
    .opcode = DPK_RC_WRITE, .first = true, .last = true, .size = 8, .total = 8, .address = BASE};

static void strangers_get_nothing(void **state)
{
    struct world *w = world_with(state, ALL_REMOTE);
    static const uint8_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (unsigned kind = 0; kind < 4; kind++) {
        struct speaker s;
        uint8_t frame[FRAME_SIZE];
        struct request r = write_request;
        r.key = w->b.key;
        pairs_frame_write(&(struct frame){.kind = FRAME_REQUEST, .request = r, .payload = 8},
                          frame);
        speaker_open(&s, &w->b);
        if (kind != 3) /* otherwise it sends no hello */
            say_hello(&s, kind == 0 ? 0 : kind == 1 ? s.to.secret + 1 : s.to.secret);
        if (kind >= 2)
            say_frame(&s, kind == 2 ? s.to.secret ^ 1 : s.to.secret, frame, ones, sizeof ones);
        await_lost(&s);
        assert_int_equal(s.heard, 0);
        dpk_fabric_close(s.fabric);
    }
    assert_true(is_untouched(&w->b));
    side_connect(&w->a, &w->b); /* the queue pair still works */
    side_connect(&w->b, &w->a);
    introduce(w);
    world_end(w);
}

/* Makes a good request, then changes some random bytes. */
static void mutate(uint8_t frame[FRAME_SIZE], const struct side *to, unsigned seed)
{
    struct request r = write_request;
    srand(seed);
    r.key = to->key;
    r.opcode = (enum dpk_rc_opcode)(rand() % DPK_RC_OPCODES);
    pairs_frame_write(&(struct frame){.kind = FRAME_REQUEST, .request = r, .payload = 8}, frame);
    for (unsigned i = 0; i < 1 + seed % 6; i++)
        frame[(unsigned)rand() % FRAME_SIZE] = (uint8_t)rand();
}

static void malformed_frames_end_the_connection_alone(void **state)
{
    struct world *w = world_with(state, 0); /* peers have no rights */
    for (unsigned seed = 0; seed < 60; seed++) {
        struct speaker s;
        uint8_t frame[FRAME_SIZE], data[64] = {1};
        speaker_open(&s, &w->b);
        connect_to(&w->b, &s.self);
        say_hello(&s, s.to.secret);
        for (unsigned i = 0; i < 8; i++) {
            mutate(frame, &w->b, seed * 8 + i);
            say_frame(&s, s.to.secret, frame, data, (unsigned)rand() % sizeof data);
        }
        say_frame(&s, s.to.secret, frame, data, sizeof data); /* more data than any request has */
        await_lost(&s);
        dpk_fabric_close(s.fabric);
        dpk_rc_qp_reset(w->b.qp);
    }
    assert_true(is_untouched(&w->b));
    world_end(w);
}

static void too_many_requests_end_the_connection(void **state)
{
    struct world *w = world_with(state, ALL_REMOTE);
    struct speaker s;
    uint8_t frame[FRAME_SIZE];
    const struct request r = {.first = true, .last = true, .rnr_retries = DPK_RC_RNR_FOREVER};
    pairs_frame_write(&(struct frame){.kind = FRAME_REQUEST, .request = r}, frame);
    speaker_open(&s, &w->b);
    connect_to(&w->b, &s.self);
    say_hello(&s, s.to.secret);
    for (unsigned i = 0; i < WINDOW + 1; i++) /* sends for which no receive is posted */
        say_frame(&s, s.to.secret, frame, NULL, 0);
    await_lost(&s);
    dpk_fabric_close(s.fabric);
    world_end(w);
}

/* ---- Acknowledgements ---- */

/* A peer to which the side `b` is connected, and asks on a line. */
static struct world *asked_world(void **state, struct speaker *s)
{
    struct world *w = world_with(state, ALL_REMOTE);
    speaker_open(s, &w->b);
    connect_to(&w->b, &s->self);
    while (s->heard == 0)
        run(s);
    return w;
}

static void asked_world_end(struct world *w, struct speaker *s)
{
    dpk_fabric_close(s->fabric);
    world_end(w);
}

static void post_writes(struct side *side, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        post(side, (struct dpk_rc_work){
                       .opcode = DPK_RC_WRITE, .local = span(0, 8), .key = KEY, .address = BASE});
}

static void say_number(struct speaker *s, uint32_t word, uint32_t number)
{
    uint8_t head[WORD_SIZE];
    dpk_store_be64(head, s->to.secret);
    dpk_store_be32(head + SECRET_SIZE, word);
    dpk_store_be32(head + SECRET_SIZE + 4, number);
    assert_non_null(s->asked);
    dpk_fabric_send(s->asked, head, sizeof head, 0);
}

static void say_response(struct speaker *s, uint32_t number, const struct response *r)
{
    uint8_t head[HEAD_SIZE + NUMBER_SIZE];
    dpk_store_be64(head, s->to.secret);
    pairs_frame_write(&(struct frame){.kind = FRAME_RESPONSE, .response = *r}, head + SECRET_SIZE);
    dpk_store_be32(head + HEAD_SIZE, number);
    assert_non_null(s->asked);
    uint8_t *room = dpk_fabric_room(s->asked, r->size);
    assert_non_null(room);
    memset(room, 7, r->size);
    dpk_fabric_send(s->asked, head, sizeof head, r->size);
}

static size_t count_of(const struct side *side, enum dpk_rc_status status)
{
    size_t count = 0;
    pthread_mutex_lock(&world_lock);
    for (size_t i = 0; i < side->count; i++)
        count += side->told[i].status == status;
    pthread_mutex_unlock(&world_lock);
    return count;
}

static void await_count(struct speaker *s, const struct side *side, enum dpk_rc_status status,
                        size_t count)
{
    while (count_of(side, status) < count)
        run(s);
    assert_int_equal(count_of(side, status), count);
}

static void an_acknowledgement_completes_several_writes(void **state)
{
    struct speaker s;
    struct world *w = asked_world(state, &s);
    post_writes(&w->b, 5);
    say_number(&s, ACK, s.number + 3);
    await_count(&s, &w->b, DPK_RC_OK, 3);
    say_number(&s, ACK, s.number + 1); /* it is late */
    say_number(&s, ACK, s.number + 5);
    await_count(&s, &w->b, DPK_RC_OK, 5);
    asked_world_end(w, &s);
}

/* A read is not complete before its bytes are there, whatever numbers say. */
static void an_acknowledgement_completes_no_read(void **state)
{
    struct speaker s;
    struct world *w = asked_world(state, &s);
    post_writes(&w->b, 1);
    post(&w->b, (struct dpk_rc_work){
                    .opcode = DPK_RC_READ, .local = span(0, 8), .key = KEY, .address = BASE});
    post_writes(&w->b, 1);
    say_number(&s, ACK, s.number + 3);
    await_count(&s, &w->b, DPK_RC_OK, 1);
    say_response(&s, s.number + 2, &(struct response){.size = 8});
    await_count(&s, &w->b, DPK_RC_OK, 3);
    assert_int_equal(w->b.memory[7], 7);
    asked_world_end(w, &s);
}

static void numbers_that_were_not_asked_end_the_connection(void **state)
{
    for (unsigned kind = 0; kind < 5; kind++) {
        struct speaker s;
        struct world *w = asked_world(state, &s);
        post_writes(&w->b, 2);
        if (kind == 0)
            say_number(&s, ACK, s.number + 3);
        else if (kind == 1)
            say_number(&s, ACK + 1, s.number);
        else if (kind == 2)
            say_response(&s, s.number, &(struct response){0});
        else if (kind == 3)
            say_response(&s, s.number + 3, &(struct response){0});
        else
            say_response(&s, s.number + UINT32_C(0x80000000), &(struct response){0});
        await_count(&s, &w->b, DPK_RC_RETRY_EXCEEDED, 1); /* the other is flushed */
        assert_int_equal(count_of(&w->b, DPK_RC_OK), 0);
        asked_world_end(w, &s);
    }
}

/* A program that polls answers a send before it polls again: one message is enough. */
static void a_send_carries_the_acknowledgement_of_a_send(void **state)
{
    struct speaker s;
    uint8_t frame[FRAME_SIZE];
    const struct request r = {.first = true, .last = true};
    struct world *w = asked_world(state, &s);
    const unsigned heard = s.heard;
    pairs_frame_write(&(struct frame){.kind = FRAME_REQUEST, .request = r}, frame);
    post_receive(&w->b, 0, 8);
    dpk_rc_lock(w->b.rc); /* so that no other thread takes the request, and acknowledges it */
    w->b.rc->gateway->polled = true;
    say_hello(&s, s.to.secret);
    say_frame(&s, s.to.secret, frame, NULL, 0);
    while (told(&w->b) == 0) {
        run(&s);
        pairs_fabrics_run(w->b.rc);
    }
    post(&w->b, (struct dpk_rc_work){.opcode = DPK_RC_SEND, .local = span(0, 8)});
    w->b.rc->gateway->polled = false;
    dpk_rc_unlock(w->b.rc);
    while (s.carried == 0)
        run(&s);
    assert_int_equal(s.heard, heard + 1);
    asked_world_end(w, &s);
}

static void a_send_completes_though_its_receiver_polls_no_more(void **state)
{
    struct world *w = world(state);
    for (size_t i = 0; i < 20; i++) {
        post_receive(&w->b, 0, 8);
        for (unsigned polls = 0; polls < 100; polls++)
            dpk_rc_poll(w->b.rc);
        post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_SEND, .local = span(0, 8)});
        while (told(&w->b) == i)
            dpk_rc_poll(w->b.rc);
        await_event(&w->a, i, DPK_RC_DONE);
    }
    world_end(w);
}

/* ---- Queue pairs that are known by number ---- */

static const uint8_t here[16] = {[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1};

/* Two ends whose numbers are published, as those of two machines are. */
static struct world *numbered(void **state)
{
    static char directory[] = "/tmp/dpakit-numbers-XXXXXX";
    strcpy(directory + sizeof directory - 7, "XXXXXX");
    assert_non_null(mkdtemp(directory));
    side_directory = directory;
    struct world *w = world_with(state, ALL_REMOTE);
    side_directory = NULL;
    return w;
}

static void numbered_end(struct world *w)
{
    char directory[200];
    snprintf(directory, sizeof directory, "%s", w->nics[0]->directory);
    world_end(w);
    assert_int_equal(rmdir(directory), 0);
}

static void expose(struct side *s)
{
    struct dpk_error err = {0};
    must(pairs_fabric_expose(s->qp, &err), &err);
}

static void connect_number(struct side *s, uint32_t number)
{
    struct dpk_error err = {0};
    must(dpk_rc_qp_connect_far(s->qp, number, here, &err), &err);
}

static void numbers_connect_queue_pairs(void **state)
{
    struct world *w = numbered(state);
    struct dpk_error err = {0};
    assert_int_equal(dpk_rc_qp_connect_far(w->a.qp, 5, here, &err), DPK_ERR_NOT_FOUND);
    expose(&w->a);
    expose(&w->b);
    connect_number(&w->a, dpk_rc_qp_number(w->b.qp));
    post(&w->a, (struct dpk_rc_work){
                    .opcode = DPK_RC_WRITE, .local = span(0, 1), .key = KEY, .address = BASE});
    connect_number(&w->b, dpk_rc_qp_number(w->a.qp)); /* the write waits for this */
    await_event(&w->a, 0, DPK_RC_DONE);
    assert_int_equal(dpk_rc_qp_connect_far(w->a.qp, dpk_rc_qp_number(w->b.qp), here, &err),
                     DPK_ERR_USAGE);
    numbered_end(w);
}

/* Says hello by number with an address of its own, and expects to be cut off. */
static void expect_no_hello(const struct side *to, struct address self, uint64_t secret)
{
    struct speaker s;
    uint8_t frame[FRAME_SIZE];
    static const uint8_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    struct request r = write_request;
    r.key = to->key;
    pairs_frame_write(&(struct frame){.kind = FRAME_REQUEST, .request = r, .payload = 8}, frame);
    speaker_open(&s, to);
    self.place.port = s.self.place.port;
    self.process = s.self.process;
    s.self = self;
    say_hello(&s, 0);
    say_frame(&s, secret, frame, ones, sizeof ones);
    await_lost(&s);
    assert_int_equal(s.heard, 0);
    dpk_fabric_close(s.fabric);
}

static struct address known_as(uint32_t number)
{
    struct address a = {.number = number, .secret = 2};
    memcpy(a.place.ip, here, sizeof here);
    return a;
}

static void numbers_let_no_strangers_in(void **state)
{
    struct world *w = numbered(state);
    struct address elsewhere = known_as(7);
    elsewhere.place.ip[15] = 2;
    expect_no_hello(&w->b, known_as(7), 0); /* the queue pair is not exposed */
    expose(&w->b);
    expect_no_hello(&w->b, elsewhere, 0);
    expose(&w->a);
    connect_number(&w->b, dpk_rc_qp_number(w->a.qp));
    expect_no_hello(&w->b, known_as(7), 0); /* the peer has another number */
    expect_no_hello(&w->b, elsewhere, 0);
    assert_true(is_untouched(&w->b));
    connect_number(&w->a, dpk_rc_qp_number(w->b.qp));
    introduce(w);
    numbered_end(w);
}

/* A line that was opened by number carries no message with a secret. */
static void a_number_is_no_secret(void **state)
{
    struct world *w = numbered(state);
    expose(&w->b);
    expect_no_hello(&w->b, known_as(7), 3);
    assert_true(is_untouched(&w->b));
    numbered_end(w);
}

static bool has_answers(const struct side *s)
{
    dpk_rc_lock(s->rc);
    const bool has = s->qp->answers != NULL;
    dpk_rc_unlock(s->rc);
    return has;
}

/* A peer that has an address needs its secret, although the queue pair is exposed. */
static void who_claims_a_number_is_not_who_has_the_address(void **state)
{
    struct world *w = numbered(state);
    struct speaker s;
    expose(&w->b);
    speaker_open(&s, &w->b);
    s.self.number = dpk_rc_qp_number(w->a.qp);
    say_hello(&s, 0);
    while (!has_answers(&w->b))
        run(&s);
    side_connect(&w->b, &w->a);
    await_lost(&s);
    dpk_fabric_close(s.fabric);
    side_connect(&w->a, &w->b);
    introduce(w);
    numbered_end(w);
}

/* ---- Datagrams ---- */

#define QKEY 0x11111111u

/* Gives a side a queue pair for datagrams. */
static void become_datagrams(struct side *s)
{
    struct dpk_error err = {0};
    const struct dpk_rc_end_options options = {.ops = &side_ops,
                                               .context = s,
                                               .domain = &s->domain,
                                               .service = DPK_RC_DATAGRAM,
                                               .sends = 512,
                                               .receives = 512};
    dpk_rc_end_destroy(s->end);
    must(dpk_rc_end_create(s->rc, &options, &s->end, &err), &err);
    must(dpk_rc_qp_create(s->end, 3, &s->qp, &err), &err);
    dpk_buf_free(&s->address);
    must(dpk_rc_qp_address(s->qp, &s->address, &err), &err);
    dpk_rc_end_set_qkey(s->end, QKEY);
    dpk_rc_qp_open(s->qp);
}

static struct dpk_rc_work datagram_to(const struct side *to, uint32_t qkey)
{
    struct dpk_rc_work w = {.opcode = DPK_RC_SEND,
                            .local = span(0, 8),
                            .target = dpk_rc_qp_number(to->qp),
                            .qkey = qkey};
    memcpy(w.machine, here, sizeof here);
    return w;
}

static void datagrams_reach_a_queue_pair_with_their_key(void **state)
{
    struct world *w = numbered(state);
    become_datagrams(&w->a);
    become_datagrams(&w->b);
    expose(&w->a);
    for (size_t i = 0; i < 2; i++)
        post_receive(&w->b, 8 * i, 8);
    expose(&w->b);
    for (uint32_t i = 0; i < 3; i++) {
        struct dpk_rc_work work = datagram_to(&w->b, i == 1 ? QKEY + 1 : QKEY);
        work.has_immediate = true;
        work.immediate = i;
        post(&w->a, work);
    }
    for (uint32_t i = 0; i < 2; i++) {
        await_event(&w->b, i, DPK_RC_RECEIVED_IMMEDIATE);
        assert_int_equal(told_at(&w->b, i).immediate, 2 * i);
        assert_int_equal(told_at(&w->b, i).source, dpk_rc_qp_number(w->a.qp));
    }
    numbered_end(w);
}

/* A line takes 64 datagrams at once. The others wait. */
static void datagrams_wait_for_a_crowded_line(void **state)
{
    struct world *w = numbered(state);
    become_datagrams(&w->a);
    become_datagrams(&w->b);
    expose(&w->a);
    expose(&w->b);
    for (size_t i = 0; i < 400; i++)
        post_receive(&w->b, 8, 8);
    for (size_t i = 0; i < 400; i++)
        post(&w->a, datagram_to(&w->b, QKEY));
    await_event(&w->b, 399, DPK_RC_RECEIVED);
    numbered_end(w);
}

static void say_datagram(struct speaker *s, uint32_t target, const struct request *r, uint32_t size)
{
    static const uint8_t zeros[64];
    uint8_t head[HEAD_SIZE + NUMBER_SIZE] = {0};
    pairs_frame_write(&(struct frame){.kind = FRAME_REQUEST, .request = *r, .payload = size},
                      head + SECRET_SIZE);
    dpk_store_be32(head + HEAD_SIZE, target);
    say(s, head, sizeof head, zeros, size);
}

static void say_post(struct speaker *s)
{
    uint8_t head[WORD_SIZE] = {0};
    dpk_store_be32(head + SECRET_SIZE, POST);
    say(s, head, sizeof head, NULL, 0);
}

static void malformed_datagrams_close_their_line_alone(void **state)
{
    struct world *w = numbered(state);
    const struct request good = {.first = true,
                                 .last = true,
                                 .size = 8,
                                 .total = 8,
                                 .value = QKEY,
                                 .service = DPK_RC_DATAGRAM};
    struct request bad[6];
    for (unsigned i = 0; i < 6; i++)
        bad[i] = good;
    bad[0].service = DPK_RC_RELIABLE;
    bad[1].opcode = DPK_RC_WRITE;
    bad[2].last = false;
    bad[3].first = false;
    bad[4].total = 9;
    bad[5].size = 16;
    become_datagrams(&w->b);
    expose(&w->b);
    for (unsigned i = 0; i < 6; i++) {
        struct speaker s;
        post_receive(&w->b, 0, 8);
        speaker_open(&s, &w->b);
        say_post(&s);
        say_datagram(&s, s.to.number + 1, &good, 8); /* for nobody: it is lost */
        say_datagram(&s, s.to.number, &good, 8);
        say_datagram(&s, s.to.number, &bad[i], 8);
        say_datagram(&s, s.to.number, &good, 8); /* the line is closed */
        await_lost(&s);
        await_event(&w->b, i, DPK_RC_RECEIVED);
        dpk_fabric_close(s.fabric);
    }
    silence(w, &w->b, 6);
    numbered_end(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FABRIC(strangers_get_nothing),
        FABRIC(malformed_frames_end_the_connection_alone),
        FABRIC(too_many_requests_end_the_connection),
        FABRIC(an_acknowledgement_completes_several_writes),
        FABRIC(an_acknowledgement_completes_no_read),
        FABRIC(numbers_that_were_not_asked_end_the_connection),
        FABRIC(a_send_carries_the_acknowledgement_of_a_send),
        FABRIC(a_send_completes_though_its_receiver_polls_no_more),
        FABRIC(numbers_connect_queue_pairs),
        FABRIC(numbers_let_no_strangers_in),
        FABRIC(a_number_is_no_secret),
        FABRIC(who_claims_a_number_is_not_who_has_the_address),
        FABRIC(datagrams_reach_a_queue_pair_with_their_key),
        FABRIC(datagrams_wait_for_a_crowded_line),
        FABRIC(malformed_datagrams_close_their_line_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
