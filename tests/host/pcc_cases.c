/* DOCA PCC of host programs, with tests/data/pcc/rp.c on the device. The argument is the name of a
 * case. */
#include <doca_pcc.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../data/pcc/pcc_modes.h"
#include "check.h"

extern struct doca_pcc_app *pcc_test_app;

static struct doca_dev *dev;

/* The first device, and its capabilities of congestion control. */
static doca_error_t open_device(void)
{
    struct doca_devinfo **list;
    uint32_t count;
    CHECK(doca_devinfo_create_list(&list, &count) == DOCA_SUCCESS && count > 0);
    doca_error_t result = doca_devinfo_get_is_pcc_supported(list[0]);
    CHECK(doca_pcc_np_cap_is_supported(list[0]) == DOCA_SUCCESS);
    CHECK(doca_pcc_cap_is_ccmad_custom_header_supported(list[0]) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_pcc_cap_is_probe_priority_change_supported(list[0]) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_dev_open(list[0], &dev) == DOCA_SUCCESS);
    doca_devinfo_destroy_list(list);
    return result;
}

static struct doca_pcc *make(void)
{
    uint32_t units[] = {16, 17, 18};
    struct doca_pcc *pcc = NULL;
    CHECK(open_device() == DOCA_SUCCESS);
    CHECK(doca_pcc_create(dev, &pcc) == DOCA_SUCCESS);
    CHECK(doca_pcc_set_app(pcc, pcc_test_app) == DOCA_SUCCESS);
    CHECK(doca_pcc_set_thread_affinity(pcc, 3, units) == DOCA_SUCCESS);
    CHECK(doca_pcc_set_mailbox(pcc, 24, 8) == DOCA_SUCCESS);
    return pcc;
}

static doca_pcc_process_state_t state(struct doca_pcc *pcc)
{
    doca_pcc_process_state_t s = DOCA_PCC_PS_ERROR;
    CHECK(doca_pcc_get_process_state(pcc, &s) == DOCA_SUCCESS);
    return s;
}

static doca_error_t ask(struct doca_pcc *pcc, uint64_t what, uint64_t *answer, uint32_t *returned)
{
    uint64_t *request;
    void *response;
    uint32_t size = 0;
    CHECK(doca_pcc_mailbox_get_request_buffer(pcc, (void **)&request) == DOCA_SUCCESS);
    CHECK(doca_pcc_mailbox_get_response_buffer(pcc, &response) == DOCA_SUCCESS);
    memcpy(request, (const uint64_t[]){what, 0, 0}, 24);
    doca_error_t result = doca_pcc_mailbox_send(pcc, 24, &size, returned);
    if (result == DOCA_SUCCESS && size == 8)
        memcpy(answer, response, 8);
    return result;
}

static void set_param(struct doca_pcc *pcc, uint64_t which, uint64_t value)
{
    uint64_t *request;
    uint32_t size, returned;
    CHECK(doca_pcc_mailbox_get_request_buffer(pcc, (void **)&request) == DOCA_SUCCESS);
    memcpy(request, (const uint64_t[]){ASK_PARAM, which, value}, 24);
    CHECK(doca_pcc_mailbox_send(pcc, 24, &size, &returned) == DOCA_SUCCESS);
}

/* ---- Cases ---- */

static void a_device_is_asked_first(void)
{
    struct doca_pcc *pcc = NULL;
    CHECK(open_device() == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_pcc_create(dev, &pcc) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(pcc == NULL);
    CHECK(doca_pcc_np_create(dev, &pcc) == DOCA_SUCCESS);
    CHECK(doca_pcc_destroy(pcc) == DOCA_SUCCESS);
}

static void it_starts_answers_and_stops(void)
{
    struct doca_pcc *pcc = make();
    uint64_t answer = 0;
    uint32_t returned = 9;
    CHECK(state(pcc) == DOCA_PCC_PS_DEACTIVATED);
    CHECK(doca_pcc_wait(pcc, 0) == DOCA_ERROR_BAD_STATE);
    CHECK(ask(pcc, ASK_RANK, &answer, &returned) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_pcc_start(pcc) == DOCA_SUCCESS);
    CHECK(doca_pcc_start(pcc) == DOCA_ERROR_BAD_STATE);
    CHECK(state(pcc) == DOCA_PCC_PS_ACTIVE);
    CHECK(doca_pcc_set_mailbox(pcc, 24, 8) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_pcc_wait(pcc, 0) == DOCA_SUCCESS);
    CHECK(ask(pcc, ASK_RANK, &answer, &returned) == DOCA_SUCCESS);
    CHECK(answer == 2 && returned == 0); /* after two threads for events */
    CHECK(doca_pcc_dump_debug(pcc) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_pcc_enable_debug(pcc, true) == DOCA_SUCCESS);
    CHECK(doca_pcc_dump_debug(pcc) == DOCA_SUCCESS);
    CHECK(doca_pcc_stop(pcc) == DOCA_SUCCESS);
    CHECK(doca_pcc_stop(pcc) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_pcc_start(pcc) == DOCA_SUCCESS); /* again */
    CHECK(doca_pcc_destroy(pcc) == DOCA_SUCCESS);
    CHECK(doca_pcc_destroy(pcc) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_dev_close(dev) == DOCA_SUCCESS);
}

static void what_is_wrong_is_refused(void)
{
    struct doca_pcc *pcc = make(), *np = NULL;
    uint32_t units[] = {256}, number;
    char *good[] = {"%d %#lx\n", "%% %c %5u %hhx %lld\n", NULL}, *text[] = {"%s", NULL},
         *many[] = {"%u%u%u%u%u%u", NULL}, *stars[] = {"%*d", NULL}, *writes[] = {"%n", NULL};
    CHECK(doca_pcc_set_app(pcc, NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pcc_set_app(pcc, (void *)pcc) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pcc_set_thread_affinity(pcc, 1, units) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pcc_set_thread_affinity(pcc, 0, units) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pcc_get_min_num_threads(pcc, &number) == DOCA_SUCCESS && number == 1);
    CHECK(doca_pcc_get_max_num_threads(pcc, &number) == DOCA_SUCCESS && number == 256);
    CHECK(doca_pcc_get_max_num_threads(pcc, NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pcc_set_trace_message(pcc, good) == DOCA_SUCCESS);
    CHECK(doca_pcc_set_trace_message(pcc, text) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pcc_set_trace_message(pcc, many) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pcc_set_trace_message(pcc, stars) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pcc_set_trace_message(pcc, writes) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pcc_set_mailbox(pcc, (1 << 20) + 1, 0) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pcc_cap_get_num_probe_format_slots(pcc, &number) == DOCA_SUCCESS && number == 4);
    CHECK(doca_pcc_set_ccmad_probe_packet_format(pcc, 4) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pcc_set_ccmad_probe_packet_format(pcc, 3) == DOCA_SUCCESS);
    CHECK(doca_pcc_rp_set_ifa2_gns(pcc, 0, 15) == DOCA_SUCCESS);
    CHECK(doca_pcc_np_set_ifa2_gns_ignore(pcc, 0, 1, 1) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_pcc_rp_set_ccmad_custom_header_size(pcc, 0, 8) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_pcc_rp_set_ccmad_probe_priority_change_en(pcc, 0, false) == DOCA_SUCCESS);
    CHECK(doca_pcc_rp_set_ccmad_probe_priority_change_en(pcc, 0, true) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_pcc_rp_set_ccmad_probe_priority_change_en(pcc, 4, true) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pcc_rp_set_ccmad_remote_sw_handler(pcc, 0, false) == DOCA_SUCCESS);
    CHECK(doca_pcc_rp_set_ccmad_remote_sw_handler(pcc, 0, true) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_pcc_rp_set_ccmad_remote_sw_handler(pcc, 4, true) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pcc_np_create(dev, &np) == DOCA_SUCCESS);
    CHECK(doca_pcc_rp_set_ccmad_remote_sw_handler(np, 0, false) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_pcc_rp_set_ccmad_probe_priority_change_en(np, 0, false) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_pcc_set_ifa2_probe_packet_format(np, 1) == DOCA_SUCCESS); /* and says so */
    CHECK(doca_pcc_start(np) == DOCA_ERROR_BAD_CONFIG);                  /* no program */
    CHECK(doca_pcc_set_app(np, pcc_test_app) == DOCA_SUCCESS);
    CHECK(doca_pcc_start(np) == DOCA_ERROR_BAD_CONFIG); /* no threads */
    units[0] = 3;
    CHECK(doca_pcc_set_thread_affinity(np, 1, units) == DOCA_SUCCESS);
    CHECK(doca_pcc_start(np) == DOCA_ERROR_NOT_FOUND); /* it is a reaction point */
    CHECK(doca_pcc_destroy(np) == DOCA_SUCCESS);
    CHECK(doca_pcc_destroy(pcc) == DOCA_SUCCESS);
}

static void a_fault_leaves_a_core_file(void)
{
    struct doca_pcc *pcc = make();
    const char *core = getenv("CORE");
    char text[4096];
    struct stat s;
    uint64_t answer;
    uint32_t returned;
    CHECK(doca_pcc_set_dev_coredump_file(pcc, core) == DOCA_SUCCESS);
    CHECK(doca_pcc_start(pcc) == DOCA_SUCCESS);
    CHECK(ask(pcc, ASK_FAULT, &answer, &returned) == DOCA_ERROR_DRIVER);
    CHECK(doca_pcc_wait(pcc, -1) == DOCA_SUCCESS); /* returns at once */
    CHECK(state(pcc) == DOCA_PCC_PS_ERROR);
    CHECK(stat(core, &s) == 0 && s.st_size > 4096);
    snprintf(text, sizeof text, "%s.txt", core);
    CHECK(stat(text, &s) == 0 && s.st_size > 100);
    CHECK(ask(pcc, ASK_RANK, &answer, &returned) == DOCA_ERROR_DRIVER);
    CHECK(doca_pcc_stop(pcc) == DOCA_SUCCESS);
    CHECK(state(pcc) == DOCA_PCC_PS_DEACTIVATED);
    CHECK(doca_pcc_start(pcc) == DOCA_SUCCESS);
    CHECK(state(pcc) == DOCA_PCC_PS_ACTIVE);
    CHECK(doca_pcc_destroy(pcc) == DOCA_SUCCESS);
}

/* The destruction of the active context makes the next context active. */
static void only_one_context_is_active_at_a_time(void)
{
    struct doca_pcc *first = make();
    CHECK(doca_pcc_start(first) == DOCA_SUCCESS);
    CHECK(doca_dev_close(dev) == DOCA_ERROR_IN_USE);
    struct doca_pcc *second = make();
    CHECK(doca_pcc_start(second) == DOCA_SUCCESS);
    CHECK(state(first) == DOCA_PCC_PS_ACTIVE);
    CHECK(state(second) == DOCA_PCC_PS_STANDBY);
    CHECK(doca_pcc_wait(second, 0) == DOCA_SUCCESS);
    CHECK(doca_pcc_destroy(first) == DOCA_SUCCESS);
    CHECK(doca_pcc_wait(second, 60) == DOCA_SUCCESS);
    CHECK(state(second) == DOCA_PCC_PS_ACTIVE);
    CHECK(doca_pcc_destroy(second) == DOCA_SUCCESS);
}

/* Sets the rates of the device's RDMA to what the environment says, until its input ends. */
static void it_sets_rates(void)
{
    const char *mode = getenv("MODE"), *rate = getenv("RATE");
    char line[100];
    struct doca_pcc *pcc = make();
    CHECK(doca_pcc_start(pcc) == DOCA_SUCCESS);
    set_param(pcc, RATE, rate ? (uint32_t)atoi(rate) : 0);
    set_param(pcc, MODE, mode ? (uint32_t)atoi(mode) : MODE_SET);
    CHECK(doca_pcc_enable_debug(pcc, true) == DOCA_SUCCESS);
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin))
        CHECK(doca_pcc_dump_debug(pcc) == DOCA_SUCCESS); /* while events come */
    printf("state %d\n", state(pcc));
    CHECK(doca_pcc_destroy(pcc) == DOCA_SUCCESS);
}

static void a_program_that_may_not_run_is_refused(void)
{
    struct doca_pcc *pcc = make();
    CHECK(doca_pcc_start(pcc) == DOCA_ERROR_AUTHENTICATION);
    CHECK(state(pcc) == DOCA_PCC_PS_DEACTIVATED);
    CHECK(doca_pcc_destroy(pcc) == DOCA_SUCCESS);
}

/* ---- Traces: format 7 with 1, -2, 3, 4, 1 << 40 ---- */

static char *formats[] = {"", "", "", "", "", "", "", "%#lx|%d|%3u|%x|%lu%%\n", NULL};

static void traces_go_where_the_program_says(void)
{
    char buffer[100] = "";
    void *buf;
    char *path;
    uint32_t size;
    uint64_t answer;
    uint32_t returned;
    struct doca_pcc *pcc = make();
    CHECK(doca_pcc_trace_buf_get(pcc, &buf, &size) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_pcc_trace_file_get(pcc, &path, &size) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_pcc_set_trace_message(pcc, formats) == DOCA_SUCCESS);
    CHECK(doca_pcc_trace_buf_set(pcc, buffer, sizeof buffer) == DOCA_SUCCESS);
    CHECK(doca_pcc_trace_buf_get(pcc, &buf, &size) == DOCA_SUCCESS && buf == buffer);
    CHECK(doca_pcc_start(pcc) == DOCA_SUCCESS);
    CHECK(ask(pcc, ASK_TRACE, &answer, &returned) == DOCA_SUCCESS);
    CHECK(strcmp(buffer, "0x1|-2|  3|4|1099511627776%\n") == 0);
    CHECK(doca_pcc_deactivate_tracer(pcc) == DOCA_SUCCESS);
    CHECK(ask(pcc, ASK_TRACE, &answer, &returned) == DOCA_SUCCESS);
    CHECK(strlen(buffer) == 28);
    CHECK(doca_pcc_destroy(pcc) == DOCA_SUCCESS);
}

static int handled(void *ctx, struct doca_pcc_bin_report *reps, int reps_size)
{
    const uint8_t *bytes = (const void *)reps;
    uint32_t format;
    uint64_t values[5];
    memcpy(&format, bytes, sizeof format);
    memcpy(values, bytes + 16, sizeof values);
    *(bool *)ctx = reps_size == 1 && format == 7 && values[0] == 1 && values[4] == 1ull << 40;
    return 0;
}

static void traces_go_to_a_function_or_a_file(void)
{
    bool good = false;
    uint64_t answer;
    uint32_t returned, size;
    char line[100] = "", *path;
    const char *file = getenv("CORE");
    struct doca_pcc *pcc = make();
    CHECK(doca_pcc_register_trace_handler(pcc, handled, &good) == DOCA_SUCCESS);
    CHECK(doca_pcc_start(pcc) == DOCA_SUCCESS);
    CHECK(ask(pcc, ASK_TRACE, &answer, &returned) == DOCA_SUCCESS && good);
    CHECK(doca_pcc_destroy(pcc) == DOCA_SUCCESS);
    pcc = make();
    CHECK(doca_pcc_activate_tracer(pcc) == DOCA_SUCCESS); /* without formats */
    CHECK(doca_pcc_trace_file_set(pcc, file) == DOCA_SUCCESS);
    CHECK(doca_pcc_trace_file_get(pcc, &path, &size) == DOCA_SUCCESS && size == strlen(file) + 1);
    CHECK(doca_pcc_start(pcc) == DOCA_SUCCESS);
    CHECK(ask(pcc, ASK_TRACE, &answer, &returned) == DOCA_SUCCESS);
    CHECK(doca_pcc_destroy(pcc) == DOCA_SUCCESS);
    FILE *f = fopen(file, "r");
    CHECK(f && fgets(line, sizeof line, f));
    CHECK(strcmp(line, "format 7: 0x1 0xfffffffffffffffe 0x3 0x4 0x10000000000\n") == 0);
    fclose(f);
}

/* ---- Resources ---- */

static doca_error_t read_units(const char *text, struct doca_pcc_resources **out)
{
    return doca_pcc_resources_create("my_app", text, strlen(text), out);
}

static void units_come_from_a_file(void)
{
    struct doca_pcc_resources *res = NULL;
    uint32_t count = 0, units[8] = {0};
    CHECK(read_units("version: 1\npartitions:\n  - name: p\n    apps:\n      other:\n"
                     "        eus: [99]\n      my_app:\n        eus: [0-3, 8]\n",
                     &res) == DOCA_SUCCESS);
    CHECK(doca_pcc_resources_get_num_eus(res, &count) == DOCA_SUCCESS && count == 5);
    CHECK(doca_pcc_resources_get_eus(res, 6, units) == DOCA_ERROR_INVALID_VALUE && units[0] == 0);
    CHECK(doca_pcc_resources_get_eus(res, 5, units) == DOCA_SUCCESS);
    CHECK(units[1] == 1 && units[3] == 3 && units[4] == 8 && units[5] == 0);
    struct doca_pcc *pcc = make();
    CHECK(doca_pcc_set_thread_affinity(pcc, count, units) == DOCA_SUCCESS);
    CHECK(doca_pcc_destroy(pcc) == DOCA_SUCCESS);
    CHECK(doca_pcc_resources_destroy(res) == DOCA_SUCCESS);
    CHECK(doca_pcc_resources_destroy(res) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pcc_resources_get_num_eus(res, &count) == DOCA_ERROR_INVALID_VALUE);
    CHECK(read_units("other: {eus: [1]}", &res) == DOCA_ERROR_NOT_FOUND && !res);
    CHECK(read_units("my_app: {eus: [x]}", &res) == DOCA_ERROR_INVALID_VALUE && !res);
    CHECK(read_units("my_app: {eus: [0-256]}", &res) == DOCA_ERROR_INVALID_VALUE && !res);
    CHECK(read_units("", &res) == DOCA_ERROR_INVALID_VALUE && !res);
    CHECK(doca_pcc_resources_create("", "a", 1, &res) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pcc_resources_create("my_app", "a", 2 << 20, &res) == DOCA_ERROR_INVALID_VALUE);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        CASE(a_device_is_asked_first),
        CASE(it_starts_answers_and_stops),
        CASE(what_is_wrong_is_refused),
        CASE(a_fault_leaves_a_core_file),
        CASE(only_one_context_is_active_at_a_time),
        CASE(a_program_that_may_not_run_is_refused),
        CASE(traces_go_where_the_program_says),
        CASE(traces_go_to_a_function_or_a_file),
        CASE(units_come_from_a_file),
        CASE(it_sets_rates),
    };
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
