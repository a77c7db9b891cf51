/* JSON of device programs for show and verify. */
#ifndef DPK_MLXDPA_PROGRAM_H
#define DPK_MLXDPA_PROGRAM_H

#include <cjson/cJSON.h>

#include "hostfile/hostfile.h"

/* Adds the SHA-256 of a device ELF to `o`: the one in `report`, if it was hashed there. */
void program_digest(cJSON *o, const uint8_t *elf, size_t size, const struct dpk_report *report);

/* Adds the certificates of crypto data to `o`; nothing where there are none that can be read. */
void program_chain(cJSON *o, const uint8_t *crypto, size_t size);

/* Adds to `o` who signed, and whether hashes and signature fit, which proves no signer. `report` is
 * of a verification without trust. */
void program_crypto(cJSON *o, const uint8_t *crypto, size_t size, const struct dpk_report *report);

/* Adds digest and crypto data of a program to `o`; of one for several targets, `targets` with those
 * of each. An area that is damaged counts as one program, as it stands. */
void program_show(const struct dpk_program *p, cJSON *o);

/* Does a leaf end within 90 days, or has it ended? Then `text` says when, and what follows. */
bool program_leaf_ends(X509 *leaf, char *text, size_t size);

#endif
