#include "sanitize.h"

#include "guest/abi/dpa_abi.h"

#include <string.h>

enum { ADDRESS, THREAD, KINDS };
static const char *const names[KINDS] = {"address", "thread"};

struct asked {
    bool on[KINDS];
    bool recovers; /* address: the program continues after an error */
};

/* Takes the kinds that dpakit implements out of a list, and leaves the others in `rest`. Returns
 * true if there was one. If `all` is set, "all" also sets these kinds to `on`. */
static bool take(const char *list, bool on, bool all, bool flags[KINDS], struct dpk_buf *rest)
{
    bool found = false;
    while (*list) {
        const size_t size = strcspn(list, ",");
        bool ours = false;
        for (int k = 0; k < KINDS; k++) {
            const bool is = strlen(names[k]) == size && strncmp(list, names[k], size) == 0;
            if (is || (all && size == 3 && strncmp(list, "all", 3) == 0))
                flags[k] = on;
            ours |= is;
        }
        if (!ours)
            dpk_put_format(rest, "%s%.*s", rest->size ? "," : "", (int)size, list);
        found |= ours;
        list += size + (list[size] == ',');
    }
    return found;
}

/* Copies a word without the kinds that dpakit implements. */
static void edit_word(const char *word, struct asked *asked, struct words *out)
{
    static const struct {
        const char *begin;
        bool recover, on, all;
    } options[] = {{"-fsanitize=", false, true, false},
                   {"-fno-sanitize=", false, false, true},
                   {"-fsanitize-recover=", true, true, true},
                   {"-fno-sanitize-recover=", true, false, true}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const size_t length = strlen(options[i].begin);
        if (strncmp(word, options[i].begin, length) != 0)
            continue;
        struct dpk_buf rest = {0};
        bool recovers[KINDS] = {asked->recovers};
        const bool found = take(word + length, options[i].on, options[i].all,
                                options[i].recover ? recovers : asked->on, &rest);
        asked->recovers = recovers[ADDRESS];
        if (rest.size)
            dpk_words_addf(out, "%s%.*s", options[i].begin, (int)rest.size,
                           (const char *)rest.data);
        else if (!found)
            dpk_words_add(out, word);
        out->failed |= rest.failed;
        dpk_buf_free(&rest);
        return;
    }
    dpk_words_add(out, word);
}

/* Adds a word for cc1. */
static void add_compiler(struct words *out, const char *word)
{
    dpk_words_add(out, "-Xclang");
    dpk_words_add(out, word);
}

/* Adds a word for LLVM. */
static void add_llvm(struct words *out, const char *word)
{
    dpk_words_add(out, "-mllvm");
    dpk_words_add(out, word);
}

static void add_address(const struct asked *asked, struct words *out)
{
    add_compiler(out, "-fsanitize=address");
    if (asked->recovers)
        add_compiler(out, "-fsanitize-recover=address");
    add_compiler(out, "-fsanitize-address-use-after-scope");
    add_compiler(out, "-fsanitize-address-use-after-return=never");
    /* Each global variable gets its own descriptor in section asan_globals. */
    add_compiler(out, "-fsanitize-address-globals-dead-stripping");
    dpk_words_add(out, "-fdata-sections");
    add_llvm(out, "-asan-instrumentation-with-call-threshold=0");
    dpk_words_add(out, "-mllvm");
    dpk_words_addf(out, "-asan-mapping-offset=%#x", DPA_SHADOW_BASE);
}

static void add_thread(struct words *out)
{
    add_compiler(out, "-fsanitize=thread");
    add_llvm(out, "-tsan-instrument-func-entry-exit=0"); /* the engine finds callers by CFI */
    add_llvm(out, "-tsan-distinguish-volatile");
}

enum dpk_status dpacc_sanitize_edit(struct words *words, const char *root, struct dpk_error *err)
{
    struct asked asked = {0};
    struct words out = {0};
    for (size_t i = 0; i < words->count; i++)
        edit_word(words->at[i], &asked, &out);
    if (asked.on[ADDRESS] && asked.on[THREAD]) {
        dpk_words_free(&out);
        return dpk_fail(err, DPK_ERR_USAGE,
                        "-fsanitize=address and -fsanitize=thread cannot be used together");
    }
    if (asked.on[ADDRESS])
        add_address(&asked, &out);
    if (asked.on[THREAD])
        add_thread(&out);
    if (asked.on[ADDRESS] || asked.on[THREAD]) {
        dpk_words_add(&out, "-include");
        dpk_words_addf(&out, "%s/share/dpakit/sanitize.h", root);
        /* A call that is merged from several places would have no line. */
        add_llvm(&out, "-enable-tail-merge=0");
    }
    if (out.failed) {
        dpk_words_free(&out);
        return dpk_fail_nomem(err);
    }
    dpk_words_free(words);
    *words = out;
    return DPK_OK;
}
