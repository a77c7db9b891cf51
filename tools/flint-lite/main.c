/* flint-lite: burns certificate containers into an emulated device, and shows its content. */
#include "common/device.h"

#include "flint.h"

#define AT(field) offsetof(struct flint_options, field)

static const struct dpk_command *const commands[] = {
    &flint_burn_command,
    &flint_query_command,
    &flint_query_components_command,
    &flint_verify_command,
    NULL,
};
static const struct dpk_option shared_options[] = {
    {"d,device", DPK_TEXT, "DEVICE", AT(device), .absent = dpk_only_device,
     .help = "name or path of a device (default: the only one there is)"},
    {"i,image", DPK_FILE, "FILE", AT(image), .help = "signed container to burn"},
    {"json", .at = AT(json), .help = "query, query_components, verify: print JSON"},
    {"y,yes", .at = AT(yes), .help = "answer yes to every question"},
    {0},
};
static const struct dpk_tool tool = {
    .name = "flint-lite",
    .usage = "flint-lite [OPTIONS] COMMAND",
    .about = "Burns certificate containers into an emulated device.",
    .commands = commands,
    .options = shared_options,
    .size = sizeof(struct flint_options),
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
