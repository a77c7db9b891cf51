/* What programs that know nothing of emulated devices ask for: domains, memory that changes, all fields of
 * completions; and what there is not. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "verbs_pair.h"

static void completions_have_all_standard_fields(void)
{
    struct ibv_poll_cq_attr none = {0};
    struct ibv_cq_init_attr_ex wanted = {.cqe = 16};
    open_side(&a, "mlx5_0");
    open_device(&b, "mlx5_1", 1);
    for (uint64_t flag = 1; flag < IBV_WC_STANDARD_FLAGS; flag <<= 1) {
        wanted.wc_flags = flag;
        struct ibv_cq_ex *alone = ibv_create_cq_ex(b.context, &wanted);
        CHECK(alone && ibv_destroy_cq(ibv_cq_ex_to_cq(alone)) == 0);
    }
    wanted.wc_flags = IBV_WC_STANDARD_FLAGS;
    struct ibv_cq_ex *cq = ibv_create_cq_ex(b.context, &wanted);
    struct ibv_qp_init_attr_ex init = qp_wanted(&b);
    CHECK(cq);
    init.send_cq = init.recv_cq = ibv_cq_ex_to_cq(cq);
    CHECK((b.qp = ibv_create_qp_ex(b.context, &init)));
    connect_sides(&a, &b);
    struct ibv_sge some = piece(&a, 0, 5);
    CHECK(receive(&b, 1, 0, 8) == 0 && post(&a, work(&b, IBV_WR_SEND, 1, &some)) == 0);
    while (ibv_start_poll(cq, &none) == ENOENT)
        ;
    CHECK(cq->wr_id == 1 && cq->status == IBV_WC_SUCCESS && ibv_wc_read_byte_len(cq) == 5);
    CHECK(ibv_wc_read_qp_num(cq) == b.qp->qp_num && ibv_wc_read_src_qp(cq) == a.qp->qp_num);
    CHECK(ibv_wc_read_slid(cq) == 0 && ibv_wc_read_sl(cq) == 0);
    CHECK(ibv_wc_read_dlid_path_bits(cq) == 0);
    ibv_end_poll(cq);
    CHECK(ibv_destroy_qp(b.qp) == 0 && ibv_destroy_cq(ibv_cq_ex_to_cq(cq)) == 0);
    b.qp = NULL;
    close_both();
}

/* ---- Devices ---- */

/* Each list has the same devices. A device whose lists are freed can still be opened. */
static void a_device_outlives_its_list(void)
{
    struct ibv_device **first = ibv_get_device_list(NULL), **second = ibv_get_device_list(NULL);
    struct ibv_device *device = first ? first[0] : NULL;
    CHECK(device && second && second[0] == device && second[1] == first[1]);
    ibv_free_device_list(first);
    ibv_free_device_list(second);
    struct ibv_context *context = ibv_open_device(device);
    CHECK(context && strcmp(ibv_get_device_name(context->device), "mlx5_0") == 0);
    CHECK(ibv_close_device(context) == 0);
    CHECK((context = ibv_open_device(device)) && ibv_close_device(context) == 0);
}

/* ---- Addresses ---- */

int ibv_query_gid_type(struct ibv_context *context, uint8_t port_num, unsigned index, int *type);

/* A device without an interface: link-local, and an IPv4 address that is made up. */
static void a_table_has_the_addresses_of_both_versions(void)
{
    struct ibv_port_attr port;
    struct ibv_gid_entry e, all[8];
    union ibv_gid gid, others;
    int type;
    open_side(&a, "mlx5_0");
    open_side(&b, "mlx5_1");
    CHECK(ibv_query_port(a.context, 1, &port) == 0 && port.gid_tbl_len == 255);
    CHECK(port.flags & IBV_QPF_GRH_REQUIRED);
    CHECK(ibv_query_gid_table(a.context, all, 8, 0) == 4);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK(ibv_query_gid(a.context, 1, (int)i, &gid) == 0);
        CHECK(ibv_query_gid_ex(a.context, 1, i, &e, 0) == 0 && e.gid_index == i && e.port_num == 1);
        CHECK(e.gid_type == (i % 2 ? IBV_GID_TYPE_ROCE_V2 : IBV_GID_TYPE_ROCE_V1));
        CHECK(ibv_query_gid_type(a.context, 1, i, &type) == 0 && type == (int)(i % 2));
        CHECK(memcmp(&gid, &e.gid, sizeof gid) == 0 && memcmp(&e, &all[i], sizeof e) == 0);
        CHECK(e.ndev_ifindex == 0);
    }
    CHECK(memcmp(&all[0].gid, &all[1].gid, sizeof gid) == 0 && all[0].gid.raw[0] == 0xfe);
    CHECK(memcmp(&all[2].gid, &all[3].gid, sizeof gid) == 0);
    CHECK(memcmp(all[3].gid.raw, "\0\0\0\0\0\0\0\0\0\0\xff\xff\xa9\xfe", 14) == 0);
    CHECK(ibv_query_gid(b.context, 1, 3, &others) == 0 && memcmp(&others, &gid, sizeof gid) != 0);
    /* Empty entries, and what is outside. */
    CHECK(ibv_query_gid_ex(a.context, 1, 4, &e, 0) == ENODATA);
    CHECK(ibv_query_gid(a.context, 1, 254, &gid) == 0 && gid.raw[0] == 0 && gid.raw[15] == 0);
    CHECK(ibv_query_gid(a.context, 1, 255, &gid) == -1 &&
          ibv_query_gid(a.context, 1, -1, &gid) == -1);
    CHECK(ibv_query_gid_ex(a.context, 1, 255, &e, 0) == EINVAL);
    CHECK(ibv_query_gid_ex(a.context, 2, 0, &e, 0) == EINVAL);
    CHECK(ibv_query_gid_ex(a.context, 1, 0, &e, 1) == EINVAL);
    CHECK(ibv_query_gid_table(a.context, all, 3, 0) == -EINVAL);
    /* Each pair of them is a way. */
    struct ibv_sge some = piece(&a, 0, 5);
    for (uint8_t i = 0; i < 4; i++) {
        struct ibv_qp_attr there = attributes(b.qp->qp_num, &b.gid),
                           back = attributes(a.qp->qp_num, &a.gid);
        there.ah_attr.grh.sgid_index = back.ah_attr.grh.sgid_index = i;
        CHECK(ibv_query_gid(b.context, 1, i, &there.ah_attr.grh.dgid) == 0);
        CHECK(ibv_query_gid(a.context, 1, i, &back.ah_attr.grh.dgid) == 0);
        connect_with(a.qp, there);
        connect_with(b.qp, back);
        CHECK(receive(&b, 1, 0, 8) == 0 && post(&a, work(&b, IBV_WR_SEND, 1, &some)) == 0);
        CHECK_WC(&b, 1, IBV_WC_SUCCESS);
        CHECK_WC(&a, 1, IBV_WC_SUCCESS);
        CHECK(move(a.qp, there, IBV_QPS_RESET, IBV_QP_STATE) == 0);
        CHECK(move(b.qp, back, IBV_QPS_RESET, IBV_QP_STATE) == 0);
    }
    close_both();
}

/* A datagram between IPv4 addresses has their header, from which its receiver answers. */
static void a_datagram_by_ipv4_is_answered(void)
{
    const int to_rtr = IBV_QP_STATE, to_rts = IBV_QP_STATE | IBV_QP_SQ_PSN,
              to_init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;
    struct ibv_ah_attr way = {.is_global = 1, .port_num = 1, .grh = {.sgid_index = 3}}, back;
    struct side *const sides[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        open_device(sides[i], i ? "mlx5_1" : "mlx5_0", 64);
        struct ibv_qp_init_attr_ex init = qp_wanted(sides[i]);
        init.qp_type = IBV_QPT_UD;
        init.comp_mask = IBV_QP_INIT_ATTR_PD;
        CHECK((sides[i]->qp = ibv_create_qp_ex(sides[i]->context, &init)));
        const struct ibv_qp_attr attr = {.port_num = 1, .qkey = 7};
        CHECK(move(sides[i]->qp, attr, IBV_QPS_INIT, to_init) == 0);
        CHECK(move(sides[i]->qp, attr, IBV_QPS_RTR, to_rtr) == 0);
        CHECK(move(sides[i]->qp, attr, IBV_QPS_RTS, to_rts) == 0);
    }
    CHECK(ibv_query_gid(b.context, 1, 3, &way.grh.dgid) == 0);
    struct ibv_ah *ah = ibv_create_ah(a.pd, &way), *answer;
    struct ibv_sge some = piece(&a, 0, 5);
    struct ibv_send_wr wr = work(&b, IBV_WR_SEND, 1, &some);
    wr.wr.ud.ah = ah;
    wr.wr.ud.remote_qpn = b.qp->qp_num;
    wr.wr.ud.remote_qkey = 7;
    CHECK(ah && receive(&b, 1, 0, 64) == 0 && post(&a, wr) == 0);
    struct ibv_wc wc = wait_wc(&b);
    CHECK(wc.status == IBV_WC_SUCCESS && wc.byte_len == 45 && b.memory[20] == 0x45);
    CHECK(wc.sl == 0xa); /* a header of IPv4 and UDP, which UCX looks for */
    CHECK(memcmp(b.memory + 36, way.grh.dgid.raw + 12, 4) == 0);
    struct ibv_grh *grh = (struct ibv_grh *)b.memory;
    CHECK(ibv_init_ah_from_wc(b.context, 1, &wc, grh, &back) == 0 && back.grh.sgid_index == 3);
    CHECK(ibv_query_gid(a.context, 1, 3, &way.grh.dgid) == 0);
    CHECK(memcmp(&way.grh.dgid, &back.grh.dgid, sizeof back.grh.dgid) == 0);
    CHECK((answer = ibv_create_ah_from_wc(b.pd, &wc, grh, 1)));
    b.memory[38] ^= 1; /* it is not the sum of its bytes */
    CHECK(ibv_init_ah_from_wc(b.context, 1, &wc, grh, &back) == -1);
    CHECK(ibv_destroy_ah(ah) == 0 && ibv_destroy_ah(answer) == 0);
    close_both();
}

/* ---- Domains ---- */

static void a_parent_domain_has_the_memory_of_another(void)
{
    struct ibv_td_init_attr of_thread = {0};
    open_side(&a, "mlx5_0");
    open_device(&b, "mlx5_1", 64);
    struct ibv_td *td = ibv_alloc_td(b.context, &of_thread);
    struct ibv_parent_domain_init_attr attr = {.pd = b.pd, .td = td};
    CHECK(td && td->context == b.context);
    struct ibv_pd *parent = ibv_alloc_parent_domain(b.context, &attr), *pd = b.pd;
    CHECK(parent && parent->context == b.context);
    struct ibv_cq_init_attr_ex of_cq = {
        .cqe = 16, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD, .parent_domain = parent};
    struct ibv_cq_ex *cq = ibv_create_cq_ex(b.context, &of_cq);
    CHECK(cq && ibv_destroy_cq(ibv_cq_ex_to_cq(cq)) == 0);
    of_cq.parent_domain = b.pd;
    CHECK(!ibv_create_cq_ex(b.context, &of_cq) && errno == EINVAL);
    /* The queue pair is the parent domain's, and its memory, and its receives, the other's. */
    struct ibv_srq_init_attr of_srq = {.attr = {.max_wr = 8, .max_sge = 1}};
    CHECK((b.srq = ibv_create_srq(pd, &of_srq)));
    b.pd = parent;
    struct ibv_qp_init_attr_ex init = qp_wanted(&b);
    CHECK((b.qp = ibv_create_qp_ex(b.context, &init)));
    connect_sides(&a, &b);
    struct ibv_sge some = piece(&a, 0, 5);
    memcpy(a.memory, "hello", 5);
    CHECK(receive(&b, 1, 0, 8) == 0 && post(&a, work(&b, IBV_WR_SEND, 1, &some)) == 0);
    CHECK_WC(&b, 1, IBV_WC_SUCCESS);
    CHECK(memcmp(b.memory, "hello", 5) == 0);
    CHECK_WC(&a, 1, IBV_WC_SUCCESS);
    CHECK(ibv_dealloc_pd(parent) == EBUSY && ibv_dealloc_td(td) == EBUSY);
    CHECK(ibv_destroy_qp(b.qp) == 0 && ibv_destroy_srq(b.srq) == 0 && ibv_dereg_mr(b.mr) == 0);
    b.qp = NULL;
    b.srq = NULL;
    CHECK(ibv_dealloc_pd(pd) == EBUSY && ibv_dealloc_pd(parent) == 0);
    CHECK(ibv_dealloc_td(td) == 0);
    b.pd = pd;
    CHECK((b.mr = ibv_reg_mr(pd, b.memory, ROOM, ALL_ACCESS)));
    close_both();
}

static void domains_that_make_no_sense_are_refused(void)
{
    struct ibv_td_init_attr bad = {.comp_mask = 1};
    open_device(&a, "mlx5_0", 1);
    open_device(&b, "mlx5_1", 1);
    CHECK(!ibv_alloc_td(a.context, &bad) && errno == EOPNOTSUPP);
    struct ibv_parent_domain_init_attr attr = {0};
    CHECK(!ibv_alloc_parent_domain(a.context, &attr) && errno == EINVAL);
    attr.pd = b.pd;
    CHECK(!ibv_alloc_parent_domain(a.context, &attr) && errno == EINVAL);
    attr.pd = a.pd;
    attr.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS;
    CHECK(!ibv_alloc_parent_domain(a.context, &attr) && errno == EOPNOTSUPP);
    close_both();
}

/* ---- Memory ---- */

static void memory_may_be_registered_anew(void)
{
    open_both();
    struct ibv_sge word = piece(&a, 0, 8);
    const int where = IBV_REREG_MR_CHANGE_TRANSLATION, rights = IBV_REREG_MR_CHANGE_ACCESS;
    const uint32_t old = b.mr->rkey;
    CHECK(ibv_rereg_mr(b.mr, where, NULL, b.memory + 64, 64, 0) == 0);
    CHECK(b.mr->addr == b.memory + 64 && b.mr->length == 64 && b.mr->rkey == old);
    struct ibv_send_wr wr = work(&b, IBV_WR_RDMA_WRITE, 1, &word);
    wr.wr.rdma.remote_addr = (uintptr_t)b.memory + 64;
    memcpy(a.memory, "8 bytes", 8);
    CHECK(post(&a, wr) == 0);
    CHECK_WC(&a, 1, IBV_WC_SUCCESS);
    CHECK(memcmp(b.memory + 64, "8 bytes", 8) == 0);
    /* Another domain, and fewer rights. */
    struct ibv_pd *other = ibv_alloc_pd(b.context);
    CHECK(other && ibv_rereg_mr(b.mr, IBV_REREG_MR_CHANGE_PD, other, NULL, 0, 0) == 0);
    CHECK(b.mr->pd == other && b.mr->length == 64 && ibv_dealloc_pd(other) == EBUSY);
    CHECK(ibv_rereg_mr(b.mr, IBV_REREG_MR_CHANGE_PD, b.pd, NULL, 0, 0) == 0);
    CHECK(ibv_dealloc_pd(other) == 0);
    CHECK(ibv_rereg_mr(b.mr, rights, NULL, NULL, 0, IBV_ACCESS_REMOTE_READ) == 0);
    wr.wr.rdma.rkey = b.mr->rkey;
    CHECK(post(&a, wr) == 0);
    CHECK_WC(&a, 1, IBV_WC_REM_ACCESS_ERR);
    /* What is refused changes nothing. */
    const struct ibv_mr before = *b.mr;
    CHECK(ibv_rereg_mr(b.mr, 0, NULL, NULL, 0, 0) == IBV_REREG_MR_ERR_INPUT && errno == EINVAL);
    CHECK(ibv_rereg_mr(b.mr, 64, NULL, NULL, 0, 0) == IBV_REREG_MR_ERR_INPUT);
    CHECK(ibv_rereg_mr(b.mr, IBV_REREG_MR_CHANGE_PD, a.pd, NULL, 0, 0) == IBV_REREG_MR_ERR_INPUT);
    CHECK(ibv_rereg_mr(b.mr, where, NULL, b.memory, 0, 0) != 0 && errno == EINVAL);
    CHECK(ibv_rereg_mr(b.mr, where, NULL, NULL, 4096, 0) == IBV_REREG_MR_ERR_CMD);
    CHECK(ibv_rereg_mr(b.mr, rights, NULL, NULL, 0, IBV_ACCESS_REMOTE_WRITE) != 0);
    CHECK(memcmp(&before, b.mr, sizeof before) == 0);
    close_both();
}

/* A memory file stands for a DMA buffer. Its addresses are those that the program names. */
static void memory_files_may_be_registered(void)
{
    enum { PAGE = 4096, AT = PAGE + 64, IOVA = 0x7000 };
    char bytes[8] = {0};
    int ends[2];
    const int file = memfd_create("memory", MFD_CLOEXEC);
    CHECK(file >= 0 && ftruncate(file, 2 * PAGE) == 0 && pipe(ends) == 0);
    open_both();
    struct ibv_sge word = piece(&a, 0, 8);
    struct ibv_mr *mr = ibv_reg_dmabuf_mr(b.pd, AT, 64, IOVA, file, ALL_ACCESS);
    CHECK(mr && mr->length == 64 && mr->pd == b.pd && mr->lkey == mr->rkey);
    struct ibv_send_wr wr = work(&b, IBV_WR_RDMA_WRITE, 1, &word);
    wr.wr.rdma.remote_addr = IOVA + 56;
    wr.wr.rdma.rkey = mr->rkey;
    memcpy(a.memory, "8 bytes", 8);
    CHECK(post(&a, wr) == 0);
    CHECK_WC(&a, 1, IBV_WC_SUCCESS);
    CHECK(pread(file, bytes, 8, AT + 56) == 8 && memcmp(bytes, "8 bytes", 8) == 0);
    /* New rights keep the memory. */
    CHECK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, ALL_ACCESS) == 0);
    wr.wr.rdma.remote_addr = IOVA;
    CHECK(post(&a, wr) == 0);
    CHECK_WC(&a, 1, IBV_WC_SUCCESS);
    CHECK(pread(file, bytes, 8, AT) == 8 && memcmp(bytes, "8 bytes", 8) == 0);
    wr.wr.rdma.remote_addr = IOVA + 57; /* beyond its end */
    CHECK(post(&a, wr) == 0);
    CHECK_WC(&a, 1, IBV_WC_REM_ACCESS_ERR);
    CHECK(ibv_dereg_mr(mr) == 0);
    /* Bad descriptors and ranges. */
    CHECK(!ibv_reg_dmabuf_mr(a.pd, 0, PAGE, 0, -1, ALL_ACCESS) && errno == EBADF);
    CHECK(!ibv_reg_dmabuf_mr(a.pd, 0, PAGE, 0, ends[0], ALL_ACCESS) && errno == EINVAL);
    CHECK(!ibv_reg_dmabuf_mr(a.pd, 0, 0, 0, file, ALL_ACCESS) && errno == EINVAL);
    CHECK(!ibv_reg_dmabuf_mr(a.pd, 0, 2 * PAGE + 1, 0, file, ALL_ACCESS) && errno == EINVAL);
    CHECK(!ibv_reg_dmabuf_mr(a.pd, UINT64_MAX, 8, 0, file, ALL_ACCESS) && errno == EINVAL);
    CHECK(!ibv_reg_dmabuf_mr(a.pd, 0, 8, UINT64_MAX, file, ALL_ACCESS) && errno == EINVAL);
    CHECK(!ibv_reg_dmabuf_mr(a.pd, 0, 8, 0, file, IBV_ACCESS_REMOTE_WRITE) && errno == EINVAL);
    CHECK(close(file) == 0 && close(ends[0]) == 0 && close(ends[1]) == 0);
    close_both();
}

static void rights_that_there_are_not_are_refused(void)
{
    open_device(&a, "mlx5_0", 1);
    CHECK(!ibv_reg_mr(a.pd, a.memory, ROOM, IBV_ACCESS_ON_DEMAND) && errno == EOPNOTSUPP);
    CHECK(!ibv_reg_mr(a.pd, NULL, SIZE_MAX, IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE));
    CHECK(!ibv_reg_mr(a.pd, a.memory, ROOM, 1 << 12) && errno == EINVAL);
    struct ibv_mr *mr =
        ibv_reg_mr(a.pd, a.memory, ROOM, 1 << 25); /* optional, so it may be absent */
    CHECK(mr && ibv_dereg_mr(mr) == 0);
    struct ibv_device_attr_ex attr;
    CHECK(ibv_query_device_ex(a.context, NULL, &attr) == 0 && attr.odp_caps.general_caps == 0);
    close_side(&a);
}

/* ---- What there is not ---- */

static void unsupported_calls_say_so(void)
{
    struct ibv_modify_cq_attr moderation = {.attr_mask = IBV_CQ_ATTR_MODERATE,
                                            .moderate = {.cq_count = 4, .cq_period = 10}};
    struct ibv_alloc_dm_attr of_dm = {.length = 64};
    struct ibv_xrcd_init_attr of_xrcd = {
        .comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1};
    struct ibv_wq_init_attr of_wq = {.wq_type = IBV_WQT_RQ, .max_wr = 1, .max_sge = 1};
    struct ibv_counters_init_attr of_counters = {0};
    struct ibv_values_ex values = {.comp_mask = IBV_VALUES_MASK_RAW_CLOCK};
    struct ibv_ece ece;
    union ibv_gid group = {.raw = {0xff}};
    open_side(&a, "mlx5_0");
    struct ibv_sge all = piece(&a, 0, ROOM);
#define ABSENT(call)  CHECK((errno = 0, !(call)) && errno == EOPNOTSUPP)
#define REFUSED(call) CHECK((call) == EOPNOTSUPP)
    ABSENT(ibv_alloc_null_mr(a.pd));
    ABSENT(ibv_alloc_mw(a.pd, IBV_MW_TYPE_1));
    ABSENT(ibv_alloc_dm(a.context, &of_dm));
    ABSENT(ibv_open_xrcd(a.context, &of_xrcd));
    ABSENT(ibv_create_wq(a.context, &of_wq));
    ABSENT(ibv_create_counters(a.context, &of_counters));
    ABSENT(ibv_import_pd(a.context, 0));
    ABSENT(ibv_import_mr(a.pd, 0));
    ABSENT(ibv_import_dm(a.context, 0));
    REFUSED(ibv_modify_cq(a.cq, &moderation));
    REFUSED(ibv_resize_cq(a.cq, 16));
    REFUSED(ibv_advise_mr(a.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &all, 1));
    REFUSED(ibv_query_rt_values_ex(a.context, &values));
    REFUSED(ibv_query_ece(a.qp, &ece));
    REFUSED(ibv_attach_mcast(a.qp, &group, 0));
    close_side(&a);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {CASE(completions_have_all_standard_fields),
                                             CASE(a_device_outlives_its_list),
                                             CASE(a_table_has_the_addresses_of_both_versions),
                                             CASE(a_datagram_by_ipv4_is_answered),
                                             CASE(a_parent_domain_has_the_memory_of_another),
                                             CASE(domains_that_make_no_sense_are_refused),
                                             CASE(memory_may_be_registered_anew),
                                             CASE(memory_files_may_be_registered),
                                             CASE(rights_that_there_are_not_are_refused),
                                             CASE(unsupported_calls_say_so)};
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
