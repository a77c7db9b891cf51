/* DOCA Telemetry DPA: lists of processes, threads, counters and samples. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

/* ---- Elements ---- */

/* A list to fill. */
struct filling {
    enum telemetry_list kind;
    uint8_t *to;         /* NULL: only count the elements */
    size_t count, most;  /* elements */
    uint32_t process_id; /* the requested process */
    uint32_t thread_id;
};

static const size_t element_size[LISTS] = {sizeof(doca_telemetry_dpa_process_info_t),
                                           sizeof(doca_telemetry_dpa_thread_info_t),
                                           sizeof(doca_telemetry_dpa_cumul_info_t)};

static void copy_name(char *to, size_t size, const char *from)
{
    memset(to, 0, size);
    memcpy(to, from, strnlen(from, size - 1));
}

static void put_element(const struct filling *f, void *to, const struct dpk_live_process *p,
                        const struct dpk_live_thread *t)
{
    doca_telemetry_dpa_process_info_t *process = to;
    doca_telemetry_dpa_thread_info_t *thread = to;
    switch (f->kind) {
    case LIST_PROCESSES:
        process->dpa_process_id = p->number;
        process->num_of_threads = (uint32_t)p->thread_count;
        copy_name(process->process_name, sizeof process->process_name, p->name);
        break;
    case LIST_THREADS:
        thread->dpa_process_id = p->number;
        thread->dpa_thread_id = thread_id(p->number, t->number);
        copy_name(thread->thread_name, sizeof thread->thread_name, t->name);
        break;
    default:
        *(doca_telemetry_dpa_cumul_info_t *)to =
            (doca_telemetry_dpa_cumul_info_t){.dpa_process_id = p->number,
                                              .dpa_thread_id = thread_id(p->number, t->number),
                                              .time = t->ns,
                                              .cycles = t->instructions,
                                              .instructions = t->instructions,
                                              .num_executions = t->executions};
    }
}

static void add(struct filling *f, const struct dpk_live_process *p,
                const struct dpk_live_thread *t)
{
    if (f->count == f->most)
        return;
    if (f->to)
        put_element(f, f->to + f->count * element_size[f->kind], p, t);
    f->count++;
}

static void add_process(struct filling *f, const struct dpk_live_process *p)
{
    if (!is_asked(f->process_id, ALL_IDS, p->number, 0))
        return;
    if (f->kind == LIST_PROCESSES) {
        add(f, p, NULL);
        return;
    }
    for (size_t i = 0; i < p->thread_count; i++)
        if (is_asked(f->process_id, f->thread_id, p->number,
                     thread_id(p->number, p->threads[i].number)))
            add(f, p, &p->threads[i]);
}

static doca_error_t one_thread_of_all(void)
{
    return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "one thread of all processes was asked for");
}

static doca_error_t fill(const struct telemetry *t, struct filling *f)
{
    struct dpk_live_seen seen;
    struct dpk_error err = {0};
    if (f->process_id == ALL_IDS && f->thread_id != ALL_IDS)
        return one_thread_of_all();
    if (dpk_live_look(t->directory, true, &seen, &err) != DPK_OK)
        return dpk_doca_error_of(&err);
    for (size_t i = 0; i < seen.count; i++)
        add_process(f, &seen.processes[i]);
    dpk_live_seen_free(&seen);
    return DOCA_SUCCESS;
}

/* ---- Sizes ---- */

/* Sets *size to twice the present number, and some more: others may start before the list is
 * read. */
static doca_error_t get_size(struct doca_telemetry_dpa *dpa, enum telemetry_list kind,
                             uint32_t process_id, uint32_t thread, uint32_t *size)
{
    struct telemetry *t = size ? dpk_object_lock(dpa, &telemetry_kind) : NULL;
    struct filling f = {
        .kind = kind, .most = SIZE_MAX, .process_id = process_id, .thread_id = thread};
    const doca_error_t result = t ? fill(t, &f) : DOCA_ERROR_INVALID_VALUE;
    if (t && result == DOCA_SUCCESS) {
        t->room[kind] = 2 * f.count + 64;
        *size = (uint32_t)(t->room[kind] * element_size[kind]);
    }
    return dpk_object_unlock(t, result);
}

doca_error_t doca_telemetry_dpa_get_process_list_size(struct doca_telemetry_dpa *dpa,
                                                      uint32_t process_id, uint32_t *size)
{
    return dpk_doca_end(dpa, __func__, get_size(dpa, LIST_PROCESSES, process_id, ALL_IDS, size));
}

doca_error_t doca_telemetry_dpa_get_thread_list_size(struct doca_telemetry_dpa *dpa,
                                                     uint32_t process_id, uint32_t thread_id,
                                                     uint32_t *size)
{
    return dpk_doca_end(dpa, __func__, get_size(dpa, LIST_THREADS, process_id, thread_id, size));
}

doca_error_t doca_telemetry_dpa_get_cumul_samples_size(struct doca_telemetry_dpa *dpa,
                                                       uint32_t process_id, uint32_t thread_id,
                                                       uint32_t *size)
{
    return dpk_doca_end(dpa, __func__, get_size(dpa, LIST_CUMUL, process_id, thread_id, size));
}

doca_error_t doca_telemetry_dpa_get_perf_event_samples_size(struct doca_telemetry_dpa *dpa,
                                                            uint32_t *size)
{
    struct telemetry *t = size ? dpk_object_lock(dpa, &telemetry_kind) : NULL;
    if (t)
        *size = (uint32_t)(t->samples_max * sizeof(doca_telemetry_dpa_event_sample_t));
    return dpk_doca_end(dpa, __func__, dpk_object_unlock(t, DOCA_SUCCESS));
}

/* ---- Lists ---- */

static doca_error_t read_list(struct doca_telemetry_dpa *dpa, enum telemetry_list kind,
                              uint32_t process_id, uint32_t thread, uint32_t *count, void *list)
{
    struct telemetry *t = count && list ? dpk_object_lock(dpa, &telemetry_kind) : NULL;
    if (t && !t->started)
        return dpk_object_unlock(t, telemetry_not_started());
    struct filling f = {.kind = kind,
                        .to = list,
                        .most = t ? t->room[kind] : 0,
                        .process_id = process_id,
                        .thread_id = thread};
    doca_error_t result = t ? fill(t, &f) : DOCA_ERROR_INVALID_VALUE;
    if (t && result == DOCA_SUCCESS) {
        *count = (uint32_t)f.count;
        result = f.count > 0 ? DOCA_SUCCESS
                             : dpk_doca_because(DOCA_ERROR_NOT_FOUND,
                                                "nothing of these numbers runs on the device");
    }
    return dpk_object_unlock(t, result);
}

doca_error_t doca_telemetry_dpa_read_processes_list(struct doca_telemetry_dpa *dpa,
                                                    uint32_t process_id, uint32_t *count,
                                                    doca_telemetry_dpa_process_info_t *list)
{
    return dpk_doca_end(dpa, __func__,
                        read_list(dpa, LIST_PROCESSES, process_id, ALL_IDS, count, list));
}

doca_error_t doca_telemetry_dpa_read_thread_list(struct doca_telemetry_dpa *dpa,
                                                 uint32_t process_id, uint32_t thread_id,
                                                 uint32_t *count,
                                                 doca_telemetry_dpa_thread_info_t *list)
{
    return dpk_doca_end(dpa, __func__,
                        read_list(dpa, LIST_THREADS, process_id, thread_id, count, list));
}

doca_error_t doca_telemetry_dpa_read_cumul_info_list(struct doca_telemetry_dpa *dpa,
                                                     uint32_t process_id, uint32_t thread_id,
                                                     uint32_t *count,
                                                     doca_telemetry_dpa_cumul_info_t *list)
{
    return dpk_doca_end(dpa, __func__,
                        read_list(dpa, LIST_CUMUL, process_id, thread_id, count, list));
}

/* ---- Samples ---- */

static void put_sample(doca_telemetry_dpa_event_sample_t *to, const struct dpk_live_sample *s)
{
    *to = (doca_telemetry_dpa_event_sample_t){
        .timestamp = s->ns / 1000,
        .cycles = s->instructions,
        .instructions = (uint32_t)s->instructions,
        .dpa_thread_id = thread_id(s->process, s->thread),
        .eu_id = (uint16_t)s->unit,
        .sample_id_in_eu = s->turn,
        .type = s->in ? DOCA_TELEMETRY_DPA_EVENT_SAMPLE_TYPE_SCHEDULE_IN
                      : DOCA_TELEMETRY_DPA_EVENT_SAMPLE_TYPE_SCHEDULE_OUT};
}

static int compare_times(const void *a, const void *b)
{
    const struct dpk_live_sample *x = a, *y = b;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

/* Gets samples of all requested processes, sorted by time; free(*out). */
static doca_error_t gather(const struct telemetry *t, uint32_t process_id,
                           struct dpk_live_sample **out, size_t *count)
{
    struct dpk_live_seen seen;
    struct dpk_error err = {0};
    *count = 0;
    if (dpk_live_look(t->directory, false, &seen, &err) != DPK_OK)
        return dpk_doca_error_of(&err);
    *out = calloc(seen.count * DPK_LIVE_SAMPLES + 1, sizeof **out);
    for (size_t i = 0; *out && i < seen.count; i++) {
        size_t more = 0;
        if (!is_asked(process_id, ALL_IDS, seen.processes[i].number, 0))
            continue;
        /* A process that has ended meanwhile has no samples. */
        (void)dpk_live_read_samples(t->directory, seen.processes[i].number, *out + *count,
                                    DPK_LIVE_SAMPLES, &more, NULL);
        *count += more;
    }
    dpk_live_seen_free(&seen);
    if (!*out)
        return DOCA_ERROR_NO_MEMORY;
    qsort(*out, *count, sizeof **out, compare_times);
    return DOCA_SUCCESS;
}

/* Keeps only samples of the requested threads, and of these only the last `most`. */
static size_t choose(struct dpk_live_sample *all, size_t count, uint32_t thread, size_t most)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (thread == ALL_IDS || thread == thread_id(all[i].process, all[i].thread))
            all[kept++] = all[i];
    if (kept <= most)
        return kept;
    memmove(all, all + (kept - most), most * sizeof *all);
    return most;
}

doca_error_t doca_telemetry_dpa_read_perf_event_list(struct doca_telemetry_dpa *dpa,
                                                     uint32_t process_id, uint32_t thread_id,
                                                     uint32_t *count,
                                                     doca_telemetry_dpa_event_sample_t *list)
{
    struct telemetry *t = count && list ? dpk_object_lock(dpa, &telemetry_kind) : NULL;
    struct dpk_live_sample *all = NULL;
    size_t n;
    if (!t || (process_id == ALL_IDS && thread_id != ALL_IDS))
        return dpk_doca_end(dpa, __func__,
                            dpk_object_unlock(t, t ? one_thread_of_all() : DOCA_SUCCESS));
    if (!t->started)
        return dpk_doca_end(dpa, __func__, dpk_object_unlock(t, telemetry_not_started()));
    doca_error_t result = gather(t, process_id, &all, &n);
    if (result == DOCA_SUCCESS) {
        n = choose(all, n, thread_id, t->samples_max);
        for (size_t i = 0; i < n; i++)
            put_sample(&list[i], &all[i]);
        *count = (uint32_t)n;
        result = n > 0 ? DOCA_SUCCESS
                       : dpk_doca_because(DOCA_ERROR_NOT_FOUND, "no samples of these numbers");
    }
    free(all);
    return dpk_doca_end(dpa, __func__, dpk_object_unlock(t, result));
}
