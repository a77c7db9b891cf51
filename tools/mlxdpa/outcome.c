/* Makes outcomes, and prints them as text or JSON. */
#include "outcome.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "facts.h"

/* Numbers of verdicts are below those of policy reasons, which are exit codes. */
static int exit_code_of(int code)
{
    return code <= DPK_VERDICT_NOT_LOADED ? dpk_verdict_exit_code((enum dpk_verdict)code) : code;
}

struct outcome mlxdpa_outcome_start(const char *kind, const char *file)
{
    return (struct outcome){.kind = kind,
                            .file = file,
                            .verdict = "BAD_FORMAT",
                            .code = DPK_VERDICT_BAD_FORMAT,
                            .exit_code = exit_code_of(DPK_VERDICT_BAD_FORMAT)};
}

static struct outcome_check *next_check(struct outcome *o, const char *name, const char *verdict,
                                        const char *format, va_list args)
{
    size_t last = sizeof o->checks / sizeof *o->checks - 1;
    struct outcome_check *c = &o->checks[o->count < last ? o->count++ : last];
    *c = (struct outcome_check){.name = name, .verdict = verdict};
    vsnprintf(c->detail, sizeof c->detail, format, args);
    dpk_text_clean(c->detail);
    return c;
}

void mlxdpa_outcome_note(struct outcome *o, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    next_check(o, name, "OK", format, args);
    va_end(args);
}

void mlxdpa_outcome_refuse(struct outcome *o, const char *name, const char *verdict, int code,
                           const char *format, ...)
{
    va_list args;
    va_start(args, format);
    next_check(o, name, verdict, format, args);
    va_end(args);
    o->verdict = verdict;
    o->code = code;
    o->exit_code = exit_code_of(code);
}

void mlxdpa_outcome_accept(struct outcome *o)
{
    o->verdict = "OK";
    o->code = DPK_VERDICT_OK;
}

void mlxdpa_outcome_uncovered(struct outcome *o, const char *what)
{
    if (o->uncovered_count < sizeof o->uncovered / sizeof *o->uncovered)
        o->uncovered[o->uncovered_count++] = what;
}

void mlxdpa_outcome_report(struct outcome *o, enum dpk_verdict verdict,
                           const struct dpk_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct dpk_check *c = &report->checks[i];
        if (c->verdict != DPK_VERDICT_OK)
            mlxdpa_outcome_refuse(o, c->name, dpk_verdict_name(c->verdict), (int)c->verdict, "%s",
                                  c->detail);
        else
            mlxdpa_outcome_note(o, c->name, "%s", c->detail);
        o->checks[o->count - 1].warning = c->warning;
        o->checks[o->count - 1].changed = c->changed;
    }
    o->verdict = dpk_verdict_name(verdict);
    o->code = (int)verdict;
    o->exit_code = exit_code_of(o->code);
}

/* ---- Printing ---- */

const char *mlxdpa_outcome_words(bool changed, const char *detail, char *out, size_t size)
{
    const char *what = strcmp(detail, "whole ELF") == 0 ? "the program" : detail;
    snprintf(out, size, changed ? "WRONG: %s was changed after signing" : "%s", what);
    return out;
}

#define TITLE_MAX (PATH_MAX + 300)

/* The heading of an outcome: "two", "two (bf3)", or the kind of the file; after "FILE: " where there
 * are several files. */
static const char *title(const struct tally *t, const struct outcome *o, char out[TITLE_MAX])
{
    snprintf(out, TITLE_MAX, "%.*s%s%.256s%s%s%s", t->with_paths ? PATH_MAX : 0, o->file,
             t->with_paths ? ": " : "", o->name ? o->name : o->kind, o->target ? " (" : "",
             o->target ? o->target : "", o->target ? ")" : "");
    return dpk_text_clean_in(out, TITLE_MAX);
}

static void print(const struct tally *t, const struct outcome *o)
{
    char text[TITLE_MAX];
    printf("%s:\n", title(t, o, text));
    if (o->facts)
        mlxdpa_tree_print(o->facts, 1);
    for (size_t i = 0; i < o->count; i++) {
        const struct outcome_check *c = &o->checks[i];
        bool passed = strcmp(c->verdict, "OK") == 0;
        char words[600];
        printf("%s  %-15s %-8s %s%s\n", passed ? "" : dpk_red(stdout), c->name,
               !passed      ? "refused"
               : c->warning ? "warning"
                            : "OK",
               mlxdpa_outcome_words(c->changed, c->detail, words, sizeof words),
               passed ? "" : dpk_red_end(stdout));
    }
    for (size_t i = 0; i < o->uncovered_count && !o->code; i++)
        printf("  not covered by the signature: %s\n", o->uncovered[i]);
    if (o->code)
        printf("%s  => refused, %s (%d)%s\n", dpk_red(stdout), o->verdict, o->code,
               dpk_red_end(stdout));
    else
        printf("  => verified\n");
}

static cJSON *json_of(const struct outcome *o)
{
    char text[300];
    cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "kind", o->kind);
    dpk_json_text(out, "file", o->file);
    if (o->name)
        cJSON_AddStringToObject(out, "name", mlxdpa_clean(o->name, text, sizeof text));
    if (o->target)
        cJSON_AddStringToObject(out, "target", o->target);
    cJSON_AddStringToObject(out, "verdict", o->verdict);
    cJSON_AddNumberToObject(out, "code", o->code);
    for (cJSON *fact; o->facts && (fact = o->facts->child);) {
        cJSON_DetachItemViaPointer(o->facts, fact);
        cJSON_AddItemToObject(out, fact->string, fact);
    }
    cJSON *checks = cJSON_AddArrayToObject(out, "checks");
    for (size_t i = 0; i < o->count; i++) {
        const struct outcome_check *c = &o->checks[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", c->name);
        cJSON_AddStringToObject(item, "verdict", c->verdict);
        cJSON_AddBoolToObject(item, "warning", c->warning);
        cJSON_AddStringToObject(item, "detail", c->detail);
        if (!cJSON_AddItemToArray(checks, item))
            cJSON_Delete(item);
    }
    cJSON *uncovered = cJSON_AddArrayToObject(out, "not_covered");
    for (size_t i = 0; i < o->uncovered_count && !o->code; i++) {
        cJSON *item = cJSON_CreateString(o->uncovered[i]);
        if (!cJSON_AddItemToArray(uncovered, item))
            cJSON_Delete(item);
    }
    return out;
}

enum dpk_status mlxdpa_tally_add(struct tally *t, struct outcome *o, struct dpk_error *err)
{
    char text[TITLE_MAX];
    cJSON *item = t->json ? json_of(o) : NULL;
    t->count++;
    if (o->code && t->refused++ == 0) {
        const struct outcome_check *c = o->count ? &o->checks[o->count - 1] : NULL;
        t->first_exit_code = o->exit_code;
        snprintf(t->first, sizeof t->first, "%.480s: %s (%s)", title(t, o, text), o->verdict,
                 c ? c->detail : "");
    }
    if (!t->json)
        print(t, o);
    cJSON_Delete(o->facts);
    o->facts = NULL;
    if (!t->json || cJSON_AddItemToArray(t->json, item))
        return DPK_OK;
    cJSON_Delete(item);
    return dpk_fail_nomem(err);
}
