/* Makes crypto data for the programs of a host file, and stores them in it. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "edit.h"
#include "select.h"

/* The work for one program. */
struct job {
    const struct dpk_program *program;
    const struct slot *slot;
    struct dpk_buf crypto[DPK_FAT_MAX]; /* crypto data of each subject */
    enum dpk_status status;
    struct dpk_error err;
};

struct signing {
    const struct dpk_hostfile *host;
    const struct dpk_certchain *chain;
    const struct dpk_signer *signer;
    const struct dpk_hostfile_options *options;
    struct job *jobs; /* one job for each program to sign */
    size_t count;
    unsigned hashing; /* threads within a program */
    atomic_bool failed;
    pthread_mutex_t one; /* protects the following members */
    size_t done;
};

/* ---- Crypto data ---- */

/* Calls `put` for each subject of the program. Existing crypto data do not matter. */
typedef enum dpk_status put_one(void *context, size_t index, const struct dpk_subject *subject,
                                struct dpk_error *err);

static enum dpk_status for_each_subject(const struct dpk_program *p, put_one *put, void *context,
                                        struct dpk_error *err)
{
    struct dpk_subject subjects[DPK_FAT_MAX];
    struct dpk_sections unsigned_sections = p->sections;
    enum dpk_status status = DPK_OK;
    if (p->not_mapped[0]) /* the signed bytes would not be the bytes that run */
        return dpk_fail(err, DPK_ERR_FORMAT, "%s", p->not_mapped);
    unsigned_sections.room = unsigned_sections.crypto = NULL;
    size_t count = dpk_subjects(&unsigned_sections, subjects);
    for (size_t i = 0; i < count && status == DPK_OK; i++) {
        const struct dpk_subject *s = &subjects[i];
        if (s->fault.name)
            status = dpk_fail(err, DPK_ERR_FORMAT, "%s: %s", s->fault.name, s->fault.detail);
        else
            status = put(context, i, s, err);
        if (status != DPK_OK && s->target[0])
            dpk_error_prefix(err, "target %s", s->target);
    }
    return status;
}

struct making {
    const struct signing *s;
    struct job *job;
};

static enum dpk_status make_one(void *context, size_t index, const struct dpk_subject *subject,
                                struct dpk_error *err)
{
    const struct making *m = context;
    const struct signing *s = m->s;
    struct dpk_subject mine = *subject;
    mine.threads = s->hashing;
    return dpk_crypto_make(&mine, s->chain, s->signer, &s->options->crypto, &m->job->crypto[index],
                           err);
}

static enum dpk_status make_crypto(struct signing *s, struct job *j, struct dpk_error *err)
{
    const struct dpk_program *p = j->program;
    struct making m = {.s = s, .job = j};
    if (p->subjects[0].target[0] && p->placement != DPK_PLACEMENT_RESERVED)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "a program for several targets needs a reserved section (.dpa_sig_%s)",
                        p->name);
    return for_each_subject(p, make_one, &m, err);
}

static void run_job(void *context, size_t index)
{
    struct signing *s = context;
    struct job *j = &s->jobs[index];
    const struct dpk_hostfile_options *o = s->options;
    if (atomic_load(&s->failed)) /* an earlier job, which has begun, reports the error */
        return;
    j->status = make_crypto(s, j, &j->err);
    if (j->status != DPK_OK)
        atomic_store(&s->failed, true);
    pthread_mutex_lock(&s->one);
    s->done++;
    if (o->progress)
        o->progress(o->progress_context, s->done, s->count);
    pthread_mutex_unlock(&s->one);
}

/* Reports the first program that failed. */
static enum dpk_status make_all(struct signing *s, struct dpk_error *err)
{
    unsigned threads = s->options->threads;
    s->hashing = dpk_parallel_share(s->count, threads);
    dpk_parallel(s->count, threads, run_job, s);
    for (size_t i = 0; i < s->count; i++) {
        struct job *j = &s->jobs[i];
        if (j->status == DPK_OK)
            continue;
        return dpk_fail(err, j->status, "program %s: %s", j->program->name, j->err.message);
    }
    return DPK_OK;
}

/* ---- Placing ---- */

static uint32_t wanted_type(const struct signing *s, uint32_t usual)
{
    switch (s->options->section_type) {
    case DPK_SECTION_PROGBITS:
        return SHT_PROGBITS;
    case DPK_SECTION_CRYPTODATA:
        return SHT_CRYPTODATA;
    case DPK_SECTION_KEEP:
        break;
    }
    return usual;
}

/* Overwrites a room, and clears the rest of a longer old content. */
static void overwrite(struct dpk_edited *e, const struct room *room, const struct dpk_buf *crypto,
                      size_t prefix)
{
    uint64_t used = prefix + crypto->size;
    uint8_t length[DPK_ROOM_PREFIX];
    dpk_store_le64(length, crypto->size);
    hostfile_edit_put(e, room->at, length, prefix);
    hostfile_edit_put(e, room->at + prefix, crypto->data, crypto->size);
    if (room->used > used)
        hostfile_edit_clear(e, room->at + used, (size_t)(room->used - used));
}

static enum dpk_status fill_room(struct dpk_edited *e, const struct job *j, size_t index,
                                 const struct room *room, struct dpk_error *err)
{
    const struct dpk_subject *s = &j->program->subjects[index];
    size_t needed = DPK_ROOM_PREFIX + j->crypto[index].size;
    if (room->size < needed)
        return dpk_fail(err, DPK_ERR_RANGE, "%s has room for %" PRIu64 " bytes%s%s, %zu are needed",
                        j->slot->home.name, room->size, s->target[0] ? " for target " : "",
                        s->target, needed);
    overwrite(e, room, &j->crypto[index], DPK_ROOM_PREFIX);
    return DPK_OK;
}

static enum dpk_status fill_reserved(struct signing *s, struct dpk_edited *e, const struct job *j,
                                     struct dpk_error *err)
{
    const struct section *home = &j->slot->home;
    uint32_t type = wanted_type(s, home->type);
    struct room rooms[DPK_FAT_MAX];
    enum dpk_status status = hostfile_program_rooms(j->program, j->slot, rooms, err);
    for (size_t i = 0; i < j->program->subject_count && status == DPK_OK; i++)
        status = fill_room(e, j, i, &rooms[i], err);
    if (status == DPK_OK && type != home->type)
        hostfile_edit_set_type(e, j->slot->object, home, type);
    return status;
}

/* Reuses the existing section if the new crypto data fit, else moves it to the new end. */
static void replace_section(struct signing *s, struct dpk_edited *e, struct tail *t,
                            const struct job *j, unsigned alignment)
{
    const struct section *home = &j->slot->home;
    const struct dpk_buf *crypto = &j->crypto[0];
    const struct room room = {.at = home->offset, .size = home->size, .used = home->size};
    uint64_t offset = home->offset - t->object->base;
    if (crypto->size <= home->size && offset + home->size <= t->keep)
        overwrite(e, &room, crypto, 0);
    else
        offset = hostfile_tail_put_content(t, crypto->data, crypto->size, alignment);
    hostfile_edit_set_type(e, j->slot->object, home, wanted_type(s, home->type));
    hostfile_tail_set_extent(t, home, offset, crypto->size);
}

static enum dpk_status fill_name_slot(struct dpk_edited *e, const struct job *j,
                                      struct dpk_error *err)
{
    const struct dpk_program *p = j->program;
    size_t length = strlen(p->crypto_section);
    uint8_t slot[NAME_SLOT_SIZE] = {0};
    enum dpk_status status = hostfile_program_check_name(p, err);
    if (status != DPK_OK)
        return status;
    if (length >= NAME_SLOT_SIZE)
        return dpk_fail(err, DPK_ERR_RANGE, "section name %s is too long for its %d bytes",
                        p->crypto_section, NAME_SLOT_SIZE);
    memcpy(slot, p->crypto_section, length);
    hostfile_edit_put(e, j->slot->name_slot, slot, sizeof slot);
    return DPK_OK;
}

static enum dpk_status fill_added(struct signing *s, struct dpk_edited *e, const struct job *j,
                                  struct dpk_error *err)
{
    struct tail *t = NULL;
    const struct section *taken = NULL;
    const struct dpk_program *p = j->program;
    bool named = p->placement == DPK_PLACEMENT_NAMED;
    unsigned alignment = named ? 1 : DPK_CRYPTO_ALIGNMENT;
    enum dpk_status status = hostfile_edit_tail(e, j->slot->object, &t, err);
    if (status == DPK_OK && named)
        status = fill_name_slot(e, j, err);
    if (status != DPK_OK)
        return status;
    if (j->slot->has_home) {
        replace_section(s, e, t, j, alignment);
        return DPK_OK;
    }
    status = hostfile_object_find(t->object, p->crypto_section, &taken, err);
    if (status == DPK_OK && taken)
        status = dpk_fail(err, DPK_ERR_EXISTS, "there is a section %s already", taken->name);
    if (status == DPK_OK)
        hostfile_tail_add_section(t, p->crypto_section,
                                  wanted_type(s, named ? SHT_PROGBITS : SHT_CRYPTODATA), alignment,
                                  j->crypto[0].data, j->crypto[0].size);
    return status;
}

static int by_home(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Refuses name slots that name the same section: one program's crypto data would overwrite the
 * other's. */
static enum dpk_status check_homes(const struct dpk_hostfile *host, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    size_t n = 0;
    uint64_t *homes = calloc(host->program_count + 1, sizeof *homes);
    if (!homes)
        return dpk_fail_nomem(err);
    for (size_t i = 0; i < host->program_count; i++)
        if (host->slots[i].has_home)
            homes[n++] = host->slots[i].home.header;
    qsort(homes, n, sizeof *homes, by_home);
    for (size_t i = 1; i < n && status == DPK_OK; i++)
        if (homes[i - 1] == homes[i])
            status = dpk_fail(err, DPK_ERR_FORMAT, "two programs share a section for crypto data");
    free(homes);
    return status;
}

/* Adds sections first, because a new end takes over the section headers. */
static enum dpk_status place_all(struct signing *s, struct dpk_edited *e, struct dpk_error *err)
{
    enum dpk_status status = check_homes(s->host, err);
    for (int reserved = 0; reserved <= 1; reserved++)
        for (size_t i = 0; i < s->count && status == DPK_OK; i++) {
            const struct job *j = &s->jobs[i];
            if ((j->program->placement == DPK_PLACEMENT_RESERVED) != reserved)
                continue;
            status = reserved ? fill_reserved(s, e, j, err) : fill_added(s, e, j, err);
        }
    return status == DPK_OK ? hostfile_edit_finish(e, err) : status;
}

/* ---- The whole file ---- */

static enum dpk_status plan(struct signing *s, struct dpk_error *err)
{
    const struct dpk_hostfile_options *o = s->options;
    bool *wanted = NULL;
    enum dpk_status status = hostfile_select_programs(s->host, o->apps, o->app_count, &wanted, err);
    if (status != DPK_OK)
        return status;
    s->jobs = calloc(s->host->program_count, sizeof *s->jobs);
    for (size_t i = 0; s->jobs && i < s->host->program_count; i++)
        if (wanted[i])
            s->jobs[s->count++] =
                (struct job){.program = &s->host->programs[i], .slot = &s->host->slots[i]};
    free(wanted);
    return s->jobs ? DPK_OK : dpk_fail_nomem(err);
}

enum dpk_status dpk_hostfile_signed(const struct dpk_hostfile *host,
                                    const struct dpk_certchain *chain,
                                    const struct dpk_signer *signer,
                                    const struct dpk_hostfile_options *options,
                                    struct dpk_edited **out, struct dpk_error *err)
{
    struct signing s = {.host = host, .chain = chain, .signer = signer, .options = options};
    struct dpk_edited *e = NULL;
    *out = NULL;
    enum dpk_status status = plan(&s, err);
    if (status != DPK_OK)
        return status;
    pthread_mutex_init(&s.one, NULL);
    status = dpk_sign_check_with(chain, signer, &options->crypto, err);
    if (status != DPK_OK)
        goto out;
    status = make_all(&s, err);
    if (status == DPK_OK)
        status = hostfile_edit_open(host, &e, err);
    if (status == DPK_OK)
        status = place_all(&s, e, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", host->name);
    if (status == DPK_OK) {
        *out = e;
        e = NULL;
    }
out:
    dpk_edited_free(e);
    pthread_mutex_destroy(&s.one);
    for (size_t i = 0; i < s.count; i++)
        for (size_t k = 0; k < DPK_FAT_MAX; k++)
            dpk_buf_free(&s.jobs[i].crypto[k]);
    free(s.jobs);
    return status;
}

enum dpk_status dpk_hostfile_sign(const struct dpk_hostfile *host,
                                  const struct dpk_certchain *chain,
                                  const struct dpk_signer *signer,
                                  const struct dpk_hostfile_options *options, struct dpk_buf *out,
                                  struct dpk_error *err)
{
    struct dpk_edited *e = NULL;
    size_t count = 0;
    enum dpk_status status = dpk_hostfile_signed(host, chain, signer, options, &e, err);
    if (status != DPK_OK)
        return status;
    const struct dpk_piece *pieces = dpk_edited_pieces(e, &count);
    for (size_t i = 0; i < count; i++)
        dpk_put(out, pieces[i].data, pieces[i].size);
    dpk_edited_free(e);
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

/* ---- Bytes to sign ---- */

static enum dpk_status show_one(void *context, size_t index, const struct dpk_subject *subject,
                                struct dpk_error *err)
{
    const struct dpk_hostfile_options *o = context;
    struct dpk_subject mine = *subject;
    struct dpk_buf b = {0};
    (void)index;
    mine.threads = o->threads;
    enum dpk_status status = dpk_crypto_tbs(&mine, &o->crypto, &b, err);
    const struct dpk_tbs tbs = {mine.name, mine.target[0] ? mine.target : NULL, b.data, b.size};
    if (status == DPK_OK)
        status = o->crypto.proof(o->crypto.proof_context, &tbs, NULL, err);
    dpk_buf_free(&b);
    return status;
}

enum dpk_status dpk_hostfile_tbs(const struct dpk_hostfile *host,
                                 const struct dpk_hostfile_options *options, struct dpk_error *err)
{
    bool *wanted = NULL;
    enum dpk_status status =
        hostfile_select_programs(host, options->apps, options->app_count, &wanted, err);
    for (size_t i = 0; i < host->program_count && status == DPK_OK; i++) {
        if (!wanted[i])
            continue;
        status = for_each_subject(&host->programs[i], show_one, (void *)options, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "%s: program %s", host->name, host->programs[i].name);
    }
    free(wanted);
    return status;
}
