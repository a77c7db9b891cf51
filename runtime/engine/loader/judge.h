/* judge: code common to loading a program and to asking about it, for the files of the loader. */
#ifndef DPK_ENGINE_LOADER_JUDGE_H
#define DPK_ENGINE_LOADER_JUDGE_H

#include "engine/loader/image.h"

/* The bytes that must not change between verification and execution. */
struct private_copy {
    uint8_t *parts[4]; /* allocated bytes of `sections`; parts[0] is the device ELF */
    struct dpk_sections sections;
    struct dpk_subject subject; /* describes parts[0], for verification and for the image */
};

/* Copies the sections. Release with loader_judge_free, also on failure. */
enum dpk_status loader_judge_copy(const struct dpk_sections *from, struct private_copy *copy,
                                  struct dpk_error *err);
void loader_judge_free(struct private_copy *copy);

/* Chooses the target, verifies by the terms and `rules`, and fills the image; with `locked`, only
 * if the verdict is OK. `found` gets target, verdict and report. */
enum dpk_status loader_judge_program(const struct dpk_load_terms *terms, bool locked,
                                     const struct dpk_path_rules *rules, struct private_copy *copy,
                                     struct dpk_image *image, struct dpk_load_result *found,
                                     struct dpk_error *err);

#endif
