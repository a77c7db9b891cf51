/* The command lock: lets a device refuse unsigned programs. */

#include "own.h"

/* Returns DPK_ERR_EXISTS if the device is locked: authentication is on from the next reset, and
 * users cannot change it. */
static enum dpk_status refuse_locked(const struct own_work *w, struct dpk_error *err)
{
    bool on = false;
    struct dpk_nv_list tlvs = {0};
    size_t hidden = 0;
    enum dpk_status status = dpk_device_dpa_authentication(w->dev, DPK_VIEW_NEXT, &on, err);
    if (status == DPK_OK)
        status = dpk_device_next_tlvs(w->dev, &tlvs, &hidden, err);
    for (size_t i = 0; i < tlvs.count && status == DPK_OK; i++) {
        const struct dpk_nv_tlv *t = &tlvs.items[i];
        if (on && t->class_id == DPK_NV_GLOBAL && t->index == DPK_NV_INDEX_DPA_AUTH &&
            t->priority != DPK_NV_USER && !t->ovr_en)
            status = dpk_fail(err, DPK_ERR_EXISTS, "%s is locked already", dpk_device_name(w->dev));
    }
    dpk_nv_list_free(&tlvs);
    return status;
}

static enum dpk_status make_lock(struct own_work *w, struct dpk_error *err)
{
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count = 0;
    const char *name = dpk_device_name(w->dev);
    enum dpk_status status = dpadev_own_need_owner(w, err);
    if (status == DPK_OK)
        status = dpk_device_certs(w->dev, certs, &count, err);
    if (status == DPK_OK && count == 0)
        status =
            dpk_fail(err, DPK_ERR_REFUSED,
                     "%s has no CA certificate, and would load no program at all: dpadev trust "
                     "%s ROOT first",
                     name, name);
    if (status == DPK_OK)
        status = refuse_locked(w, err);
    if (status == DPK_OK)
        status = dpadev_own_name_files(w, "lock.xml", "lock.bin", err);
    if (status == DPK_OK)
        status = dpadev_own_configuration_begin(w, err);
    if (status != DPK_OK)
        return status;
    dpk_put_format(&w->source, "<nv_dpa_auth ovr_en='0' rd_en='1' writer_id='0'>\n"
                               "    <dpa_auth_en>True</dpa_auth_en>\n</nv_dpa_auth>\n</config>\n");
    dpk_put_format(&w->result,
                   "Device %s refuses unsigned programs from the next reset on: dpadev reset %s\n",
                   name, name);
    return dpadev_own_configuration_end(w, err);
}

static enum dpk_status lock(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    return dpadev_own_run(options, args, make_lock, err);
}

const struct dpk_command dpadev_lock = {"lock",
                                        "NAME",
                                        "turn authentication on, permanently; -p is the owner's "
                                        "key",
                                        .needs = "p|sign-command",
                                        .takes = OWN_TAKES,
                                        .size = sizeof(struct own_options),
                                        .run = lock};
