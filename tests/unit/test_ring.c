/* Rings: bytes are read once and in the order in which they were written; whatever a peer does to
 * the memory, no process reads or writes outside of it. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bus/ring/ring.h"

#include <cmocka.h>

#define RING_SIZE ((uint32_t)1 << 18)
#define HALF      (RING_SIZE / 2)

/* Two processes' views of one memory. */
struct pair {
    struct rings a, b;
};

static struct pair pair_new(void)
{
    struct pair p;
    int fd = rings_new(&p.a, RING_SIZE);
    assert_true(fd >= 0);
    assert_true(rings_open(&p.b, fd, RING_SIZE));
    close(fd);
    return p;
}

static void pair_free(struct pair *p)
{
    rings_free(&p->a);
    rings_free(&p->b);
}

/* As if so many bytes had gone from one to the other already. */
static void start_at(struct ring *out, struct ring *in, uint32_t at)
{
    out->at = out->told = in->at = at;
    atomic_store(&out->shared->written, at);
    atomic_store(&out->shared->read, at);
}

static uint8_t byte_of(uint32_t i)
{
    return (uint8_t)(i * 7 + i / 251);
}

static void write_some(struct ring *out, uint32_t size)
{
    assert_int_equal(ring_room(out, size), RING_GOOD);
    for (uint32_t i = 0; i < size; i++)
        ring_here(out)[i] = byte_of(out->at + i);
    ring_wrote(out, size);
}

static void read_some(struct ring *in, uint32_t size)
{
    uint32_t there;
    assert_int_equal(ring_filled(in, &there), RING_GOOD);
    assert_true(there >= size);
    for (uint32_t i = 0; i < size; i++)
        if (ring_here(in)[i] != byte_of(in->at + i))
            fail_msg("byte %u of %u is another", i, size);
    ring_read(in, size);
}

static void expect_empty(const struct ring *in)
{
    uint32_t there;
    assert_int_equal(ring_filled(in, &there), RING_WAIT);
    assert_int_equal(there, 0);
}

/* ---- Reading and writing ---- */

/* Sizes that never fall on the end of the ring, past the point where counters wrap. */
static void bytes_go_round_and_round(void **state)
{
    struct pair p = pair_new();
    (void)state;
    start_at(&p.a.out, &p.b.in, UINT32_MAX - 2 * RING_SIZE);
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t size = 1 + i * 997 % HALF;
        write_some(&p.a.out, size);
        read_some(&p.b.in, size);
    }
    assert_true(p.b.in.at < UINT32_MAX / 2);
    expect_empty(&p.b.in);
    pair_free(&p);
}

static void directions_are_apart(void **state)
{
    struct pair p = pair_new();
    (void)state;
    write_some(&p.a.out, HALF);
    write_some(&p.a.out, HALF);
    expect_empty(&p.a.in);
    start_at(&p.b.out, &p.a.in, 100);
    write_some(&p.b.out, HALF);
    read_some(&p.a.in, HALF);
    read_some(&p.b.in, RING_SIZE);
    pair_free(&p);
}

static void a_ring_can_be_filled_exactly(void **state)
{
    struct pair p = pair_new();
    (void)state;
    start_at(&p.a.out, &p.b.in, RING_SIZE - 11);
    write_some(&p.a.out, HALF);
    write_some(&p.a.out, HALF - 3);
    assert_int_equal(ring_room(&p.a.out, 4), RING_WAIT);
    write_some(&p.a.out, 3);
    assert_int_equal(ring_room(&p.a.out, 0), RING_GOOD);
    assert_int_equal(ring_room(&p.a.out, 1), RING_WAIT);
    read_some(&p.b.in, 1);
    assert_int_equal(ring_room(&p.a.out, 1), RING_GOOD);
    assert_int_equal(ring_room(&p.a.out, 2), RING_WAIT);
    read_some(&p.b.in, RING_SIZE - 1);
    expect_empty(&p.b.in);
    pair_free(&p);
}

static void a_copy_does_not_change_any_more(void **state)
{
    struct pair p = pair_new();
    uint8_t copy[4];
    (void)state;
    start_at(&p.a.out, &p.b.in, RING_SIZE - 2);
    memcpy(ring_here(&p.a.out), "word", 4);
    ring_wrote(&p.a.out, 4);
    ring_copy(&p.b.in, copy, sizeof copy);
    memset(p.a.out.bytes, 'x', RING_SIZE);
    assert_memory_equal(copy, "word", 4);
    pair_free(&p);
}

/* ---- Who is woken ---- */

static void a_reader_is_woken_when_it_had_read_all(void **state)
{
    struct pair p = pair_new();
    (void)state;
    assert_false(ring_wakes_reader(&p.a.out)); /* for nothing */
    write_some(&p.a.out, 10);
    assert_true(ring_wakes_reader(&p.a.out));
    write_some(&p.a.out, 10);
    assert_false(ring_wakes_reader(&p.a.out)); /* it has not come to the first */
    read_some(&p.b.in, 10);
    write_some(&p.a.out, 10);
    assert_false(ring_wakes_reader(&p.a.out));
    read_some(&p.b.in, 20);
    write_some(&p.a.out, 10);
    assert_true(ring_wakes_reader(&p.a.out));
    write_some(&p.a.out, 10); /* visible, but the reader is not woken yet */
    read_some(&p.b.in, 20);
    assert_false(ring_wakes_reader(&p.a.out)); /* it found them itself */
    write_some(&p.a.out, 10);
    write_some(&p.a.out, 10);
    read_some(&p.b.in, 10);
    assert_true(ring_wakes_reader(&p.a.out)); /* it may have slept between the two */
    pair_free(&p);
}

static void a_writer_that_waits_is_woken_at_half(void **state)
{
    struct pair p = pair_new();
    (void)state;
    write_some(&p.a.out, HALF);
    write_some(&p.a.out, HALF);
    assert_false(ring_wakes_writer(&p.b.in)); /* it does not wait */
    assert_int_equal(ring_room(&p.a.out, HALF), RING_WAIT);
    assert_false(ring_wakes_writer(&p.b.in));
    read_some(&p.b.in, HALF - 1);
    assert_false(ring_wakes_writer(&p.b.in));
    read_some(&p.b.in, 1);
    assert_true(ring_wakes_writer(&p.b.in));
    assert_false(ring_wakes_writer(&p.b.in)); /* once */
    assert_int_equal(ring_room(&p.a.out, HALF), RING_GOOD);
    pair_free(&p);
}

/* What was seen of the peer's counter is enough until it is used up. */
static void known_counters_are_asked_for_again_when_they_are_used_up(void **state)
{
    struct pair p = pair_new();
    uint32_t there;
    (void)state;
    assert_int_equal(ring_known_filled(&p.b.in, &there), RING_WAIT);
    write_some(&p.a.out, 100);
    assert_int_equal(ring_known_filled(&p.b.in, &there), RING_GOOD);
    assert_int_equal(there, 100);
    write_some(&p.a.out, 50);
    assert_int_equal(ring_known_filled(&p.b.in, &there), RING_GOOD);
    assert_int_equal(there, 100);
    read_some(&p.b.in, 100);
    assert_int_equal(ring_known_filled(&p.b.in, &there), RING_GOOD);
    assert_int_equal(there, 50);
    assert_int_equal(ring_known_room(&p.a.out, RING_SIZE - 50), RING_GOOD);
    assert_int_equal(ring_known_room(&p.a.out, RING_SIZE - 49), RING_WAIT);
    read_some(&p.b.in, 50);
    assert_int_equal(ring_known_room(&p.a.out, RING_SIZE), RING_GOOD);
    pair_free(&p);
}

/* ---- A hostile peer ---- */

static void counters_of_a_peer_are_bounded(void **state)
{
    static const uint32_t more[] = {RING_SIZE + 1, 1u << 31, UINT32_MAX};
    struct pair p = pair_new();
    uint32_t there;
    (void)state;
    start_at(&p.a.out, &p.b.in, 4000000000);
    start_at(&p.b.out, &p.a.in, 50);
    for (unsigned i = 0; i < 3; i++) {
        atomic_store(&p.b.in.shared->written, p.b.in.at + more[i]);
        assert_int_equal(ring_filled(&p.b.in, &there), RING_BAD);
        p.b.in.seen = p.b.in.at;
        assert_int_equal(ring_known_filled(&p.b.in, &there), RING_BAD);
        ring_wakes_writer(&p.b.in);
        /* Read what was never written. */
        atomic_store(&p.b.out.shared->read, p.b.out.at - more[i]);
        assert_int_equal(ring_room(&p.b.out, 1), RING_BAD);
        p.b.out.seen = p.b.out.at - RING_SIZE;
        assert_int_equal(ring_known_room(&p.b.out, 1), RING_BAD);
        ring_wakes_reader(&p.b.out);
    }
    atomic_store(&p.b.in.shared->written, p.b.in.at + RING_SIZE);
    assert_int_equal(ring_filled(&p.b.in, &there), RING_GOOD);
    assert_int_equal(there, RING_SIZE);
    pair_free(&p);
}

/* Our own counters in the memory are for the peer: its writes there have no effect here. */
static void own_counters_are_kept_at_home(void **state)
{
    struct pair p = pair_new();
    (void)state;
    write_some(&p.a.out, 100);
    atomic_store(&p.a.out.shared->written, 7);
    atomic_store(&p.b.in.shared->read, 0);
    write_some(&p.a.out, 100);
    read_some(&p.b.in, 200);
    atomic_store(&p.b.in.shared->read, 40);
    expect_empty(&p.b.in);
    pair_free(&p);
}

/* ---- Memory ---- */

static int memory_of(size_t size, int seals)
{
    int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(ftruncate(fd, (off_t)size) + fcntl(fd, F_ADD_SEALS, seals), 0);
    return fd;
}

static void expect_refused(int fd)
{
    struct rings r = {0};
    assert_true(fd >= 0);
    assert_false(rings_open(&r, fd, RING_SIZE));
    assert_null(r.map);
    close(fd);
}

static void memory_that_is_not_right_is_refused(void **state)
{
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW;
    char path[] = "/tmp/ring-XXXXXX";
    struct rings r;
    int fds[2];
    (void)state;
    expect_refused(memory_of(RING_MEMORY(RING_SIZE), 0));
    expect_refused(memory_of(RING_MEMORY(RING_SIZE), F_SEAL_SEAL));
    expect_refused(memory_of(RING_MEMORY(RING_SIZE), F_SEAL_GROW));
    expect_refused(memory_of(RING_MEMORY(RING_SIZE), F_SEAL_SHRINK));
    expect_refused(memory_of(RING_MEMORY(RING_SIZE), seals | F_SEAL_WRITE));
    expect_refused(memory_of(0, seals));
    expect_refused(memory_of(RING_MEMORY(RING_SIZE) - 1, seals));
    expect_refused(memory_of(RING_MEMORY(RING_SIZE) + 1, seals));
    expect_refused(memory_of((size_t)1 << 40, seals)); /* nobody asked for that much */
    expect_refused(memfd_create("test", MFD_CLOEXEC));
    assert_int_equal(pipe(fds), 0);
    expect_refused(fds[0]);
    expect_refused(fds[1]);
    int file = mkstemp(path);
    assert_int_equal(unlink(path) + ftruncate(file, RING_MEMORY(RING_SIZE)), 0);
    expect_refused(file);
    assert_false(rings_open(&r, -1, RING_SIZE));
    int good = memory_of(RING_MEMORY(RING_SIZE), seals);
    assert_true(rings_open(&r, good, RING_SIZE));
    rings_free(&r);
    close(good);
}

static void memory_cannot_be_taken_away(void **state)
{
    struct rings r;
    int fd = rings_new(&r, RING_SIZE);
    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_int_equal(ftruncate(fd, RING_MEMORY(RING_SIZE) - 1), -1);
    assert_int_equal(ftruncate(fd, RING_MEMORY(RING_SIZE) + 1), -1);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    close(fd);
    rings_free(&r);
    rings_free(&r); /* nothing is left to free */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_go_round_and_round),
        cmocka_unit_test(directions_are_apart),
        cmocka_unit_test(a_ring_can_be_filled_exactly),
        cmocka_unit_test(a_copy_does_not_change_any_more),
        cmocka_unit_test(a_reader_is_woken_when_it_had_read_all),
        cmocka_unit_test(a_writer_that_waits_is_woken_at_half),
        cmocka_unit_test(known_counters_are_asked_for_again_when_they_are_used_up),
        cmocka_unit_test(counters_of_a_peer_are_bounded),
        cmocka_unit_test(own_counters_are_kept_at_home),
        cmocka_unit_test(memory_that_is_not_right_is_refused),
        cmocka_unit_test(memory_cannot_be_taken_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
