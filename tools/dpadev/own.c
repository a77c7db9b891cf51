/* Runs the commands claim, trust and lock. */
#include <stdio.h>
#include <string.h>

#include "own.h"

static enum dpk_status name_file(const struct own_work *w, const char *suffix, char out[PATH_MAX],
                                 struct dpk_error *err)
{
    const char *folder = w->options->shared.output;
    int n = snprintf(out, PATH_MAX, "%s%s%s.%s", folder ? folder : "", folder ? "/" : "",
                     dpk_device_name(w->dev), suffix);
    return n > 0 && n < PATH_MAX ? DPK_OK : dpk_fail(err, DPK_ERR_RANGE, "-o: path too long");
}

enum dpk_status dpadev_own_name_files(struct own_work *w, const char *source_suffix,
                                      const char *signed_suffix, struct dpk_error *err)
{
    enum dpk_status status = name_file(w, source_suffix, w->source_path, err);
    return status == DPK_OK ? name_file(w, signed_suffix, w->signed_path, err) : status;
}

typedef enum dpk_status apply_fn(struct dpk_device *dev, const void *bytes, size_t size,
                                 enum dpk_reject *reject, struct dpk_error *err);

/* Gives the signed file to the device. If the device refuses it, the error says what that means for
 * the key. */
static enum dpk_status give(struct own_work *w, apply_fn *apply, struct dpk_error *err)
{
    enum dpk_reject reject = DPK_REJECT_NONE;
    char uuid[DPK_UUID_TEXT];
    const char *name = dpk_device_name(w->dev);
    enum dpk_status status = apply(w->dev, w->signed_file.data, w->signed_file.size, &reject, err);
    dpk_uuid_format(&w->keypair, uuid);
    if (status == DPK_ERR_REFUSED &&
        (reject == DPK_REJECT_AUTH_FAILED || reject == DPK_REJECT_CERT_SIGNATURE))
        return dpk_error_prefix(err, "the key that signs is not the one that %s knows as %s", name,
                                uuid);
    if (status == DPK_ERR_REFUSED)
        dpk_error_prefix(err, "%s refuses it", name);
    return status;
}

/* Asks the device whether it would accept the signed file, then writes the files and applies it. */
static enum dpk_status finish(struct own_work *w, struct dpk_error *err)
{
    enum dpk_status status =
        give(w, w->is_container ? dpk_device_try_burn : dpk_device_try_apply, err);
    if (status == DPK_OK)
        status = dpk_file_replace(w->source_path, w->source.data, w->source.size, 0644, err);
    if (status == DPK_OK)
        status =
            dpk_file_replace(w->signed_path, w->signed_file.data, w->signed_file.size, 0644, err);
    if (status == DPK_OK)
        status = give(w, w->is_container ? dpk_device_burn : dpk_device_apply, err);
    return status;
}

static enum dpk_status open_work(struct own_work *w, const struct own_options *o,
                                 const struct dpk_args *args, struct dpk_error *err)
{
    *w = (struct own_work){.options = o, .args = args, .key = o->shared.key};
    w->key.ask = dpk_ask_terminal;
    enum dpk_status status = dpk_device_open(args->words[0], &w->dev, err);
    if (status == DPK_OK)
        status = dpk_device_info(w->dev, &w->info, err);
    if (status == DPK_OK)
        w->keypair = w->info.owner;
    return status;
}

static void close_work(struct own_work *w)
{
    dpk_buf_free(&w->result);
    dpk_buf_free(&w->script);
    dpk_buf_free(&w->source);
    dpk_buf_free(&w->signed_file);
    dpk_device_close(w->dev);
}

enum dpk_status dpadev_own_need_owner(const struct own_work *w, struct dpk_error *err)
{
    const char *name = dpk_device_name(w->dev);
    if (w->info.has_owner)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_REFUSED, "%s has no owner yet: dpadev claim %s OWNERKEY first",
                    name, name);
}

enum dpk_status dpadev_own_uuid_beside(const char *path, struct dpk_uuid *out,
                                       struct dpk_error *err)
{
    char name[PATH_MAX];
    struct dpk_buf text = {0};
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    int n = snprintf(name, sizeof name, "%.*s.uuid", (int)stem, path);
    if (n < 0 || (size_t)n >= sizeof name)
        return dpk_fail(err, DPK_ERR_RANGE, "%.200s: path too long", path);
    enum dpk_status status = dpk_file_read(name, 64, &text, err);
    if (status != DPK_OK)
        return status;
    while (text.size > 0 && (text.data[text.size - 1] == '\n' || text.data[text.size - 1] == '\r'))
        text.size--;
    dpk_put_u8(&text, 0);
    status = text.failed ? dpk_fail_nomem(err) : dpk_uuid_parse((char *)text.data, out, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", name);
    dpk_buf_free(&text);
    return status;
}

enum dpk_status dpadev_own_run(const struct own_options *o, const struct dpk_args *args,
                               own_make *make, struct dpk_error *err)
{
    struct own_work w;
    const bool dry_run = o->shared.dry_run;
    enum dpk_status status = open_work(&w, o, args, err);
    if (status == DPK_OK)
        status = make(&w, err);
    if (status == DPK_OK && (w.source.failed || w.script.failed || w.result.failed))
        status = dpk_fail_nomem(err);
    if (status == DPK_OK && !dry_run)
        status = finish(&w, err);
    if (status == DPK_OK)
        fwrite(w.script.data, 1, w.script.size, stdout);
    if (status == DPK_OK && !dry_run)
        fwrite(w.result.data, 1, w.result.size, stdout);
    close_work(&w);
    return status;
}
