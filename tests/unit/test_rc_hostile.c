/* The NIC and a process that means it no good: whatever it says or does to the memory that both
 * have, only its own connection ends. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "rc_peer.h"
#include "ring_maps.h"

static const struct dpk_rc_work good_write = {.opcode = DPK_RC_WRITE,
                                              .local = {.key = KEY, .address = BASE, .size = 8},
                                              .key = KEY,
                                              .address = BASE};

/* Two processes' ends, not connected yet. */
static struct world *strangers(void)
{
    static const bool apart = true;
    const void *mode = &apart;
    return world_with((void **)&mode, ALL_REMOTE);
}

static size_t count_descriptors(void)
{
    size_t count = 0;
    DIR *d = opendir("/proc/self/fd");
    while (readdir(d))
        count++;
    closedir(d);
    return count;
}

/* ---- Requests ---- */

/* `b`, which is connected to `a`, and a peer that said hello in the place of `a`. */
struct attack {
    struct world *w;
    struct peer p;
};

static struct attack attack_new(void)
{
    struct attack k = {strangers(), peer_new()};
    side_connect(&k.w->b, &k.w->a);
    peer_hello_as(&k.p, &k.w->a.address, &k.w->b.address);
    post_receive(&k.w->b, 0, 8);
    return k;
}

/* Two more ends of the same two processes, which work. */
static void expect_life(const struct world *w)
{
    struct side c, d;
    side_begin(&c, w->nics[0], ALL_REMOTE);
    side_begin(&d, w->nics[1], ALL_REMOTE);
    side_connect(&c, &d);
    side_connect(&d, &c);
    post(&c, good_write);
    post(&d, good_write);
    await_event(&c, 0, DPK_RC_DONE);
    await_event(&d, 0, DPK_RC_DONE);
    usleep(3000); /* the threads of both have gone to sleep */
    side_end(&c);
    side_end(&d);
}

/* The peer was cut off, its connection failed, others are well. */
static void expect_end(struct attack *k)
{
    assert_true(peer_is_cut_off(&k->p));
    await_event(&k->w->b, 0, DPK_RC_RECEIVE_FAILED);
    post(&k->w->b, good_write);
    await_event(&k->w->b, 1, DPK_RC_FAILED);
    expect_life(k->w);
    peer_end(&k->p);
    world_end(k->w);
}

static void expect_cut(struct frame f)
{
    static const uint8_t zeros[SEGMENT];
    struct attack k = attack_new();
    if (f.request.key == KEY)
        f.request.key = k.w->b.key;
    peer_put(&k.p, f, zeros);
    peer_knock(&k.p);
    expect_end(&k);
}

static struct frame ask(struct request r)
{
    return (struct frame){.kind = FRAME_REQUEST,
                          .request = r,
                          .payload = r.opcode <= DPK_RC_WRITE && r.size <= SEGMENT ? r.size : 0};
}

static void nonsense_is_cut_off(void **state)
{
    (void)state;
    expect_cut((struct frame){.kind = 9});
    expect_cut((struct frame){.kind = FRAME_RESPONSE});
    expect_cut(ask((struct request){.opcode = DPK_RC_OPCODES}));
    expect_cut(ask((struct request){.opcode = DPK_RC_SEND, .size = SEGMENT + 1, .total = ~0ull}));
    expect_cut(ask((struct request){.opcode = DPK_RC_SEND, .size = 2, .total = 1}));
    /* A part of a send that never started; a part that is longer than its header says; a part after
     * the last part. */
    expect_cut(ask((struct request){.opcode = DPK_RC_SEND, .size = 4, .total = 8}));
    expect_cut(ask((struct request){
        .opcode = DPK_RC_SEND, .first = true, .last = true, .size = 4, .total = 8}));
    expect_cut(ask((struct request){.opcode = DPK_RC_SEND, .first = true, .size = 8, .total = 8}));
    expect_cut(ask((struct request){.opcode = DPK_RC_READ,
                                    .size = SEGMENT,
                                    .total = SEGMENT,
                                    .key = KEY,
                                    .address = BASE + MEMORY - 10}));
}

/* `size` bytes shown of a write that has more. */
static void expect_cut_short(uint32_t size)
{
    struct attack k = attack_new();
    struct ring *out = &k.p.rings.out;
    pairs_frame_write(&(struct frame){.kind = FRAME_REQUEST,
                                      .request = {.opcode = DPK_RC_WRITE, .size = 8, .total = 8}},
                      ring_here(out));
    ring_wrote(out, size);
    peer_knock(&k.p);
    expect_end(&k);
}

static void half_a_frame_is_cut_off(void **state)
{
    (void)state;
    expect_cut_short(1);
    expect_cut_short(FRAME_SIZE - 1);
    expect_cut_short(FRAME_SIZE);
    expect_cut_short(FRAME_SIZE + 7);
}

static void counters_of_requests_are_bounded(void **state)
{
    static const uint32_t values[] = {RING_SIZE + 1, 1u << 31, UINT32_MAX};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct attack k = attack_new();
        atomic_store(&k.p.rings.out.shared->written, values[i]);
        peer_knock(&k.p);
        expect_end(&k);
        k = attack_new();
        atomic_store(&k.p.rings.in.shared->read, values[i] / 2); /* of responses: there are none */
        peer_put(&k.p, ask((struct request){.opcode = DPK_RC_SIGNAL_SET, .key = 5}), NULL);
        peer_knock(&k.p);
        expect_end(&k);
    }
}

static void other_words_than_knocks_are_cut_off(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct attack k = attack_new();
        const uint8_t words[] = {2, 255, 0};
        if (i < 2)
            peer_say(&k.p, words[i]);
        else
            peer_send(&k.p, (uint8_t[2]){0}, 2, NULL, 0);
        expect_end(&k);
    }
}

/* So many bytes of responses have come, for which it waits, at most a minute. */
static void await_bytes(const struct peer *p, uint32_t size)
{
    uint32_t there = 0;
    for (int i = 0; i < 600000 && there < size; i++) {
        usleep(100);
        ring_filled(&p->rings.in, &there);
    }
    assert_int_equal(there, size);
}

/* The status of the next response of the other side. */
static enum dpk_rc_status next_status(struct peer *p)
{
    uint8_t head[FRAME_SIZE];
    struct frame answer;
    peer_knock(p);
    await_bytes(p, sizeof head);
    ring_copy(&p->rings.in, head, sizeof head);
    ring_read(&p->rings.in, sizeof head);
    assert_true(pairs_frame_read(head, &answer));
    assert_int_equal(answer.kind, FRAME_RESPONSE);
    return answer.response.status;
}

/* A send without retries found no receive: its sender has failed. What the sender had put into the ring before it
 * heard of that is not carried out, though there is a receive now, and harms nobody. */
static void requests_after_a_send_without_a_receive_are_refused(void **state)
{
    static const uint8_t text[8] = "message";
    struct attack k = attack_new();
    const struct request send = {
        .opcode = DPK_RC_SEND, .first = true, .last = true, .size = 8, .total = 8};
    struct request part = send, write = send;
    (void)state;
    part.first = false;
    write.opcode = DPK_RC_WRITE;
    write.key = k.w->b.key;
    write.address = BASE;
    peer_put(&k.p, ask(send), text);
    assert_int_equal(next_status(&k.p), DPK_RC_OK);
    await_event(&k.w->b, 0, DPK_RC_RECEIVED);
    peer_put(&k.p, ask(send), text);
    assert_int_equal(next_status(&k.p), DPK_RC_RNR_EXCEEDED);
    post_receive(&k.w->b, 0, 8);
    const struct request later[] = {part, send, write};
    for (unsigned i = 0; i < 3; i++) {
        peer_put(&k.p, ask(later[i]), "another");
        assert_int_equal(next_status(&k.p), DPK_RC_RNR_EXCEEDED);
    }
    assert_int_equal(told(&k.w->b), 1);
    assert_int_equal(peek(&k.w->b, 0), 'm');
    expect_life(k.w);
    peer_end(&k.p);
    await_event(&k.w->b, 1, DPK_RC_RECEIVE_FAILED); /* its peer has ended, not before */
    world_end(k.w);
}

/* A ring that is full of requests, and nobody takes the responses: it waits, others do not. */
static void who_does_not_take_responses_waits(void **state)
{
    struct attack k = attack_new();
    struct peer *p = &k.p;
    const struct frame read = ask((struct request){.opcode = DPK_RC_READ,
                                                   .first = true,
                                                   .last = true,
                                                   .size = SEGMENT,
                                                   .total = SEGMENT,
                                                   .key = k.w->b.key,
                                                   .address = BASE});
    const uint32_t size = FRAME_SIZE + SEGMENT, fit = RING_SIZE / size;
    (void)state;
    for (uint32_t i = 0; i < fit + 2; i++)
        peer_put(p, read, NULL);
    peer_knock(p);
    await_bytes(p, fit * size);
    expect_life(k.w);
    await_bytes(p, fit * size);
    ring_read(&p->rings.in, fit * size);
    assert_true(ring_wakes_writer(&p->rings.in));
    peer_knock(p);
    await_bytes(p, 2 * size);
    peer_end(p);
    world_end(k.w);
}

/* ---- Responses ---- */

/* `b` is connected to a peer, which has its channel. */
static struct attack trap_new(void)
{
    struct attack k = {strangers(), peer_new()};
    struct dpk_error err = {0};
    must(dpk_rc_qp_connect(k.w->b.qp, k.p.address.data, k.p.address.size, &err), &err);
    peer_accept(&k.p);
    post_receive(&k.w->b, 0, 8);
    return k;
}

/* Posted work fails there, and so do incoming messages. */
static void expect_failure(struct attack *k)
{
    assert_true(peer_is_cut_off(&k->p));
    await_event(&k->w->b, 0, DPK_RC_FAILED);
    post(&k->w->b, good_write);
    expect_life(k->w);
    peer_end(&k->p);
    world_end(k->w);
}

/* The status that the requester gets. */
static void expect_refusal(struct response r, uint32_t payload, enum dpk_rc_status told)
{
    static const uint8_t zeros[SEGMENT];
    struct attack k = trap_new();
    post(&k.w->b, good_write);
    peer_put(&k.p, (struct frame){.kind = FRAME_RESPONSE, .response = r, .payload = payload},
             zeros);
    peer_knock(&k.p);
    assert_int_equal(told_at(&k.w->b, 0).status, told);
    expect_failure(&k);
}

static void nonsense_for_an_answer_fails(void **state)
{
    (void)state;
    expect_refusal((struct response){.size = 8}, 8, DPK_RC_RETRY_EXCEEDED); /* of a write */
    expect_refusal((struct response){.size = SEGMENT + 1}, 0, DPK_RC_RETRY_EXCEEDED);
    expect_refusal((struct response){.status = DPK_RC_REMOTE_ACCESS}, 0, DPK_RC_REMOTE_ACCESS);
    expect_refusal((struct response){.status = DPK_RC_FLUSHED}, 0,
                   DPK_RC_RETRY_EXCEEDED); /* of no responder */
    expect_refusal((struct response){.status = 0xff}, 0, DPK_RC_RETRY_EXCEEDED);
    struct attack k = trap_new();
    post(&k.w->b, good_write);
    peer_put(&k.p, ask((struct request){.opcode = DPK_RC_READ}), NULL); /* not on this channel */
    peer_knock(&k.p);
    expect_failure(&k);
}

/* The address has a secret. Only a peer that knows just the number of a queue pair may learn that
 * it does not exist yet. The request must not wait until another process gets the number. */
static void a_peer_with_a_secret_cannot_be_absent(void **state)
{
    enum { ABSENT = 2 };
    (void)state;
    for (int times = 1; times <= 2; times++) {
        struct attack k = trap_new();
        for (int i = 0; i < 2; i++) /* longer than the test waits */
            k.w->nics[i]->connect_wait_ms = 600000;
        post(&k.w->b, good_write);
        for (int i = 0; i < times; i++)
            peer_say(&k.p, ABSENT);
        assert_int_equal(told_at(&k.w->b, 0).status, DPK_RC_RETRY_EXCEEDED);
        expect_failure(&k);
    }
}

static void answers_without_a_question_fail(void **state)
{
    struct attack k = trap_new();
    (void)state;
    peer_put(&k.p, (struct frame){.kind = FRAME_RESPONSE, .response = {0}}, NULL);
    peer_knock(&k.p);
    assert_true(peer_is_cut_off(&k.p));
    await_event(&k.w->b, 0, DPK_RC_RECEIVE_FAILED);
    expect_life(k.w);
    peer_end(&k.p);
    world_end(k.w);
}

static void counters_of_responses_are_bounded(void **state)
{
    (void)state;
    struct attack k = trap_new();
    atomic_store(&k.p.rings.in.shared->read, 1); /* nothing was written */
    post(&k.w->b, good_write);
    expect_failure(&k);
    k = trap_new();
    post(&k.w->b, good_write);
    atomic_store(&k.p.rings.out.shared->written, RING_SIZE + 1);
    peer_knock(&k.p);
    expect_failure(&k);
}

/* Two channels, and the end of one is noticed first: answered work is done. */
static void an_answer_before_the_end_counts(void **state)
{
    struct attack k = trap_new();
    struct peer other = peer_new();
    (void)state;
    peer_hello_as(&other, &k.p.address, &k.w->b.address);
    post(&k.w->b, good_write);
    post(&k.w->b, good_write);
    peer_put(&k.p, (struct frame){.kind = FRAME_RESPONSE, .response = {0}}, NULL);
    peer_end(&other); /* nobody knocked on the first */
    await_event(&k.w->b, 0, DPK_RC_DONE);
    await_event(&k.w->b, 1, DPK_RC_FAILED);
    peer_end(&k.p);
    world_end(k.w);
}

/* A peer that reads nothing: posted work waits, and fails when the peer ends. */
static void who_does_not_read_holds_up_nobody(void **state)
{
    struct attack k = trap_new();
    struct dpk_rc_work w = good_write;
    (void)state;
    w.local.size = MEMORY;
    for (unsigned i = 0; i < 64; i++)
        post(&k.w->b, w);
    expect_life(k.w);
    assert_int_equal(told(&k.w->b), 0);
    close(k.p.fd);
    k.p.fd = -1;
    for (unsigned i = 0; i < 64; i++)
        await_event(&k.w->b, i, DPK_RC_FAILED);
    peer_end(&k.p);
    world_end(k.w);
}

/* ---- Hello ---- */

static void who_does_not_say_hello_is_cut_off(void **state)
{
    const uint8_t zeros[2 * DPK_RC_ADDRESS_SIZE + 1] = {0};
    const size_t sizes[] = {1, DPK_RC_ADDRESS_SIZE, sizeof zeros - 1, sizeof zeros};
    struct world *w = strangers();
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct peer p = peer_new();
        peer_call(&p, &w->b.address);
        peer_send(&p, zeros, sizes[i], NULL, 0);
        assert_true(peer_is_cut_off(&p));
        peer_end(&p);
    }
    expect_life(w);
    world_end(w);
}

/* Memory for a hello: what size, sealed how. */
static int memory_of(size_t size, int seals)
{
    int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(ftruncate(fd, (off_t)size) + fcntl(fd, F_ADD_SEALS, seals), 0);
    return fd;
}

/* A true hello of `a` to `b` with these descriptors, which it closes. */
static void hello_with(struct peer *p, const struct world *w, int *fds, size_t count)
{
    uint8_t hello[2 * DPK_RC_ADDRESS_SIZE];
    memcpy(hello, w->a.address.data, DPK_RC_ADDRESS_SIZE);
    memcpy(hello + DPK_RC_ADDRESS_SIZE, w->b.address.data, DPK_RC_ADDRESS_SIZE);
    peer_call(p, &w->b.address);
    peer_send(p, hello, sizeof hello, fds, count);
    for (size_t i = 0; i < count; i++)
        close(fds[i]);
}

static void memory_that_can_be_cut_short_is_refused(void **state)
{
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW;
    struct world *w = strangers();
    (void)state;
    size_t before = count_descriptors();
    for (unsigned i = 0; i < 6; i++) {
        int fds[] = {i == 0   ? memory_of(RING_MEMORY(RING_SIZE), 0)
                     : i == 1 ? memory_of(RING_MEMORY(RING_SIZE), F_SEAL_GROW)
                     : i == 2 ? memory_of(RING_MEMORY(RING_SIZE) - 4096, seals)
                     : i == 3 ? memory_of((size_t)1 << 40, seals)
                              : open("/dev/zero", O_RDWR | O_CLOEXEC),
                     open("/dev/null", O_RDWR | O_CLOEXEC), open("/dev/null", O_RDWR | O_CLOEXEC)};
        struct peer p = peer_new();
        hello_with(&p, w, fds, i == 5 ? 3 : 1);
        if (i != 5)
            close(fds[1]), close(fds[2]);
        assert_true(peer_is_cut_off(&p));
        peer_end(&p);
    }
    for (unsigned i = 0; i < 600000 && count_descriptors() > before; i++)
        usleep(100); /* the last one is cut off, then closed */
    assert_int_equal(count_descriptors(), before);
    side_connect(&w->a, &w->b); /* the place is still free */
    side_connect(&w->b, &w->a);
    post(&w->a, good_write);
    await_event(&w->a, 0, DPK_RC_DONE);
    world_end(w);
}

static void await_maps(size_t count)
{
    for (unsigned i = 0; i < 600000 && count_ring_maps() != count; i++)
        usleep(100);
    assert_int_equal(count_ring_maps(), count);
}

/* Nobody else has a say in a connection within a process: not who came before, not who says that it
 * is the peer. */
static void strangers_have_no_part_in_local_connections(void **state)
{
    struct world *w = strangers();
    struct side c;
    struct peer early = peer_new(), late = peer_new();
    (void)state;
    side_begin(&c, w->nics[1], ALL_REMOTE);
    peer_hello(&early, &w->b.address);
    await_maps(6); /* it is heard */
    side_connect(&w->b, &c);
    assert_true(peer_is_cut_off(&early));
    peer_hello_as(&late, &c.address, &w->b.address);
    assert_true(peer_is_cut_off(&late));
    side_connect(&c, &w->b);
    post(&c, good_write);
    await_event(&c, 0, DPK_RC_DONE);
    peer_end(&early);
    peer_end(&late);
    side_end(&c);
    world_end(w);
}

/* A stranger's good-bye does not count as the peer's. */
static void a_strangers_goodbye_is_not_the_peers(void **state)
{
    struct attack k = {strangers(), peer_new()};
    struct peer stranger = peer_new();
    struct dpk_error err = {0};
    (void)state;
    peer_hello(&stranger, &k.w->b.address);
    await_maps(6);
    peer_say(&stranger, 1);
    peer_end(&stranger);
    await_maps(0);
    must(dpk_rc_qp_connect(k.w->b.qp, k.p.address.data, k.p.address.size, &err), &err);
    peer_accept(&k.p);
    post_receive(&k.w->b, 0, 8);
    peer_end(&k.p);
    await_event(&k.w->b, 0, DPK_RC_RECEIVE_FAILED);
    world_end(k.w);
}

/* The peer says good-bye without having heard a knock: it was not killed. */
static void a_goodbye_counts_though_knocks_were_not_heard(void **state)
{
    struct attack k = trap_new();
    (void)state;
    post(&k.w->b, good_write);
    peer_say(&k.p, 1);
    peer_end(&k.p);
    await_event(&k.w->b, 0, DPK_RC_FAILED);
    assert_true(dpk_rc_qp_is_idle(k.w->b.qp)); /* all reports have arrived */
    assert_int_equal(told(&k.w->b), 1);
    world_end(k.w);
}

/* ---- Remains ---- */

/* When connections go, so does their memory, though the processes stay. */
static void memory_is_given_back(void **state)
{
    struct world *w = strangers();
    (void)state;
    size_t before = count_descriptors();
    expect_life(w);
    for (unsigned i = 0; i < 600000 && (count_ring_maps() > 0 || count_descriptors() > before); i++)
        usleep(100);
    assert_int_equal(count_ring_maps(), 0);
    assert_int_equal(count_descriptors(), before);
    world_end(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nonsense_is_cut_off),
        cmocka_unit_test(half_a_frame_is_cut_off),
        cmocka_unit_test(counters_of_requests_are_bounded),
        cmocka_unit_test(other_words_than_knocks_are_cut_off),
        cmocka_unit_test(requests_after_a_send_without_a_receive_are_refused),
        cmocka_unit_test(who_does_not_take_responses_waits),
        cmocka_unit_test(nonsense_for_an_answer_fails),
        cmocka_unit_test(a_peer_with_a_secret_cannot_be_absent),
        cmocka_unit_test(answers_without_a_question_fail),
        cmocka_unit_test(counters_of_responses_are_bounded),
        cmocka_unit_test(an_answer_before_the_end_counts),
        cmocka_unit_test(who_does_not_read_holds_up_nobody),
        cmocka_unit_test(who_does_not_say_hello_is_cut_off),
        cmocka_unit_test(memory_that_can_be_cut_short_is_refused),
        cmocka_unit_test(strangers_have_no_part_in_local_connections),
        cmocka_unit_test(a_strangers_goodbye_is_not_the_peers),
        cmocka_unit_test(a_goodbye_counts_though_knocks_were_not_heard),
        cmocka_unit_test(memory_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
