/* Log lines of programs, and their command lines. */
#include <doca_argp.h>
#include <stdarg.h>
#include <syslog.h>
#include <unistd.h>

#include "doca3_world.h"

DOCA_LOG_REGISTER(DOCA3::PROGRAM);

/* ---- Logs ---- */

/* These take the place of the C library's; a library built with FORTIFY calls the second. */
static char syslog_line[256];
static int syslog_priority;
static void keep_line(int priority, const char *format, va_list ap)
{
    vsnprintf(syslog_line, sizeof syslog_line, format, ap);
    syslog_priority = priority;
}
void syslog(int priority, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    keep_line(priority, format, ap);
    va_end(ap);
}
void __syslog_chk(int priority, int flag, const char *format, ...);
void __syslog_chk(int priority, int flag, const char *format, ...)
{
    (void)flag;
    va_list ap;
    va_start(ap, format);
    keep_line(priority, format, ap);
    va_end(ap);
}

static char flushed[8192];
static void on_flush(char *buffer)
{
    CHECK(strlen(flushed) + strlen(buffer) < sizeof flushed);
    strcat(flushed, buffer);
}

static unsigned lines_in(const char *text)
{
    unsigned n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void lines_reach_descriptors_buffers_and_syslog(void)
{
    static char small[200];
    char out[4096] = "", expected[32], longest[300] = "";
    int ends[2];
    struct doca_log_backend *fd = NULL, *buffer = NULL, *sys = NULL;
    CHECK(pipe(ends) == 0 && doca_log_backend_create_with_fd(ends[1], &fd) == OK);
    CHECK(doca_log_backend_create_with_buf(small, sizeof small, on_flush, &buffer) == OK);
    CHECK(doca_log_backend_create_with_syslog("me", &sys) == OK);
    for (int i = 0; i < 20; i++)
        DOCA_LOG_INFO("line %d", i);
    CHECK(read(ends[0], out, sizeof out - 1) > 0 && lines_in(out) == 20);
    strcat(flushed, small); /* what was not handed over yet */
    CHECK(lines_in(flushed) == 20);
    const char *in_fd = out, *in_buffer = flushed;
    for (int i = 0; i < 20; i++) {
        snprintf(expected, sizeof expected, "] line %d\n", i);
        CHECK((in_fd = strstr(in_fd, expected)) && (in_buffer = strstr(in_buffer, expected)));
    }
    CHECK(strstr(syslog_line, "me: ") == syslog_line && strstr(syslog_line, "line 19"));
    CHECK(syslog_priority == (LOG_USER | LOG_INFO));
    memset(longest, 'x', sizeof longest - 1);
    DOCA_LOG_ERR("%s", longest); /* cut in the buffer */
    CHECK(strlen(small) == sizeof small - 1 && syslog_priority == (LOG_USER | LOG_ERR));
    close(ends[0]);
    close(ends[1]);
}

/* Reads what a pipe has by now; `say` wrote to it. */
static const char *said(int from, char *out, size_t size)
{
    DOCA_LOG_CRIT("c");
    DOCA_LOG_WARN("w");
    DOCA_LOG_INFO("i");
    DOCA_LOG_DBG("d");
    DOCA_LOG_TRC("t");
    ssize_t n = read(from, out, size - 1);
    CHECK(n > 0);
    out[n] = '\0';
    char *to = out; /* the last letter of each line */
    for (char *c = out; *c; c++)
        if (c[1] == '\n')
            *to++ = *c;
    *to = '\0';
    return out;
}

static void backends_have_limits_of_their_own(void)
{
    char out[4096];
    int ends[2];
    struct doca_log_backend *b = NULL;
    CHECK(pipe(ends) == 0 && doca_log_backend_create_with_fd(ends[1], &b) == OK);
    CHECK(strcmp(said(ends[0], out, sizeof out), "cwi") == 0);
    CHECK(doca_log_backend_set_level_lower_limit(b, DOCA_LOG_LEVEL_TRACE) == OK);
    CHECK(strcmp(said(ends[0], out, sizeof out), "cwidt") == 0);
    CHECK(doca_log_backend_set_level_upper_limit(b, DOCA_LOG_LEVEL_WARNING) == OK);
    CHECK(strcmp(said(ends[0], out, sizeof out), "widt") == 0);
    CHECK(doca_log_backend_set_level_lower_limit(b, DOCA_LOG_LEVEL_WARNING) == OK);
    CHECK(strcmp(said(ends[0], out, sizeof out), "wi") == 0); /* the global one lets more through */
    CHECK(doca_log_backend_set_level_lower_limit_strict(b) == OK);
    CHECK(strcmp(said(ends[0], out, sizeof out), "w") == 0);
    CHECK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG) == OK);
    CHECK(strcmp(said(ends[0], out, sizeof out), "w") == 0);
    CHECK(doca_log_backend_set_level_lower_limit(b, DOCA_LOG_LEVEL_INFO) ==
          OK); /* it stays strict */
    CHECK(strcmp(said(ends[0], out, sizeof out), "wi") == 0);
    close(ends[0]);
    close(ends[1]);
}

/* ---- Command lines ---- */

/* What callbacks got: "name=value " for each. */
struct config {
    char got[256];
    doca_error_t verdict;
};

static void add(void *config, const char *name, const char *value)
{
    char *got = ((struct config *)config)->got;
    snprintf(got + strlen(got), 256 - strlen(got), "%s=%s ", name, value);
}
static doca_error_t on_text(void *param, void *config)
{
    add(config, "text", param);
    return strcmp(param, "bad") == 0 ? DOCA_ERROR_TOO_BIG : OK;
}
static doca_error_t on_number(void *param, void *config)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", *(int *)param);
    add(config, "number", digits);
    return OK;
}
static doca_error_t on_flag(void *param, void *config)
{
    add(config, "flag", *(bool *)param ? "true" : "false");
    return OK;
}
static doca_error_t on_object(void *param, void *config)
{
    add(config, "object", param);
    return OK;
}
static doca_error_t on_version(void *param, void *config)
{
    CHECK(!param && config);
    puts("version 1 of the test");
    return OK;
}
static doca_error_t on_all(void *config)
{
    add(config, "all", "");
    return ((struct config *)config)->verdict;
}

static void add_param(const char *short_name, const char *long_name, doca_argp_param_cb_t callback,
                      enum doca_argp_type type, bool several)
{
    struct doca_argp_param *p = NULL;
    CHECK(doca_argp_param_create(&p) == OK);
    doca_argp_param_set_short_name(p, short_name);
    doca_argp_param_set_long_name(p, long_name);
    doca_argp_param_set_description(p, "of the test");
    doca_argp_param_set_callback(p, callback);
    doca_argp_param_set_type(p, type);
    if (several)
        doca_argp_param_set_multiplicity(p);
    CHECK(doca_argp_register_param(p) == OK);
}

/* Parses the words of a line; what the callbacks got is in *config. */
static doca_error_t parse(const char *line, struct config *config)
{
    char words[256], *argv[16] = {(char[]){"program"}}, *rest = NULL;
    int argc = 1;
    config->got[0] = '\0';
    snprintf(words, sizeof words, "%s", line);
    for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
        argv[argc++] = w;
    CHECK(doca_argp_init(NULL, config) == OK);
    add_param("t", "text", on_text, DOCA_ARGP_TYPE_STRING, true);
    add_param("num", "number", on_number, DOCA_ARGP_TYPE_INT, false);
    add_param(NULL, "flag", on_flag, DOCA_ARGP_TYPE_BOOLEAN, false);
    add_param("o", "object", on_object, DOCA_ARGP_TYPE_JSON_OBJ, true);
    CHECK(doca_argp_register_validation_callback(on_all) == OK);
    doca_error_t result = doca_argp_start(argc, argv);
    CHECK(doca_argp_destroy() == OK);
    return result;
}

static void callbacks_get_the_values_of_command_lines(void)
{
    struct config c = {.verdict = OK};
    CHECK(parse("", &c) == OK && strcmp(c.got, "all= ") == 0);
    CHECK(parse("-t one --text two --text=three -num -7 --flag", &c) == OK);
    CHECK(strstr(c.got, "text=one text=two text=three ") && strstr(c.got, "number=-7 "));
    CHECK(strstr(c.got, "flag=true ") && strcmp(c.got + strlen(c.got) - 5, "all= ") == 0);
    CHECK(parse("-num 1 -num 2", &c) == INVALID && parse("--flag=no", &c) == INVALID);
    CHECK(parse("-o {}", &c) == INVALID && parse("--object={}", &c) == INVALID); /* in files only */
    CHECK(parse("-t bad", &c) == DOCA_ERROR_TOO_BIG && !strstr(c.got, "all"));
    c.verdict = DOCA_ERROR_BAD_CONFIG;
    CHECK(parse("-num 3", &c) == DOCA_ERROR_BAD_CONFIG && strcmp(c.got, "number=3 all= ") == 0);
}

/* A sample of DOCA 3.2 has the long name "nic handler"; a shell quotes it. */
static void a_long_name_may_have_two_words(void)
{
    struct config c = {.verdict = OK};
    char *argv[] = {(char[]){"program"}, (char[]){"--two words"}, (char[]){"7"}};
    struct doca_argp_param *p = NULL;
    CHECK(doca_argp_init(NULL, &c) == OK);
    add_param("n", "two words", on_number, DOCA_ARGP_TYPE_INT, false);
    CHECK(doca_argp_param_create(&p) == OK);
    doca_argp_param_set_short_name(p, "m n");
    doca_argp_param_set_description(p, "of the test");
    doca_argp_param_set_callback(p, on_number);
    doca_argp_param_set_type(p, DOCA_ARGP_TYPE_INT);
    CHECK(doca_argp_register_param(p) == DOCA_ERROR_INITIALIZATION);
    CHECK(doca_argp_start(3, argv) == OK && strcmp(c.got, "number=7 ") == 0);
    CHECK(doca_argp_destroy() == OK);
}

static void files_give_every_type(void)
{
    char name[] = "/tmp/doca3_XXXXXX", line[64];
    struct config c = {.verdict = OK};
    int fd = mkstemp(name);
    FILE *f = fdopen(fd, "w");
    CHECK(fd >= 0 && f);
    fputs("{\"doca_program_flags\": {\"text\": [\"a\", \"b\"], \"number\": 5, \"flag\": false}}",
          f);
    CHECK(fclose(f) == 0);
    snprintf(line, sizeof line, "-j %s", name);
    CHECK(parse(line, &c) == OK);
    CHECK(strcmp(c.got, "text=a text=b number=5 flag=false all= ") == 0);
    snprintf(line, sizeof line, "--json %s -num 6", name);
    CHECK(parse(line, &c) == OK && strstr(c.got, "number=6 ") && !strstr(c.got, "number=5"));
    CHECK((f = fopen(name, "w")) != NULL);
    fputs("{\"doca_program_flags\": {\"number\": [1, 2]}}", f); /* it may be given once */
    CHECK(fclose(f) == 0);
    snprintf(line, sizeof line, "-j %s", name);
    CHECK(parse(line, &c) == INVALID && unlink(name) == 0);
}

/* Parses a file with this content. `told` receives the text on stderr. */
static doca_error_t parse_file(const char *content, struct config *config, char told[1024])
{
    char name[] = "/tmp/doca3_XXXXXX", log[] = "/tmp/doca3_XXXXXX", line[64];
    int fd = mkstemp(name), err = mkstemp(log), saved = dup(2);
    CHECK(fd >= 0 && err >= 0 && saved >= 0 && dup2(err, 2) == 2);
    CHECK(write(fd, content, strlen(content)) == (ssize_t)strlen(content) && close(fd) == 0);
    snprintf(line, sizeof line, "-j %s", name);
    doca_error_t result = parse(line, config);
    CHECK(dup2(saved, 2) == 2 && close(saved) == 0);
    ssize_t size = pread(err, told, 1023, 0);
    CHECK(size >= 0 && close(err) == 0 && unlink(name) == 0 && unlink(log) == 0);
    told[size] = '\0';
    return result;
}

static void a_file_of_options_may_have_comments_and_a_comma_after_the_last_value(void)
{
    char told[1024];
    struct config c = {.verdict = OK};
    /* As NVIDIA's applications come with them. */
    CHECK(parse_file("/* a\n * licence, */\n{\n// the, program's }\n\"doca_program_flags\": {\n"
                     "\t\"text\": [\"a,]\", \"b\\\",}\",],\n\t\"number\": 5,\n\t// last\n},\n}\n",
                     &c, told) == OK);
    CHECK(strcmp(c.got, "text=a,] text=b\",} number=5 all= ") == 0);
    CHECK(strstr(told, "line 6: a comma after the last value") && strstr(told, "line 7: a comma"));
    CHECK(strstr(told, "line 9: a comma") && strstr(told, "/tmp/doca3_") &&
          !strstr(told, "line 1:"));
    CHECK(parse_file("{\"doca_program_flags\": {\"number\": 0x7fFfffff , \"text\": \"0x1\"}}", &c,
                     told) == OK);
    CHECK(strcmp(c.got, "number=2147483647 text=0x1 all= ") == 0 && !*told);
    CHECK(parse_file("{\"doca_program_flags\": {\"object\": [{ \"a\" : [1, {}] }, {}]}}", &c,
                     told) == OK);
    CHECK(strcmp(c.got, "object={\"a\":[1,{}]} object={} all= ") == 0);
    CHECK(parse_file("{\"doca_program_flags\": {\"number\": {}}}", &c, told) == INVALID);
    CHECK(parse_file("{\"doca_program_flags\": {\"object\": \"{}\"}}", &c, told) == INVALID);
    /* A key must not occur twice: one of the values would be lost without a message. */
    CHECK(parse_file("{\"doca_program_flags\": {\"number\": 5, \"text\": \"a\", \"number\": 6}}",
                     &c, told) != OK);
    CHECK(strstr(told, "has \"number\" twice: keep one") != NULL);
    CHECK(parse_file("{\"doca_program_flags\": {}, \"doca_program_flags\": {}}", &c, told) != OK);
    CHECK(strstr(told, "has \"doca_program_flags\" twice: keep one") != NULL);
    /* Anything after that is not JSON. */
    static const char *const bad[] = {
        "{\n\"doca_program_flags\": {,}}",
        "{\n\"doca_program_flags\": {\"number\": 5,,}}",
        "{\n\"doca_program_flags\": {\"text\": [,]}}",
        "{\n\"doca_program_flags\": {\"number\":,}}",
        "{\n\"doca_program_flags\": {}} /* open",
        "{\n\"doca_program_flags\": \"",
        "{\n\"doca_program_flags\": {\"text\": \"\\",
        "{\n\"doca_program_flags\": {\"number\": 0x}}",
        "{\n\"doca_program_flags\": {\"number\": 0x123456789}}",
        "{\n\"doca_program_flags\": {\"number\": 10x1}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(parse_file(bad[i], &c, told) == INVALID);
        CHECK(strstr(told, ": line 2: not JSON"));
    }
}

static void a_program_asks_for_the_log_levels_that_the_user_gave(void)
{
    int level = 0, sdk = 0;
    struct config c = {.verdict = OK};
    char *argv[] = {(char[]){"program"}, (char[]){"-l"}, (char[]){"30"}, NULL};
    uint32_t lower = doca_log_level_get_global_lower_limit();
    CHECK(doca_argp_get_log_level(&level) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_argp_disable_pedantic_config_parsing() == DOCA_ERROR_BAD_STATE);
    CHECK(doca_argp_init(NULL, &c) == OK && doca_argp_start(1, argv) == OK);
    CHECK(doca_argp_get_log_level(&level) == OK && level == (int)lower);
    CHECK(doca_argp_get_sdk_log_level(&sdk) == OK);
    CHECK(sdk == (int)doca_log_level_get_global_sdk_limit());
    CHECK(doca_argp_start(3, argv) == OK && doca_argp_get_log_level(&level) == OK && level == 30);
    CHECK(doca_argp_get_log_level(NULL) == INVALID && doca_argp_get_sdk_log_level(NULL) == INVALID);
    CHECK(doca_argp_destroy() == OK && doca_log_level_set_global_lower_limit(lower) == OK);
}

/* The program reads the rest of the file itself. */
static void a_program_may_have_options_of_its_own_in_the_file(void)
{
    char name[] = "/tmp/doca3_XXXXXX";
    static const char text[] =
        "{\"mine\": 1, \"doca_program_flags\": {\"mine\": 2, \"number\": 3}}";
    struct config c = {.verdict = OK};
    char *argv[] = {(char[]){"program"}, (char[]){"-j"}, name, NULL};
    int fd = mkstemp(name);
    CHECK(fd >= 0 && write(fd, text, sizeof text - 1) == sizeof text - 1 && close(fd) == 0);
    CHECK(doca_argp_init(NULL, &c) == OK);
    add_param("num", "number", on_number, DOCA_ARGP_TYPE_INT, false);
    CHECK(doca_argp_start(3, argv) == INVALID);
    CHECK(doca_argp_disable_pedantic_config_parsing() == OK);
    CHECK(doca_argp_start(3, argv) == OK && strcmp(c.got, "number=3 ") == 0);
    CHECK(doca_argp_destroy() == OK && unlink(name) == 0);
}

/* ---- Commands ---- */

static doca_error_t on_outer(void *config)
{
    add(config, "outer", "()");
    return OK;
}

static doca_error_t on_inner(void *config)
{
    add(config, "inner", "()");
    return ((struct config *)config)->verdict;
}

static struct doca_argp_param *param_new(const char *name, enum doca_argp_type type,
                                         doca_argp_param_cb_t callback)
{
    struct doca_argp_param *p = NULL;
    CHECK(doca_argp_param_create(&p) == OK);
    doca_argp_param_set_long_name(p, name);
    doca_argp_param_set_description(p, "of the test");
    doca_argp_param_set_callback(p, callback);
    doca_argp_param_set_type(p, type);
    return p;
}

static struct doca_argp_cmd *cmd_new(const char *name, doca_argp_cmd_cb_t callback)
{
    struct doca_argp_cmd *c = NULL;
    CHECK(doca_argp_cmd_create(&c) == OK);
    doca_argp_cmd_set_name(c, name);
    doca_argp_cmd_set_description(c, "a command");
    doca_argp_cmd_set_callback(c, callback);
    return c;
}

/* --text is inherited; "outer" must have --number; "outer inner" has --flag, and "bare" nothing. */
static doca_error_t parse_commands(const char *line, struct config *config)
{
    char words[256], *argv[16] = {(char[]){"program"}}, *rest = NULL;
    int argc = 1;
    config->got[0] = '\0';
    snprintf(words, sizeof words, "%s", line);
    for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
        argv[argc++] = w;
    CHECK(doca_argp_init(NULL, config) == OK);
    struct doca_argp_param *text = param_new("text", DOCA_ARGP_TYPE_STRING, on_text),
                           *number = param_new("number", DOCA_ARGP_TYPE_INT, on_number),
                           *own = param_new("own", DOCA_ARGP_TYPE_INT, on_number),
                           *alone = param_new("alone", DOCA_ARGP_TYPE_BOOLEAN, on_flag);
    struct doca_argp_cmd *outer = cmd_new("outer", on_outer), *inner = cmd_new("inner", on_inner);
    doca_argp_param_set_inherited(text);
    doca_argp_param_set_cli_only(text);
    doca_argp_param_set_mandatory(number);
    doca_argp_param_set_singular(alone);
    CHECK(doca_argp_register_param(text) == OK && doca_argp_register_param(own) == OK);
    CHECK(doca_argp_register_param(alone) == OK);
    CHECK(doca_argp_cmd_register_param(outer, number) == OK);
    CHECK(doca_argp_cmd_register_param(outer, number) == BAD_STATE);
    CHECK(doca_argp_cmd_register_param(inner, param_new("flag", DOCA_ARGP_TYPE_BOOLEAN, on_flag)) ==
          OK);
    CHECK(doca_argp_cmd_register_cmd(outer, outer) == INVALID);
    CHECK(doca_argp_cmd_register_cmd(outer, inner) == OK);
    CHECK(doca_argp_register_cmd(outer) == OK && doca_argp_register_cmd(outer) == BAD_STATE);
    CHECK(doca_argp_cmd_register_cmd(inner, outer) == BAD_STATE);
    CHECK(doca_argp_cmd_destroy(outer) == BAD_STATE && doca_argp_param_destroy(own) == BAD_STATE);
    CHECK(doca_argp_register_cmd(cmd_new("OUTER", NULL)) == DOCA_ERROR_ALREADY_EXIST);
    CHECK(doca_argp_register_cmd(cmd_new(NULL, NULL)) == DOCA_ERROR_INITIALIZATION);
    CHECK(doca_argp_register_cmd(cmd_new("bare", NULL)) == OK);
    doca_error_t result = doca_argp_start(argc, argv);
    CHECK(doca_argp_destroy() == OK);
    CHECK(doca_argp_cmd_destroy(inner) == INVALID); /* it went with its parent */
    return result;
}

static void commands_have_flags_of_their_own(void)
{
    struct config c = {.verdict = OK};
    CHECK(parse_commands("--own 4", &c) == OK && strcmp(c.got, "number=4 ") == 0);
    CHECK(parse_commands("bare", &c) == OK && strcmp(c.got, "") == 0);
    CHECK(parse_commands("--text x outer --number 3", &c) == OK);
    CHECK(strcmp(c.got, "text=x number=3 outer=() ") == 0);
    CHECK(parse_commands("Outer --number 3 INNER --flag --text y", &c) == OK);
    CHECK(strstr(c.got, "number=3 ") == c.got && strstr(c.got, "text=y outer=() inner=() "));
    CHECK(parse_commands("outer", &c) == INVALID);                    /* --number is missing */
    CHECK(parse_commands("outer inner --flag", &c) == INVALID);       /* the same */
    CHECK(parse_commands("--number 3 outer", &c) == INVALID);         /* it is not the program's */
    CHECK(parse_commands("outer --number 3 --own 4", &c) == INVALID); /* nor is this outer's */
    CHECK(parse_commands("outer --number 3 bare", &c) == INVALID);
    CHECK(parse_commands("bare inner", &c) == INVALID && parse_commands("none", &c) == INVALID);
    CHECK(parse_commands("--alone", &c) == OK && parse_commands("--alone --own 1", &c) == INVALID);
    CHECK(parse_commands("--own 1 --alone", &c) == INVALID);
    c.verdict = DOCA_ERROR_IO_FAILED;
    CHECK(parse_commands("outer --number 3 inner", &c) == DOCA_ERROR_IO_FAILED);
}

static doca_error_t parse_commands_of(const char *content, struct config *config)
{
    char name[] = "/tmp/doca3_XXXXXX", line[64];
    int fd = mkstemp(name);
    CHECK(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content));
    snprintf(line, sizeof line, "outer inner -j %s", name);
    doca_error_t result = parse_commands(line, config);
    CHECK(close(fd) == 0 && unlink(name) == 0);
    return result;
}

/* Of the command that is given, and of what is outside; not what is for the command line alone. */
static void files_give_flags_of_commands(void)
{
    struct config c = {.verdict = OK};
    CHECK(parse_commands_of("{\"doca_program_flags\": {\"number\": 5, \"own\": 6}}", &c) == OK);
    CHECK(strcmp(c.got, "number=5 number=6 outer=() inner=() ") == 0);
    CHECK(parse_commands_of("{\"doca_program_flags\": {\"number\": 5, \"text\": \"x\"}}", &c) ==
          INVALID);
}

static char complaint[256];

static doca_error_t on_complaint(enum doca_log_level level, const char *format, va_list args)
{
    CHECK(level == DOCA_LOG_LEVEL_ERROR);
    vsnprintf(complaint, sizeof complaint, format, args);
    return OK;
}

static int dpdk_argc;
static doca_error_t on_dpdk(int argc, char **argv)
{
    dpdk_argc = argc;
    CHECK(!argv[argc] && strcmp(argv[0], "program") == 0);
    CHECK(argc == 1 || strcmp(argv[1], "-a") == 0);
    return OK;
}

static void others_get_complaints_and_flags_of_dpdk(void)
{
    struct config c = {.verdict = OK};
    char *bad[] = {(char[]){"program"}, (char[]){"--nothing"}, NULL};
    char *good[] = {(char[]){"program"},
                    (char[]){"-a"},
                    (char[]){"03:00.0"},
                    (char[]){"--"},
                    (char[]){"--text"},
                    (char[]){"z"},
                    NULL};
    CHECK(doca_argp_register_logger_callback(on_complaint) == BAD_STATE);
    struct doca_argp_param *lost = param_new("lost", DOCA_ARGP_TYPE_INT, on_number);
    CHECK(doca_argp_register_param(lost) == BAD_STATE); /* there is no parser */
    CHECK(doca_argp_param_destroy(lost) == INVALID);    /* registering destroyed it */
    CHECK(doca_argp_init("program", &c) == OK);
    struct doca_argp_cmd *late = cmd_new("late", NULL);
    CHECK(doca_argp_destroy() == OK && doca_argp_register_cmd(late) == BAD_STATE);
    CHECK(doca_argp_cmd_destroy(late) == INVALID);
    CHECK(doca_argp_init("program", &c) == OK);
    CHECK(doca_argp_disable_logger_callback() == BAD_STATE);
    CHECK(doca_argp_register_logger_callback(NULL) == INVALID);
    CHECK(doca_argp_register_logger_callback(on_complaint) == OK);
    CHECK(doca_argp_register_logger_callback(on_complaint) == DOCA_ERROR_ALREADY_EXIST);
    CHECK(doca_argp_start(2, bad) == INVALID && strstr(complaint, "unknown option --nothing"));
    CHECK(doca_argp_disable_logger_callback() == OK);
    CHECK(doca_argp_register_param(param_new("text", DOCA_ARGP_TYPE_STRING, on_text)) == OK);
    CHECK(doca_argp_start(6, good) == INVALID); /* the program takes none */
    doca_argp_set_dpdk_program(on_dpdk);
    CHECK(doca_argp_start(6, good) == OK && dpdk_argc == 3 && strcmp(c.got, "text=z ") == 0);
    CHECK(doca_argp_start(1, good) == OK && dpdk_argc == 1);
    CHECK(doca_argp_param_destroy(param_new("x", DOCA_ARGP_TYPE_INT, on_number)) == OK);
    CHECK(doca_argp_destroy() == OK);
}

/* The help of a command, then the end of the program. */
static void help_is_of_the_command(void)
{
    struct config c = {.verdict = OK};
    parse_commands("outer --help", &c);
    CHECK(!"the end of the program");
}

/* The program's own version, then the end of it. */
static void the_version_is_the_programs(void)
{
    struct config c = {.verdict = OK};
    char *argv[] = {(char[]){"program"}, (char[]){"--version"}, NULL};
    CHECK(doca_argp_init("program", &c) == OK);
    CHECK(doca_argp_register_version_callback(on_version) == OK);
    doca_argp_start(2, argv);
    CHECK(!"the end of the program");
}

const struct test_case program_cases[] = {
    CASE(lines_reach_descriptors_buffers_and_syslog),
    CASE(backends_have_limits_of_their_own),
    CASE(a_long_name_may_have_two_words),
    CASE(callbacks_get_the_values_of_command_lines),
    CASE(files_give_every_type),
    CASE(a_file_of_options_may_have_comments_and_a_comma_after_the_last_value),
    CASE(a_program_asks_for_the_log_levels_that_the_user_gave),
    CASE(a_program_may_have_options_of_its_own_in_the_file),
    CASE(commands_have_flags_of_their_own),
    CASE(files_give_flags_of_commands),
    CASE(others_get_complaints_and_flags_of_dpdk),
    CASE(help_is_of_the_command),
    CASE(the_version_is_the_programs),
    {0},
};
