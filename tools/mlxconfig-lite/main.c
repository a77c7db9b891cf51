/* mlxconfig-lite: makes NV configuration files, applies them to an emulated device, and queries
 * it. */
#include "common/device.h"

#include "mlxconfig.h"

static const struct dpk_command *const commands[] = {
    &mlxconfig_create_conf_command,
    &mlxconfig_apply_command,
    &mlxconfig_query_command,
    &mlxconfig_set_command,
    &mlxconfig_reset_command,
    &mlxconfig_show_confs_command,
    &mlxconfig_backup_command,
    &mlxconfig_set_raw_command,
    &mlxconfig_get_raw_command,
    &mlxconfig_gen_tlvs_file_command,
    &mlxconfig_gen_xml_template_command,
    &mlxconfig_xml2raw_command,
    &mlxconfig_raw2xml_command,
    &mlxconfig_xml2bin_command,
    &mlxconfig_bin2xml_command,
    NULL,
};
static const struct dpk_option shared_options[] = {
    {"d,dev", DPK_TEXT, "DEVICE", MLXCONFIG_AT(device), .absent = dpk_only_device,
     .help = "name or path of a device (default: the only one there is)"},
    {"b,db", DPK_FILE, "FILE", MLXCONFIG_AT(database),
     .help = "TLV definitions: database of NVIDIA's tools"},
    {"y,yes,yy", .at = MLXCONFIG_AT(yes), .help = "answer yes to every question"},
    {"a,all_attrs", .at = MLXCONFIG_AT(all_attributes),
     .help = "every attribute in a template; no effect on query"},
    {"f,file", DPK_FILE, "RAW", MLXCONFIG_AT(file),
     .help = "the raw file of backup, set_raw and get_raw"},
    {"t,device_type", DPK_CHOICE, "hca", MLXCONFIG_AT(device_type), .help = "type of device"},
    {"host_id", DPK_NUMBER, "N", MLXCONFIG_AT(host), .help = "the host"},
    {"pf_index", DPK_NUMBER, "N", MLXCONFIG_AT(function), .help = "the function of the host"},
    {0},
};
static const struct mlxconfig_options defaults = {.key.ask = dpk_ask_terminal};
static const struct dpk_tool tool = {
    .name = "mlxconfig-lite",
    .usage = "mlxconfig-lite [OPTIONS] COMMAND [ARGUMENTS]",
    .about = "Makes NV configuration files, applies them to an emulated device, queries and\n"
             "sets its parameters.",
    .commands = commands,
    .options = shared_options,
    .size = sizeof(struct mlxconfig_options),
    .defaults = &defaults,
    .single_dash_names = true,
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
