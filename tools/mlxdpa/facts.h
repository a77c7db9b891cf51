/* What show and verify say of programs and certificates, as JSON or as a tree of text. */
#ifndef MLXDPA_FACTS_H
#define MLXDPA_FACTS_H

#include <cjson/cJSON.h>

#include "elfcrypto/elfcrypto.h"

/* Subject, serial number, fingerprint, dates and key of a certificate: a new object. */
cJSON *certificate_facts(X509 *cert);
/* Adds the SHA-256 of a device ELF to `o`: the one in `report`, if it was hashed there. */
void program_digest(cJSON *o, const uint8_t *elf, size_t size, const struct dpk_report *report);
/* Adds the certificates of crypto data to `o`; nothing where there are none that can be read. */
void chain_facts(cJSON *o, const uint8_t *crypto, size_t size);

/* Prints the fields of an object, two blanks deeper for each level. */
void tree_print(const cJSON *o, int depth);

#endif
