/* Private to jit: the translations of one state of a guest's code. */
#ifndef DPK_ENGINE_JIT_TRANSLATIONS_H
#define DPK_ENGINE_JIT_TRANSLATIONS_H

#include "engine/jit/translate.h"

/* It lives as long as a run may enter its code or a job translates for it. */
struct translations {
    struct rv64_entries entries;
    _Atomic uint8_t *places; /* by pc, as entries: what has been done for it */
    _Atomic unsigned users;
    uint64_t symbols[JIT_SYMBOLS]; /* addresses; that of JIT_CODE differs from code to code */
    bool exact;
    pthread_mutex_t lock;
    struct code *code; /* all that is placed; under the lock */
};

/* Makes the table for the core's code. NULL: there is no code, too much of it, or no memory. */
struct translations *translations_create(struct rv64_core *core, bool exact);
void translations_keep(struct translations *t);
void translations_drop(struct translations *t);

/* Each place of code is translated for once. False: somebody does, or did; or it was put off, and nobody insists. */
bool translations_take(struct translations *t, uint64_t pc, bool insist);
/* Somebody who took it did not translate; another may. */
void translations_give_back(struct translations *t, uint64_t pc);
/* True: a region that has the place within got its code, which will soon be entered. The place is
 * given back, once. */
bool translations_put_off(struct translations *t, uint64_t pc);
/* The region has code, which is a draft or not. */
void translations_set_covered(struct translations *t, const struct jit_region *region, bool draft);
/* Whether a region that has code has the place within. */
bool translations_covered(const struct translations *t, uint64_t pc);
/* How many instructions of the region are in no region that has code. */
uint32_t translations_bare(const struct translations *t, const struct jit_region *region);
/* Whether there is code, and not only a draft, for a place within the region, beside its first. */
bool translations_has_loops(const struct translations *t, const struct jit_region *region);

/* Whether the image is one of quick code that another translation would make faster. */
bool translations_is_draft(const struct dpk_buf *image);
/* Places the code of an image and enters it at `pc`, where other code may have been. False: the image is none,
 * or no memory. */
bool translations_enter(struct translations *t, uint64_t pc, const struct dpk_buf *image);

#endif
