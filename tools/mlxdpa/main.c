/* mlxdpa: signs the DPA programs of host files, verifies and lists them, and makes the certificate
 * containers that provision a device. */
#include <stdlib.h>
#include <string.h>

#include "mlxdpa.h"

static const struct dpk_command *const commands[] = {
    &mlxdpa_keygen_command,
    &mlxdpa_renew_command,
    &mlxdpa_release_command,
    &mlxdpa_sign_dpa_apps_command,
    &mlxdpa_sign_command,
    &mlxdpa_export_tbs_command,
    &mlxdpa_attach_signature_command,
    &mlxdpa_strip_signature_command,
    &mlxdpa_verify_command,
    &mlxdpa_list_command,
    &mlxdpa_show_command,
    &mlxdpa_create_cert_container_command,
    &mlxdpa_sign_cert_container_command,
    &mlxdpa_create_single_dpa_app_command,
    &mlxdpa_sign_single_dpa_app_command,
    &mlxdpa_query_manifest_command,
    &mlxdpa_create_dpa_app_removal_command,
    &mlxdpa_sign_dpa_app_removal_command,
    NULL,
};

/* NVIDIA's tool reads a hexadecimal number here, with or without 0x. */
static enum dpk_status parse_chain_count(void *out, const char *text, struct dpk_error *err)
{
    const char *digits = text[0] == '0' && (text[1] | 0x20) == 'x' ? text + 2 : text;
    const size_t length = strspn(digits, "0123456789abcdefABCDEF");
    const unsigned long n =
        length && length <= 8 && !digits[length] ? strtoul(digits, NULL, 16) : 0;
    if (n < 1 || n > 15)
        return dpk_fail(err, DPK_ERR_USAGE, "'%.64s' is not a hexadecimal number from 1 to f",
                        text);
    *(unsigned *)out = (unsigned)n;
    return DPK_OK;
}

static const struct dpk_option shared_options[] = {
    {"e,host_elf,host-elf", DPK_FILE, "FILE", MLXDPA_AT(host_elf),
     .again = "sign_dpa_apps takes more files as arguments, without -e",
     .help = "host file with the programs"},
    {"c,certificate,cert", DPK_FILE, "FILE", MLXDPA_AT(cert),
     .help = "certificate chain (DER, PEM, .p7b, pkcs11: URI), or a container's certificate"},
    DPK_SIGNER_OPTIONS(struct mlxdpa_options, key),
    {"o,output_file,output", DPK_FILE, "FILE", MLXDPA_AT(output),
     .help = "where to write (sign_dpa_apps: default is in place)"},
    {"cert_chain_count", DPK_PARSED, "HEX", MLXDPA_AT(chain_count), .parse = parse_chain_count,
     .help = "number of certificates in the chain, hexadecimal"},
    {"profile", DPK_CHOICE, "full|compact", MLXDPA_AT(profile), .standard = "full",
     .help = "hash list to write"},
    {"section-type,section_type", DPK_CHOICE, "progbits|cryptodata", MLXDPA_AT(section_type),
     .help = "type of the section with the crypto data"},
    {"mft-compat,mft_compat", .at = MLXDPA_AT(mft_compat),
     .help = "write the chain header as NVIDIA's tool does"},
    {"ca", DPK_FILES, "FILE", MLXDPA_AT(ca),
     .help = "trusted root certificate (DER, PEM, directory), repeatable"},
    {"key", DPK_FILES, "FILE", MLXDPA_AT(keys), .help = "trusted public key (PEM), repeatable"},
    {"nv_config,nv-config", DPK_FILE, "FILE", MLXDPA_AT(nv_config),
     .help = "NV configuration file"},
    {"app", DPK_TEXTS, "NAME", MLXDPA_AT(apps),
     .help = "only this program, repeatable (default: all)"},
    {"j,jobs", DPK_NUMBER, "N", MLXDPA_AT(jobs), 1, 256,
     .help = "number of threads (default: one for each core)"},
    {"force", .at = MLXDPA_AT(force), .help = "also make files that no device accepts"},
    {"json", .at = MLXDPA_AT(json), .help = "print JSON"},
    {"name", DPK_TEXT, "TEXT", MLXDPA_AT(name),
     .help = "keygen: beginning of the common names (default DPA); renew: the leaf's common name"},
    {"organization", DPK_TEXT, "TEXT", MLXDPA_AT(organization),
     .help = "organization of new certificates"},
    {"leaf-days,leaf_days", DPK_NUMBER, "N", MLXDPA_AT(leaf_days), 1, 36500,
     .help = "how long a new leaf is valid (default 730)"},
    {"cert_container", DPK_FILE, "FILE", MLXDPA_AT(container), .help = "certificate container"},
    {"life_cycle_priority", DPK_TEXT, "Nvidia|OEM|User", MLXDPA_AT(priority),
     .help = "priority of the container"},
    {"keypair_uuid", DPK_UUID, "UUID", MLXDPA_AT(keypair_uuid),
     .help = "UUID of the key pair that signs"},
    {"cert_uuid", DPK_UUID, "UUID", MLXDPA_AT(cert_uuid), .help = "UUID of the certificate"},
    {"nvidia_signed_oem", .at = MLXDPA_AT(nvidia_signed_oem),
     .help = "an OEM certificate that NVIDIA signs"},
    {"s,single_app,single-app", DPK_FILE, "FILE", MLXDPA_AT(single_app),
     .help = "device ELF, or single-program container"},
    {"dpa_app_uuid", DPK_UUID, "UUID", MLXDPA_AT(app_uuid), .help = "UUID of the program"},
    {"dpa_app_removal_container", DPK_FILE, "FILE", MLXDPA_AT(removal_container),
     .help = "removal to sign"},
    {0},
};

static const struct mlxdpa_options defaults = {.key.ask = dpk_ask_terminal};
static const struct dpk_tool tool = {
    .name = "mlxdpa",
    .usage = "mlxdpa [OPTIONS] COMMAND",
    .about = "Signs the DPA programs of a host file, verifies them, and makes the certificate\n"
             "containers that provision a device.",
    .commands = commands,
    .options = shared_options,
    .size = sizeof(struct mlxdpa_options),
    .defaults = &defaults,
    .command_last = true,
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
