/* Private to jit: the translations of one state of a guest's code. */
#ifndef DPK_ENGINE_JIT_TRANSLATIONS_H
#define DPK_ENGINE_JIT_TRANSLATIONS_H

#include "engine/jit/translate.h"

/* The table lives while a run may enter its code or a job translates for it. */
struct translations {
    struct rv64_entries entries;
    _Atomic uint8_t *places; /* state of each place, by pc like entries */
    _Atomic unsigned users;
    uint64_t symbols[JIT_SYMBOLS]; /* addresses; JIT_CODE differs for each code */
    bool exact;
    pthread_mutex_t lock;
    struct code *code; /* all placed code; under the lock */
};

/* Makes the table for the core's code. Returns NULL if there is no code, too much code, or no
 * memory. */
struct translations *jit_translations_create(struct rv64_core *core, bool exact);
void jit_translations_keep(struct translations *t);
void jit_translations_drop(struct translations *t);

/* Reserves a place for translation; each place is translated once. Returns false if another caller
 * has reserved it, or if it was put off and `insist` is false. */
bool jit_translations_take(struct translations *t, uint64_t pc, bool insist);
/* Undoes jit_translations_take after a translation failed or was abandoned. */
void jit_translations_give_back(struct translations *t, uint64_t pc);
/* Returns true, and gives the place back, if a region that contains the place has new code that
 * will soon be entered. This happens once for a place. */
bool jit_translations_put_off(struct translations *t, uint64_t pc);
/* Records that the region has code, which may be a draft. */
void jit_translations_set_covered(struct translations *t, const struct jit_region *region,
                                  bool draft);
/* Returns true if a region with code contains the place. */
bool jit_translations_covered(const struct translations *t, uint64_t pc);
/* Returns how many instructions of the region are in no region with code. */
uint32_t jit_translations_bare(const struct translations *t, const struct jit_region *region);
/* Returns true if a place within the region, except its first, has code that is not only a
 * draft. */
bool jit_translations_has_loops(const struct translations *t, const struct jit_region *region);

/* Returns true if the image has quick code that a second translation would make faster. */
bool jit_translations_is_draft(const struct dpk_buf *image);
/* Places the code of an image, and makes it the entry at `pc`, in place of earlier code. Returns
 * false if the image is invalid or there is no memory. */
bool jit_translations_enter(struct translations *t, uint64_t pc, const struct dpk_buf *image);

#endif
