/* Memory of RDMA on a file that its owner makes shorter: works of the peer end with an error, and both processes go
 * on. Pages of a card are pinned, so there they stay; here there is nothing that a peer could get. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "verbs_world.h"

#define FILE_SIZE 65536
#define PAGE      4096

/* Messages between the two sides. */
struct hello {
    uint32_t number, key;
    uint64_t address;
    union ibv_gid gid;
};

/* The owner's side: a file, and its memory. */
struct owner {
    struct side s;
    int file;
    unsigned char *at;
    struct ibv_mr *mr;
};

static struct side mine;
static int to_other, from_other;

static void tell(const void *what, size_t size)
{
    CHECK(write(to_other, what, size) == (ssize_t)size);
}

static void hear(void *what, size_t size)
{
    CHECK(read(from_other, what, size) == (ssize_t)size);
}

static struct hello meet(struct side *s, const struct ibv_mr *mr, const void *at)
{
    struct hello me = {s->qp->qp_num, mr->rkey, (uintptr_t)at, s->gid}, other;
    tell(&me, sizeof me);
    hear(&other, sizeof other);
    connect_with(s->qp, attributes(other.number, &other.gid));
    tell("", 1);
    hear(&(char){0}, 1);
    return other;
}

/* ---- The owner ---- */

static struct owner owner_new(void)
{
    struct owner o;
    open_side(&o.s, "mlx5_0");
    CHECK((o.file = memfd_create("owned", MFD_CLOEXEC)) >= 0);
    CHECK(ftruncate(o.file, FILE_SIZE) == 0);
    o.at = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, o.file, 0);
    CHECK(o.at != MAP_FAILED && (o.mr = ibv_reg_mr(o.s.pd, o.at, FILE_SIZE, ALL_ACCESS)));
    memset(o.at, 7, FILE_SIZE);
    return o;
}

/* Truncates the file on request, and continues. */
static void own(bool receives)
{
    struct owner o = owner_new();
    char word;
    meet(&o.s, o.mr, o.at);
    if (receives) {
        struct ibv_sge sge = {(uintptr_t)o.at, FILE_SIZE, o.mr->lkey};
        struct ibv_recv_wr wr = {.wr_id = 5, .sg_list = &sge, .num_sge = 1}, *bad;
        CHECK(ibv_post_recv(o.s.qp, &wr, &bad) == 0);
    }
    hear(&word, 1);
    CHECK(ftruncate(o.file, PAGE) == 0);
    tell("", 1);
    if (receives)
        CHECK_WC(&o.s, 5, IBV_WC_LOC_PROT_ERR);
    hear(&word, 1);
    CHECK(o.at[PAGE - 1] == 7 || receives); /* what is left is as it was */
    CHECK(ibv_dereg_mr(o.mr) == 0);
    close_side(&o.s);
    exit(0);
}

/* ---- Both ---- */

static pid_t process;

/* What the other process knows when both are connected. */
static struct hello begin(bool receives)
{
    int there[2], back[2];
    CHECK(pipe(there) == 0 && pipe(back) == 0);
    process = fork();
    to_other = process == 0 ? back[1] : there[1];
    from_other = process == 0 ? there[0] : back[0];
    close(process == 0 ? there[1] : there[0]);
    close(process == 0 ? back[0] : back[1]);
    if (process == 0)
        own(receives);
    open_side(&mine, "mlx5_1");
    return meet(&mine, mine.mr, mine.memory);
}

static void cut(void)
{
    tell("", 1);
    hear(&(char){0}, 1);
}

static void end(void)
{
    int status = 1;
    tell("", 1);
    CHECK(waitpid(process, &status, 0) == process && status == 0);
    close_side(&mine);
}

static void act(const struct hello *other, enum ibv_wr_opcode opcode, uint32_t at, uint32_t length,
                enum ibv_wc_status expected)
{
    struct ibv_sge sge = piece(&mine, 0, length);
    struct ibv_send_wr wr = {.wr_id = 9,
                             .sg_list = &sge,
                             .num_sge = 1,
                             .opcode = opcode,
                             .send_flags = IBV_SEND_SIGNALED};
    if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD || opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
        wr.wr.atomic.remote_addr = other->address + at;
        wr.wr.atomic.rkey = other->key;
        wr.wr.atomic.compare_add = 1;
    } else {
        wr.wr.rdma.remote_addr = other->address + at;
        wr.wr.rdma.rkey = other->key;
    }
    CHECK(post(&mine, wr) == 0);
    CHECK_WC(&mine, 9, expected);
}

static void fails(enum ibv_wr_opcode opcode, uint32_t length)
{
    const struct hello other = begin(false);
    act(&other, opcode, 2 * PAGE, length, IBV_WC_SUCCESS);
    cut();
    act(&other, opcode, 0, 8, IBV_WC_SUCCESS); /* what is left is there */
    act(&other, opcode, 2 * PAGE, length, IBV_WC_REM_ACCESS_ERR);
    end();
}

static void writes_to_a_cut_file_fail(void)
{
    fails(IBV_WR_RDMA_WRITE, 3 * PAGE);
}

static void reads_of_a_cut_file_fail(void)
{
    fails(IBV_WR_RDMA_READ, 3 * PAGE);
}

static void words_of_a_cut_file_fail(void)
{
    fails(IBV_WR_RDMA_WRITE, 8);
}

static void additions_in_a_cut_file_fail(void)
{
    fails(IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
}

static void swaps_in_a_cut_file_fail(void)
{
    fails(IBV_WR_ATOMIC_CMP_AND_SWP, 8);
}

static void messages_to_a_cut_file_fail(void)
{
    const struct hello other = begin(true);
    cut();
    act(&other, IBV_WR_SEND, 0, FILE_SIZE, IBV_WC_REM_OP_ERR);
    end();
}

/* Memory of who posts the work, and the peer is the same process. */
static void messages_from_a_cut_file_fail(void)
{
    struct owner o = owner_new();
    open_side(&mine, "mlx5_1");
    connect_sides(&o.s, &mine);
    CHECK(receive(&mine, 1, 0, ROOM) == 0 && ftruncate(o.file, PAGE) == 0);
    struct ibv_sge sge = {(uintptr_t)o.at, FILE_SIZE, o.mr->lkey};
    CHECK(post(&o.s, work(&mine, IBV_WR_SEND, 2, &sge)) == 0);
    CHECK_WC(&o.s, 2, IBV_WC_LOC_PROT_ERR);
    CHECK(ibv_dereg_mr(o.mr) == 0);
    close_side(&o.s);
    close_side(&mine);
}

static volatile sig_atomic_t caught;

static void on_bus_error(int number)
{
    (void)number;
    caught++;
    if (caught == 2) /* by an access of the program's own, which would come again */
        _exit(0);
}

/* What the program touches itself, or is sent, goes to the handler that it had. */
static void bus_errors_of_others_are_theirs(void)
{
    CHECK(signal(SIGBUS, on_bus_error) != SIG_ERR);
    struct owner o = owner_new();
    CHECK(raise(SIGBUS) == 0 && caught == 1);
    CHECK(ftruncate(o.file, 0) == 0);
    *(volatile unsigned char *)o.at = 1;
    CHECK(!"there is a byte");
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        CASE(writes_to_a_cut_file_fail),     CASE(reads_of_a_cut_file_fail),
        CASE(words_of_a_cut_file_fail),      CASE(additions_in_a_cut_file_fail),
        CASE(swaps_in_a_cut_file_fail),      CASE(messages_to_a_cut_file_fail),
        CASE(messages_from_a_cut_file_fail), CASE(bus_errors_of_others_are_theirs)};
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
