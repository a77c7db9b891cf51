/* dpa-statistics: counts what threads of an emulated device execute. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <time.h>

#include "cli/cli.h"
#include "common/device.h"
#include "device/running/running.h"
#include "device/state/state.h"

struct options {
    const char *device, *processes;
    bool enable, disable, reset, no_header;
    unsigned timeout; /* milliseconds; 0: no limit */
};

/* ---- Printing ---- */

/* A cycle counts as an instruction, as in the device's cycle counter; a tick is a nanosecond. */
static void print_thread(const struct dpk_live_thread *t)
{
    printf("  %-12x %-16" PRIu64 " %-16" PRIu64 " %-16" PRIu64 " %-12" PRIu64 " %s\n", t->number,
           t->instructions, t->instructions, t->ns, t->executions, t->name);
}

static enum dpk_status print_all(const struct options *o, const char *directory,
                                 const struct dpk_live_choice *choice, struct dpk_error *err)
{
    struct dpk_live_seen seen;
    enum dpk_status status = dpk_live_look(directory, true, &seen, err);
    if (status != DPK_OK)
        return status;
    if (!o->no_header) {
        puts("ProcessID Process Name");
        printf("  %-12s %-16s %-16s %-16s %-12s %s\n", "ThreadID", "Cycles", "Instruction", "Time",
               "Executions", "Thread Name");
    }
    for (size_t i = 0; i < seen.count; i++) {
        const struct dpk_live_process *p = &seen.processes[i];
        if (!choice->wanted[p->number])
            continue;
        printf("%-12x %s\n", p->number, p->name);
        for (size_t k = 0; k < p->thread_count; k++)
            print_thread(&p->threads[k]);
    }
    if (!o->no_header)
        printf("Collection time: %" PRIu64 " ms, %s\n", seen.for_ns / 1000000,
               seen.collects ? "collecting" : "ended");
    dpk_live_seen_free(&seen);
    return DPK_OK;
}

/* ---- Collecting ---- */

static enum dpk_status collect(const struct options *o, const char *directory,
                               const struct dpk_live_choice *choice, bool on, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    if (!o->processes)
        return dpk_live_collect(directory, UINT_MAX, on, on && o->reset, err);
    for (unsigned n = 0; n < DPK_LIVE_PROCESSES && status == DPK_OK; n++)
        if (choice->wanted[n])
            status = dpk_live_collect(directory, n, on, on && o->reset, err);
    return status;
}

/* Waits until the time is over or a signal asks to end. */
static void wait_for(unsigned ms)
{
    sigset_t ending;
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    while (sigtimedwait(&ending, NULL, ms ? &left : NULL) < 0 && errno == EINTR)
        ;
}

/* Blocks the signals before counting begins, so that counting is always ended. */
static void hold_signals(void)
{
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    sigprocmask(SIG_BLOCK, &ending, NULL);
}

static enum dpk_status count(const struct options *o, const char *directory,
                             const struct dpk_live_choice *choice, struct dpk_error *err)
{
    if (o->enable || o->disable)
        return collect(o, directory, choice, o->enable, err);
    hold_signals();
    enum dpk_status status = collect(o, directory, choice, true, err);
    if (status != DPK_OK)
        return status;
    wait_for(o->timeout);
    /* Chosen processes may have ended meanwhile. */
    if (o->processes)
        (void)collect(o, directory, choice, false, NULL);
    else
        status = collect(o, directory, choice, false, err);
    return status == DPK_OK ? print_all(o, directory, choice, err) : status;
}

/* ---- Commands ---- */

static enum dpk_status open_and(const struct options *o, struct dpk_error *err,
                                enum dpk_status (*action)(const struct options *, const char *,
                                                          const struct dpk_live_choice *,
                                                          struct dpk_error *))
{
    char directory[PATH_MAX];
    struct dpk_live_choice choice;
    enum dpk_status status = dpk_live_choose(o->processes, &choice, err);
    if (status == DPK_OK)
        status = dpk_device_card_directory_by_name(o->device, directory, err);
    return status == DPK_OK ? action(o, directory, &choice, err) : status;
}

/* Zero counters would look like a measurement if nobody ever collected. */
static enum dpk_status show_counted(const struct options *o, const char *directory,
                                    const struct dpk_live_choice *choice, struct dpk_error *err)
{
    struct dpk_live_seen seen;
    enum dpk_status status = dpk_live_look(directory, true, &seen, err);
    if (status != DPK_OK)
        return status;
    bool never = !seen.collects && seen.for_ns == 0;
    for (size_t i = 0; i < seen.count; i++)
        never = never && !seen.processes[i].collects;
    dpk_live_seen_free(&seen);
    if (never)
        return dpk_fail(
            err, DPK_ERR_NOT_FOUND,
            "%s: nothing was collected: begin with dpa-statistics collect --enable -d %s",
            o->device, o->device);
    return print_all(o, directory, choice, err);
}

static enum dpk_status run_show(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    (void)args;
    return open_and(options, err, show_counted);
}

static enum dpk_status run_collect(void *options, const struct dpk_args *args,
                                   struct dpk_error *err)
{
    const struct options *o = options;
    (void)args;
    if (o->enable + o->disable + (o->timeout != 0) > 1)
        return dpk_fail(err, DPK_ERR_USAGE, "one of --enable, --disable and --timeout");
    return open_and(o, err, count);
}

#define AT(field) offsetof(struct options, field)
static const struct dpk_option options[] = {
    {"d,device", DPK_TEXT, "DEVICE", AT(device), .absent = dpk_only_device,
     .help = "name or path of a device (default: the only one there is)"},
    {"p,process-id", DPK_TEXT, "IDS", AT(processes),
     .help = "only these processes: hexadecimal, as \"0,1f\""},
    {"i,suppress-header-info", .at = AT(no_header), .help = "print no header, and no time"},
    {0},
};
static const struct dpk_option collect_options[] = {
    {"e,enable", .at = AT(enable), .help = "start counting, and return"},
    {"s,disable", .at = AT(disable), .help = "end counting"},
    {"t,timeout", DPK_NUMBER, "MS", AT(timeout), 1, 86400000,
     .help = "count for MS milliseconds or until Ctrl-C, then print"},
    {"r,reset", .at = AT(reset), .help = "start from 0"},
    {0},
};
static const struct dpk_command collect_command = {.names = "collect",
                                                   .help = "count; without a mode, until Ctrl-C",
                                                   .needs = "d",
                                                   .takes = "d,p,i",
                                                   .options = collect_options,
                                                   .run = run_collect};
static const struct dpk_command show_command = {.names = "show",
                                                .help = "print the counters",
                                                .needs = "d",
                                                .takes = "d,p,i",
                                                .run = run_show};
static const struct dpk_command *const commands[] = {&collect_command, &show_command, NULL};
static const struct dpk_tool tool = {
    .name = "dpa-statistics",
    .usage = "dpa-statistics collect [-d DEVICE] [-p IDS] [-r] [-t MS | --enable | --disable]\n"
             "       dpa-statistics show [-d DEVICE] [-p IDS]",
    .about = "Counts instructions, cycles, time and executions of the threads on an emulated "
             "device.",
    .commands = commands,
    .options = options,
    .size = sizeof(struct options),
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
