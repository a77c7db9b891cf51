/*
 * nvconfig: NV configuration: names of a device's non-volatile settings, their form in XML, and the
 * signed files that carry them (signing(7); guide, "DPA Authentication Enablement").
 *
 * Definitions say which parameters a TLV has, and where their bits are. Values are converted
 * between text and TLV data by definitions. Files are made, parsed and verified as bytes. This room
 * does not know devices.
 *
 *     struct dpk_nv_defs *defs = NULL;  struct dpk_nv_list tlvs = {0};  struct dpk_buf bin = {0};
 *     dpk_nv_defs_load(NULL, &defs, &err);                        // the built-in definitions
 *     dpk_nv_xml_parse(defs, xml, xml_size, &tlvs, &err);
 *     dpk_nv_file_make(&tlvs, signer, &keypair_uuid, &bin, &err); // signer NULL: digest only
 */
#ifndef DPK_NVCONFIG_NVCONFIG_H
#define DPK_NVCONFIG_NVCONFIG_H

#include "base/base.h"
#include "signer/signer.h"

/* ---- TLVs ---- */

/* The class of a TLV's definition. A TLV's class byte also encodes "all ports" and "all hosts"
 * (struct dpk_nv_target). */
enum dpk_nv_class {
    DPK_NV_GLOBAL = 0,
    DPK_NV_PORT = 1,
    DPK_NV_FUNCTION = 3, /* of a host */
    DPK_NV_FILE = 6,
    DPK_NV_HOST = 7,
    DPK_NV_SWITCH = 8,
    DPK_NV_MODULE = 9,
};

/* The origin of a TLV; the numbers are those in the TLV header. */
enum dpk_nv_priority { DPK_NV_USER = 0, DPK_NV_OEM = 1, DPK_NV_MLNX = 3 };
const char *dpk_nv_priority_name(enum dpk_nv_priority priority); /* "USER", "OEM", "MLNX" */

/* The length field has 9 bits, and data is whole dwords: 508 bytes. One TLV of NVIDIA is larger,
 * file_public_key_4096: its field has the low bits of the length, as NVIDIA's tool writes them. */
#define DPK_NV_DATA_MAX       544
#define DPK_NV_FIELD_DATA_MAX 508

struct dpk_nv_tlv {
    unsigned class_id; /* top byte of the type dword: enum dpk_nv_class, or one of its "all"
                        * forms */
    uint32_t index;    /* low 24 bits of the type dword, with port, host, function or module */
    enum dpk_nv_priority priority;
    bool ovr_en; /* lower priorities may override it */
    bool rd_en;  /* lower priorities may read it */
    unsigned writer_id, version;
    size_t size; /* of data, a multiple of 4 */
    uint8_t data[DPK_NV_DATA_MAX];
};

/* Zero-initialise; free with dpk_nv_list_free. */
struct dpk_nv_list {
    struct dpk_nv_tlv *items;
    size_t count, capacity;
};
#define DPK_NV_LIST_MAX 4096
enum dpk_status dpk_nv_list_add(struct dpk_nv_list *list, const struct dpk_nv_tlv *tlv,
                                struct dpk_error *err);
void dpk_nv_list_free(struct dpk_nv_list *list);
const struct dpk_nv_tlv *dpk_nv_list_find(const struct dpk_nv_list *list, unsigned class_id,
                                          uint32_t index); /* NULL if absent */

/* TLVs with a fixed meaning, whatever the definitions say. */
#define DPK_NV_INDEX_APPLICABLE_TO 2 /* class file */
#define DPK_NV_INDEX_COMMENT       3
#define DPK_NV_INDEX_SIGNATURE     4
#define DPK_NV_INDEX_SIGNATURE_A   11
#define DPK_NV_INDEX_SIGNATURE_B   12
#define DPK_NV_INDEX_BIG_KEY       15  /* file_public_key_4096: see DPK_NV_DATA_MAX */
#define DPK_NV_INDEX_DPA_AUTH      21  /* class global */
#define DPK_NV_INDEX_PROG_CC       273 /* class global */
#define DPK_NV_INDEX_ID_MLNX       270
#define DPK_NV_INDEX_ID_VENDOR     271
#define DPK_NV_INDEX_DPAKIT_DEBUG  0xd9a001 /* defined by dpakit, far from NVIDIA's indices */
#define DPK_NV_INDEX_PUBLIC_KEY_0  412      /* device owner's key; _1 and _2 follow */
#define DPK_NV_PUBLIC_KEY_PARTS    3

bool dpk_nv_is_owner_key(const struct dpk_nv_tlv *tlv);
bool dpk_nv_is_file_identity(const struct dpk_nv_tlv *tlv); /* nv_file_id_mlnx, nv_file_id_vendor */

/* The owner's key from its three TLVs. */
struct dpk_nv_owner_key {
    struct dpk_uuid uuid;
    uint32_t exponent;
    uint8_t modulus[512]; /* big-endian */
};
/* Finds the owner's key. `found` is false if `list` has none of the three TLVs. Errors:
 * DPK_ERR_FORMAT if only some exist, a size is wrong, or the content is not an RSA-4096 key with a
 * UUID. */
enum dpk_status dpk_nv_owner_key_find(const struct dpk_nv_list *list, bool *found,
                                      struct dpk_nv_owner_key *out, struct dpk_error *err);

/* ---- Definitions ---- */

enum dpk_nv_type {
    DPK_NV_BOOL,     /* one bit: False, True */
    DPK_NV_UNSIGNED, /* decimal, or hexadecimal after 0x */
    DPK_NV_BINARY,   /* hexadecimal, with or without 0x */
    DPK_NV_ENUM,     /* one of the choices, by name or number */
    DPK_NV_STRING,   /* printable ASCII, zero-terminated if shorter than its place */
    DPK_NV_BYTES,    /* hexadecimal digits, with optional colons, dashes and white space */
    DPK_NV_INTEGER,  /* signed, two's complement; decimal, or hexadecimal after 0x */
};

struct dpk_nv_choice {
    const char *name;
    uint32_t value;
};

struct dpk_nv_param {
    const char *name;        /* element in XML: "dpa_auth_en" */
    const char *config_name; /* name for query and set: "DPA_AUTHENTICATION"; NULL if it has none */
    const char *description; /* or NULL */
    enum dpk_nv_type type;
    size_t offset;          /* numbers: offset of their big-endian dword; strings and bytes: of the
                             * first byte */
    unsigned low_bit, bits; /* numbers: place in the dword, 1 to 32 bits */
    size_t bytes;           /* strings, bytes: size */
    size_t count; /* number of elements of an array of 8, 16 or 32 bits, the first at `offset` */
    bool has_min, has_max; /* numbers: limits narrower than the bits */
    int64_t min, max;
    const struct dpk_nv_choice *choices;
    size_t choice_count;
    /* Expressions over parameters ($name, $tlv.name), or NULL. See dpk_nv_rules_check. */
    const char *dependency, *valid_bit, *temp_vars, *min_rule, *max_rule, *rule;
};

/* Returns the i-th element of an array as a parameter. Other parameters are returned unchanged. */
struct dpk_nv_param dpk_nv_param_element(const struct dpk_nv_param *param, size_t i);

struct dpk_nv_def {
    const char *name;        /* "nv_dpa_auth" */
    const char *title;       /* "DPA AUTH", or NULL */
    const char *description; /* or NULL */
    unsigned class_id;       /* enum dpk_nv_class */
    uint32_t index;          /* without port, host, function, module */
    size_t size;
    bool capability; /* describes what a device can do; cannot be set */
    const struct dpk_nv_param *params;
    size_t param_count;
};

/* The port, module, or host and function of a TLV. Members that its class does not use are 0. */
#define DPK_NV_ALL (-1)
struct dpk_nv_target {
    int port;           /* class port: 1 to 255, or DPK_NV_ALL */
    int module;         /* class module: 0 to 1023, or DPK_NV_ALL */
    int host, function; /* class function: 0 to 63, 0 to 255, or DPK_NV_ALL; class host: host */
};
/* Returns the definition with the class and index that TLVs for `target` have. It borrows from
 * `def`. Bits of a target out of range are cut off. */
struct dpk_nv_def dpk_nv_def_bind(const struct dpk_nv_def *def, const struct dpk_nv_target *target);
/* Returns the target of a class and index. */
struct dpk_nv_target dpk_nv_target_of(unsigned class_id, uint32_t index);

struct dpk_nv_defs;

/* A set of definitions. They come from the text files below, or from another source through
 * dpk_nv_defs_add, which copies a definition. It refuses a definition that exists already, and
 * parameters that overlap or leave the data. */
enum dpk_status dpk_nv_defs_new(struct dpk_nv_defs **out, struct dpk_error *err);
enum dpk_status dpk_nv_defs_add(struct dpk_nv_defs *defs, const struct dpk_nv_def *def,
                                struct dpk_error *err);
void dpk_nv_defs_free(struct dpk_nv_defs *defs);

/* Adds the definitions of a text (syntax: share/nvconfig/README). Errors name `path` and line. */
enum dpk_status dpk_nv_defs_parse(struct dpk_nv_defs *defs, const char *path, const char *text,
                                  size_t size, struct dpk_error *err);
/* Makes a set from all *.tlv files of `directory`, in the order of their names. NULL: the directory
 * nvconfig of the installation of the running program (../share/dpakit or ../../share/dpakit). */
enum dpk_status dpk_nv_defs_load(const char *directory, struct dpk_nv_defs **out,
                                 struct dpk_error *err);

/* Makes a set from all TLVs of a database that ships with NVIDIA's tools (mlxconfig_host.db). The
 * file is read once and not trusted. Errors name `path` and the wrong entry. */
enum dpk_status dpk_nv_defs_load_db(const char *path, struct dpk_nv_defs **out,
                                    struct dpk_error *err);

size_t dpk_nv_defs_count(const struct dpk_nv_defs *defs);
const struct dpk_nv_def *dpk_nv_defs_at(const struct dpk_nv_defs *defs, size_t i);
/* Returns NULL if absent. */
const struct dpk_nv_def *dpk_nv_defs_find(const struct dpk_nv_defs *defs, const char *name);
/* Finds a definition by a TLV's class and index, whatever its target. */
const struct dpk_nv_def *dpk_nv_defs_find_key(const struct dpk_nv_defs *defs, unsigned class_id,
                                              uint32_t index);
/* Finds a parameter by its config name, ignoring case. Errors: DPK_ERR_NOT_FOUND names the closest
 * name. */
enum dpk_status dpk_nv_defs_find_config(const struct dpk_nv_defs *defs, const char *config_name,
                                        const struct dpk_nv_def **def,
                                        const struct dpk_nv_param **param, struct dpk_error *err);

/* A name for query and set: "DPA_AUTHENTICATION", "LINK_TYPE_P1" of port 1, "MODULE_SPLIT_M0[0..3]"
 * of module 0. A parameter of a host or function means the first host or function. */
#define DPK_NV_NAME_MAX 128
struct dpk_nv_name {
    const struct dpk_nv_def *base; /* from the definitions; borrowed */
    struct dpk_nv_def def;         /* bound to the target */
    struct dpk_nv_param param;
    struct dpk_nv_target target;
    bool indexed;       /* an index was given */
    size_t first, last; /* range of an array's numbers; 0 for other parameters */
    char text[DPK_NV_NAME_MAX];
};
/* Parses a name. Errors: DPK_ERR_NOT_FOUND with the closest name or the required form,
 * DPK_ERR_RANGE with the legal indices. */
enum dpk_status dpk_nv_name_parse(const struct dpk_nv_defs *defs, const char *text,
                                  struct dpk_nv_name *out, struct dpk_error *err);
/* Makes the name of a parameter that has one. */
void dpk_nv_name_of(const struct dpk_nv_def *def, const struct dpk_nv_param *param,
                    const struct dpk_nv_target *target, struct dpk_nv_name *out);
/* Returns the i-th number of an array as a name. Other names are returned unchanged. */
struct dpk_nv_name dpk_nv_name_element(const struct dpk_nv_name *name, size_t i);

/* ---- Values ---- */

/* Stores the value of `text` in TLV data of the definition's size. White space around it is
 * ignored. Errors: DPK_ERR_RANGE with the legal values, DPK_ERR_USAGE for an array; set its
 * elements instead (dpk_nv_param_element). */
enum dpk_status dpk_nv_value_parse(const struct dpk_nv_param *param, const char *text,
                                   uint8_t *data, struct dpk_error *err);

enum dpk_nv_style {
    DPK_NV_STYLE_XML,   /* True, 17, 0x7E7, 240A42DE... */
    DPK_NV_STYLE_QUERY, /* True(1); bytes that are all zero are 0; other types as in XML */
};
/* Appends the value as text. A string stops at the first unprintable character; an array is
 * "Array[0..7]". */
void dpk_nv_value_format(const struct dpk_nv_param *param, const uint8_t *data,
                         enum dpk_nv_style style, struct dpk_buf *out);

/* Returns the value of a number that is not an array; for an enum or a bool, its number. */
int64_t dpk_nv_value_number(const struct dpk_nv_param *param, const uint8_t *data);

/* Returns the number in `def` that says whether the parameter is valid. NULL if there is no such
 * number. */
const struct dpk_nv_param *dpk_nv_valid_bit(const struct dpk_nv_def *def,
                                            const struct dpk_nv_param *param);

/* Appends a line for each number of the TLVs outside its definition's limits: "nv_roce_cc_ecn:
 * rpg_min_dec_fac is 255; legal: 1 to 100". Of consecutive TLVs of one definition, only the first
 * is checked. */
void dpk_nv_list_limits(const struct dpk_nv_defs *defs, const struct dpk_nv_list *tlvs,
                        struct dpk_buf *out);

/* ---- Rules ----
 * NVIDIA's database has expressions over a TLV's own parameters and those of other TLVs, such as
 * the capabilities of a device. An expression about a TLV that a device does not have is
 * ignored. */

struct dpk_nv_rules {
    const struct dpk_nv_defs *defs;
    const struct dpk_nv_def *def; /* definition and data of the TLV */
    const uint8_t *data;
    /* Gets a device's data of another TLV. Returns false if the device does not have it. */
    bool (*look)(void *context, const struct dpk_nv_def *def, uint8_t *data);
    void *context;
};
/* Returns true if the device supports the parameter, according to its dependency. */
bool dpk_nv_rules_depend(const struct dpk_nv_rules *rules, const struct dpk_nv_param *param);
/* Checks a parameter. Errors: DPK_ERR_REFUSED if the device does not support it, DPK_ERR_RANGE,
 * with the legal values, if the value breaks a limit or a rule. */
enum dpk_status dpk_nv_rules_check(const struct dpk_nv_rules *rules,
                                   const struct dpk_nv_param *param, struct dpk_error *err);

/* ---- Texts ---- */

#define DPK_NV_XML_MAX ((size_t)1 << 20)

/* Converts XML to TLVs, in the XML's order. A TLV needs all its parameters, all numbers of its
 * arrays (attribute index), and its port or module. "all" gives eight TLVs for ports 1 to 8, or two
 * TLVs for modules 0 and 1. Host and function default to 0. As with NVIDIA's tool, a number may
 * exceed its definition's limits if its bits hold it (dpk_nv_list_limits), and each parameter sets
 * its valid bit; an element of that bit overrides only if it comes later. There is no network
 * access, no DTD, and no entities except those of XML. Errors: DPK_ERR_FORMAT, DPK_ERR_RANGE,
 * DPK_ERR_NOT_FOUND or DPK_ERR_EXISTS: "line 7: nv_dpa_auth: dpa_auth_en: ...". */
enum dpk_status dpk_nv_xml_parse(const struct dpk_nv_defs *defs, const void *xml, size_t size,
                                 struct dpk_nv_list *out, struct dpk_error *err);
/* Converts TLVs to XML, as NVIDIA's raw2xml writes it. */
enum dpk_status dpk_nv_xml_format(const struct dpk_nv_defs *defs, const struct dpk_nv_list *tlvs,
                                  struct dpk_buf *out, struct dpk_error *err);

/* Write two texts: the list of TLVs, in which a user marks TLVs with 1 (gen_tlvs_file), and the XML
 * without values for such a list (gen_xml_template); `attributes` for -a. */
void dpk_nv_tlvs_text(const struct dpk_nv_defs *defs, struct dpk_buf *out);
/* Gets the TLVs that such a list marks, in its order; free(*out). Errors name the line. */
enum dpk_status dpk_nv_tlvs_parse(const struct dpk_nv_defs *defs, const char *text, size_t size,
                                  const struct dpk_nv_def ***out, size_t *count,
                                  struct dpk_error *err);
enum dpk_status dpk_nv_xml_template(const struct dpk_nv_defs *defs, const char *text, size_t size,
                                    bool attributes, struct dpk_buf *out, struct dpk_error *err);

/* The raw form: after MLNX_RAW_TLV_FILE, a line of hexadecimal dwords for each TLV, and comment
 * lines that start with %. A TLV may occur once at each priority, as on a device. */
void dpk_nv_raw_format(const struct dpk_nv_list *tlvs, struct dpk_buf *out);
enum dpk_status dpk_nv_raw_parse(const char *text, size_t size, struct dpk_nv_list *out,
                                 struct dpk_error *err);

/* Convert TLVs to their data without headers (xml2bin), and back. `defs` are the TLVs' definitions
 * in order, as from dpk_nv_tlvs_parse. The TLVs are for all ports and modules, host and function
 * 0. */
void dpk_nv_payload_format(const struct dpk_nv_list *tlvs, struct dpk_buf *out);
enum dpk_status dpk_nv_payload_parse(const struct dpk_nv_def *const *defs, size_t count,
                                     const void *bytes, size_t size, struct dpk_nv_list *out,
                                     struct dpk_error *err);

/* ---- Files ---- */

#define DPK_NV_FILE_BYTES_MAX ((size_t)1 << 20)
#define DPK_NV_FILE_START     "MLNX.CONFIG.BIN!" /* start of each file */

/* Makes a file: identity first, then file_applicable_to, then the other TLVs, then the signature.
 * `signer` NULL stores the digest TLV of an unsigned file. RSA-4096 signs with SHA-512, RSA-2048
 * with SHA-256. Errors: DPK_ERR_UNSUPPORTED for other keys; DPK_ERR_USAGE if `keypair` is zero;
 * DPK_ERR_EXISTS for a TLV that occurs twice; DPK_ERR_FORMAT if there is not exactly one identity,
 * no file_applicable_to, a signature TLV in the content, or contradictory flags. */
enum dpk_status dpk_nv_file_make(const struct dpk_nv_list *tlvs, const struct dpk_signer *signer,
                                 const struct dpk_uuid *keypair, struct dpk_buf *out,
                                 struct dpk_error *err);

enum dpk_nv_signature { DPK_NV_UNSIGNED_FILE, DPK_NV_RSA_2048, DPK_NV_RSA_4096 };

struct dpk_nv_file {
    struct dpk_nv_list tlvs; /* identity, file_applicable_to and content; no signature TLVs */
    bool mlnx;               /* nv_file_id_mlnx, else nv_file_id_vendor */
    bool disable_override, keep_same_priority, per_tlv_priority, erase_lower_priority;
    uint32_t version;
    char psid[17], psid_branch[17];
    bool has_digest, digest_right; /* a SHA-256 digest TLV exists; it is right */
    enum dpk_nv_signature signature_kind;
    struct dpk_uuid keypair;     /* of the signing key */
    uint8_t signature[512];      /* 256 bytes used with RSA-2048 */
    const uint8_t *signed_bytes; /* borrowed from the bytes parsed */
    size_t signed_size;
};

/* Parses strictly: fingerprint, headers with their reserved bits, sizes, one identity,
 * file_applicable_to, no TLV twice, signature TLVs last and consistent. Errors: DPK_ERR_FORMAT with
 * the offset. Free the list of `out` with dpk_nv_file_free. */
enum dpk_status dpk_nv_file_parse(const void *bytes, size_t size, struct dpk_nv_file *out,
                                  struct dpk_error *err);
void dpk_nv_file_free(struct dpk_nv_file *file);

/* Returns DPK_OK if the signature verifies with `key`. Errors: DPK_ERR_MISMATCH if it does not, or
 * was made with a key of another size; DPK_ERR_NOT_FOUND if the file is unsigned. */
enum dpk_status dpk_nv_file_verify(const struct dpk_nv_file *file, EVP_PKEY *key,
                                   struct dpk_error *err);

#endif
