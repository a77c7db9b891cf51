/* dpadev show: describes a device, its trusted keys and certificates, and the loadable programs. */
#include "dpadev.h"
#include "port.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct portrait {
    struct dpk_device_info info;
    struct dpk_device_key *keys;
    size_t key_count;
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t cert_count;
    struct dpk_device_rollback rollback;
    bool authentication, authentication_next, locked;
    enum dpk_debug_rights debuggers, debuggers_next;
    char wire[DPK_DEVICE_WIRE_MAX], fabric[DPK_DEVICE_FABRIC_MAX];
    struct dpadev_port port;
    struct dpk_partitions partitions;
    char factory_key[4200]; /* "" if there is none */
};

/* ---- Looking ---- */

static enum dpk_status look_at_authentication(struct dpk_device *dev, struct portrait *p,
                                              struct dpk_error *err)
{
    static const struct dpk_nv_def def = {.name = "nv_dpa_auth",
                                          .class_id = DPK_NV_GLOBAL,
                                          .index = DPK_NV_INDEX_DPA_AUTH,
                                          .size = 4};
    struct dpk_device_value value;
    enum dpk_status status =
        dpk_device_dpa_authentication(dev, DPK_VIEW_CURRENT, &p->authentication, err);
    if (status == DPK_OK)
        status = dpk_device_dpa_authentication(dev, DPK_VIEW_NEXT, &p->authentication_next, err);
    if (status == DPK_OK)
        status = dpk_device_get(dev, DPK_VIEW_NEXT, &def, &value, err);
    p->locked = status == DPK_OK && value.read_only;
    return status;
}

static enum dpk_status look(struct dpk_device *dev, struct portrait *p, struct dpk_error *err)
{
    enum dpk_status status = dpk_device_begin_looking(dev, err);
    if (status != DPK_OK)
        return status;
    status = dpk_device_info(dev, &p->info, err);
    if (status == DPK_OK)
        status = dpk_device_wire(dev, p->wire, err);
    dpadev_port_look(dev, p->wire, &p->port);
    (void)dpk_text_clean(p->wire);
    if (status == DPK_OK)
        status = dpk_device_fabric(dev, p->fabric, err);
    (void)dpk_text_clean(p->fabric);
    if (status == DPK_OK)
        status = dpk_device_partitions(dev, &p->partitions, err);
    if (status == DPK_OK)
        status = look_at_authentication(dev, p, err);
    if (status == DPK_OK)
        status = dpk_device_debug_rights(dev, DPK_VIEW_CURRENT, &p->debuggers, err);
    if (status == DPK_OK)
        status = dpk_device_debug_rights(dev, DPK_VIEW_NEXT, &p->debuggers_next, err);
    if (status == DPK_OK)
        status = dpk_device_certs(dev, p->certs, &p->cert_count, err);
    if (status == DPK_OK)
        status = dpk_device_rollback(dev, &p->rollback, err);
    if (status == DPK_OK)
        status = dpk_device_nvidia_keys(dev, &p->keys, &p->key_count, err);
    dpk_device_end_looking(dev);
    snprintf(p->factory_key, sizeof p->factory_key, "%s/factory/nvidia.pem", p->info.path);
    if (status == DPK_OK && access(p->factory_key, F_OK) != 0)
        p->factory_key[0] = 0;
    return status;
}

/* Returns the current owner of the key pair: "owner", "nvidia" or "unknown". */
static const char *whose(const struct portrait *p, const struct dpk_uuid *keypair)
{
    if (p->info.has_owner && dpk_uuid_equal(&p->info.owner, keypair))
        return "owner";
    for (size_t i = 0; i < p->key_count; i++)
        if (dpk_uuid_equal(&p->keys[i].uuid, keypair))
            return "nvidia";
    return "unknown";
}

/* Returns which programs may be loaded: "any", "certified" or "none". */
static const char *loadable(const struct portrait *p, bool authentication)
{
    return !authentication ? "any" : p->cert_count ? "certified" : "none";
}

static const char *life_cycle(const struct dpk_device_info *info)
{
    return info->development ? "development" : "production";
}

/* Rights of debuggers, for JSON and in words. */
static const char *const rights_names[] = {
    [DPK_DEBUG_NONE] = "nothing", [DPK_DEBUG_READ] = "look", [DPK_DEBUG_ALL] = "change"};
static const char *const rights_texts[] = {[DPK_DEBUG_NONE] = "may not come",
                                           [DPK_DEBUG_READ] = "may look, and change nothing",
                                           [DPK_DEBUG_ALL] = "may look and change everything"};

static const char *const side_names[] = {[DPK_SIDE_HOST] = "host", [DPK_SIDE_DPU] = "dpu"};

/* ---- Text ---- */

static void tree_identity(struct dpadev_tree *tree, const char *name,
                          const struct dpk_device_info *info)
{
    char created[DPK_TOOL_TIME], pci[DPK_PCI_ADDRESS_TEXT];
    const struct dpk_device_type *type = dpk_device_type_find(info->hw_target);
    dpk_pci_address_format(&info->pci, pci);
    dpadev_tree_add(tree, 1, "Identity");
    dpadev_tree_add(tree, 2, "Alias:         %s", info->alias[0] ? info->alias : "none");
    dpadev_tree_add(tree, 2, "PCI address:   %s", pci);
    if (info->pair) {
        dpadev_tree_add(tree, 2, "Card:          %s", info->card[0] ? info->card : name);
        dpadev_tree_add(tree, 2, "Side:          %s", side_names[info->side]);
    }
    dpadev_tree_add(tree, 2, "Directory:     %s", info->path);
    dpadev_tree_add(tree, 2, "Description:   %s", info->description);
    dpadev_tree_add(tree, 2, "Part number:   %s", info->part_number);
    dpadev_tree_add(tree, 2, "PSID:          %s", info->psid);
    dpadev_tree_add(tree, 2, "PSID branch:   %s",
                    info->psid_branch[0] ? info->psid_branch : "none");
    dpadev_tree_add(tree, 2, "Type:          %s%s%s", info->hw_target, type ? ", " : "",
                    type ? type->text : "");
    dpadev_tree_add(tree, 2, "Serial number: %s", info->serial);
    dpadev_tree_add(tree, 2, "Life cycle:    %s", life_cycle(info));
    if (info->dma_max != DPK_DMA_MAX_CARD)
        dpadev_tree_add(tree, 2, "Largest task of DMA: %u bytes", info->dma_max);
    dpadev_tree_add(tree, 2, "Created:       %s", dpk_tool_time(info->created, created));
}

static bool has_representor(const struct dpk_device_info *info)
{
    return info->pair && info->side == DPK_SIDE_DPU;
}

static void tree_representors(struct dpadev_tree *tree, const struct dpk_device_info *info)
{
    char pci[DPK_PCI_ADDRESS_TEXT];
    if (!has_representor(info))
        return;
    dpk_pci_address_format(&info->pci, pci);
    dpadev_tree_add(tree, 1, "Representors");
    dpadev_tree_add(tree, 2, "The host's %s: VUID %s, interface pf%uhpf", pci, info->vuid,
                    info->number);
}

static void tree_keys(struct dpadev_tree *tree, const struct portrait *p)
{
    char uuid[DPK_UUID_TEXT];
    dpadev_tree_add(tree, 1, "Keys that sign for the device");
    for (size_t i = 0; i < p->key_count; i++) {
        dpk_uuid_format(&p->keys[i].uuid, uuid);
        dpadev_tree_add(tree, 2, "NVIDIA key pair: %s, RSA-%d", uuid, p->keys[i].bits);
        dpadev_tree_add(tree, 3,
                        "May: %sconfigure at MLNX priority, burn its own CA "
                        "certificates and OEM ones that it vouches for, remove any",
                        p->info.has_owner ? "" : "install the first owner's key, ");
        if (p->factory_key[0])
            dpadev_tree_add(tree, 3, "Private half, for tests: %s", p->factory_key);
    }
    if (!p->info.has_owner) {
        dpadev_tree_add(tree, 2, "Owner key pair: none");
        return;
    }
    dpk_uuid_format(&p->info.owner, uuid);
    dpadev_tree_add(tree, 2, "Owner key pair: %s, RSA-4096", uuid);
    dpadev_tree_add(tree, 3,
                    "May: configure at OEM priority, burn and remove OEM and User CA "
                    "certificates, hand the device over");
}

static void tree_cert(struct dpadev_tree *tree, const struct portrait *p,
                      const struct dpk_device_cert *cert)
{
    char uuid[DPK_UUID_TEXT], from[DPK_TOOL_TIME], until[DPK_TOOL_TIME], digest[65] = "";
    const char *signer = whose(p, &cert->keypair);
    dpk_uuid_format(&cert->uuid, uuid);
    dpadev_tree_add(tree, 2, "%s, %s", uuid, dpk_lifecycle_name(cert->priority));
    dpadev_tree_add(tree, 3, "Subject: %s", cert->subject);
    dpk_uuid_format(&cert->keypair, uuid);
    dpadev_tree_add(tree, 3, "Installed with key pair %s, %s%s", uuid,
                    signer[0] == 'o'   ? "the owner's"
                    : signer[0] == 'n' ? "NVIDIA's"
                                       : "no longer trusted here",
                    cert->container_size ? "; container kept" : "");
    dpadev_tree_add(tree, 3, "Valid: %s to %s", dpk_tool_time(cert->valid_from, from),
                    dpk_tool_time(cert->valid_until, until));
    dpk_hex_text(cert->sha256, sizeof cert->sha256, digest);
    dpadev_tree_add(tree, 3, "SHA-256: %s", digest);
}

/* Maximum number of lines of a long list; JSON has all. */
#define SHOWN 8

static void tree_rollback(struct dpadev_tree *tree, const struct dpk_device_rollback *r)
{
    char uuid[DPK_UUID_TEXT];
    dpadev_tree_add(tree, 1, "Anti-rollback: %s", r->on ? "on" : "off");
    for (size_t i = 0; i < r->floor_count && i < SHOWN; i++) {
        dpk_uuid_format(&r->floors[i].keypair, uuid);
        dpadev_tree_add(tree, 2, "%s of key pair %s: version %u or higher",
                        r->floors[i].mlnx ? "nv_file_id_mlnx" : "nv_file_id_vendor", uuid,
                        r->floors[i].version);
    }
    if (r->floor_count > SHOWN)
        dpadev_tree_add(tree, 2, "and of %zu more", r->floor_count - SHOWN);
    for (size_t i = 0; i < r->removed_count && i < SHOWN; i++) {
        dpk_uuid_format(&r->removed[i], uuid);
        dpadev_tree_add(tree, 2, "Removed CA certificate: %s", uuid);
    }
    if (r->removed_count > SHOWN)
        dpadev_tree_add(tree, 2, "and %zu more", r->removed_count - SHOWN);
}

static const char *programs_text(const char *which)
{
    return which[0] == 'a'   ? "any program, signed or not"
           : which[0] == 'c' ? "programs whose certificate chain ends in one of these CA "
                               "certificates"
                             : "no program: there is no CA certificate";
}

static void tree_programs(struct dpadev_tree *tree, const struct portrait *p)
{
    dpadev_tree_add(tree, 1, "Programs that may be loaded");
    dpadev_tree_add(tree, 2, "DPA authentication: %s, after the next reset %s",
                    p->authentication ? "on" : "off", p->authentication_next ? "on" : "off");
    dpadev_tree_add(tree, 3, "Users may change it: %s",
                    p->locked ? "no, it was set with ovr_en 0" : "yes");
    dpadev_tree_add(tree, 2, "Now: %s", programs_text(loadable(p, p->authentication)));
    dpadev_tree_add(tree, 2, "After the next reset: %s",
                    programs_text(loadable(p, p->authentication_next)));
}

static void tree_debuggers(struct dpadev_tree *tree, const struct portrait *p)
{
    dpadev_tree_add(tree, 1, "Debuggers");
    dpadev_tree_add(tree, 2, "Now: %s", rights_texts[p->debuggers]);
    dpadev_tree_add(tree, 2, "After the next reset: %s", rights_texts[p->debuggers_next]);
}

static enum dpk_status print_portrait(const char *name, const struct portrait *p,
                                      struct dpk_error *err)
{
    struct dpadev_tree tree = {0};
    dpadev_tree_add(&tree, 0, "Device: %s", name);
    tree_identity(&tree, name, &p->info);
    tree_representors(&tree, &p->info);
    dpadev_tree_add(&tree, 1, "Wire: %s", p->wire);
    dpadev_port_tell(&tree, &p->port);
    if (strcmp(p->fabric, "off") != 0)
        dpadev_tree_add(&tree, 1, "Fabric: %s", p->fabric);
    dpadev_tree_units(&tree, &p->partitions);
    tree_keys(&tree, p);
    dpadev_tree_add(&tree, 1, "CA certificates: %zu of %d places taken", p->cert_count,
                    DPK_DEVICE_CERT_PLACES);
    for (size_t i = 0; i < p->cert_count; i++)
        tree_cert(&tree, p, &p->certs[i]);
    tree_rollback(&tree, &p->rollback);
    tree_debuggers(&tree, p);
    tree_programs(&tree, p);
    return dpadev_tree_print(&tree, err);
}

/* ---- JSON ---- */

static void json_time(cJSON *o, const char *key, int64_t seconds)
{
    char text[DPK_TOOL_TIME];
    cJSON_AddStringToObject(o, key, dpk_tool_time(seconds, text));
}

static void json_cert(cJSON *array, const struct portrait *p, const struct dpk_device_cert *cert)
{
    char digest[65] = "";
    dpk_hex_text(cert->sha256, sizeof cert->sha256, digest);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(array, o);
    dpk_json_uuid(o, "uuid", &cert->uuid);
    dpk_json_uuid(o, "keypair_uuid", &cert->keypair);
    cJSON_AddStringToObject(o, "installed_by", whose(p, &cert->keypair));
    cJSON_AddStringToObject(o, "priority", dpk_lifecycle_name(cert->priority));
    dpk_json_text(o, "subject", cert->subject);
    json_time(o, "valid_from", cert->valid_from);
    json_time(o, "valid_until", cert->valid_until);
    cJSON_AddStringToObject(o, "sha256", digest);
    cJSON_AddNumberToObject(o, "size", (double)cert->der_size);
    cJSON_AddBoolToObject(o, "container_kept", cert->container_size > 0);
}

static void json_identity(cJSON *o, const char *name, const struct dpk_device_info *info)
{
    char pci[DPK_PCI_ADDRESS_TEXT];
    dpk_pci_address_format(&info->pci, pci);
    dpk_json_text(o, "name", name);
    dpk_json_text(o, "alias", info->alias);
    dpk_json_text(o, "pci_address", pci);
    dpk_json_text(o, "path", info->path);
    dpk_json_text(o, "description", info->description);
    dpk_json_text(o, "part_number", info->part_number);
    dpk_json_text(o, "psid", info->psid);
    dpk_json_text(o, "psid_branch", info->psid_branch);
    dpk_json_text(o, "hw_target", info->hw_target);
    dpk_json_text(o, "serial", info->serial);
    cJSON_AddStringToObject(o, "life_cycle", life_cycle(info));
    dpk_json_integer(o, "dma_max_buf", info->dma_max);
    json_time(o, "created", info->created);
}

/* null if the device is not part of a pair. */
static void json_pair(cJSON *o, const char *name, const struct dpk_device_info *info)
{
    char pci[DPK_PCI_ADDRESS_TEXT], interface[24];
    cJSON *pair =
        info->pair ? cJSON_AddObjectToObject(o, "pair") : cJSON_AddNullToObject(o, "pair");
    if (!info->pair)
        return;
    dpk_json_text(pair, "card", info->card[0] ? info->card : name);
    cJSON_AddStringToObject(pair, "side", side_names[info->side]);
    cJSON *all = cJSON_AddArrayToObject(pair, "representors");
    if (!has_representor(info))
        return;
    cJSON *one = cJSON_CreateObject();
    cJSON_AddItemToArray(all, one);
    dpk_pci_address_format(&info->pci, pci);
    snprintf(interface, sizeof interface, "pf%uhpf", info->number);
    cJSON_AddStringToObject(one, "pci_address", pci);
    dpk_json_text(one, "vuid", info->vuid);
    cJSON_AddStringToObject(one, "interface", interface);
}

static void json_policy(cJSON *o, const struct portrait *p)
{
    cJSON *authentication = cJSON_AddObjectToObject(o, "dpa_authentication");
    cJSON *programs = cJSON_AddObjectToObject(o, "loadable_programs");
    cJSON *debuggers = cJSON_AddObjectToObject(o, "debuggers");
    cJSON_AddStringToObject(debuggers, "current", rights_names[p->debuggers]);
    cJSON_AddStringToObject(debuggers, "next_boot", rights_names[p->debuggers_next]);
    cJSON_AddBoolToObject(authentication, "current", p->authentication);
    cJSON_AddBoolToObject(authentication, "next_boot", p->authentication_next);
    cJSON_AddBoolToObject(authentication, "users_may_change", !p->locked);
    cJSON_AddStringToObject(programs, "current", loadable(p, p->authentication));
    cJSON_AddStringToObject(programs, "next_boot", loadable(p, p->authentication_next));
}

static void json_rollback(cJSON *o, const struct dpk_device_rollback *r)
{
    cJSON *all = cJSON_AddObjectToObject(o, "anti_rollback");
    cJSON_AddBoolToObject(all, "on", r->on);
    cJSON *floors = cJSON_AddArrayToObject(all, "file_versions");
    cJSON *removed = cJSON_AddArrayToObject(all, "removed_ca_certificates");
    for (size_t i = 0; i < r->floor_count; i++) {
        const struct dpk_device_floor *f = &r->floors[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(floors, item);
        dpk_json_uuid(item, "keypair_uuid", &f->keypair);
        cJSON_AddStringToObject(item, "identity",
                                f->mlnx ? "nv_file_id_mlnx" : "nv_file_id_vendor");
        cJSON_AddNumberToObject(item, "lowest", f->version);
    }
    for (size_t i = 0; i < r->removed_count; i++) {
        char uuid[DPK_UUID_TEXT];
        dpk_uuid_format(&r->removed[i], uuid);
        cJSON_AddItemToArray(removed, cJSON_CreateString(uuid));
    }
}

static cJSON *json_portrait(const char *name, const struct portrait *p)
{
    cJSON *o = cJSON_CreateObject();
    json_identity(o, name, &p->info);
    json_pair(o, name, &p->info);
    dpk_json_text(o, "wire", p->wire);
    dpadev_port_add(o, &p->port);
    dpk_json_text(o, "fabric", p->fabric);
    dpadev_json_units(o, &p->partitions);
    json_policy(o, p);
    json_rollback(o, &p->rollback);
    if (p->info.has_owner)
        dpk_json_uuid(o, "owner_keypair_uuid", &p->info.owner);
    else
        cJSON_AddNullToObject(o, "owner_keypair_uuid");
    cJSON *keys = cJSON_AddArrayToObject(o, "nvidia_keys");
    for (size_t i = 0; i < p->key_count; i++) {
        cJSON *key = cJSON_CreateObject();
        cJSON_AddItemToArray(keys, key);
        dpk_json_uuid(key, "uuid", &p->keys[i].uuid);
        cJSON_AddNumberToObject(key, "bits", p->keys[i].bits);
    }
    if (p->factory_key[0])
        dpk_json_text(o, "factory_key", p->factory_key);
    else
        cJSON_AddNullToObject(o, "factory_key");
    cJSON *certs = cJSON_AddArrayToObject(o, "ca_certificates");
    for (size_t i = 0; i < p->cert_count; i++)
        json_cert(certs, p, &p->certs[i]);
    return o;
}

static void free_portrait(struct portrait *p)
{
    dpk_device_rollback_free(&p->rollback);
    free(p->keys);
}

enum dpk_status dpadev_json_show(struct dpk_device *dev, cJSON **out, struct dpk_error *err)
{
    struct portrait p = {0};
    enum dpk_status status = look(dev, &p, err);
    if (status == DPK_OK)
        *out = json_portrait(dpk_device_name(dev), &p);
    free_portrait(&p);
    return status;
}

enum dpk_status dpadev_print_show(struct dpk_device *dev, bool json, struct dpk_error *err)
{
    struct portrait p = {0};
    enum dpk_status status = look(dev, &p, err);
    if (status == DPK_OK)
        status = json ? dpk_json_print(json_portrait(dpk_device_name(dev), &p), err)
                      : print_portrait(dpk_device_name(dev), &p, err);
    free_portrait(&p);
    return status;
}
