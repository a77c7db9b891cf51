/* Topology files and named topologies: good files give the described network, a bad file gives one
 * clear error with its line. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dpapcc/model/model.h"

#include <cmocka.h>

static void expect_nothing(const struct cc_topology *net, const struct cc_workload *work)
{
    assert_null(net->nodes);
    assert_null(net->links);
    assert_null(work->items);
    assert_int_equal(work->count, 0);
}

static void every_example_runs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t nodes, links, flows;
    } examples[] = {
        {"incast32", 34, 33, 32},  {"dumbbell", 10, 9, 4}, {"parking-lot", 12, 11, 4},
        {"fat-tree", 208, 384, 0}, {"two-racks", 8, 8, 2},
    };
    for (size_t i = 0; i < 5; i++) {
        char path[256];
        const char *top = getenv("DPAKIT_BUILD");
        struct cc_topology net = {0};
        struct cc_workload work = {0};
        struct cc_results res = {0};
        struct dpk_error err = {0};
        struct dpk_buf file = {0};
        snprintf(path, sizeof path, "%s/share/doc/dpakit/examples/pcc/%s.yaml", top ? top : "build",
                 examples[i].name);
        if (dpk_file_read(path, 1 << 20, &file, &err) != DPK_OK ||
            model_cc_read(file.data, file.size, &net, &work, &err) != DPK_OK)
            fail_msg("%s: %s", path, err.message);
        assert_int_equal(net.node_count, examples[i].nodes);
        assert_int_equal(net.link_count, examples[i].links);
        if (model_cc_run(&net, &work, model_cc_algorithm("hpcc"), 1, 100000, NULL, &res, &err) !=
                DPK_OK &&
            err.status != DPK_ERR_NOT_FOUND)
            fail_msg("%s: %s", path, err.message);
        if (examples[i].flows)
            assert_int_equal(res.flow_count, examples[i].flows);
        model_cc_results_free(&res);
        model_cc_workload_free(&work);
        model_cc_topology_free(&net);
        dpk_buf_free(&file);
    }
}

static void keys_of_a_file_are_parameters(void **state)
{
    (void)state;
    static const char text[] = "topology: dumbbell\nsenders: 3\nrate: 2.5G\ndelay: 1.5us\n"
                               "core: {rate: 400Gb/s, delay: 10us}\nmtu: 4096\nburst: 4\n"
                               "ack-every: 8\nbuffer: 2MiB\nwarmup: 1ms\ntimeout: 3 ms\n"
                               "ecn: {enabled: no, kmin: 1K, kmax: 2000, pmax: 1.5%}\n"
                               "pfc: {enabled: off, xoff: 9K, xon: 8K}\n"
                               "workload:\n"
                               " - {kind: long, start: 1us, stop: 2us, stagger: 3ns, size: 4}\n"
                               " - {kind: poisson, sizes: hadoop, load: 0.25}\n";
    struct cc_topology net = {0};
    struct cc_workload work = {0};
    struct dpk_error err = {0};
    if (model_cc_read(text, sizeof text - 1, &net, &work, &err) != DPK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(net.senders, 3);
    assert_int_equal(net.rate_mbps, 2500);
    assert_int_equal(net.delay_ns, 1500);
    assert_int_equal(net.links[net.link_count - 1].rate_mbps, 400000);
    assert_int_equal(net.links[net.link_count - 1].delay_ns, 10000);
    assert_int_equal(net.links[0].rate_mbps, 2500);
    assert_int_equal(net.mtu, 4096);
    assert_int_equal(net.burst, 4);
    assert_int_equal(net.ack_every, 8);
    assert_int_equal(net.buffer, 2 << 20);
    assert_int_equal(net.warmup_ns, 1000000);
    assert_int_equal(net.timeout_ns, 3000000);
    assert_false(net.ecn);
    assert_false(net.pfc);
    assert_int_equal(net.kmin, 1000);
    assert_int_equal(net.kmax, 2000);
    assert_int_equal(net.pmax, 15000);
    assert_int_equal(net.xoff, 9000);
    assert_int_equal(net.xon, 8000);
    assert_int_equal(work.count, 2);
    assert_int_equal(work.items[0].kind, CC_LONG);
    assert_int_equal(work.items[0].start_ns, 1000);
    assert_int_equal(work.items[0].stop_ns, 2000);
    assert_int_equal(work.items[0].stagger_ns, 3);
    assert_int_equal(work.items[0].size, 4);
    assert_int_equal(work.items[1].kind, CC_POISSON);
    assert_int_equal(work.items[1].sizes, CC_HADOOP);
    assert_int_equal(work.items[1].load, 250000);
    model_cc_workload_free(&work);
    model_cc_topology_free(&net);
}

static void bad_file_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } files[] = {
        {"", "a topology file has `topology: NAME` first"},
        {"- a\n", "a topology file has `topology: NAME` first"},
        {"rate: 1G\n", "a topology file has `topology: NAME`"},
        {"topology: dumbell\n", "line 1: no topology \"dumbell\" (did you mean dumbbell?)"},
        {"topology: incast\nsender: 3\n", "line 2: no key \"sender\" (did you mean senders?)"},
        {"topology: incast\nsenders: 0\n", "line 2: senders: 0 is not within 1 to 8000"},
        {"topology: incast\n\nrate: fast\n", "line 3: rate: \"fast\" is not a rate, as 100G is"},
        {"topology: incast\nrate: 100\n", "line 2: rate: \"100\" is not a rate, as 100G is"},
        {"topology: incast\ndelay: -1us\n", "line 2: delay: \"-1us\" is not a time, as 1.5us is"},
        {"topology: incast\ndelay: 0.1ns\n", "line 2: delay: \"0.1ns\" is not a time, as 1.5us is"},
        {"topology: incast\ndelay: 99999999999999999999s\n",
         "line 2: delay: \"99999999999999999999s\" is not a time, as 1.5us is"},
        {"topology: incast\necn:\n  kmin: 2K\n  kmax: 1K\n", "ecn.kmin is greater than ecn.kmax"},
        {"topology: incast\necn: 5\n", "line 2: {KEY: VALUE} is wanted"},
        {"topology: incast\nsenders: [1]\n", "line 2: senders: a value is wanted"},
        {"topology: fat-tree\nk: 3\n", "k is 3; that of a fat tree is even"},
        {"topology: incast\nhosts: [a]\n",
         "line 2: hosts, switches and links are for `topology: custom`"},
        {"topology: custom\nhosts: [a]\n",
         "`topology: custom` has the lists hosts, switches and links"},
        {"topology: custom\nhosts: [a, a]\nswitches: [s]\nlinks: []\n",
         "two nodes have the name a"},
        {"topology: custom\nhosts: [a, b]\nswitches: [s]\nlinks:\n - {from: a, to: x}\n",
         "line 5: no node \"x\""},
        {"topology: custom\nhosts: [a, b]\nswitches: [s]\nlinks:\n - {from: a, to: s}\n"
         " - {from: a, to: s}\n",
         "a is a host with 2 links; it has one"},
        {"topology: incast\nworkload:\n - {kind: lang}\n",
         "line 3: no kind of workload \"lang\" (did you mean long?)"},
        {"topology: incast\nworkload:\n - {kind: poisson,\n    load: 2}\n",
         "line 4: load: 2 is not within 0.000001 to 1"},
        {"topology: incast\nworkload: 5\n", "line 2: a list is wanted"},
        {"topology: [\n", "line 2: did not find expected node content"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct cc_topology net = {0};
        struct cc_workload work = {0};
        struct dpk_error err = {0};
        assert_int_not_equal(model_cc_read(files[i].text, strlen(files[i].text), &net, &work, &err),
                             DPK_OK);
        assert_string_equal(err.message, files[i].error);
        expect_nothing(&net, &work);
    }
}

static void bad_name_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } names[] = {
        {"", "no topology \"\" (there are dumbbell, incast, parking-lot, fat-tree, custom)"},
        {"tree",
         "no topology \"tree\" (there are dumbbell, incast, parking-lot, fat-tree, custom)"},
        {"incst", "no topology \"incst\" (did you mean incast?)"},
        {"custom", "a custom topology needs a file"},
        {"incast:senders", "\"senders\" is not KEY=VALUE"},
        {"incast:senders=5,ecn.kmn=1K", "no key \"ecn.kmn\" (did you mean ecn.kmin?)"},
        {"incast:mtu=9000", "mtu: 9000 is not within 256 to 4096"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct cc_topology net = {0};
        struct cc_workload work = {0};
        struct dpk_error err = {0};
        assert_int_not_equal(model_cc_named(names[i].text, &net, &work, &err), DPK_OK);
        assert_string_equal(err.message, names[i].error);
        expect_nothing(&net, &work);
    }
    struct cc_workload work = {0};
    struct dpk_error err = {0};
    assert_int_not_equal(model_cc_workload_named("long+bursts:size=x", &work, &err), DPK_OK);
    assert_string_equal(err.message, "size: \"x\" is not bytes, as 100K is");
    assert_null(work.items);
    assert_int_not_equal(model_cc_workload_named("", &work, &err), DPK_OK);
    assert_null(work.items);
}

static void times_are_read(void **state)
{
    (void)state;
    uint64_t ns = 0;
    assert_int_equal(model_cc_parse_time("20ms", &ns, NULL), DPK_OK);
    assert_int_equal(ns, 20000000);
    assert_int_equal(model_cc_parse_time("1.5us", &ns, NULL), DPK_OK);
    assert_int_equal(ns, 1500);
    assert_int_equal(model_cc_parse_time("0.25 s", &ns, NULL), DPK_OK);
    assert_int_equal(ns, 250000000);
    const char *const bad[] = {"", "s", "1", "1m", "1.ms", "1e3ns", " 1s", "1ss", "0x1s"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(model_cc_parse_time(bad[i], &ns, NULL), DPK_ERR_FORMAT);
}

/* ---- Distributions and traces ---- */

static enum dpk_status read_sizes(const char *text, struct cc_work *w, struct dpk_error *err)
{
    *w = (struct cc_work){.kind = CC_POISSON, .sizes = CC_SIZES_FILE};
    *err = (struct dpk_error){0};
    return model_cc_read_sizes(text, strlen(text), w, err);
}

static void distributions_are_what_tools_of_papers_write(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0 0\n10000 15\n20000 100\n",                    /* percent, as for HPCC */
        "# sizes\n\n0 0\r\n10000 0.15\r\n20000 1.0\r\n", /* shares */
        "0,0\n10K,0.15\n20K,1",                          /* as a table of numbers */
        "0 0 0\n10000.5 7 0.15\n20000 14 1\n",           /* a column between, as for pFabric */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct cc_work w;
        struct dpk_error err;
        if (read_sizes(texts[i], &w, &err) != DPK_OK)
            fail_msg("text %zu: %s", i, err.message);
        assert_int_equal(w.point_count, 3);
        assert_int_equal(w.points[1].bytes, 10000);
        assert_int_equal(w.points[1].share, 150000000);
        assert_int_equal(w.points[2].share, CC_SHARE_ALL);
        free(w.points);
    }
}

static void the_first_size_of_a_distribution_may_be_that_of_many(void **state)
{
    (void)state;
    struct cc_work w;
    struct dpk_error err;
    assert_int_equal(read_sizes("100 0.5\n200 1\n", &w, &err), DPK_OK);
    assert_int_equal(w.point_count, 3);
    assert_int_equal(w.points[0].bytes, 100);
    assert_int_equal(w.points[1].bytes, 100);
    assert_int_equal(w.points[1].share, CC_SHARE_ALL / 2);
    free(w.points);
}

static void bad_distributions_are_told_by_their_line(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "line 0: the last probability"},
        {"0 0\n5 0.5\n", "line 2: the last probability is neither 1 nor 100"},
        {"0 0\nmany 1\n", "line 2: the size"},
        {"0 0\n10 most\n", "line 2: the probability is not a number"},
        {"0 0\n10 -1\n", "line 2: the probability is not a number"},
        {"0 0\n10 nan\n", "line 2: the probability is not a number"},
        {"0 0\n\n10 0.5\n5 1\n", "line 4: the size is below"},
        {"0 0\n10 0.5\n20 0.4\n", "line 3: the probability is below"},
        {"0\n", "line 1: SIZE and CUMULATIVE-PROBABILITY"},
        {"0 0 0 0 0 0\n", "line 1: SIZE and CUMULATIVE-PROBABILITY"},
        {"9999999999999999 1\n", "line 1: the size"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cc_work w;
        struct dpk_error err;
        assert_int_not_equal(read_sizes(cases[i][0], &w, &err), DPK_OK);
        if (strncmp(err.message, cases[i][1], strlen(cases[i][1])) != 0)
            fail_msg("case %zu: %s", i, err.message);
        assert_null(w.points);
    }
}

static void traces_have_a_flow_in_each_line(void **state)
{
    (void)state;
    static const char text[] = "start,source,destination,bytes\n"
                               "# comment\n"
                               "0,sender0,1,64K\n1.5us, 0 ,receiver1,1000\n2000,sender1,2,1\n";
    struct cc_work w = {.kind = CC_TRACE};
    struct dpk_error err = {0};
    assert_int_equal(model_cc_read_trace(text, strlen(text), &w, &err), DPK_OK);
    assert_int_equal(w.demand_count, 3);
    assert_int_equal(w.demands[0].size, 64000);
    assert_string_equal(w.demands[1].from, "0");
    assert_int_equal(w.demands[1].start_ns, 1500);
    assert_int_equal(w.demands[2].start_ns, 2000);
    assert_int_equal(w.demands[2].line, 5);
    free(w.demands);
}

static void bad_traces_are_told_by_their_line(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "line 0: the file has no flow"},
        {"start,source,destination,bytes\n", "line 1: the file has no flow"},
        {"0,a,b\n", "line 1: START,SOURCE,DESTINATION,BYTES"},
        {"0,a,b,1,2\n", "line 1: START,SOURCE,DESTINATION,BYTES"},
        {"0,a,b,1\nsoon,a,b,1\n", "line 2: the start"},
        {"0,a,b,0\n", "line 1: the size"},
        {"0,a,b,\n", "line 1: the size"},
        {"0,,b,1\n", "line 1: source and destination"},
        {"0,a,b,1\n0,a,0123456789012345678901234567890123,1\n", "line 2: source and destination"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cc_work w = {.kind = CC_TRACE};
        struct dpk_error err = {0};
        assert_int_not_equal(model_cc_read_trace(cases[i][0], strlen(cases[i][0]), &w, &err),
                             DPK_OK);
        if (strncmp(err.message, cases[i][1], strlen(cases[i][1])) != 0)
            fail_msg("case %zu: %s", i, err.message);
        assert_null(w.demands);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_runs),
        cmocka_unit_test(keys_of_a_file_are_parameters),
        cmocka_unit_test(bad_file_is_refused_with_its_line),
        cmocka_unit_test(bad_name_is_refused),
        cmocka_unit_test(times_are_read),
        cmocka_unit_test(distributions_are_what_tools_of_papers_write),
        cmocka_unit_test(the_first_size_of_a_distribution_may_be_that_of_many),
        cmocka_unit_test(bad_distributions_are_told_by_their_line),
        cmocka_unit_test(traces_have_a_flow_in_each_line),
        cmocka_unit_test(bad_traces_are_told_by_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
