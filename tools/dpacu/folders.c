/* What build systems ask nvcc about itself. CMake reads the variables of nvcc -v, and finds in the
 * command that links the compiler and the libraries with which it links CUDA programs itself. */
#include "config.h"

#include <stdlib.h>

void dpacu_folders_list(bool code)
{
    static const unsigned numbers[] = {50, 52, 53, 60, 61, 62,  70,  72,  75,
                                       80, 86, 87, 89, 90, 100, 101, 103, 120};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        printf("%s_%u\n", code ? "sm" : "compute", numbers[i]);
}

static void print(const char *name, const char *option, const char *root, const char *below)
{
    struct words words = {0};
    struct dpk_buf text = {0};
    dpk_words_addf(&words, "%s%s/lib/dpakit/cuda%s", option, root, below);
    dpk_words_quote(&words, &text);
    dpk_put_u8(&text, 0);
    if (!words.failed && !text.failed)
        printf("#$ %s=%s\n", name, *option ? (const char *)text.data : words.at[0]);
    dpk_words_free(&words);
    dpk_buf_free(&text);
}

void dpacu_folders_print(const struct config *c)
{
    const char *path = getenv("PATH");
    print("TOP", "", c->root, "");
    printf("#$ PATH=%s\n", path ? path : "");
    print("NVVMIR_LIBRARY_DIR", "", c->root, "/nvvm/libdevice");
    print("INCLUDES", "-I", c->root, "/include");
    print("LIBRARIES", "-L", c->root, "/lib64");
    printf("#$ ARCHITECTURE=-arch compute_%u\n", c->compute / 10);
    fflush(stdout);
}
