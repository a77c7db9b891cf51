/* runtime/engine/proc: programs of random and of damaged code: each ends, in a state that has a name, and
 * nobody else notices. */
#include <stdatomic.h>

#include "dpa.h"

#include "engine/rv64/insn.h"

#define PROGRAMS  2000
#define AT_ONCE   16
#define LIMIT_MS  50
#define REGISTERS 27 /* x5 to x31, from the argument buffer */

static uint64_t seed = 0x9e3779b97f4a7c15ull;

static uint64_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545f4914f6cdd1dull;
}

static uint64_t below(uint64_t n)
{
    return (draw() >> 16) % n;
}

/* ---- Values that programs begin with ---- */

/* Addresses at the edges of what there is, lengths and handles that wrap. */
static uint64_t interesting(uint64_t text, uint64_t heap)
{
    static const uint64_t values[] = {
        0,          1,           0xfff,      0x1000,     0x3fffffff, 0x40000000,
        0x40001000, 0x40010ff8,  0x40011000, 0x40021000, 0x7fffffff, 0x80000000,
        0xfffff000, 0xfffffffc,  0xffffffff, 1ull << 32, 1ull << 63, 0xffffffff80000000,
        UINT64_MAX, 0x100000008, 65536,      65537,      1ull << 40, UINT64_MAX - 7,
    };
    switch (below(4)) {
    case 0:
        return heap + 8 * below(520);
    case 1:
        return text + 2 * below(2048);
    case 2:
        return draw() >> below(64);
    default:
        return values[below(sizeof values / sizeof *values)];
    }
}

/* ---- Programs ---- */

static void put32(uint8_t **at, uint32_t bits)
{
    memcpy(*at, &bits, 4);
    *at += 4;
}

/* Some instruction that there is; now and then a call by a number that there is. */
static void put_instruction(uint8_t **at)
{
    uint32_t bits;
    if (below(12) == 0) {
        put32(at, (uint32_t)(0x00000893 | below(17) << 20)); /* li a7, n */
        put32(at, 0x00000073);                               /* ecall */
        return;
    }
    do
        bits = (uint32_t)draw();
    while (rv64_decode(bits).op == OP_ILLEGAL);
    memcpy(*at, &bits, 4);
    *at += rv64_decode(bits).length;
}

static struct dpk_segment *text_of(struct dpk_image *image)
{
    for (size_t i = 0; i < image->segment_count; i++)
        if (image->segments[i].executable)
            return &image->segments[i];
    fail();
    return NULL;
}

static uint8_t *bytes_of(struct dpk_image *image, const struct dpk_segment *s)
{
    return image->copy + (s->data - image->copy);
}

/* Registers from the arguments, then legal instructions without sense. */
static void write_random_code(struct dpk_image *image)
{
    const struct dpk_segment *text = text_of(image);
    uint8_t *at = bytes_of(image, text), *end = at + text->data_size - 8;
    for (unsigned i = 0; i < REGISTERS; i++) {
        unsigned rd = i + 5 == 10 ? 31 : i + 5 == 31 ? 10 : i + 5; /* a0 last: the buffer */
        put32(&at, (uint32_t)(8 * i << 20 | 10 << 15 | 3 << 12 | rd << 7 | 3));
    }
    while (at < end)
        put_instruction(&at);
    image->entry = text->address;
}

static void write_random_bytes(struct dpk_image *image)
{
    const struct dpk_segment *text = text_of(image);
    uint8_t *at = bytes_of(image, text);
    for (size_t i = 0; i < text->data_size; i++)
        at[i] = (uint8_t)draw();
    image->entry = text->address;
}

/* Real code with a few bits flipped, or words of it exchanged. */
static void damage_code(struct dpk_image *image)
{
    const struct dpk_segment *text = text_of(image);
    uint8_t *at = bytes_of(image, text);
    for (uint64_t n = 1 + below(40); n > 0; n--) {
        if (below(2))
            at[below(text->data_size)] ^= (uint8_t)(1u << below(8));
        else
            memcpy(at + below(text->data_size / 2 - 1) * 2, at + below(text->data_size / 2 - 1) * 2,
                   2);
    }
}

/* ---- Running them ---- */

struct victim {
    struct dpk_process *p;
    struct dpk_event *event, *done; /* the program can wait for `event`, maybe for ever */
};

/* A random function of the real program, or the start of the random one. */
static struct dpk_call some_call(struct dpk_image *image, struct dpk_process *p, bool real)
{
    static const char *const names[] = {"add",   "sum",  "ranks",      "count",   "append",
                                        "store", "load", "event_wait", "chatter", "message",
                                        "deep",  "jump", "ping_pong",  "bad_call"};
    struct dpk_call call = {.function = text_of(image)->address,
                            .unpack = text_of(image)->address + 2 * below(64),
                            .argument_size = UINT64_C(8) * REGISTERS};
    if (real)
        dpk_process_function(p, names[below(sizeof names / sizeof *names)], &call, NULL);
    return call;
}

static void start(struct victim *v, unsigned kind)
{
    const struct dpk_process_options options = {.run_time_limit_ms = LIMIT_MS};
    struct dpk_image *image = kernels_image();
    struct dpk_error err = {0};
    uint64_t args[REGISTERS], heap = 0, handle_of_event = 0;
    if (kind == 0)
        write_random_bytes(image);
    else if (kind == 1)
        damage_code(image);
    else
        write_random_code(image);
    assert_int_equal(dpk_process_create(image, &options, &v->p, &err), DPK_OK);
    assert_non_null(v->event = dpk_event_create());
    assert_non_null(v->done = dpk_event_create());
    dpk_event_handle(v->event, v->p, &handle_of_event, NULL);
    assert_int_equal(dpk_heap_alloc(v->p, 4096, &heap, NULL), DPK_OK);
    for (unsigned i = 0; i < REGISTERS; i++)
        args[i] = below(4) ? interesting(text_of(image)->address, heap) : handle_of_event;
    struct dpk_launch l = {.call = some_call(image, v->p, kind == 1),
                           .args = args,
                           .threads = (unsigned)below(4) + 1,
                           .complete = v->done,
                           .complete_count = 1};
    l.args_size = l.call.argument_size;
    assert_int_equal(dpk_process_launch(v->p, &l, NULL), DPK_OK);
    dpk_image_free(image);
}

static void finish(struct victim *v, unsigned ended[3])
{
    struct dpk_error err = {0};
    enum dpk_status status = dpk_event_wait_gt(v->done, 0, UINT64_MAX, v->p, PATIENCE_MS, &err);
    if (status == DPK_OK)
        ended[0]++;
    else if (status == DPK_ERR_FAULT || status == DPK_ERR_TIMEOUT)
        ended[status == DPK_ERR_FAULT ? 1 : 2]++;
    else
        fail_msg("%s", err.message);
    if (status != DPK_OK && !strstr(err.message, "thread "))
        fail_msg("%s", err.message);
    dpk_process_destroy(v->p);
    dpk_event_release(v->done);
    dpk_event_release(v->event);
}

static void swallow(void *context, unsigned stream, unsigned level, unsigned thread_id,
                    const char *text, size_t size)
{
    (void)stream, (void)level, (void)thread_id;
    atomic_uint_least64_t *sum = context;
    for (size_t i = 0; i < size; i++)
        *sum += (uint8_t)text[i];
}

static void random_programs_end_and_disturb_nobody(void **state)
{
    (void)state;
    struct dpk_process *bystander = process();
    uint64_t memory = buffer(bystander, 1 << 16);
    atomic_uint_least64_t sum = 0;
    unsigned ended[3] = {0};
    dpk_fill(bystander, memory, 0x5a, 1 << 16, NULL);
    for (unsigned n = 0; n < PROGRAMS; n += AT_ONCE) {
        struct victim victims[AT_ONCE];
        for (unsigned i = 0; i < AT_ONCE; i++) {
            start(&victims[i], (n + i) % 4);
            dpk_process_set_sink(victims[i].p, swallow, &sum);
        }
        assert_int_equal(rpc(bystander, "add", n, 1), n + 1);
        for (unsigned i = 0; i < AT_ONCE; i++)
            finish(&victims[i], ended);
    }
    assert_int_equal(rpc(bystander, "sum", memory, 1 << 16), 0x5aull << 16);
    dpk_process_destroy(bystander);
    /* A test of programs that all end at once, or never, would test little. */
    assert_true(ended[0] > 50 && ended[1] > 200 && ended[2] > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_end_and_disturb_nobody),
    };
    return cmocka_run_group_tests_name("proc random", tests, NULL, NULL);
}
