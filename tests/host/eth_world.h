/* Queues of DOCA Ethernet with their port and pipe, and operations of the cases. */
#ifndef TESTS_HOST_ETH_WORLD_H
#define TESTS_HOST_ETH_WORLD_H

#include <doca_buf_inventory.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_eth_txq_cpu_data_path.h>
#include <doca_flow.h>
#include <string.h>

#include "check.h"

#define OK DOCA_SUCCESS
enum { TASKS = 16, FRAME = 128, ROOM = 65536, QUEUE = 3, METADATA = 1234 };

extern struct world {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_mmap *map;
    struct doca_buf_inventory *bufs;
    struct doca_eth_rxq *rxq;
    struct doca_eth_txq *txq;
    struct doca_flow_port *port;
    struct doca_flow_pipe *pipe;
    _Alignas(64) uint8_t memory[ROOM];
    unsigned sent, came, failed; /* tasks */
    doca_error_t status;         /* of the last failed task */
    struct doca_eth_rxq_task_recv *last;
    bool stops; /* tasks that end are freed */
} w;

void world_open(const char *name);
/* A buffer of FRAME bytes, of which the first `size` are data. */
struct doca_buf *buf(unsigned place, size_t size);
enum doca_ctx_states state_of(struct doca_ctx *ctx);
void stop(struct doca_ctx *ctx);
void on_sent(struct doca_eth_txq_task_send *task, union doca_data task_data,
             union doca_data ctx_data);
void sender_start(void);
doca_error_t send_frame(struct doca_buf *b);
/* A frame of UDP over IPv4, whose checksums are left out, and its bytes at w.memory. */
struct doca_buf *udp_frame(void);
/* A place for headers of TCP over IPv4, 54 bytes, and `size` bytes of data in a buffer of their own. */
struct doca_buf *tcp_data(struct doca_gather_list *headers, size_t size);
void on_came(struct doca_eth_rxq_task_recv *task, union doca_data task_data,
             union doca_data ctx_data);
void on_lost(struct doca_eth_rxq_task_recv *task, union doca_data task_data,
             union doca_data ctx_data);
void receive_into(struct doca_buf *b);
void receive_again(void);
void port_open(void);
/* A pipe to the queue with that id, and the metadata of its frames. */
doca_error_t lead_to(uint16_t id);
void receiver_start(void);
void await(const unsigned *counter, unsigned count);
void world_close(void);

/* ---- Cases of DOCA Flow (eth_flow_cases.c) ---- */

/* Offsets in the frames of udp_frame. */
enum {
    AT_DMAC = 0,
    AT_SMAC = 6,
    AT_TTL = 22,
    AT_SOURCE = 26,
    AT_DESTINATION = 30,
    AT_DPORT = 36,
    FRAME_SIZE = 114
};
/* A device with a queue that waits for frames, and with a frame to send. */
void flow_queue_open(void);
/* Closes what flow_queue_open opened, and w.port. */
void flow_close(void);
void set_destination(const char *address);
/* Sends the frame until it has left. */
void send_once(void);
/* Sends a frame to an address; it comes back with this metadata. */
void comes_with(const char *address, uint32_t metadata);
/* The bytes of the last frame that came. */
const uint8_t *last_frame(size_t *size);

void frames_arrive_and_tell_of_themselves(void);
void a_frame_that_does_not_fit_stops_the_queue(void);
void queues_stop_with_tasks_in_flight(void);
void tasks_have_an_mss_of_their_own(void);
void tasks_have_metadata_and_no_flags(void);
void a_queue_that_runs_gets_more_tasks(void);
void rules_match_metadata_of_sent_frames(void);
void sends_that_cannot_be_are_refused(void);
void settings_out_of_range_are_refused(void);
void memory_of_managed_queues_is_checked(void);
void pipes_lead_to_queues_that_are_there(void);
void pipes_go_while_entries_come(void);
void entries_have_their_own_values(void);
void masks_choose_bits(void);
void control_pipes_have_priorities(void);
void the_protocol_tells_the_header(void);
void the_longest_prefix_counts(void);
void a_hash_pipe_chooses_an_entry(void);
void frames_are_spread_without_a_hash(void);
void wrong_hash_pipes_are_refused(void);
void actions_change_frames(void);
void tunnels_and_tags_come_and_go(void);
void sent_frames_are_matched(void);
void callbacks_tell_of_entries(void);
void counters_are_shared(void);
void what_is_not_emulated_is_named(void);
void labels_of_mpls_are_made_and_read(void);
void a_stopped_port_gets_no_pipe(void);
void a_port_that_stops_destroys_its_pipes(void);
void pipes_of_doca_2_5(void);
void pipes_of_doca_2_6(void);
void pipes_of_doca_2_8(void);
void pipes_of_doca_2_10(void);
void live_receiver(void);
void live_sender(void);
void receivers_are_killed(void);
void senders_are_killed(void);
void either_side_is_killed_at_any_step(void);

#endif
