/* Behaviours of the plugin worker_rdmo, one function each; main runs the function that argv[1] names. */
#include "rdmo_world.h"

/* A record: its head, then bytes that follow from it. */
struct record {
    uint32_t size, initiator, number;
};

static uint8_t byte_of(const struct record *r, size_t at)
{
    return (uint8_t)(r->initiator * 7 + r->number * 13 + at);
}

static size_t make_record(uint8_t *to, unsigned initiator, unsigned number, size_t size)
{
    const struct record r = {(uint32_t)size, initiator, number};
    memcpy(to, &r, sizeof r);
    for (size_t i = sizeof r; i < size; i++)
        to[i] = byte_of(&r, i);
    return size;
}

/* Returns how many whole records the queue has; each is there once. */
static size_t check_records(const struct target *t, unsigned initiators, unsigned numbers)
{
    uint8_t *seen = calloc(initiators, numbers);
    size_t count = 0;
    const size_t end = queue_size(t);
    for (size_t at = 0; at < end; count++) {
        struct record r;
        const uint8_t *bytes = t->memory + QUEUE + at;
        memcpy(&r, bytes, sizeof r);
        CHECK(r.size >= sizeof r && r.size <= end - at);
        CHECK(r.initiator < initiators && r.number < numbers);
        CHECK(!seen[r.initiator * numbers + r.number]++);
        for (size_t i = sizeof r; i < r.size; i++)
            CHECK(bytes[i] == byte_of(&r, i));
        at += r.size;
    }
    free(seen);
    return count;
}

/* ---- One initiator ---- */

static const size_t sizes[] = {12, 64, 100, 8192, 8193, 20000, 1 << 20, 300000, 13};
enum { SIZES = sizeof sizes / sizeof *sizes };

static size_t put_piece(uint8_t *to, uint64_t addr, uint64_t rkey, const char *text)
{
    const struct urom_rdmo_scatter_iov iov = {addr, rkey, (uint16_t)strlen(text)};
    memcpy(to, &iov, sizeof iov);
    memcpy(to + sizeof iov, text, strlen(text));
    return sizeof iov + strlen(text);
}

static void scatter(struct initiator *i, uint64_t count, const uint8_t *pieces, size_t size)
{
    const struct one_header h = {{CLIENT, UROM_RDMO_OP_SCATTER, 0}, count};
    CHECK(send_raw(i, &h, sizeof h, pieces, size, UCP_AM_SEND_FLAG_REPLY) == UCS_OK);
}

static void one_of_all(struct initiator *i)
{
    static uint8_t bytes[1 << 20], pieces[40000];
    for (unsigned n = 0; n < SIZES; n++)
        append(i, bytes, make_record(bytes, 0, n, sizes[n]));
    flush(i);
    meet_target(i); /* it looks at the records, and empties the queue */
    append(i, bytes, make_record(bytes, 0, 0, 50));
    flush(i);
    const uint64_t free_place = i->place.base + i->place.size - 100000;
    size_t size = put_piece(pieces, free_place + 50, i->place.rkey, "second");
    size += put_piece(pieces + size, free_place, i->place.rkey, "first");
    size += put_piece(pieces + size, free_place + 99, i->place.rkey, "third");
    scatter(i, 3, pieces, size);
    memset(pieces, 0, sizeof pieces); /* a request that arrives by rendezvous */
    const struct urom_rdmo_scatter_iov iov = {free_place + 1000, i->place.rkey, 30000};
    memcpy(pieces, &iov, sizeof iov);
    memset(pieces + sizeof iov, 'x', 30000);
    scatter(i, 1, pieces, sizeof iov + 30000);
    scatter(i, 0, NULL, 0);
    flush(i);
}

static void appends_scatters_and_flushes(void)
{
    struct target t = {0};
    target_fork(&t, 1, one_of_all);
    target_start(&t, 4 << 20);
    target_connect(&t);
    await_initiator(&t, 0);
    CHECK(check_records(&t, 1, SIZES) == SIZES);
    set_pointer(&t, QUEUE); /* after a flush the target may change it */
    release_initiator(&t, 0);
    target_wait(&t);
    CHECK(check_records(&t, 1, SIZES) == 1 && queue_size(&t) == 50);
    const uint8_t *place = t.memory + t.size - 100000;
    CHECK(memcmp(place, "first", 5) == 0 && memcmp(place + 50, "second", 6) == 0);
    CHECK(memcmp(place + 99, "third", 5) == 0);
    for (size_t n = 0; n < 30000; n++)
        CHECK(place[1000 + n] == 'x');
    target_end(&t);
}

/* ---- Many ---- */

/* Of initiators, and of the records of each: DPAKIT_TEST_RDMO is "INITIATORS RECORDS". */
static unsigned many = 8, records = 250;

static void append_many(struct initiator *i)
{
    static uint8_t bytes[200000];
    unsigned seed = i->number + 1;
    for (unsigned n = 0; n < records; n++) {
        const unsigned kind = (unsigned)rand_r(&seed) % 64;
        const size_t most = kind == 0 ? 150000 : kind < 8 ? 9000 : 300;
        append(i, bytes,
               make_record(bytes, i->number, n, 12 + (size_t)rand_r(&seed) % (most - 12)));
        if (n % 100 == 50)
            flush(i);
    }
    flush(i);
}

static void each_record_is_there_once_and_whole(void)
{
    struct target t = {0};
    const char *counts = getenv("DPAKIT_TEST_RDMO");
    CHECK(!counts || sscanf(counts, "%u %u", &many, &records) == 2);
    CHECK(many <= INITIATOR_MAX);
    target_fork(&t, many, append_many);
    target_start(&t, ((size_t)64 << 20) + (size_t)many * records * 3072);
    target_connect(&t);
    target_wait(&t);
    CHECK(check_records(&t, many, records) == many * records);
    target_end(&t);
}

/* ---- A killed worker ---- */

static void append_until_killed(struct initiator *i)
{
    static uint8_t bytes[5000];
    unsigned n = 0;
    for (; n < 100; n++)
        append(i, bytes, make_record(bytes, 0, n, 12 + n * 31));
    flush(i);
    meet_target(i);
    for (; n < 100000; n++) { /* the worker dies meanwhile */
        const struct append_header h = append_to(i);
        const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                           .flags = UCP_AM_SEND_FLAG_REPLY};
        make_record(bytes, 0, n % 200, 64);
        void *request = ucp_am_send_nbx(i->ep, UROM_RDMO_AM_ID, &h, sizeof h, bytes, 64, &param);
        if (UCS_PTR_IS_ERR(request))
            _exit(0);
        for (int k = 0; UCS_PTR_IS_PTR(request) && k < 1000; k++)
            ucp_worker_progress(i->peer.worker);
        if (UCS_PTR_IS_PTR(request) && ucp_request_check_status(request) == UCS_INPROGRESS)
            _exit(0);
    }
}

static void what_was_flushed_stays(void)
{
    struct target t = {0};
    enum doca_ctx_states state;
    target_fork(&t, 1, append_until_killed);
    target_start(&t, 16 << 20);
    target_connect(&t);
    await_initiator(&t, 0);
    const size_t flushed = queue_size(&t);
    CHECK(check_records(&t, 1, 200) == 100);
    release_initiator(&t, 0);
    printf("flushed\n");
    fflush(stdout);
    do { /* the test kills the worker */
        target_progress(&t);
        CHECK(doca_ctx_get_state(doca_urom_worker_as_ctx(t.worker), &state) == OK);
    } while (state != DOCA_CTX_STATE_IDLE);
    CHECK(queue_size(&t) == flushed && check_records(&t, 1, 200) == 100);
    kill(t.pids[0], SIGKILL);
    _exit(0);
}

/* ---- Hostile initiators ---- */

static void attack(struct initiator *i)
{
    static uint8_t bytes[100000];
    const struct append_header good = append_to(i);
    struct append_header h = good;
    const unsigned reply = UCP_AM_SEND_FLAG_REPLY;
    const uint64_t end = i->place.base + i->place.size;
    for (size_t size = 0; size < sizeof h; size++) /* truncated headers */
        CHECK(send_raw(i, &h, size, bytes, 10, reply) == UCS_OK);
    CHECK(send_raw(i, &h, sizeof h, bytes, 10, 0) == UCS_OK); /* no one to answer */
    h.first.id = CLIENT + 1;
    CHECK(send_raw(i, &h, sizeof h, bytes, 10, reply) == UCS_OK);
    h = good;
    h.first.op_id = 9;
    CHECK(send_raw(i, &h, sizeof h, bytes, 10, reply) == UCS_OK);
    h = good;
    h.first.flags = 6;
    CHECK(send_raw(i, &h, sizeof h, bytes, 10, reply) == UCS_OK);
    for (int k = 0; k < 2; k++) {
        h = good;
        *(k ? &h.second.ptr_rkey : &h.second.data_rkey) = UINT64_MAX;
        CHECK(send_raw(i, &h, sizeof h, bytes, 10, reply) == UCS_OK);
    }
    const uint64_t pointers[] = {0, 1, i->place.base + 1, end - 4, end, UINT64_MAX - 7};
    for (size_t k = 0; k < sizeof pointers / sizeof *pointers; k++) {
        h = good;
        h.second.ptr_addr = pointers[k];
        CHECK(send_raw(i, &h, sizeof h, bytes, 10, reply) == UCS_OK);
    }
    h = good; /* a word that points outside, and a record that does not fit */
    h.second.ptr_addr = i->place.base + 8;
    CHECK(send_raw(i, &h, sizeof h, bytes, 10, reply) == UCS_OK);
    CHECK(send_raw(i, &good, sizeof good, bytes, sizeof bytes, reply) == UCS_OK);
    const uint64_t counts[] = {1, 3, UINT64_C(1) << 63, UINT64_MAX};
    size_t size = put_piece(bytes, i->place.base + 5000, i->place.rkey, "piece");
    size += put_piece(bytes + size, i->place.base + 6000, i->place.rkey, "piece");
    for (size_t k = 0; k < 4; k++)
        scatter(i, counts[k], bytes, size);
    for (size_t cut = 1; cut < size; cut += 3)
        scatter(i, 2, bytes, cut);
    const uint64_t overlaps[] = {i->place.base + 5000, i->place.base + 5004, end - 3,
                                 UINT64_MAX - 2};
    for (size_t k = 0; k < 4; k++) {
        size = put_piece(bytes, i->place.base + 5000, i->place.rkey, "piece");
        size += put_piece(bytes + size, overlaps[k], i->place.rkey, "piece");
        scatter(i, 2, bytes, size);
    }
    size = put_piece(bytes, i->place.base + 5000, i->place.rkey + 9, "piece");
    scatter(i, 1, bytes, size);
    unsigned seed = 5;
    for (int k = 0; k < 3000; k++) {
        h = good;
        for (int n = 0; n < 3; n++)
            ((uint8_t *)&h)[8 + (unsigned)rand_r(&seed) % (sizeof h - 8)] = (uint8_t)rand_r(&seed);
        h.first.op_id |= 4; /* never a good one */
        CHECK(send_raw(i, &h, sizeof h, bytes, (size_t)rand_r(&seed) % 200, reply) == UCS_OK);
    }
    append(i, bytes, make_record(bytes, 0, 0, 64));
    flush(i);
}

static void hostile_requests_are_refused_one_by_one(void)
{
    struct target t = {0};
    target_fork(&t, 1, attack);
    target_start(&t, 65536);
    const uint64_t outside = (uintptr_t)t.memory - 8;
    memcpy(t.memory + 8, &outside, sizeof outside);
    target_connect(&t);
    target_wait(&t);
    CHECK(check_records(&t, 1, 1) == 1 && queue_size(&t) == 64);
    for (size_t n = QUEUE + 64; n < 65536; n++)
        CHECK(t.memory[n] == 0);
    target_end(&t);
}

/* ---- Commands ---- */

static void append_at_each_meeting(struct initiator *i)
{
    uint8_t bytes[64];
    for (unsigned n = 0; n < 3; n++) {
        append(i, bytes, make_record(bytes, 0, n, sizeof bytes));
        flush(i); /* the worker has read the record */
        if (n < 2)
            meet_target(i);
    }
}

static void queues_and_memory_can_be_taken_away(void)
{
    struct target t = {0};
    target_fork(&t, 1, append_at_each_meeting);
    target_start(&t, 65536);
    struct urom_worker_rdmo_cmd again = {.type = UROM_WORKER_CMD_RDMO_CLIENT_INIT,
                                         .client_init = {.id = 1, .addr_len = 8}};
    CHECK(command(&t, &again, "12345678", 8) == DOCA_ERROR_ALREADY_EXIST);
    struct urom_worker_rdmo_cmd wrong = {
        .type = UROM_WORKER_CMD_RDMO_MR_REG,
        .mr_reg = {
            .va = 1, .len = UINT64_MAX, .packed_rkey_len = 4, .packed_memh_len = UINT64_MAX - 2}};
    CHECK(command(&t, &wrong, "key", 4) == DOCA_ERROR_INVALID_VALUE);
    wrong.mr_reg.packed_memh_len = 0;
    CHECK(command(&t, &wrong, "key", 4) == DOCA_ERROR_INVALID_VALUE);
    wrong.type = 99;
    CHECK(command(&t, &wrong, NULL, 0) == DOCA_ERROR_INVALID_VALUE);
    target_connect(&t);
    await_initiator(&t, 0);
    CHECK(check_records(&t, 1, 3) == 1);
    struct urom_worker_rdmo_cmd dereg = {.type = UROM_WORKER_CMD_RDMO_MR_DEREG,
                                         .mr_dereg = {.rkey = t.place.rkey + 100}};
    CHECK(command(&t, &dereg, NULL, 0) == DOCA_ERROR_NOT_FOUND);
    release_initiator(&t, 0);
    await_initiator(&t, 0);
    CHECK(check_records(&t, 1, 3) == 2);
    dereg.mr_dereg.rkey = t.place.rkey;
    CHECK(command(&t, &dereg, NULL, 0) == OK && t.told.mr_dereg.rkey == t.place.rkey);
    CHECK(command(&t, &dereg, NULL, 0) == DOCA_ERROR_NOT_FOUND);
    release_initiator(&t, 0);
    target_wait(&t); /* its last record is refused */
    CHECK(check_records(&t, 1, 3) == 2);
    struct urom_worker_rdmo_cmd destroy = {.type = UROM_WORKER_CMD_RDMO_RQ_DESTROY,
                                           .rq_destroy = {.rq_id = t.rqs[0]}};
    CHECK(command(&t, &destroy, NULL, 0) == OK && t.told.rq_destroy.rq_id == t.rqs[0]);
    CHECK(command(&t, &destroy, NULL, 0) == DOCA_ERROR_NOT_FOUND);
    target_end(&t);
}

static const struct test_case cases[] = {
    CASE(appends_scatters_and_flushes), CASE(each_record_is_there_once_and_whole),
    CASE(what_was_flushed_stays), CASE(hostile_requests_are_refused_one_by_one),
    CASE(queues_and_memory_can_be_taken_away)};

int main(int argc, char **argv)
{
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
