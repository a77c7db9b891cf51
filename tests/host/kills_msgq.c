/* Two programs side by side, each with message queues to its own DPA, on one card: the remains of a
 * killed program do not disturb the other. */
#include "kills.h"
#include "msgq_world.h"

enum { ROUNDS = 4, MESSAGES = 20 };

static struct talker *self;

static void one_more(void)
{
    step(self);
}

/* Messages there and back. */
static void talk(struct world *w)
{
    const unsigned before = w->received;
    for (unsigned i = 1; i <= MESSAGES; i++) {
        CHECK(send_of(w, w->producer, "hello", 5) == OK);
        AWAIT(w, w->received == before + i);
        CHECK(w->imm_len == 5 && w->imm[0] == 'h' + 1);
        if (i % 5 == 0)
            one_more();
    }
    AWAIT(w, w->sent == w->received);
}

void talk_by_queues(struct talker *t)
{
    char its[WORD_MAX];
    size_t size;
    self = t;
    after_each = one_more;
    dev = open_device("mlx5_0");
    one_more();
    struct world *w = world_new(echo_thread);
    receives(w, DEPTH);
    w->again = true;
    post(w, DEPTH);
    one_more();
    for (unsigned i = 0; i < ROUNDS; i++) {
        talk(w);
        trade(t, "", 1, its, &size); /* the other one may be dead */
    }
    world_free(w);
    one_more();
    CHECK(doca_dev_close(dev) == OK);
}
