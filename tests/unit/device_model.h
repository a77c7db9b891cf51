/*
 * A second device, as dpa-provisioning(7) says it: for tests that hold the real one against it. It
 * shares no code with runtime/device/state, has no files and checks no signature: whoever makes a file
 * for it says who signed it.
 */
#ifndef TESTS_DEVICE_MODEL_H
#define TESTS_DEVICE_MODEL_H

#include <stdbool.h>
#include <string.h>

enum who { NOBODY, NVIDIA, ALICE, BOB, STRANGER }; /* who may hold keys; 0: no signature */
enum { LEVEL_USER, LEVEL_OEM, LEVEL_MLNX, LEVELS };
enum { THING_AUTH, THING_X, THING_Y, THINGS };
enum { VIEW_CURRENT, VIEW_NEXT, VIEWS };

struct model_value {
    bool there, ovr_en, rd_en;
    unsigned char byte;
};

enum { CERTS_MAX = 8 };
struct model_cert {
    int number, priority; /* 0 User, 1 OEM, 3 NVIDIA */
};

struct model {
    struct model_value values[VIEWS][THINGS][LEVELS];
    enum who owner;
    struct model_cert certs[CERTS_MAX];
    int cert_count;
    int events;
};

/* A value that a file brings; level: its own, for per_tlv_priority. */
struct model_content {
    bool there, ovr_en, rd_en;
    unsigned char byte;
    int level;
};

struct model_file {
    enum who signer, says; /* who signed, and whose key-pair UUID it names */
    bool tampered;
    bool mlnx; /* identity nv_file_id_mlnx */
    bool disable_override, keep, per_tlv, erase;
    int psid, branch;   /* 0 none, 1 this device's, 2 another's */
    enum who brings;    /* an owner's key */
    bool under_nvidias; /* ... with the UUID of NVIDIA's key */
    struct model_content contents[THINGS];
};

/* The codes of dpa-provisioning(7). */
enum {
    M_OK = 0,
    M_NOT_APPLICABLE = 3,
    M_UNKNOWN_KEY = 4,
    M_AUTH_FAILED = 5,
    M_UNSIGNED = 6,
    M_KEY_NOT_APPLICABLE = 7,
    M_BAD_FORMAT = 8,
    M_SIGNATURE = 0x1b,
    M_METADATA = 0x1c,
    M_NO_PLACE = 0x1e,
    M_NO_MATCH = 0x1f,
    M_SAME_UUID = 0x25,
};

static inline bool model_knows(const struct model *m, enum who key)
{
    return key == NVIDIA || (key != NOBODY && key == m->owner);
}

/* "Applying an NV configuration file", 1 to 7. */
static inline int model_checks(const struct model *m, const struct model_file *f)
{
    if (f->disable_override && (!f->keep || f->erase))
        return M_BAD_FORMAT;
    if (f->psid == 2 || f->branch == 2)
        return M_NOT_APPLICABLE;
    if (f->signer == NOBODY)
        return M_UNSIGNED;
    if (!model_knows(m, f->says))
        return M_UNKNOWN_KEY;
    if (f->mlnx ? f->says != NVIDIA : f->says == NVIDIA && !f->brings)
        return M_KEY_NOT_APPLICABLE;
    if (f->tampered || f->signer != f->says)
        return M_AUTH_FAILED;
    if (f->brings && (f->under_nvidias || (f->says == NVIDIA && m->owner)))
        return M_NOT_APPLICABLE;
    return M_OK;
}

static inline int model_level(const struct model_file *f, const struct model_content *c)
{
    int level = f->mlnx ? LEVEL_MLNX : LEVEL_OEM;
    return f->per_tlv && c->level < level ? c->level : level;
}

static inline bool model_vanishes(const struct model_file *f, int level)
{
    int own = f->mlnx ? LEVEL_MLNX : LEVEL_OEM;
    return level < own ? f->erase : level == own && !f->keep;
}

static inline bool model_same(const struct model_value *v, const struct model_content *c)
{
    return v->byte == c->byte && v->ovr_en == c->ovr_en && v->rd_en == c->rd_en;
}

/* Does what stays on the device forbid this value? */
static inline bool model_forbids(const struct model *m, const struct model_file *f, int thing)
{
    const struct model_content *c = &f->contents[thing];
    int level = model_level(f, c);
    for (int l = 0; l < LEVELS; l++) {
        const struct model_value *v = &m->values[VIEW_NEXT][thing][l];
        if (!v->there || model_vanishes(f, l))
            continue;
        if (l > level && !v->ovr_en)
            return true;
        if (l == level && f->disable_override && !model_same(v, c))
            return true;
    }
    return false;
}

static inline int model_apply(struct model *m, const struct model_file *f)
{
    m->events++;
    int code = model_checks(m, f);
    for (int t = 0; t < THINGS && !code; t++)
        if (f->contents[t].there && model_forbids(m, f, t))
            code = M_NOT_APPLICABLE;
    /* The key that is there is one of the TLVs that must not change. */
    if (!code && f->disable_override && f->brings && m->owner && f->brings != m->owner)
        code = M_NOT_APPLICABLE;
    if (code)
        return code;
    for (int t = 0; t < THINGS; t++)
        for (int l = 0; l < LEVELS; l++)
            if (model_vanishes(f, l))
                m->values[VIEW_NEXT][t][l].there = false;
    if (model_vanishes(f, LEVEL_OEM))
        m->owner = NOBODY;
    if (f->brings)
        m->owner = f->brings;
    for (int t = 0; t < THINGS; t++) {
        const struct model_content *c = &f->contents[t];
        if (c->there)
            m->values[VIEW_NEXT][t][model_level(f, c)] =
                (struct model_value){true, c->ovr_en, c->rd_en, c->byte};
    }
    return M_OK;
}

/* The value that counts: the lowest that nobody above keeps from counting. */
static inline const struct model_value *model_effect(const struct model *m, int view, int thing,
                                                     bool *locked, bool *hidden)
{
    const struct model_value *found = NULL;
    *locked = *hidden = false;
    for (int l = LEVEL_MLNX; l >= LEVEL_USER && !*locked; l--) {
        const struct model_value *v = &m->values[view][thing][l];
        if (!v->there)
            continue;
        found = v;
        *locked = l > LEVEL_USER && !v->ovr_en;
        *hidden = l > LEVEL_USER && !v->rd_en;
    }
    return found;
}

static inline bool model_set(struct model *m, int thing, unsigned char byte)
{
    bool locked, hidden;
    model_effect(m, VIEW_NEXT, thing, &locked, &hidden);
    m->events++;
    if (!locked)
        m->values[VIEW_NEXT][thing][LEVEL_USER] = (struct model_value){true, true, true, byte};
    return !locked;
}

static inline void model_drop(struct model *m)
{
    m->events++;
    for (int t = 0; t < THINGS; t++)
        m->values[VIEW_NEXT][t][LEVEL_USER].there = false;
}

static inline void model_reset(struct model *m)
{
    m->events++;
    memcpy(m->values[VIEW_CURRENT], m->values[VIEW_NEXT], sizeof m->values[VIEW_CURRENT]);
}

/* ---- Certificates ---- */

struct model_container {
    enum who signer, says;
    bool tampered, no_root_bit; /* no_root_bit: the metadata has no DPA root of trust */
    bool remove, all;
    int number, priority; /* of the certificate */
    bool vouched;         /* an OEM one, signed by NVIDIA */
};

static inline int model_find(const struct model *m, int number)
{
    for (int i = 0; i < m->cert_count; i++)
        if (m->certs[i].number == number)
            return i;
    return -1;
}

static inline int model_may_burn(const struct model *m, const struct model_container *c)
{
    bool nvidias = c->priority == 3 || c->vouched;
    if (c->signer == NOBODY)
        return M_UNSIGNED;
    if (!model_knows(m, c->says) || (c->says == NVIDIA && !nvidias))
        return M_UNKNOWN_KEY;
    if (c->tampered || c->signer != c->says)
        return M_SIGNATURE;
    return c->says != NVIDIA && nvidias ? M_KEY_NOT_APPLICABLE : M_OK;
}

static inline int model_burn(struct model *m, const struct model_container *c)
{
    m->events++;
    int code = model_may_burn(m, c), at = model_find(m, c->number), kept = 0;
    int highest = c->says == NVIDIA ? 3 : 1;
    if (code)
        return code;
    if (!c->remove) {
        if (c->no_root_bit)
            return M_METADATA;
        if (at >= 0)
            return M_SAME_UUID;
        if (m->cert_count == CERTS_MAX)
            return M_NO_PLACE;
        m->certs[m->cert_count++] = (struct model_cert){c->number, c->priority};
        return M_OK;
    }
    if (!c->all && at < 0)
        return M_NO_MATCH;
    if (!c->all && m->certs[at].priority > highest)
        return M_KEY_NOT_APPLICABLE;
    for (int i = 0; i < m->cert_count; i++)
        if (m->certs[i].priority > highest || !(c->all || i == at))
            m->certs[kept++] = m->certs[i];
    m->cert_count = kept;
    return M_OK;
}

#endif
