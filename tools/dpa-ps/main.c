/* dpa-ps: lists the DPA processes of an emulated device, and their threads. */
#include "cli/cli.h"
#include "common/device.h"
#include "device/running/running.h"
#include "device/state/state.h"

struct options {
    const char *device, *processes;
    bool threads, no_header;
};

static void print_threads(const struct dpk_live_process *p)
{
    for (size_t i = 0; i < p->thread_count; i++)
        printf("  %-12x %s\n", p->threads[i].number, p->threads[i].name);
}

static void print_all(const struct options *o, const struct dpk_live_seen *seen,
                      const struct dpk_live_choice *choice)
{
    if (!o->no_header)
        puts("ProcessID Process Name");
    if (!o->no_header && o->threads)
        puts("  ThreadID Thread Name");
    for (size_t i = 0; i < seen->count; i++) {
        const struct dpk_live_process *p = &seen->processes[i];
        if (!choice->wanted[p->number])
            continue;
        printf("%-12x %s\n", p->number, p->name);
        if (o->threads)
            print_threads(p);
    }
}

static enum dpk_status run(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct options *o = options;
    char directory[PATH_MAX];
    struct dpk_live_seen seen = {0};
    struct dpk_live_choice choice;
    (void)args;
    enum dpk_status status = dpk_live_choose(o->processes, &choice, err);
    if (status == DPK_OK)
        status = dpk_device_card_directory_by_name(o->device, directory, err);
    if (status == DPK_OK)
        status = dpk_live_look(directory, o->threads, &seen, err);
    if (status == DPK_OK)
        print_all(o, &seen, &choice);
    dpk_live_seen_free(&seen);
    return status;
}

#define AT(field) offsetof(struct options, field)
static const struct dpk_option options[] = {
    {"d,device", DPK_TEXT, "DEVICE", AT(device), .absent = dpk_only_device,
     .help = "name or path of a device (default: the only one there is)"},
    {"p,process-id", DPK_TEXT, "IDS", AT(processes),
     .help = "only these processes: hexadecimal, as \"0,1f\""},
    {"t,threads", .at = AT(threads), .help = "show the threads of each process"},
    {"i,suppress-header-info", .at = AT(no_header), .help = "print no header"},
    {0},
};
static const struct dpk_command command = {.needs = "d", .options = options, .run = run};
static const struct dpk_tool tool = {
    .name = "dpa-ps",
    .usage = "dpa-ps [-d DEVICE] [-t] [-p IDS] [-i]",
    .about = "Lists the DPA processes that run on an emulated device.",
    .command = &command,
    .size = sizeof(struct options),
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
