/* Makes and signs NV configurations for claim and lock, like `mlxconfig-lite create_conf`. */
#include <time.h>

#include "own.h"

/* Gets the lowest file version that anti-rollback accepts from the signing key pair. */
static enum dpk_status get_version(struct own_work *w, uint32_t *out, struct dpk_error *err)
{
    struct dpk_device_rollback r;
    enum dpk_status status = dpk_device_rollback(w->dev, &r, err);
    if (status != DPK_OK)
        return status;
    *out = 0;
    for (size_t i = 0; i < r.floor_count; i++)
        if (!r.floors[i].mlnx && dpk_uuid_equal(&r.floors[i].keypair, &w->keypair))
            *out = r.floors[i].version;
    dpk_device_rollback_free(&r);
    return DPK_OK;
}

enum dpk_status dpadev_own_configuration_begin(struct own_work *w, struct dpk_error *err)
{
    struct tm tm;
    int64_t seconds;
    uint32_t version;
    enum dpk_status status = dpk_tool_date(&seconds, err);
    if (status == DPK_OK)
        status = get_version(w, &version, err);
    if (status != DPK_OK)
        return status;
    const time_t when = (time_t)seconds;
    if (!gmtime_r(&when, &tm))
        return dpk_fail(err, DPK_ERR_RANGE, "no such date");
    dpk_put_format(&w->source,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<config xmlns=\"http://www.mellanox.com/config\">\n"
                   "<file_applicable_to ovr_en='0' rd_en='1' writer_id='0'>\n"
                   "    <psid></psid>\n    <psid_branch></psid_branch>\n"
                   "</file_applicable_to>\n"
                   "<nv_file_id_vendor ovr_en='0' rd_en='1' writer_id='0'>\n"
                   "    <disable_override>False</disable_override>\n"
                   "    <keep_same_priority>True</keep_same_priority>\n"
                   "    <per_tlv_priority>False</per_tlv_priority>\n"
                   "    <erase_lower_priority>False</erase_lower_priority>\n"
                   "    <file_version>%u</file_version>\n"
                   "    <day>%x</day>\n    <month>%x</month>\n    <year>%x</year>\n"
                   "    <seconds>%x</seconds>\n    <minutes>%x</minutes>\n    <hour>%x</hour>\n"
                   "</nv_file_id_vendor>\n",
                   version, (unsigned)tm.tm_mday, (unsigned)tm.tm_mon + 1,
                   (unsigned)tm.tm_year + 1900, (unsigned)tm.tm_sec, (unsigned)tm.tm_min,
                   (unsigned)tm.tm_hour);
    return DPK_OK;
}

/* Adds the commands that make the configuration of w->source and apply it. */
static void put_commands(struct own_work *w)
{
    dpk_put_format(&w->script, "cat >");
    dpadev_own_put_word(&w->script, w->source_path);
    dpk_put_format(&w->script, " <<'END'\n");
    dpk_put(&w->script, w->source.data, w->source.size);
    dpk_put_format(&w->script, "END\nmlxconfig-lite");
    dpadev_own_put_key(&w->script, &w->key);
    dpadev_own_put_uuid(&w->script, "-u", &w->keypair);
    dpk_put_format(&w->script, " create_conf");
    dpadev_own_put_word(&w->script, w->source_path);
    dpadev_own_put_word(&w->script, w->signed_path);
    dpk_put_format(&w->script, "\nmlxconfig-lite -d %s apply", dpk_device_name(w->dev));
    dpadev_own_put_word(&w->script, w->signed_path);
    dpk_put_format(&w->script, "\n");
}

static enum dpk_status sign(struct own_work *w, struct dpk_error *err)
{
    struct dpk_nv_defs *defs = NULL;
    struct dpk_nv_list tlvs = {0};
    struct dpk_signer *signer = NULL;
    enum dpk_status status = w->source.failed ? dpk_fail_nomem(err) : DPK_OK;
    if (status == DPK_OK)
        status = dpk_nv_defs_load(NULL, &defs, err);
    if (status == DPK_OK)
        status = dpk_nv_xml_parse(defs, w->source.data, w->source.size, &tlvs, err);
    if (status == DPK_OK)
        status = dpk_signer_open_with(&w->key, &signer, err);
    if (status == DPK_OK)
        status = dpk_nv_file_make(&tlvs, signer, &w->keypair, &w->signed_file, err);
    dpk_signer_close(signer);
    dpk_nv_list_free(&tlvs);
    dpk_nv_defs_free(defs);
    return status;
}

enum dpk_status dpadev_own_configuration_end(struct own_work *w, struct dpk_error *err)
{
    put_commands(w);
    return w->options->shared.dry_run ? DPK_OK : sign(w, err);
}
