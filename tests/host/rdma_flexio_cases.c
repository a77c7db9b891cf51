/* A queue pair of libflexio and a connection of DOCA RDMA: in one process, and in two processes. */
#include <doca_ctx.h>
#include <doca_dpa.h>
#include <doca_mmap.h>
#include <doca_rdma.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "doca3.h"
#define open_device open_doca_device /* libflexio's tests have one, too */
#include "doca_device.h"
#undef open_device
#include "queue_world.h"

extern struct doca_dpa_app *dpa_test_app;
doca_dpa_func_t rdma_one, rdma_next;

enum { SEND = 1, WRITE = 4, READ = 5, FETCH_ADD = 12 }; /* kinds of a work */
/* Types of completions (doca_dpa_dev.h, which is for the device). */
enum { SENT = 0, RECEIVED = 2, SEND_FAILED = 0xd, RECEIVE_FAILED = 0xe };
#define EVERYTHING (IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)
#define RIGHTS                                                                                     \
    (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |                              \
     DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

/* ---- DOCA's side: one step after the other ---- */

struct facts {
    uint32_t step, number, key;
    uint64_t address, value;
};

static struct {
    struct doca_dpa *dpa;
    struct doca_rdma *rdma;
    struct doca_rdma_connection *connection;
    struct doca_dpa_completion *queue;
    struct doca_mmap *map;
    uint64_t memory[8], queue_handle, handle;
    uint32_t key, remote; /* handles of maps: of its memory, of the peer's */
} d;

static void one_sided(uint32_t what, uint64_t *at, uint64_t remote_address, uint64_t size)
{
    uint64_t result = 0;
    CHECK(doca_dpa_rpc(d.dpa, &rdma_one, &result, d.handle, what, d.key, (uint64_t)(uintptr_t)at,
                       (uint64_t)d.remote, remote_address, size, 1u) == DOCA_SUCCESS);
}

static void one(uint32_t what, uint64_t *at)
{
    one_sided(what, at, 0, 8);
}

static void doca_begin(struct facts *f)
{
    const void *details;
    size_t size;
    uint32_t number;
    struct doca_dev *dev = open_doca_device("mlx5_0");
    CHECK(doca_dpa_create(dev, &d.dpa) == DOCA_SUCCESS);
    CHECK(doca_dpa_set_app(d.dpa, dpa_test_app) == DOCA_SUCCESS);
    CHECK(doca_dpa_start(d.dpa) == DOCA_SUCCESS);
    CHECK(doca_mmap_create(&d.map) == DOCA_SUCCESS);
    CHECK(doca_mmap_set_permissions(d.map, RIGHTS) == DOCA_SUCCESS);
    CHECK(doca_mmap_set_memrange(d.map, d.memory, sizeof d.memory) == DOCA_SUCCESS);
    CHECK(doca_mmap_add_dev(d.map, dev) == DOCA_SUCCESS);
    CHECK(doca_mmap_start(d.map) == DOCA_SUCCESS);
    CHECK(doca_mmap_dev_get_dpa_handle(d.map, dev, &d.key) == DOCA_SUCCESS);
    CHECK(doca_dpa_completion_create(d.dpa, 64, &d.queue) == DOCA_SUCCESS);
    CHECK(doca_dpa_completion_start(d.queue) == DOCA_SUCCESS);
    CHECK(doca_dpa_completion_get_dpa_handle(d.queue, &d.queue_handle) == DOCA_SUCCESS);
    CHECK(doca_rdma_create(dev, &d.rdma) == DOCA_SUCCESS);
    CHECK(doca_rdma_set_permissions(d.rdma, RIGHTS) == DOCA_SUCCESS);
    CHECK(doca_ctx_set_datapath_on_dpa(doca_rdma_as_ctx(d.rdma), d.dpa) == DOCA_SUCCESS);
    CHECK(doca_rdma_dpa_completion_attach(d.rdma, d.queue) == DOCA_SUCCESS);
    CHECK(doca_ctx_start(doca_rdma_as_ctx(d.rdma)) == DOCA_SUCCESS);
    CHECK(doca_rdma_get_dpa_handle(d.rdma, &d.handle) == DOCA_SUCCESS);
    CHECK(doca_rdma_export(d.rdma, &details, &size, &d.connection) == DOCA_SUCCESS);
    memcpy(&number, (const char *)details + 24, sizeof number);
    one(RDMA_RECEIVE, &d.memory[4]);
    one(RDMA_RECEIVE, &d.memory[5]);
    *f = (struct facts){.number = be32toh(number), .key = d.key, .address = (uintptr_t)d.memory};
}

static void doca_connect(struct facts *f)
{
    char bytes[8] = "DPKN";
    const uint32_t number = htobe32(f->number);
    memcpy(bytes + 4, &number, sizeof number);
    CHECK(doca_rdma_connect(d.rdma, bytes, 7, d.connection) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_rdma_connect(d.rdma, bytes, sizeof bytes, d.connection) == DOCA_SUCCESS);
}

static void doca_send(struct facts *f)
{
    d.memory[6] = f->value;
    one(RDMA_SEND, &d.memory[6]);
}

/* The next completion, and the word with that number. */
static void doca_next(struct facts *f)
{
    uint64_t type = UINT64_MAX;
    for (int i = 0; i < 10000 && type == UINT64_MAX; i++)
        CHECK(doca_dpa_rpc(d.dpa, &rdma_next, &type, d.queue_handle) == DOCA_SUCCESS);
    f->key = (uint32_t)type;
    f->value = d.memory[f->number];
}

/* Names the peer's memory by a key: `value` bytes. */
static void doca_import(struct facts *f)
{
    struct doca_mmap *map = NULL;
    struct doca_dev *dev = open_doca_device("mlx5_0");
    uint8_t bytes[24] = "DPKM";
    const uint32_t key = htobe32(f->key);
    const uint64_t words[2] = {htobe64(f->address), htobe64(f->value)};
    memcpy(bytes + 4, &key, sizeof key);
    memcpy(bytes + 8, words, sizeof words);
    CHECK(doca_mmap_create_from_export(NULL, bytes, 23, dev, &map) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_mmap_create_from_export(NULL, bytes, sizeof bytes, dev, &map) == DOCA_SUCCESS);
    CHECK(doca_mmap_dev_get_dpa_handle(map, dev, &d.remote) == DOCA_SUCCESS);
}

/* Does `number` with the peer's memory at `address`. To write, or to add: `value`. */
static void doca_remote(struct facts *f)
{
    d.memory[6] = f->value;
    one_sided(f->number, &d.memory[6], f->address, f->number == RDMA_ADD ? f->value : 8);
}

static void (*const steps[])(struct facts *) = {doca_begin, doca_connect, doca_send,
                                                doca_next,  doca_import,  doca_remote};
enum { BEGIN, CONNECT, DO_SEND, NEXT, IMPORT, DO_REMOTE };

/* ---- Where it runs ---- */

static int peer = -1; /* of the other process; -1: this one */

static struct facts ask(struct facts f)
{
    if (peer < 0) {
        steps[f.step](&f);
        return f;
    }
    CHECK(write(peer, &f, sizeof f) == sizeof f && read(peer, &f, sizeof f) == sizeof f);
    return f;
}

static pid_t start_peer(void)
{
    int fds[2];
    struct facts f;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        close(fds[0]);
        while (read(fds[1], &f, sizeof f) == sizeof f) {
            steps[f.step](&f);
            CHECK(write(fds[1], &f, sizeof f) == sizeof f);
        }
        _exit(0);
    }
    close(fds[1]);
    peer = fds[0];
    return pid;
}

/* ---- libflexio's side ---- */

static uint64_t does(struct set *s, struct work w)
{
    flexio_uintptr_t at = 0;
    w.local = s->q.data;
    w.local_key = s->q.key;
    w.size = 8;
    CHECK(flexio_copy_from_host(s->p, &w, sizeof w, &at) == OK);
    call2(s->p, &post, s->at, at);
    return call1(s->p, &next_sent, s->at) >> 48;
}

static void words_go(struct set *s, const struct facts *theirs)
{
    uint64_t word = 40;
    const struct work remote = {.key = theirs->key, .address = theirs->address};
    struct work w = remote;
    CHECK(flexio_host2dev_memcpy(s->p, &word, sizeof word, s->q.data) == OK);
    w.kind = WRITE;
    CHECK(does(s, w) == 0);
    w.kind = FETCH_ADD;
    w.operand = 2;
    CHECK(does(s, w) == 0 && call1(s->p, &peek, s->q.data) == 40);
    w.kind = READ;
    CHECK(does(s, w) == 0 && call1(s->p, &peek, s->q.data) == 42);
    w.kind = SEND;
    CHECK(does(s, w) == 0);
    struct facts f = ask((struct facts){.step = NEXT, .number = 4});
    CHECK(f.key == RECEIVED && f.value == 42);
    ask((struct facts){.step = DO_SEND, .value = 77});
    CHECK(call1(s->p, &next_received, s->at) >> 56 == 2);
    CHECK(call1(s->p, &peek, s->q.data) == 77);
    f = ask((struct facts){.step = NEXT});
    CHECK(f.key == SENT && f.value == 42);
}

/* The peer does that with our memory at `address`; the type of its completion. Reads go to its word
 * 6. */
static uint32_t peer_does(uint32_t what, uint64_t address, uint64_t value)
{
    ask((struct facts){.step = DO_REMOTE, .number = what, .address = address, .value = value});
    return ask((struct facts){.step = NEXT}).key;
}

/* DOCA accesses libflexio's memory by a key that it got. */
static void words_go_the_other_way(struct set *s)
{
    const uint64_t at = s->q.data + 8 * sizeof(uint64_t);
    ask((struct facts){.step = IMPORT, .key = s->q.key, .address = s->q.data, .value = DATA_SIZE});
    CHECK(peer_does(RDMA_WRITE, at, 91) == SENT && call1(s->p, &peek, at) == 91);
    CHECK(peer_does(RDMA_ADD, at, 3) == SENT && call1(s->p, &peek, at) == 94);
    ask((struct facts){.step = DO_REMOTE, .number = RDMA_READ, .address = at});
    const struct facts f = ask((struct facts){.step = NEXT, .number = 6});
    CHECK(f.key == SENT && f.value == 94);
}

/* What the peer calls our memory has more bytes than the key: an error on both sides. */
static void a_bad_address_fails_both(struct set *s)
{
    ask((struct facts){
        .step = IMPORT, .key = s->q.key, .address = s->q.data, .value = DATA_SIZE + 8});
    CHECK(peer_does(RDMA_WRITE, s->q.data + DATA_SIZE, 1) == SEND_FAILED);
    CHECK(flexio_qp_state_get(s->qp) == FLEXIO_QP_STATE_ERR);
}

static struct set meet(struct flexio_process *p, struct facts *theirs)
{
    struct set s = queue_pair(p, EVERYTHING);
    *theirs = ask((struct facts){.step = BEGIN});
    ask((struct facts){.step = CONNECT, .number = s.q.send_number});
    struct flexio_qp_attr attr = {.remote_qp_num = theirs->number};
    for (int state = FLEXIO_QP_STATE_INIT; state <= FLEXIO_QP_STATE_RTS; state++) {
        attr.next_state = (enum flexio_qp_state)state;
        CHECK(flexio_qp_modify(s.qp, &attr, NULL) == OK);
    }
    return s;
}

/* An invalid key gives an error on both sides. */
static void a_bad_key_fails_both(struct set *s, const struct facts *theirs)
{
    struct work w = {.kind = WRITE, .key = theirs->key + 1, .address = theirs->address};
    CHECK(does(s, w) == (13u << 8 | 0x13));
    CHECK(flexio_qp_state_get(s->qp) == FLEXIO_QP_STATE_ERR);
    CHECK(ask((struct facts){.step = NEXT}).key == RECEIVE_FAILED);
}

static void they_meet(void)
{
    struct facts theirs;
    struct flexio_process *p = queue_process();
    struct set s = meet(p, &theirs);
    words_go(&s, &theirs);
    words_go_the_other_way(&s);
    a_bad_key_fails_both(&s, &theirs);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

static void doca_learns_what_it_may_not_reach(void)
{
    struct facts theirs;
    struct flexio_process *p = queue_process();
    struct set s = meet(p, &theirs);
    a_bad_address_fails_both(&s);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

static pid_t other;

static void a_process_that_is_killed_ends_what_is_sent(void)
{
    struct facts theirs;
    struct flexio_process *p = queue_process();
    struct set s = meet(p, &theirs);
    words_go(&s, &theirs);
    CHECK(kill(other, SIGKILL) == 0 && waitpid(other, NULL, 0) == other);
    CHECK(does(&s, (struct work){.kind = SEND}) == (13u << 8 | 0x15));
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

int main(int argc, char **argv)
{
    const struct test_case cases[] = {
        {"they_meet_in_one_process", they_meet},
        {"they_meet_in_two_processes", they_meet},
        {"doca_may_not_reach_more_in_one_process", doca_learns_what_it_may_not_reach},
        {"doca_may_not_reach_more_in_two_processes", doca_learns_what_it_may_not_reach},
        CASE(a_process_that_is_killed_ends_what_is_sent),
    };
    if (argc > 1 && !strstr(argv[1], "_in_one_process"))
        other = start_peer();
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
