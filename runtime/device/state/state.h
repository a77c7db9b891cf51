/*
 * state: one function of an emulated BlueField-3 or ConnectX: its NV configuration, keys and
 * certificates, its policy, and its event log.
 *
 * The state of a device is a directory with one SQLite database. Every change is one transaction.
 * This room knows NV configuration and certificate containers. It does not know ELF or processors.
 *
 *     struct dpk_device *dev = NULL;
 *     dpk_device_open("mlx5_0", &dev, &err);
 *     bool on;  struct dpk_ca_list cas = {0};
 *     dpk_device_dpa_authentication(dev, DPK_VIEW_CURRENT, &on, &err);
 *     dpk_device_ca_list(dev, &cas, &err);              // roots to trust
 *     dpk_device_log(dev, "load", "OK", "app hello", &err);
 *     dpk_ca_list_free(&cas);
 *     dpk_device_close(dev);
 */
#ifndef DPK_DEVICE_STATE_STATE_H
#define DPK_DEVICE_STATE_STATE_H

#include <limits.h>

#include "base/base.h"
#include "certchain/certchain.h"
#include "container/container.h"
#include "nvconfig/nvconfig.h"

struct dpk_device;

#define DPK_DEVICE_NAME_MAX 64

/* A card may be a pair of functions (dpk_device_create): one for the machine that contains the
 * card, and one for the card's own processors. Both are one device with one state, but each has its
 * own port and directory. DPAKIT_SIDE says on which machine a process runs: "host" (the default) or
 * "dpu". On the "dpu" side all functions of this room see only pairs. */
enum dpk_side { DPK_SIDE_HOST, DPK_SIDE_DPU };
/* Errors: DPK_ERR_USAGE if DPAKIT_SIDE is another word. */
enum dpk_status dpk_device_side(enum dpk_side *side, struct dpk_error *err);

/* Opens a device by name ("mlx5_0"), alias, PCI address ("03:00.0", "0000:03:00.0") or any path
 * whose last component is one of these ("/dev/mst/mt41692_pciconf0"). Devices are in
 * $DPAKIT_DEVICES, default ${XDG_STATE_HOME:-$HOME/.local/state}/dpakit. Errors: the device does
 * not exist (the message lists the devices), its state is damaged, or other users may write to its
 * directory. */
enum dpk_status dpk_device_open(const char *name, struct dpk_device **out, struct dpk_error *err);
void dpk_device_close(struct dpk_device *dev);
const char *dpk_device_name(const struct dpk_device *dev); /* "mlx5_0" */
/* Gets the directory of its function on this side, absolute and without symbolic links. It
 * distinguishes devices of the same name. */
enum dpk_status dpk_device_directory(const struct dpk_device *dev, char out[PATH_MAX],
                                     struct dpk_error *err);

/* Names of all devices, sorted; empty if there is no directory of devices. dpk_names_free frees
 * them. */
struct dpk_names {
    char **names;
    size_t count;
};
enum dpk_status dpk_device_list(struct dpk_names *out, struct dpk_error *err);
/* Message of programs about an empty list. */
#define DPK_NO_DEVICE "no emulated device: make one with dpadev create mlx5_0"
void dpk_names_free(struct dpk_names *names);

enum dpk_device_view { DPK_VIEW_DEFAULT, DPK_VIEW_CURRENT, DPK_VIEW_NEXT };

/* Gets the value of DPA_AUTHENTICATION that is in effect now (DPK_VIEW_CURRENT: since the last
 * reset) or after the next reset (DPK_VIEW_NEXT), even if users may not read it. After an error the
 * value is true. */
enum dpk_status dpk_device_dpa_authentication(struct dpk_device *dev, enum dpk_device_view view,
                                              bool *enabled, struct dpk_error *err);

/* What debuggers may do with programs on a device. Each right includes those before it. */
enum dpk_debug_rights {
    DPK_DEBUG_NONE, /* nothing, not even attach */
    DPK_DEBUG_READ, /* read, stop and continue */
    DPK_DEBUG_ALL,  /* change registers, memory and code */
};
/* Gets what the Current or Next Boot view allows (dpa-provisioning(7), "Debuggers"): everything
 * while authentication is off, else what DPAKIT_DPA_DEBUG and the life cycle allow. After an error
 * it is DPK_DEBUG_NONE. */
enum dpk_status dpk_device_debug_rights(struct dpk_device *dev, enum dpk_device_view view,
                                        enum dpk_debug_rights *rights, struct dpk_error *err);

/* Copies of the installed CA certificates, as DER. dpk_ca_list_free frees them. */
struct dpk_ca_list {
    struct dpk_der *roots;
    size_t count;
};
enum dpk_status dpk_device_ca_list(struct dpk_device *dev, struct dpk_ca_list *out,
                                   struct dpk_error *err);
void dpk_ca_list_free(struct dpk_ca_list *list);

/* Appends an event to the log, with the time, user, process and command of the caller. `action`:
 * "load", "apply", ...; `result`: "OK" or the name of the refusal; `detail` may be "", and is cut
 * to DPK_DEVICE_DETAIL_MAX bytes. The event is on the disk when this returns, except a load that is
 * "OK": that event survives the end of the program, but perhaps not a power cut. On a read-only
 * device nothing is logged, and this is not an error.
 *
 * The log is bounded: every DPK_DEVICE_LOG_SLACK-th event deletes all loads except the last
 * DPK_DEVICE_LOADS_KEPT, and all other events except the last DPK_DEVICE_OTHERS_KEPT. Numbers of
 * events are never used twice. */
#define DPK_DEVICE_DETAIL_MAX  1500
#define DPK_DEVICE_LOADS_KEPT  10000
#define DPK_DEVICE_OTHERS_KEPT 50000
#define DPK_DEVICE_LOG_SLACK   1000
enum dpk_status dpk_device_log(struct dpk_device *dev, const char *action, const char *result,
                               const char *detail, struct dpk_error *err);

/* Gets the wire of the device's port on this side: a specification (wire.h), or "loop" if
 * dpk_device_set_wire was never called. */
#define DPK_DEVICE_WIRE_MAX 1024 /* bytes, with the NUL */
enum dpk_status dpk_device_wire(struct dpk_device *dev, char out[DPK_DEVICE_WIRE_MAX],
                                struct dpk_error *err);
/* Gets the fabric by which RDMA of the device's function on this side reaches other machines: a
 * specification (rdma/fabric/fabric.h), or "off". */
#define DPK_DEVICE_FABRIC_MAX 64 /* bytes, with the NUL */
enum dpk_status dpk_device_fabric(struct dpk_device *dev, char out[DPK_DEVICE_FABRIC_MAX],
                                  struct dpk_error *err);
/* Gets the maximum bytes of a DMA task of the card, by default DPK_DMA_MAX_CARD. */
enum dpk_status dpk_device_dma_max(struct dpk_device *dev, uint32_t *out, struct dpk_error *err);

/* ---- Reading at one moment ---- */

/* Reads between these two calls see the state of one moment, whatever other processes write
 * meanwhile. The caller may only read there. The calls do not nest. */
enum dpk_status dpk_device_begin_looking(struct dpk_device *dev, struct dpk_error *err);
void dpk_device_end_looking(struct dpk_device *dev);

/* ---- Properties of a device ---- */

/* Types of cards with a DPA. Their DPAs differ in their instructions (dpacc(1), -mcpu). */
struct dpk_device_type {
    const char *target; /* target of its DPA: "bf3" */
    const char *name;   /* "BlueField3", as in NVIDIA's tools */
    const char *text;   /* "BlueField-3" */
    unsigned id;        /* PCI device id of its functions */
    bool has_dpu;       /* it has its own processors, so it can be a pair */
};
/* Returns NULL for an unknown target. */
const struct dpk_device_type *dpk_device_type_find(const char *target);
#define DPK_DMA_MAX_CARD  (UINT32_C(2) << 20) /* maximum of a card, and the default */
#define DPK_DMA_MAX_LEAST 4096u
#define DPK_DMA_MAX_MOST  (UINT32_C(1) << 31)

struct dpk_device_info {
    char psid[17], psid_branch[17];
    char part_number[64], description[256], serial[64], hw_target[16]; /* dpk_device_type.target */
    char alias[64]; /* "mt41692_pciconf0", or empty */
    bool pair;      /* it also has a function on the DPU's side */
    enum dpk_side side;
    char card[DPK_DEVICE_NAME_MAX + 1]; /* name of the pair, or empty */
    unsigned number;                    /* of its alias, or 0 */
    char vuid[96];                      /* of the host's function; unique */
    struct dpk_pci_address {
        unsigned domain, bus, function; /* the number of the slot is 0 */
    } pci;                /* address by which programs find it, from the number of its alias, or
                           * 0 */
    char path[4096];      /* its directory */
    int64_t created;      /* seconds since 1970 */
    uint32_t dma_max;     /* maximum bytes of a DMA task, or of a comch message */
    bool development;     /* the life cycle is development; else it is production */
    bool programmable_cc; /* USER_PROGRAMMABLE_CC is in effect */
    bool has_owner;
    struct dpk_uuid owner; /* key-pair UUID of the owner's key */
};
#define DPK_PCI_ADDRESS_TEXT 13 /* "0000:03:00.0" */
static inline void dpk_pci_address_format(const struct dpk_pci_address *pci,
                                          char out[DPK_PCI_ADDRESS_TEXT])
{
    snprintf(out, DPK_PCI_ADDRESS_TEXT, "%04x:%02x:00.%x", pci->domain & 0xffff, pci->bus & 0xff,
             pci->function & 7);
}
enum dpk_status dpk_device_info(struct dpk_device *dev, struct dpk_device_info *out,
                                struct dpk_error *err);
/* The same for the device with that name, which is opened and closed by this call. */
enum dpk_status dpk_device_info_by_name(const char *name, struct dpk_device_info *out,
                                        struct dpk_error *err);

struct dpk_device_key {
    struct dpk_uuid uuid;
    int bits;
};
/* Lists the keys that are trusted at NVIDIA level. The caller frees *out. */
enum dpk_status dpk_device_nvidia_keys(struct dpk_device *dev, struct dpk_device_key **out,
                                       size_t *count, struct dpk_error *err);

#define DPK_DEVICE_CERT_PLACES 8
struct dpk_device_cert {
    struct dpk_uuid uuid, keypair;
    enum dpk_lifecycle priority;
    size_t der_size, container_size; /* container_size is 0 if it was not kept */
    char subject[256];
    int64_t valid_from, valid_until; /* seconds since 1970 */
    uint8_t sha256[32];              /* of the DER bytes */
};
/* Lists the installed CA certificates in order of installation. `out` has room for
 * DPK_DEVICE_CERT_PLACES. */
enum dpk_status dpk_device_certs(struct dpk_device *dev, struct dpk_device_cert *out, size_t *count,
                                 struct dpk_error *err);

/* Appends an installed certificate as DER, or with `container` the whole container, which only
 * keep_sig keeps. Errors: DPK_ERR_NOT_FOUND if the certificate does not exist, or its container was
 * not kept. */
enum dpk_status dpk_device_cert_export(struct dpk_device *dev, const struct dpk_uuid *uuid,
                                       bool container, struct dpk_buf *out, struct dpk_error *err);

struct dpk_device_event {
    int64_t id, time; /* seconds since 1970 */
    int64_t uid, pid;
    const char *command, *action, *result, *detail;
};
/* Calls `each` for the last `last` events (0: all) in order. The strings of an event live until
 * `each` returns. */
enum dpk_status dpk_device_events(struct dpk_device *dev, unsigned last,
                                  void (*each)(void *context, const struct dpk_device_event *event),
                                  void *context, struct dpk_error *err);

/* ---- Execution units ----
 * A card has DPK_UNITS_MAX units. A partition gives some of them to functions, which number them
 * from 0. All other units form the default partition, with the card's numbers. It belongs to the
 * function that manages partitions: of a pair, the function on the DPU's side; of another device,
 * its only function. Groups are subsets of a partition; threads name them as their affinity. A
 * reset removes partitions and groups. */

#define DPK_PARTITIONS_MAX      15
#define DPK_PARTITION_VHCAS_MAX 32
/* of all partitions, including the groups that partitions reserve */
#define DPK_EU_GROUPS_MAX       15
#define DPK_EU_GROUP_NAME       16 /* bytes, with the NUL */
#define DPK_PARTITION_DEFAULT   0

struct dpk_partition {
    unsigned id; /* from 1 */
    unsigned groups_max;
    uint16_t vhcas[DPK_PARTITION_VHCAS_MAX];
    size_t vhca_count;
    struct dpk_units units;
};
struct dpk_eu_group {
    unsigned id; /* from 1 */
    unsigned partition;
    char name[DPK_EU_GROUP_NAME]; /* printable */
    struct dpk_units units;       /* by the card's numbers */
};
struct dpk_partitions {
    struct dpk_partition partitions[DPK_PARTITIONS_MAX]; /* sorted by id */
    size_t count;
    struct dpk_eu_group groups[DPK_EU_GROUPS_MAX]; /* sorted by id */
    size_t group_count;
};
enum dpk_status dpk_device_partitions(struct dpk_device *dev, struct dpk_partitions *out,
                                      struct dpk_error *err);

/* dpk_vhca_id returns the number of a function on its card; dpk_device_vhca, that of the device's
 * function on this side. */
static inline uint16_t dpk_vhca_id(const struct dpk_device_info *info, enum dpk_side side)
{
    return (uint16_t)((side == DPK_SIDE_DPU ? 1u << 15 : 0) | (info->pci.domain & 15) << 11 |
                      (info->pci.bus & 0xff) << 3 | (info->pci.function & 7));
}
unsigned dpk_device_vhca(struct dpk_device *dev);
/* Gets the common directory of all functions of the card, in the form of dpk_device_directory. */
enum dpk_status dpk_device_card_directory(const struct dpk_device *dev, char out[PATH_MAX],
                                          struct dpk_error *err);
/* Same, for the device with that name, which this call opens and closes. */
enum dpk_status dpk_device_card_directory_by_name(const char *name, char out[PATH_MAX],
                                                  struct dpk_error *err);
/* Returns true if its function manages the partitions of the card. */
bool dpk_device_manages(const struct dpk_device *dev);

/* Units for the device's function. */
struct dpk_device_units {
    unsigned vhca;
    bool any;               /* there is a partition for the function */
    unsigned partition;     /* its number, or DPK_PARTITION_DEFAULT */
    struct dpk_units units; /* by the card's numbers */
    bool renumbered;        /* the function numbers them from 0 */
};
void dpk_device_units_of(const struct dpk_device *dev, unsigned vhca,
                         const struct dpk_partitions *all, struct dpk_device_units *out);

/* ---- Refusals ---- */

/* Reasons why a device refuses a file, with the numbers of NVIDIA's tools (dpa-provisioning(7)). */
enum dpk_reject {
    DPK_REJECT_NONE = 0,
    DPK_REJECT_DIGEST_ERR = 2,
    DPK_REJECT_NOT_APPLICABLE = 3,
    DPK_REJECT_UNKNOWN_KEY = 4,
    DPK_REJECT_AUTH_FAILED = 5,
    DPK_REJECT_UNSIGNED = 6,
    DPK_REJECT_KEY_NOT_APPLICABLE = 7,
    DPK_REJECT_BAD_FORMAT = 8,
    DPK_REJECT_FORBIDDEN_VERSION = 0xf,
    DPK_REJECT_CERT_CER509 = 0x1a,
    DPK_REJECT_CERT_SIGNATURE = 0x1b,
    DPK_REJECT_CERT_METADATA = 0x1c,
    DPK_REJECT_NO_PLACE = 0x1e,
    DPK_REJECT_REMOVAL_NO_MATCH = 0x1f,
    DPK_REJECT_SAME_UUID = 0x25,
};
const char *dpk_reject_name(enum dpk_reject reject); /* "REJECTED_UNSIGNED" */
/* Returns the exit code of mlxdpa verify for it: 0, or 32 to 67 (mlxdpa(1), "EXIT STATUS"). */
int dpk_reject_exit_code(enum dpk_reject reject);

/* ---- NV configuration by name ---- */

struct dpk_device_value {
    bool read_only;                /* users cannot change it, because a higher priority set ovr_en
                                    * 0 */
    bool present;                  /* it is set at some priority */
    bool hidden;                   /* a higher priority set rd_en 0: `data` is zeros */
    uint8_t data[DPK_NV_DATA_MAX]; /* size given by the definition */
};
/* Gets a TLV as users see it. A TLV that was never set, and every Default, is all zeros. */
enum dpk_status dpk_device_get(struct dpk_device *dev, enum dpk_device_view view,
                               const struct dpk_nv_def *def, struct dpk_device_value *out,
                               struct dpk_error *err);

/* Reads a TLV for struct dpk_nv_rules, as users see it for the next boot. `context`: the device. */
bool dpk_device_look(void *context, const struct dpk_nv_def *def, uint8_t *data);

#endif
