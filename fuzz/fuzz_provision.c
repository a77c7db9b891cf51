/* Provisioning of a device: NV configuration files, certificate containers, settings by name and by
 * TLV. The first byte selects the kind, one of two devices, and the signer. The device keeps no
 * change. */
#include "device/admin/admin.h"

#include <stdlib.h>
#include <string.h>

#include "nvdefs.h"

/* Fields of the first byte. */
enum { WHAT = 7, IS_OWNED = 8, BY_OWNER = 16 };
enum what { FILE_AS_IT_IS, SIGNED_FILE, SETTINGS, TLVS, CONTAINER_AS_IT_IS, SIGNED_CONTAINER };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Opened once for all inputs, from files that fuzz/run made. */
struct party {
    struct dpk_signer *signer;
    struct dpk_uuid uuid;
};
static struct party nvidia, owner;
static struct dpk_device *fresh, *owned;

static void open_party(const char *key, const char *uuid, struct party *out)
{
    const char *path = getenv(key), *text = getenv(uuid);
    if (!path || !text || dpk_signer_open(path, NULL, &out->signer, NULL) != DPK_OK ||
        dpk_uuid_parse(text, &out->uuid, NULL) != DPK_OK)
        abort();
}

static void open_world(void)
{
    if (fresh)
        return;
    open_party("FUZZ_KEY", "FUZZ_KEY_UUID", &nvidia);
    open_party("FUZZ_OWNER", "FUZZ_OWNER_UUID", &owner);
    if (dpk_device_open(getenv("FUZZ_DEVICE"), &fresh, NULL) != DPK_OK ||
        dpk_device_open(getenv("FUZZ_OWNED_DEVICE"), &owned, NULL) != DPK_OK)
        abort();
}

/* dpk_device_try_apply or dpk_device_try_burn. A reason is set exactly if the status is
 * DPK_ERR_REFUSED. */
typedef enum dpk_status tries(struct dpk_device *dev, const void *bytes, size_t size,
                              enum dpk_reject *reject, struct dpk_error *err);

static void offer(tries *try, struct dpk_device *dev, const void *bytes, size_t size)
{
    enum dpk_reject reject;
    enum dpk_status status = try(dev, bytes, size, &reject, NULL);
    if ((status == DPK_ERR_REFUSED) != (reject != DPK_REJECT_NONE))
        abort();
}

/* Makes a signed file of TLVs in the raw form, and applies it. */
static void apply_signed(struct dpk_device *dev, const struct party *by, const char *text,
                         size_t size)
{
    struct dpk_nv_list list = {0};
    struct dpk_buf file = {0};
    if (dpk_nv_raw_parse(text, size, &list, NULL) == DPK_OK &&
        dpk_nv_file_make(&list, by->signer, &by->uuid, &file, NULL) == DPK_OK)
        offer(dpk_device_try_apply, dev, file.data, file.size);
    dpk_buf_free(&file);
    dpk_nv_list_free(&list);
}

static void burn_signed(struct dpk_device *dev, const struct party *by, const void *bytes,
                        size_t size)
{
    struct dpk_container_signing how = {
        .signer = by->signer, .keypair_uuid = by->uuid, .priority = DPK_LIFECYCLE_OEM};
    struct dpk_buf out = {0};
    if (dpk_container_sign(bytes, size, &how, &out, NULL) == DPK_OK)
        offer(dpk_device_try_burn, dev, out.data, out.size);
    dpk_buf_free(&out);
}

/* Sets "NAME=VALUE" lines. */
static void set(struct dpk_device *dev, char *text)
{
    enum { MAX = 16 };
    struct dpk_device_setting settings[MAX];
    size_t count = 0;
    for (char *rest = text, *line; count < MAX && (line = strsep(&rest, "\n"));) {
        char *value = strchr(line, '=');
        if (!value)
            continue;
        *value++ = 0;
        struct dpk_device_setting *s = &settings[count];
        if (dpk_nv_defs_find_config(built_in(), line, &s->def, &s->param, NULL) == DPK_OK) {
            s->value = value;
            count++;
        }
    }
    (void)dpk_device_try_set(dev, built_in(), settings, count, NULL);
}

static void set_tlvs(struct dpk_device *dev, const char *text, size_t size)
{
    struct dpk_nv_list list = {0}, after = {0};
    size_t hidden;
    if (dpk_nv_raw_parse(text, size, &list, NULL) == DPK_OK &&
        dpk_device_set_tlvs(dev, &list, NULL) == DPK_OK) {
        if (dpk_device_next_tlvs(dev, &after, &hidden, NULL) != DPK_OK ||
            dpk_device_drop_user_settings(dev, NULL) != DPK_OK)
            abort();
        for (size_t i = 0; i < list.count; i++)
            if (list.items[i].priority > DPK_NV_USER && after.count == 0 && hidden == 0)
                abort(); /* only the owner and NVIDIA may set these TLVs */
    }
    dpk_nv_list_free(&after);
    dpk_nv_list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    open_world();
    if (size == 0)
        return 0;
    struct dpk_device *dev = *data & IS_OWNED ? owned : fresh;
    const struct party *by = *data & BY_OWNER ? &owner : &nvidia;
    enum what what = *data++ & WHAT;
    char *text = strndup((const char *)data, --size);
    if (!text)
        return 0;
    switch (what) {
    case FILE_AS_IT_IS:
        offer(dpk_device_try_apply, dev, data, size);
        break;
    case SIGNED_FILE:
        apply_signed(dev, by, text, strlen(text));
        break;
    case SETTINGS:
        set(dev, text);
        break;
    case TLVS:
        set_tlvs(dev, text, strlen(text));
        break;
    case CONTAINER_AS_IT_IS:
        offer(dpk_device_try_burn, dev, data, size);
        break;
    case SIGNED_CONTAINER:
        burn_signed(dev, by, data, size);
        break;
    }
    free(text);
    return 0;
}
