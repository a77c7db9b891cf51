/* The layout of NV configuration files (signing(7)). */
#ifndef DPK_NVCONFIG_FILE_FORMAT_H
#define DPK_NVCONFIG_FILE_FORMAT_H

#include "tlv.h"

#define FILE_FINGERPRINT      DPK_NV_FILE_START
#define FILE_FINGERPRINT_SIZE ((size_t)16)

/* Signature TLVs: signature UUID, key-pair UUID, 256 bytes; the 2048 form has 32 more bytes of
 * zero. */
#define SIG_KEYPAIR_AT ((size_t)16)
#define SIG_FIELD_AT   ((size_t)32)
#define SIG_FIELD_SIZE ((size_t)256)
#define SIG_SIZE       ((size_t)320)
#define SIG_HALF_SIZE  ((size_t)288)

#define APPLICABLE_SIZE ((size_t)32) /* PSID, PSID branch */
#define PSID_SIZE       ((size_t)16)

/* Identity TLVs: the first dword's flags, then the file's version. */
#define ID_SIZE                 ((size_t)16)
#define ID_DISABLE_OVERRIDE     (1u << 28)
#define ID_KEEP_SAME_PRIORITY   (1u << 29)
#define ID_PER_TLV_PRIORITY     (1u << 30)
#define ID_ERASE_LOWER_PRIORITY (1u << 31)
#define ID_FLAGS                0xf0000000u

bool dpk_nv_is_signature(const struct dpk_nv_tlv *tlv);

#endif
