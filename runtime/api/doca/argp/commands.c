/* Commands: words after the program's name. They have their own parameters and commands. */
#include "private.h"

static void cmd_release(void *object)
{
    struct cmd *c = object;
    free(c->copies[0]);
    free(c->copies[1]);
    free(c);
}
static const struct dpk_kind cmd_kind = {.release = cmd_release};

void argp_cmds_forget(struct cmd *first)
{
    for (struct cmd *c = first, *next; c; c = next) {
        next = c->next;
        argp_params_forget(c->first);
        argp_cmds_forget(c->cmds);
        dpk_object_destroy(c->object.handle, &cmd_kind);
    }
}

doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd)
{
    if (!cmd)
        return dpk_doca_no_object(__func__);
    *cmd = NULL;
    if (!argp_parser_now())
        return dpk_doca_end(NULL, __func__, argp_no_parser());
    struct cmd *c = calloc(1, sizeof *c);
    *cmd = c ? dpk_object_enter(c, &cmd_kind) : NULL;
    return dpk_doca_end(NULL, __func__, *cmd ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

/* Returns the command, pinned, or NULL if it is registered: it then cannot change. */
static struct cmd *begin_set(struct doca_argp_cmd *cmd)
{
    struct cmd *c = dpk_object_pin(cmd, &cmd_kind);
    if (!c || !c->registered)
        return c;
    dpk_object_drop(c);
    return NULL;
}

#define SETTER(setter, name, type)                                                                 \
    void setter(struct doca_argp_cmd *cmd, type value)                                             \
    {                                                                                              \
        struct cmd *c = begin_set(cmd);                                                            \
        if (c)                                                                                     \
            c->name = value;                                                                       \
        dpk_object_drop(c);                                                                        \
    }

SETTER(doca_argp_cmd_set_name, name, const char *)
SETTER(doca_argp_cmd_set_description, description, const char *)
SETTER(doca_argp_cmd_set_callback, callback, doca_argp_cmd_cb_t)

void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd)
{
    struct cmd *c = begin_set(cmd);
    if (c)
        c->hidden = true;
    dpk_object_drop(c);
}

/* Adds a command to a list and registers it. */
static doca_error_t take(struct cmd **list, struct cmd *parent, struct cmd *c)
{
    if (!c->name || !c->description || !*c->name || *c->name == '-')
        return dpk_doca_because(DOCA_ERROR_INITIALIZATION,
                                "the command lacks a name or a description");
    struct cmd **last = list;
    for (; *last; last = &(*last)->next)
        if (strcasecmp((*last)->name, c->name) == 0)
            return dpk_doca_because(DOCA_ERROR_ALREADY_EXIST, "another command has the name \"%s\"",
                                    c->name);
    if (!(c->copies[0] = strdup(c->name)) || !(c->copies[1] = strdup(c->description)))
        return DOCA_ERROR_NO_MEMORY;
    c->name = c->copies[0];
    c->description = c->copies[1];
    c->parent = parent;
    c->registered = true;
    *last = c;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd)
{
    struct cmd *c = dpk_object_pin(cmd, &cmd_kind);
    doca_error_t result = !c              ? DOCA_ERROR_INVALID_VALUE
                          : c->registered ? argp_registered()
                                          : DOCA_SUCCESS;
    if (result == DOCA_SUCCESS)
        argp_cmds_forget(c);
    dpk_object_drop(c);
    return dpk_doca_end(cmd, __func__, result);
}

doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd)
{
    struct parser *p = argp_parser_now();
    struct cmd *c = dpk_object_pin(input_cmd, &cmd_kind);
    doca_error_t result = !p              ? argp_no_parser()
                          : !c            ? DOCA_ERROR_INVALID_VALUE
                          : c->registered ? argp_registered()
                                          : take(&p->cmds, NULL, c);
    if (c && !c->registered)
        argp_cmds_forget(c); /* registering takes it over, also on failure */
    dpk_object_drop(c);
    return dpk_doca_end(input_cmd, __func__, result);
}

doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd)
{
    struct cmd *parent = dpk_object_pin(cmd, &cmd_kind);
    struct cmd *c = dpk_object_pin(input_cmd, &cmd_kind);
    doca_error_t result = !parent || !c || c == parent          ? DOCA_ERROR_INVALID_VALUE
                          : parent->registered || c->registered ? argp_registered()
                                                                : take(&parent->cmds, parent, c);
    if (c && c != parent && !c->registered)
        argp_cmds_forget(c);
    dpk_object_drop(c);
    dpk_object_drop(parent);
    return dpk_doca_end(cmd, __func__, result);
}

doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
                                          struct doca_argp_param *input_param)
{
    struct cmd *c = dpk_object_pin(cmd, &cmd_kind);
    struct param *a = dpk_object_pin(input_param, &argp_param_kind);
    doca_error_t result = !c || !a                         ? DOCA_ERROR_INVALID_VALUE
                          : c->registered || a->registered ? argp_registered()
                                                           : argp_param_take(&c->first, a);
    if (a && !a->registered)
        dpk_object_destroy(input_param, &argp_param_kind);
    dpk_object_drop(a);
    dpk_object_drop(c);
    return dpk_doca_end(cmd, __func__, result);
}
