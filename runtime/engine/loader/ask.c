/* Asks a device about a program in a host file. */
#include <string.h>

#include "engine/loader/loader.h"
#include "hostfile/hostfile.h"

enum dpk_status dpk_load_ask_program(const struct dpk_load_terms *terms,
                                     const struct dpk_program *program,
                                     const struct dpk_path_rules *rules, struct dpk_result *out,
                                     struct dpk_error *err)
{
    struct dpk_load_result found;
    *out = (struct dpk_result){
        .program = program, .subject = program->subjects, .verdict = DPK_VERDICT_UNSIGNED};
    if (program->not_mapped[0]) { /* the sections do not contain the program that runs; its fault
                                   * says so */
        out->verdict = dpk_verify(out->subject, NULL, &out->report);
        return DPK_OK;
    }
    enum dpk_status status = dpk_load_ask(terms, &program->sections, rules, &found, err);
    if (status != DPK_OK)
        return status;
    out->verdict = found.verdict;
    out->report = found.report;
    for (size_t i = 0; i < program->subject_count; i++)
        if (strcmp(program->subjects[i].target, found.target) == 0)
            out->subject = &program->subjects[i];
    return DPK_OK;
}
