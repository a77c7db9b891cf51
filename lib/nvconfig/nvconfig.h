/*
 * nvconfig: NV configuration: what a device's non-volatile settings are called, how they are
 * written in XML, and the signed files that carry them (signing(7); guide, "DPA Authentication
 * Enablement").
 *
 * Definitions say which parameters a TLV has and where their bits lie; values move between text
 * and TLV data through them; files are made, parsed and verified as bytes. Knows no device.
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

/* What a TLV is about: the class of its definition. The class byte of a TLV also says "all ports"
 * or "all hosts" (struct dpk_nv_target). */
enum dpk_nv_class {
    DPK_NV_GLOBAL = 0,
    DPK_NV_PORT = 1,
    DPK_NV_FUNCTION = 3, /* of a host */
    DPK_NV_FILE = 6,
    DPK_NV_HOST = 7,
    DPK_NV_SWITCH = 8,
    DPK_NV_MODULE = 9,
};

/* Who set a TLV; the numbers of the TLV header. */
enum dpk_nv_priority { DPK_NV_USER = 0, DPK_NV_OEM = 1, DPK_NV_MLNX = 3 };
const char *dpk_nv_priority_name(enum dpk_nv_priority priority); /* "USER", "OEM", "MLNX" */

/* The length field has 9 bits, data is whole dwords: 508 bytes. One TLV that NVIDIA defines is
 * larger, file_public_key_4096: the field has the low bits of its length, as NVIDIA's tool has it.
 */
#define DPK_NV_DATA_MAX       544
#define DPK_NV_FIELD_DATA_MAX 508

struct dpk_nv_tlv {
    unsigned class_id; /* the type dword's top byte: enum dpk_nv_class, or one of its "all" forms */
    uint32_t index;    /* its other 24 bits: with a port, host, function or module included */
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
                                          uint32_t index); /* NULL: none */

/* TLVs that have a meaning of their own, whatever the definitions say. */
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
#define DPK_NV_INDEX_DPAKIT_DEBUG  0xd9a001 /* dpakit's own, far from all of NVIDIA's */
#define DPK_NV_INDEX_PUBLIC_KEY_0  412      /* and _1, _2 behind it: the device owner's key */
#define DPK_NV_PUBLIC_KEY_PARTS    3

bool dpk_nv_is_owner_key(const struct dpk_nv_tlv *tlv);
bool dpk_nv_is_file_identity(const struct dpk_nv_tlv *tlv); /* nv_file_id_mlnx, nv_file_id_vendor */

/* The owner's key as its three TLVs hold it. */
struct dpk_nv_owner_key {
    struct dpk_uuid uuid;
    uint32_t exponent;
    uint8_t modulus[512]; /* big-endian */
};
/* False if `list` has none of the three TLVs. DPK_ERR_FORMAT: some but not all, or a size is off,
 * or it is no RSA-4096 key with a UUID. */
enum dpk_status dpk_nv_owner_key_find(const struct dpk_nv_list *list, bool *found,
                                      struct dpk_nv_owner_key *out, struct dpk_error *err);

/* ---- Definitions ---- */

enum dpk_nv_type {
    DPK_NV_BOOL,     /* one bit: False, True */
    DPK_NV_UNSIGNED, /* decimal, or hexadecimal after 0x */
    DPK_NV_BINARY,   /* hexadecimal, with or without 0x */
    DPK_NV_ENUM,     /* one of the choices, by name or number */
    DPK_NV_STRING,   /* printable ASCII, zero-terminated if shorter than its place */
    DPK_NV_BYTES,    /* hexadecimal digits; colons, dashes and white space between are ignored */
    DPK_NV_INTEGER,  /* signed, two's complement; decimal, or hexadecimal after 0x */
};

struct dpk_nv_choice {
    const char *name;
    uint32_t value;
};

struct dpk_nv_param {
    const char *name;        /* element in XML: "dpa_auth_en" */
    const char *config_name; /* for query and set: "DPA_AUTHENTICATION"; NULL: not there */
    const char *description; /* NULL: none */
    enum dpk_nv_type type;
    size_t offset;          /* numbers: of their big-endian dword; strings, bytes: of the first */
    unsigned low_bit, bits; /* numbers: place in the dword, 1 to 32 bits */
    size_t bytes;           /* strings, bytes: size */
    size_t count; /* arrays of numbers of 8, 16 or 32 bits, the first at offset: how many */
    bool has_min, has_max; /* numbers: narrower than what their bits hold */
    int64_t min, max;
    const struct dpk_nv_choice *choices;
    size_t choice_count;
    /* Expressions over parameters ($name, $tlv.name), NULL: none. See dpk_nv_rules_check. */
    const char *dependency, *valid_bit, *temp_vars, *min_rule, *max_rule, *rule;
};

/* The i-th element of an array as a parameter of its own; of others, the parameter itself. */
struct dpk_nv_param dpk_nv_param_element(const struct dpk_nv_param *param, size_t i);

struct dpk_nv_def {
    const char *name;        /* "nv_dpa_auth" */
    const char *title;       /* "DPA AUTH", NULL: none */
    const char *description; /* NULL: none */
    unsigned class_id;       /* enum dpk_nv_class */
    uint32_t index;          /* without port, host, function, module */
    size_t size;
    bool capability; /* tells what a device can do, nobody sets it */
    const struct dpk_nv_param *params;
    size_t param_count;
};

/* Which port, module, or host and function a TLV is about. What its class does not have is 0. */
#define DPK_NV_ALL (-1)
struct dpk_nv_target {
    int port;           /* class port: 1 to 255, or DPK_NV_ALL */
    int module;         /* class module: 0 to 1023, or DPK_NV_ALL */
    int host, function; /* class function: 0 to 63, 0 to 255, or DPK_NV_ALL; class host: host */
};
/* The definition with class and index as TLVs about `target` have them; borrows from `def`. For
 * targets out of range too: what does not fit is cut off. */
struct dpk_nv_def dpk_nv_def_bind(const struct dpk_nv_def *def, const struct dpk_nv_target *target);
/* The other direction. */
struct dpk_nv_target dpk_nv_target_of(unsigned class_id, uint32_t index);

struct dpk_nv_defs;

/* A set of definitions, filled from wherever they come: the text files below, or another source
 * through dpk_nv_defs_add (which copies, and refuses what overlaps, repeats or lies outside). */
enum dpk_status dpk_nv_defs_new(struct dpk_nv_defs **out, struct dpk_error *err);
enum dpk_status dpk_nv_defs_add(struct dpk_nv_defs *defs, const struct dpk_nv_def *def,
                                struct dpk_error *err);
void dpk_nv_defs_free(struct dpk_nv_defs *defs);

/* Adds the definitions of a text (syntax: share/nvconfig/README). Errors name `path` and line. */
enum dpk_status dpk_nv_defs_parse(struct dpk_nv_defs *defs, const char *path, const char *text,
                                  size_t size, struct dpk_error *err);
/* A new set with every *.tlv file of `directory`, in the order of their names. NULL: the directory
 * nvconfig of the tree that the running program lies in (../share/dpakit or ../../share/dpakit). */
enum dpk_status dpk_nv_defs_load(const char *directory, struct dpk_nv_defs **out,
                                 struct dpk_error *err);

/* A new set with every TLV of a database that ships with NVIDIA's tools (mlxconfig_host.db). The
 * file is read once and trusted in nothing. Errors name `path`, and what in it is wrong. */
enum dpk_status dpk_nv_defs_load_db(const char *path, struct dpk_nv_defs **out,
                                    struct dpk_error *err);

size_t dpk_nv_defs_count(const struct dpk_nv_defs *defs);
const struct dpk_nv_def *dpk_nv_defs_at(const struct dpk_nv_defs *defs, size_t i);
/* NULL: none. */
const struct dpk_nv_def *dpk_nv_defs_find(const struct dpk_nv_defs *defs, const char *name);
/* By a TLV's class and index, whatever its target. */
const struct dpk_nv_def *dpk_nv_defs_find_key(const struct dpk_nv_defs *defs, unsigned class_id,
                                              uint32_t index);
/* By "DPA_AUTHENTICATION", in any case. DPK_ERR_NOT_FOUND names the closest one. */
enum dpk_status dpk_nv_defs_find_config(const struct dpk_nv_defs *defs, const char *config_name,
                                        const struct dpk_nv_def **def,
                                        const struct dpk_nv_param **param, struct dpk_error *err);

/* What a name that query and set take means: "DPA_AUTHENTICATION", "LINK_TYPE_P1" of port 1,
 * "MODULE_SPLIT_M0[0..3]" of module 0. A host's, or a function's, are those of the first. */
#define DPK_NV_NAME_MAX 128
struct dpk_nv_name {
    const struct dpk_nv_def *base; /* as in the definitions; borrowed */
    struct dpk_nv_def def;         /* bound to the target */
    struct dpk_nv_param param;
    struct dpk_nv_target target;
    bool indexed;       /* an index was given */
    size_t first, last; /* of an array's numbers: which; 0 of others */
    char text[DPK_NV_NAME_MAX];
};
/* DPK_ERR_NOT_FOUND: the message has the closest name, or the form that it must have.
 * DPK_ERR_RANGE: an index, where legal ones are told. */
enum dpk_status dpk_nv_name_parse(const struct dpk_nv_defs *defs, const char *text,
                                  struct dpk_nv_name *out, struct dpk_error *err);
/* The name of a parameter that has one. */
void dpk_nv_name_of(const struct dpk_nv_def *def, const struct dpk_nv_param *param,
                    const struct dpk_nv_target *target, struct dpk_nv_name *out);
/* The i-th number of an array as a name of its own; other names as they are. */
struct dpk_nv_name dpk_nv_name_element(const struct dpk_nv_name *name, size_t i);

/* ---- Values ---- */

/* Stores the value that `text` says into TLV data of the definition's size. DPK_ERR_RANGE: the
 * message says what is legal. White space around is ignored. DPK_ERR_USAGE: an array, whose values
 * are those of its elements (dpk_nv_param_element). */
enum dpk_status dpk_nv_value_parse(const struct dpk_nv_param *param, const char *text,
                                   uint8_t *data, struct dpk_error *err);

enum dpk_nv_style {
    DPK_NV_STYLE_XML,   /* True, 17, 0x7E7, 240A42DE... */
    DPK_NV_STYLE_QUERY, /* True(1); bytes that are all zero are 0; the rest alike */
};
/* Appends the value as text; a string stops at what is not printable, an array is "Array[0..7]". */
void dpk_nv_value_format(const struct dpk_nv_param *param, const uint8_t *data,
                         enum dpk_nv_style style, struct dpk_buf *out);

/* The value of a number that is no array: of an enum or a bool, what stands for it. */
int64_t dpk_nv_value_number(const struct dpk_nv_param *param, const uint8_t *data);

/* The number in `def` that says whether the parameter counts, NULL: it has none. */
const struct dpk_nv_param *dpk_nv_valid_bit(const struct dpk_nv_def *def,
                                            const struct dpk_nv_param *param);

/* Appends a line for each number of the TLVs that is beyond its definition's smallest or largest
 * value: "nv_roce_cc_ecn: rpg_min_dec_fac is 255; legal: 1 to 100". Of TLVs of one definition that
 * follow each other, the first is looked at. */
void dpk_nv_list_limits(const struct dpk_nv_defs *defs, const struct dpk_nv_list *tlvs,
                        struct dpk_buf *out);

/* ---- Rules ----
 * NVIDIA's database has expressions over a TLV's own parameters and those of others, such as the
 * capabilities of a device. What asks for a TLV that a device does not have says nothing. */

struct dpk_nv_rules {
    const struct dpk_nv_defs *defs;
    const struct dpk_nv_def *def; /* the TLV, and its data */
    const uint8_t *data;
    /* Fills in what a device has of another TLV; false: nothing. */
    bool (*look)(void *context, const struct dpk_nv_def *def, uint8_t *data);
    void *context;
};
/* Does the device support the parameter, as far as its dependency says? */
bool dpk_nv_rules_depend(const struct dpk_nv_rules *rules, const struct dpk_nv_param *param);
/* DPK_ERR_REFUSED: it does not. DPK_ERR_RANGE: the value breaks a limit or a rule; the message
 * says what is legal. */
enum dpk_status dpk_nv_rules_check(const struct dpk_nv_rules *rules,
                                   const struct dpk_nv_param *param, struct dpk_error *err);

/* ---- Texts ---- */

#define DPK_NV_XML_MAX ((size_t)1 << 20)

/* XML to TLVs, in the XML's order. Every parameter of a TLV must be there, of an array every number
 * (attribute index), and the port or module that a TLV is about; "all" is eight TLVs, of ports 1 to
 * 8, or two, of modules 0 and 1. Host and function are 0 if not said. As with NVIDIA's tool a number
 * may be beyond its definition's limits, as far as its bits hold it (dpk_nv_list_limits), and each
 * parameter sets the bit that says that it counts; an element for that bit itself has a say only
 * behind it. No network, no DTD, no entities but XML's own. DPK_ERR_FORMAT, DPK_ERR_RANGE: "line 7: nv_dpa_auth: dpa_auth_en: ...".
 */
enum dpk_status dpk_nv_xml_parse(const struct dpk_nv_defs *defs, const void *xml, size_t size,
                                 struct dpk_nv_list *out, struct dpk_error *err);
/* TLVs to XML, as NVIDIA's raw2xml writes it. */
enum dpk_status dpk_nv_xml_format(const struct dpk_nv_defs *defs, const struct dpk_nv_list *tlvs,
                                  struct dpk_buf *out, struct dpk_error *err);

/* The list of TLVs that a user marks with 1 (gen_tlvs_file), and the XML without values that comes
 * of it (gen_xml_template), `attributes` with -a. */
void dpk_nv_tlvs_text(const struct dpk_nv_defs *defs, struct dpk_buf *out);
/* The TLVs that such a list marks, in its order; free(*out). Errors name the line. */
enum dpk_status dpk_nv_tlvs_parse(const struct dpk_nv_defs *defs, const char *text, size_t size,
                                  const struct dpk_nv_def ***out, size_t *count,
                                  struct dpk_error *err);
enum dpk_status dpk_nv_xml_template(const struct dpk_nv_defs *defs, const char *text, size_t size,
                                    bool attributes, struct dpk_buf *out, struct dpk_error *err);

/* The raw form: a line of hexadecimal dwords per TLV behind MLNX_RAW_TLV_FILE, and comments behind
 * %. A TLV may be there once at each priority, as on a device. */
void dpk_nv_raw_format(const struct dpk_nv_list *tlvs, struct dpk_buf *out);
enum dpk_status dpk_nv_raw_parse(const char *text, size_t size, struct dpk_nv_list *out,
                                 struct dpk_error *err);

/* TLVs' data alone (xml2bin), and back: `defs` are those of the TLVs in their order, as
 * dpk_nv_tlvs_parse gives them. They are about all ports and modules, host and function 0. */
void dpk_nv_payload_format(const struct dpk_nv_list *tlvs, struct dpk_buf *out);
enum dpk_status dpk_nv_payload_parse(const struct dpk_nv_def *const *defs, size_t count,
                                     const void *bytes, size_t size, struct dpk_nv_list *out,
                                     struct dpk_error *err);

/* ---- Files ---- */

#define DPK_NV_FILE_BYTES_MAX ((size_t)1 << 20)
#define DPK_NV_FILE_START     "MLNX.CONFIG.BIN!" /* how each begins */

/* Makes a file: identity first, then file_applicable_to, then the rest, then the signature.
 * `signer` NULL: the digest TLV of an unsigned file. RSA-4096 signs with SHA-512, RSA-2048 with
 * SHA-256; other keys are DPK_ERR_UNSUPPORTED. DPK_ERR_FORMAT: not exactly one identity, no
 * file_applicable_to, signature TLVs among the content, flags that contradict each other. */
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
    bool has_digest, digest_right; /* a SHA-256 digest TLV was there, and right */
    enum dpk_nv_signature signature_kind;
    struct dpk_uuid keypair;     /* that signed */
    uint8_t signature[512];      /* 256 bytes used with RSA-2048 */
    const uint8_t *signed_bytes; /* borrowed from the bytes parsed */
    size_t signed_size;
};

/* Parses strictly: fingerprint, headers with their reserved bits, sizes, one identity,
 * file_applicable_to, no TLV twice, signature TLVs last and both halves alike.
 * DPK_ERR_FORMAT with the offset otherwise. Free the list of `out` with dpk_nv_file_free. */
enum dpk_status dpk_nv_file_parse(const void *bytes, size_t size, struct dpk_nv_file *out,
                                  struct dpk_error *err);
void dpk_nv_file_free(struct dpk_nv_file *file);

/* DPK_OK if the signature is right under `key`. DPK_ERR_MISMATCH if it is not, or made with a key
 * of another size; DPK_ERR_NOT_FOUND if there is none. */
enum dpk_status dpk_nv_file_verify(const struct dpk_nv_file *file, EVP_PKEY *key,
                                   struct dpk_error *err);

#endif
