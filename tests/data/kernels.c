/* Device code of the tests of proc and dparun: start-up and wrappers of its own, no library. */
#include <stdint.h>

#include "guest/abi/dpa_abi.h"

typedef uint64_t u64;

__asm__(".globl _dpa_start\n"
        ".type _dpa_start, @function\n"
        "_dpa_start:\n"
        "    jalr a2\n"
        "    li a7, 1\n"
        "    ecall\n"
        ".size _dpa_start, . - _dpa_start\n");

#define ENTRY(f, n)                                                                                \
    const u64 _dpacc_argsize_##f = 8 * (n);                                                        \
    u64 _dpacc_unpack_##f(const u64 *a, u64 (*g)(u64, u64, u64))                                   \
    {                                                                                              \
        return g((n) > 0 ? a[0] : 0, (n) > 1 ? a[1] : 0, (n) > 2 ? a[2] : 0);                      \
    }                                                                                              \
    u64 f

static u64 call(u64 number, u64 a, u64 b, u64 c, u64 d)
{
    register u64 a0 __asm__("a0") = a;
    register u64 a1 __asm__("a1") = b;
    register u64 a2 __asm__("a2") = c;
    register u64 a3 __asm__("a3") = d;
    register u64 a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a7) : "memory");
    return a0;
}

static u64 rank(void)
{
    return call(DPA_SYS_THREAD_RANK, 0, 0, 0, 0);
}

static void say(const char *text, u64 size)
{
    call(DPA_SYS_MSG, 0, 4, (u64)text, size);
}

u64 counter;          /* .bss */
u64 initialised = 42; /* .data */
const u64 constant = 7;

/* ---- Arguments and results ---- */
ENTRY(add, 2)(u64 a, u64 b)
{
    return a + b;
}

ENTRY(nothing, 0)(void)
{
    return 5;
}

ENTRY(globals, 0)(void)
{
    return counter + initialised + constant;
}

ENTRY(sum, 2)(u64 address, u64 count)
{
    u64 total = 0;
    for (u64 i = 0; i < count; i++)
        total += ((volatile uint8_t *)address)[i];
    return total;
}

ENTRY(finish, 0)(void)
{
    call(DPA_SYS_FINISH, 0, 0, 0, 0);
    return 99;
}

ENTRY(reschedule, 0)(void)
{
    call(DPA_SYS_RESCHEDULE, 0, 0, 0, 0);
    return 99;
}

ENTRY(about_thread, 1)(u64 what)
{
    return call(what, 0, 0, 0, 0);
}

/* Spins for so many microseconds; returns those seen. */
ENTRY(pass_time, 1)(u64 microseconds)
{
    u64 start = call(DPA_SYS_TIME, 0, 0, 0, 0), now;
    do
        now = call(DPA_SYS_TIME, 0, 0, 0, 0);
    while (now - start < microseconds);
    return now - start;
}

/* ---- Kernels ---- */
ENTRY(ranks, 1)(u64 out)
{
    ((volatile u64 *)out)[rank()] = rank() << 32 | call(DPA_SYS_NUM_THREADS, 0, 0, 0, 0);
    return 0;
}

ENTRY(ids, 1)(u64 out)
{
    ((volatile u64 *)out)[rank()] = call(DPA_SYS_THREAD_ID, 0, 0, 0, 0);
    return 0;
}

ENTRY(count, 2)(u64 address, u64 times)
{
    for (u64 i = 0; i < times; i++)
        __atomic_fetch_add((u64 *)address, 1, __ATOMIC_RELAXED);
    return 0;
}

/* Appends `value` to the list at `log`: its length, then its values. */
ENTRY(append, 2)(u64 log, u64 value)
{
    u64 i = __atomic_fetch_add((u64 *)log, 1, __ATOMIC_SEQ_CST);
    ((volatile u64 *)log)[1 + i] = value;
    return 0;
}

/* Waits until `*address` is not 0, without rest. */
ENTRY(poll, 1)(u64 address)
{
    while (__atomic_load_n((u64 *)address, __ATOMIC_ACQUIRE) == 0)
        ;
    return 0;
}

ENTRY(poll_politely, 1)(u64 address)
{
    while (__atomic_load_n((u64 *)address, __ATOMIC_ACQUIRE) == 0)
        call(DPA_SYS_YIELD, 0, 0, 0, 0);
    return 0;
}

ENTRY(store, 2)(u64 address, u64 value)
{
    *(volatile u64 *)address = value;
    return 0;
}

ENTRY(spin, 0)(void)
{
    for (;;)
        __asm__ volatile("");
}

/* ---- Events ---- */
ENTRY(event_get, 1)(u64 event)
{
    return call(DPA_SYS_EVENT_GET, event, 0, 0, 0);
}

ENTRY(event_add, 2)(u64 event, u64 value)
{
    return call(DPA_SYS_EVENT_ADD, event, value, 0, 0);
}

ENTRY(event_set, 2)(u64 event, u64 value)
{
    return call(DPA_SYS_EVENT_SET, event, value, 0, 0);
}

ENTRY(event_wait_one, 1)(u64 event)
{
    return call(DPA_SYS_EVENT_WAIT_GT, event, 0, ~0ull, 0);
}

/* Waits for `ping` to grow and says so in `pong`, over and over. */
ENTRY(reply_ever, 2)(u64 ping, u64 pong)
{
    for (u64 n = 0;; n++) {
        call(DPA_SYS_EVENT_WAIT_GT, ping, n, ~0ull, 0);
        call(DPA_SYS_EVENT_SET, pong, n + 1, 0, 0);
    }
}

ENTRY(event_wait, 3)(u64 event, u64 threshold, u64 mask)
{
    call(DPA_SYS_EVENT_WAIT_GT, event, threshold, mask, 0);
    return call(DPA_SYS_EVENT_GET, event, 0, 0, 0);
}

/* Answers every even value of the event with the next odd one, until `last`. */
ENTRY(ping_pong, 2)(u64 event, u64 last)
{
    for (u64 n = 1; n <= last; n += 2) {
        call(DPA_SYS_EVENT_WAIT_GT, event, n - 1, ~0ull, 0);
        call(DPA_SYS_EVENT_ADD, event, 1, 0, 0);
    }
    return 0;
}

/* ---- Activations ---- */

/* What handlers do with memory: the first word counts activations, then there is room for one. */
struct handled {
    u64 activations, go, extra;
};

static void handled(struct handled *h)
{
    __atomic_fetch_add(&h->activations, 1, __ATOMIC_SEQ_CST);
}

ENTRY(handle, 1)(u64 at)
{
    handled((struct handled *)at);
    call(DPA_SYS_RESCHEDULE, 0, 0, 0, 0);
    return 0;
}

ENTRY(handle_and_return, 1)(u64 at)
{
    handled((struct handled *)at);
    return 0;
}

ENTRY(handle_and_finish, 1)(u64 at)
{
    handled((struct handled *)at);
    call(DPA_SYS_FINISH, 0, 0, 0, 0);
    ((struct handled *)at)->activations += 1000; /* never comes here */
    return 0;
}

/* Counts its activation at the end, after some work and messages. */
ENTRY(handle_thoroughly, 1)(u64 at)
{
    for (u64 i = 0; i < 8; i++) {
        say("thorough", 8);
        for (volatile u64 n = 0; n < 500; n++)
            ;
    }
    handled((struct handled *)at);
    call(DPA_SYS_RESCHEDULE, 0, 0, 0, 0);
    return 0;
}

/* Its activation ends when `go` is not 0. */
ENTRY(handle_slowly, 1)(u64 at)
{
    handled((struct handled *)at);
    while (__atomic_load_n(&((struct handled *)at)->go, __ATOMIC_ACQUIRE) == 0)
        ;
    call(DPA_SYS_RESCHEDULE, 0, 0, 0, 0);
    return 0;
}

/* Asks a library whether there is something, until it may go. */
ENTRY(handle_polling, 1)(u64 at)
{
    struct handled *h = (struct handled *)at;
    handled(h);
    while (!__atomic_load_n(&h->go, __ATOMIC_ACQUIRE))
        call(DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, 5), 0, 0, 0, 0);
    call(DPA_SYS_RESCHEDULE, 0, 0, 0, 0);
    return 0;
}

ENTRY(handle_thrice, 1)(u64 at)
{
    handled((struct handled *)at);
    if (((struct handled *)at)->activations % 3 != 0)
        call(DPA_SYS_RETRIGGER, 0, 0, 0, 0);
    call(DPA_SYS_RESCHEDULE, 0, 0, 0, 0);
    return 0;
}

/* In one continuable thread: how often it continued after the call, with its variables. */
ENTRY(park, 1)(u64 at)
{
    struct handled *h = (struct handled *)at;
    handled(h);
    for (volatile u64 rounds = 1;; rounds++) {
        call(DPA_SYS_PARK, 0, 0, 0, 0);
        h->extra = rounds;
        handled(h);
    }
}

ENTRY(handle_and_tell, 1)(u64 at)
{
    struct handled *h = (struct handled *)at;
    h->go = call(DPA_SYS_LOCAL_STORAGE, 0, 0, 0, 0);
    h->extra = call(DPA_SYS_EU, 0, 0, 0, 0);
    handled(h);
    call(DPA_SYS_RESCHEDULE, 0, 0, 0, 0);
    return 0;
}

u64 handled_without_argument;
ENTRY(handle_nothing, 0)(void)
{
    handled_without_argument++;
    call(DPA_SYS_RESCHEDULE, 0, 0, 0, 0);
    return 0;
}

ENTRY(without_argument, 0)(void)
{
    return handled_without_argument;
}

ENTRY(notify, 2)(u64 trigger, u64 times)
{
    while (times--)
        call(DPA_SYS_NOTIFY, trigger, 0, 0, 0);
    return 0;
}

/* Wakes the thread, and returns what was at `address` before. */
ENTRY(load_and_notify, 2)(u64 address, u64 trigger)
{
    u64 before = __atomic_load_n((u64 *)address, __ATOMIC_SEQ_CST);
    call(DPA_SYS_NOTIFY, trigger, 0, 0, 0);
    return before;
}

/* The same, `before` goes to the list at `log`. */
ENTRY(log_and_notify, 3)(u64 log, u64 address, u64 trigger)
{
    u64 *list = (u64 *)log;
    list[1 + list[0]++] = __atomic_load_n((u64 *)address, __ATOMIC_SEQ_CST);
    call(DPA_SYS_NOTIFY, trigger, 0, 0, 0);
    return 0;
}

ENTRY(arm, 2)(u64 trigger, u64 consumed)
{
    call(DPA_SYS_ARM, trigger, consumed, 0, 0);
    return 0;
}

/* Reads the queue whose count of completions the host keeps in `extra`: up to there, then arms it
 * again, with `go` as its trigger. */
ENTRY(drain_queue, 1)(u64 at)
{
    struct handled *h = (struct handled *)at;
    handled(h);
    u64 seen = __atomic_load_n(&h->extra, __ATOMIC_ACQUIRE);
    call(DPA_SYS_ARM, h->go, seen, 0, 0);
    call(DPA_SYS_RESCHEDULE, 0, 0, 0, 0);
    return 0;
}

ENTRY(end_process, 0)(void)
{
    call(DPA_SYS_END_PROCESS, 0, 0, 0, 0);
    return 0;
}

ENTRY(library_call, 2)(u64 number, u64 argument)
{
    return call(number, argument, 0, 0, 0);
}

ENTRY(library_calls, 2)(u64 number, u64 times)
{
    u64 last = 0;
    for (u64 i = 0; i < times; i++)
        last = call(number, i, 0, 0, 0);
    return last;
}

/* A call, and then an access to a watched word. */
ENTRY(call_and_count, 2)(u64 number, u64 address)
{
    call(number, 0, 0, 0, 0);
    __atomic_fetch_add((u64 *)address, 1, __ATOMIC_RELAXED);
    return 0;
}

/* ---- Messages ---- */
ENTRY(hello, 0)(void)
{
    static const char text[] = "Hello World\n";
    say(text, sizeof text - 1);
    return 0;
}

/* "<rank>:<n>" for n below `times`, 4 characters each: "03:7". */
ENTRY(chatter, 1)(u64 times)
{
    char text[4] = {(char)('0' + rank() / 10), (char)('0' + rank() % 10), ':', 0};
    for (u64 n = 0; n < times; n++) {
        text[3] = (char)('0' + n);
        say(text, sizeof text);
    }
    return 0;
}

ENTRY(message, 2)(u64 address, u64 size)
{
    call(DPA_SYS_MSG, 3, 2, address, size);
    return 0;
}

/* ---- Faults ---- */
ENTRY(load, 1)(u64 address)
{
    return *(volatile u64 *)address;
}

ENTRY(jump, 1)(u64 address)
{
    ((void (*)(void))address)();
    return 0;
}

/* As if the return address on its stack were overwritten. */
ENTRY(return_to, 1)(u64 address)
{
    __asm__ volatile("mv ra, %0\n\tret" : : "r"(address) : "ra");
    return 0;
}

ENTRY(large_frame, 1)(u64 at)
{
    volatile u64 room[16384];
    room[at % 16384] = at;
    return room[(at + 1) % 16384];
}

ENTRY(illegal, 0)(void)
{
    __asm__ volatile(".word 0xffffffff");
    return 0;
}

ENTRY(breakpoint, 0)(void)
{
    __asm__ volatile("ebreak");
    return 0;
}

ENTRY(write_code, 0)(void);
u64 write_code(void)
{
    *(volatile uint16_t *)(u64)&write_code = 0; /* no more than halfwords are aligned */
    return 0;
}

u64 recurse(u64 depth)
{
    volatile u64 room[64];
    room[depth % 64] = depth;
    return depth == 0 ? 0 : recurse(depth - 1) + room[depth % 64];
}

ENTRY(deep, 1)(u64 depth)
{
    return recurse(depth);
}

ENTRY(bad_call, 1)(u64 number)
{
    return call(number, 0, 0, 0, 0);
}
