/* Parts of the model of a network: random numbers, the agenda, histograms, sizes of flows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "dpapcc/model/agenda.h"
#include "dpapcc/model/histogram.h"
#include "dpapcc/model/random.h"
#include "dpapcc/model/sim.h"

#include <cmocka.h>

/* Figures of the authors' programs (prng.di.unimi.it). */
static void random_numbers_are_those_of_their_authors(void **state)
{
    (void)state;
    assert_true(model_cc_mix(0) == 0xe220a8397b1dcdafu);
    struct cc_random r = {{1, 2, 3, 4}};
    const uint64_t wanted[] = {11520, 0, 1509978240, 1215971899390074240};
    for (size_t i = 0; i < 4; i++)
        assert_true(model_cc_random_next(&r) == wanted[i]);
}

static void streams_of_one_seed_differ(void **state)
{
    (void)state;
    struct cc_random a = model_cc_random_new(1, 1), b = model_cc_random_new(1, 2),
                     c = model_cc_random_new(2, 1), again = model_cc_random_new(1, 1);
    const uint64_t first = model_cc_random_next(&a);
    assert_true(first == model_cc_random_next(&again));
    assert_true(first != model_cc_random_next(&b));
    assert_true(first != model_cc_random_next(&c));
}

/* Mean 1, and e^-1, e^-2, e^-3 of them above 1, 2 and 3. */
static void exponential_numbers_have_their_distribution(void **state)
{
    (void)state;
    enum { COUNT = 200000, MEAN = 1000000 };
    struct cc_random r = model_cc_random_new(7, 1);
    uint64_t sum = 0;
    uint32_t above[3] = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint64_t x = model_cc_random_exponential(&r, MEAN);
        sum += x;
        for (uint32_t k = 0; k < 3; k++)
            above[k] += x > (k + 1) * (uint64_t)MEAN;
    }
    assert_in_range(sum / COUNT, 990000, 1010000);
    assert_in_range(above[0], 73000, 74200); /* 73576 */
    assert_in_range(above[1], 26500, 27650); /* 27067 */
    assert_in_range(above[2], 9600, 10320);  /* 9957 */
}

/* Times from now to two years of the calendar ahead, with many that are equal. */
static void agenda_is_in_order_of_time_then_of_putting(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    static const uint32_t spans[] = {1, 50, 20000, 5000000, 80000000};
    struct agenda *a = model_agenda_new();
    struct cc_random r = model_cc_random_new(3, 1);
    uint32_t put = 0, taken = 0;
    struct agenda_entry last = {0, 0, 0}, e;
    assert_non_null(a);
    a->order = UINT32_MAX - 1000; /* it wraps */
    while (taken < COUNT) {
        if (put < COUNT && (put == taken || model_cc_random_below(&r, 100) < 51)) {
            const uint64_t ahead = model_cc_random_below(&r, spans[model_cc_random_below(&r, 5)]);
            model_agenda_put(a, last.at + ahead, put++);
            continue;
        }
        assert_true(model_agenda_take(a, &e));
        if (taken++) {
            assert_true(e.at >= last.at);
            assert_true(e.at > last.at || e.what > last.what);
        }
        last = e;
    }
    assert_false(model_agenda_take(a, &e));
    model_agenda_free(a);
}

/* Against a list of all values, each as often as its weight. */
static void quantiles_are_those_of_a_sorted_list(void **state)
{
    (void)state;
    struct histogram h = {0};
    for (uint32_t v = 1; v <= 100000; v++)
        histogram_add(&h, v, 1);
    struct cc_quantiles q = model_histogram_quantiles(&h);
    assert_in_range(q.p50, 50000, 50000 + 50000 / 128);
    assert_in_range(q.p95, 95000, 95000 + 95000 / 128);
    assert_in_range(q.p99, 99000, 99000 + 99000 / 128);
    assert_int_equal(q.max, 100000);
    assert_true(q.mean == 50000.5);
    model_histogram_free(&h);
    histogram_add(&h, 7, 99);
    histogram_add(&h, UINT32_MAX, 1);
    q = model_histogram_quantiles(&h);
    assert_int_equal(q.p99, 7);
    assert_int_equal(q.max, UINT32_MAX);
    model_histogram_free(&h);
}

static void bins_follow_each_other(void **state)
{
    (void)state;
    for (uint64_t v = 1; v <= UINT32_MAX; v += 1 + v / 300) {
        const uint32_t here = histogram_bin((uint32_t)v), before = histogram_bin((uint32_t)v - 1);
        assert_true(here < HISTOGRAM_BINS);
        assert_true(here == before || here == before + 1);
    }
}

/* What the papers and others who use these distributions say: 1.6 to 1.7 MB, 0.12 MB. */
static void sizes_of_flows_have_their_mean(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    for (enum cc_sizes sizes = CC_WEBSEARCH; sizes <= CC_HADOOP; sizes++) {
        struct cc_random r = model_cc_random_new(5, 1);
        uint64_t sum = 0, mean = model_sizes_mean(&(struct cc_work){.sizes = sizes});
        uint32_t small = 0;
        for (uint32_t i = 0; i < COUNT; i++) {
            const uint64_t size = model_sizes_draw(&(struct cc_work){.sizes = sizes}, &r);
            assert_in_range(size, 1, 30000000);
            sum += size;
            small += size <= 1000;
        }
        assert_in_range(mean, sizes == CC_HADOOP ? 118000 : 1690000,
                        sizes == CC_HADOOP ? 126000 : 1720000);
        assert_in_range(sum / COUNT, mean - mean / 20, mean + mean / 20);
        assert_in_range(small, sizes == CC_HADOOP ? 59400 : 1400,
                        sizes == CC_HADOOP ? 60600 : 1600);
    }
}

/* 1 TB of 8 bits at a millionth of 100 Gbit/s takes 8 * 10^7 s, and longer than any run. */
static void gaps_between_large_flows_do_not_wrap(void **state)
{
    (void)state;
    const uint64_t tb = 1000000000000, most = UINT64_MAX / 64;
    assert_true(model_demands_gap(1000000, 1000000, 100000) == 80000000);
    assert_true(model_demands_gap(tb, 1000000, 100000) == 80 * tb);
    assert_true(model_demands_gap(tb, 300000, 100000) == 266666666666666);
    assert_true(model_demands_gap(tb, 1, 100000) == most);
    assert_true(model_demands_gap((uint64_t)1 << 40, 1, 1) == most);
    struct cc_random r = model_cc_random_new(3, 1);
    for (int i = 0; i < 1000; i++)
        assert_true(model_cc_random_exponential(&r, most) < UINT64_MAX / 64 * 45);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers_are_those_of_their_authors),
        cmocka_unit_test(streams_of_one_seed_differ),
        cmocka_unit_test(exponential_numbers_have_their_distribution),
        cmocka_unit_test(agenda_is_in_order_of_time_then_of_putting),
        cmocka_unit_test(quantiles_are_those_of_a_sorted_list),
        cmocka_unit_test(bins_follow_each_other),
        cmocka_unit_test(sizes_of_flows_have_their_mean),
        cmocka_unit_test(gaps_between_large_flows_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
