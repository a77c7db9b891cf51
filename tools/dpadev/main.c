/* dpadev: makes, shows, resets, moves and deletes emulated devices. */
#include "dpadev.h"

static const struct dpk_option shared_options[] = {
    {"json", .at = offsetof(struct dpadev_options, json),
     .help = "list, show, log, ps, stats, report: print JSON"},
    DPK_SIGNER_OPTIONS(struct dpadev_options, key),
    {"o,output", DPK_FILE, "PATH", offsetof(struct dpadev_options, output),
     .help = "claim, trust, lock: folder for their files (default: here); report: file of the "
             "page"},
    {"dry-run", .at = offsetof(struct dpadev_options, dry_run),
     .help = "claim, trust, lock: only print the commands that do the same"},
    {0},
};
static const struct dpk_command *const commands[] = {
    &dpadev_create, &dpadev_list,   &dpadev_show,   &dpadev_reset,  &dpadev_delete,
    &dpadev_log,    &dpadev_export, &dpadev_import, &dpadev_ps,     &dpadev_wire,
    &dpadev_fabric, &dpadev_stats,  &dpadev_switch, &dpadev_claim,  &dpadev_trust,
    &dpadev_lock,   &dpadev_report, &dpadev_exec,   &dpadev_attach, NULL,
};
static const struct dpk_tool tool = {
    .name = "dpadev",
    .usage = "dpadev [OPTIONS] COMMAND [NAME]",
    .about = "Manages emulated devices.",
    .commands = commands,
    .options = shared_options,
    .size = sizeof(struct dpadev_options),
    .start = dpk_device_sweep,
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
