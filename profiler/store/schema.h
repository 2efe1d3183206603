#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace k3::store {

/// The session file: an SQLite database whose tables are declared here and nowhere else. The CREATE
/// statements, the INSERT statements (Inserter, database.h) and README.md of this folder derive
/// from the declarations. Columns are added, never renamed; every addition raises kUserVersion, and
/// readers keep reading all older versions.
enum class ColumnType : std::uint8_t { integer, real, text, blob };

struct Column {
  std::string_view name;
  ColumnType type;
  std::string_view unit;  ///< empty: a plain number or a name
  std::string_view doc;
};

struct Table {
  std::string_view name;
  std::string_view key;  ///< columns of the primary key; empty: none
  std::string_view doc;
  std::span<const Column> columns;
  int since = 1;  ///< format that brought it
};

struct View {
  std::string_view name;
  std::string_view doc;
  std::string_view select;
};

/// "K3Ra": tells session files from other SQLite databases (bytes 68 to 71 of the file).
inline constexpr std::int32_t kApplicationId = 0x4b335261;
inline constexpr std::int32_t kUserVersion = 3;

/// Keys of `meta` with a meaning for readers. The writer sets the first five itself; the others
/// come from RunHeader::meta.
inline constexpr std::string_view kMetaKind = "kind";
inline constexpr std::string_view kMetaScenario = "scenario";
inline constexpr std::string_view kMetaComplete = "complete";
inline constexpr std::string_view kMetaNumRanks = "num_ranks";
inline constexpr std::string_view kMetaGpusPerTray = "gpus_per_tray";
inline constexpr std::string_view kMetaTitle = "title";
inline constexpr std::string_view kMetaModel = "model";
inline constexpr std::string_view kMetaMachine = "machine";
inline constexpr std::string_view kMetaProcessor = "processor";
inline constexpr std::string_view kMetaCores = "cores";
inline constexpr std::string_view kMetaTopK = "top_k";
inline constexpr std::string_view kMetaMoeLayers = "moe_layers";
inline constexpr std::string_view kMetaDispatchRowBytes = "dispatch_row_bytes";
inline constexpr std::string_view kMetaCombineRowBytes = "combine_row_bytes";

namespace columns {
using enum ColumnType;

inline constexpr Column kMeta[] = {
    {"key", text, "",
     "kind, scenario, complete, num_ranks, gpus_per_tray, title, model, machine …"},
    {"value", text, "", "kind: measured, simulated or imported; complete: 0 while writing, then 1"},
};
inline constexpr Column kRank[] = {
    {"rank", integer, "", "from 0"},
    {"host", text, "", "name of the host it ran on"},
    {"device", text, "", "what computed (processor or GPU)"},
    {"tray", integer, "", "NULL: the machine has no trays"},
    {"clock_offset_ns", integer, "ns", "added to the rank's own clock; 0: ranks share one clock"},
    {"clock_error_ns", integer, "ns", "uncertainty of the offset"},
    {"clock_method", text, "", "how the offset was found; shared: one clock"},
};
inline constexpr Column kString[] = {
    {"id", integer, "", "what name_id columns hold"},
    {"text", text, "", ""},
};
inline constexpr Column kPlan[] = {
    {"plan_id", integer, "", "from 0"},
    {"hash", text, "", "16 hexadecimal digits; equal hashes: equal task ids"},
    {"phase", text, "", "prefill or decode"},
    {"num_tasks", integer, "", "over all ranks"},
};
inline constexpr Column kStep[] = {
    {"step", integer, "", "ascending"},
    {"plan_id", integer, "", ""},
    {"phase", text, "", "prefill or decode"},
    {"sequences", integer, "", "of all ranks"},
    {"tokens", integer, "", "new tokens, of all ranks"},
    {"context", integer, "tokens", "in the cache before the step, longest sequence"},
    {"begin_ns", integer, "ns", "since the begin of the run"},
    {"duration_ns", integer, "ns", ""},
    {"complete", integer, "", "1: everything of the step is there"},
    {"first_span", integer, "", "span_id of its first span; the ids of a step are contiguous"},
    {"num_spans", integer, "", ""},
};
inline constexpr Column kTask[] = {
    {"plan_id", integer, "", ""},
    {"task_id", integer, "", "from 0"},
    {"rank", integer, "", ""},
    {"kind", text, "", "embed, attn_res, norm, kda, mla, dense, router, latent, dispatch, …"},
    {"layer", integer, "", "-1: not part of a layer"},
    {"stage", text, "", "part of its kind: whole, project, recur, attend, …"},
    {"name_id", integer, "", ""},
    {"flops", real, "", "at the first step of the plan; a multiply-add counts as two"},
    {"bytes", real, "B", "read and written at the first step of the plan"},
};
inline constexpr Column kLane[] = {
    {"lane_id", integer, "", "a row of the timeline, from 0"},
    {"rank", integer, "", ""},
    {"parent", integer, "", "lane_id it belongs under; NULL: the rank itself"},
    {"kind", text, "", "compute, communication, memory or other"},
    {"name_id", integer, "", ""},
    {"sort", integer, "", "order within the file"},
    {"source_pid", integer, "", "process in the imported file; NULL: not imported"},
    {"source_tid", integer, "", "thread in the imported file; NULL: not imported"},
};
inline constexpr Column kSpan[] = {
    {"span_id", integer, "", "from 1, in the order written"},
    {"lane_id", integer, "", ""},
    {"depth", integer, "", "0: not inside another span of its lane"},
    {"step", integer, "", ""},
    {"task_id", integer, "", "of the step's plan; -1: none"},
    {"layer", integer, "", "-1: none"},
    {"name_id", integer, "", ""},
    {"begin_ns", integer, "ns", "since the begin of the run"},
    {"duration_ns", integer, "ns", ""},
    {"category", text, "", "compute, transfer, wait, memory or other"},
    {"flops", real, "", ""},
    {"bytes", real, "B", "memory traffic of compute, payload of transfers"},
    {"correlation", integer, "", "id that joins host and device spans; NULL: none"},
};
inline constexpr Column kSpanRange[] = {
    {"first_span", integer, "", "span_id of the first of the stretch"},
    {"num_spans", integer, "", "their ids are contiguous"},
    {"begin_ns", integer, "ns", "the earliest begin"},
    {"end_ns", integer, "ns", "the latest end"},
};
inline constexpr Column kSpanBlock[] = {
    {"lane_id", integer, "", ""},
    {"depth", integer, "", "as in span"},
    {"first_begin_ns", integer, "ns", "begin of the first span; spans ascend in begin"},
    {"last_end_ns", integer, "ns", "the latest end"},
    {"count", integer, "", "spans in it, at most 65536"},
    {"busy_ns", integer, "ns", "sum of the durations, waiting left out"},
    {"span_limit", integer, "", "every span with a smaller span_id stands in a block"},
    {"columns", blob, "", "see below"},
};
inline constexpr Column kLaneSummary[] = {
    {"lane_id", integer, "", ""},
    {"category", text, "", "as in span"},
    {"layer", integer, "", "-1: none"},
    {"count", integer, "", "spans of depth 0"},
    {"busy_ns", integer, "ns", "sum of their durations"},
};
inline constexpr Column kStepCost[] = {
    {"step", integer, "", ""},
    {"kind", text, "", "as in task"},
    {"layer", integer, "", "-1: not part of a layer"},
    {"stage", text, "", "as in task"},
    {"ranks", integer, "", "ranks that have such a task with a span"},
    {"tasks", integer, "", "such tasks with a span, over all ranks"},
    {"busy_ns", integer, "ns", "sum over ranks of the tasks' spans of depth 0, waiting apart"},
    {"wait_ns", integer, "ns", "sum over ranks of the waiting"},
    {"max_ns", integer, "ns", "busy + waiting of the rank that took longest"},
    {"flops", real, "", "sum over ranks"},
    {"bytes", real, "B", "sum over ranks"},
};
inline constexpr Column kTraffic[] = {
    {"step", integer, "", ""},
    {"layer", integer, "", ""},
    {"direction", text, "", "dispatch or combine"},
    {"num_ranks", integer, "", ""},
    {"copies", blob, "", "(token, expert) choices, [source][destination], little-endian u32"},
    {"rows", blob, "", "rows moved, little-endian u32"},
    {"bytes", blob, "B", "payload, little-endian u64"},
};
inline constexpr Column kTrafficTotal[] = {
    {"direction", text, "", "dispatch or combine"},
    {"src", integer, "", "source rank"},
    {"dst", integer, "", "destination rank; source = destination included"},
    {"copies", integer, "", "over all steps and layers"},
    {"rows", integer, "", ""},
    {"bytes", integer, "B", ""},
};
inline constexpr Column kTransfer[] = {
    {"step", integer, "", ""},
    {"layer", integer, "", ""},
    {"direction", text, "", "dispatch or combine"},
    {"rank", integer, "", ""},
    {"begin_ns", integer, "ns", "since the begin of the run"},
    {"wait_ns", integer, "ns", "waiting for other ranks"},
    {"move_ns", integer, "ns", "moving data"},
};
inline constexpr Column kExpertLoad[] = {
    {"step", integer, "", ""},
    {"layer", integer, "", ""},
    {"num_experts", integer, "", ""},
    {"tokens", blob, "", "copies per expert, little-endian u32"},
    {"slot_tokens", blob, "", "copies per slot in placement order, little-endian u32"},
};
inline constexpr Column kExpertLoadTotal[] = {
    {"layer", integer, "", ""},
    {"expert", integer, "", "-1: empty slot"},
    {"slot", integer, "", "NULL: no placement was stored"},
    {"rank", integer, "", "NULL: no placement was stored"},
    {"tokens", integer, "", "copies over all steps"},
};
inline constexpr Column kRouting[] = {
    {"step", integer, "", ""},
    {"layer", integer, "", ""},
    {"num_tokens", integer, "", "of all ranks, in global order"},
    {"top_k", integer, "", ""},
    {"experts", blob, "", "[token][choice], little-endian u16, one zstd frame"},
};
inline constexpr Column kMemory[] = {
    {"rank", integer, "", ""},
    {"what", text, "", "experts, weights, kv_cache, kda_state, activations, buffers"},
    {"bytes", integer, "B", ""},
};
inline constexpr Column kPlacement[] = {
    {"layer", integer, "", ""},
    {"slot", integer, "", "ascending with rank"},
    {"rank", integer, "", ""},
    {"expert", integer, "", "-1: empty slot"},
    {"share", real, "", "of the expert's tokens; the shares of an expert sum to 1"},
};
inline constexpr Column kLink[] = {
    {"link_id", integer, "", "from 0"},
    {"src_node", text, "", "gpu3, plane7, nic3, leaf0 or spine1"},
    {"dst_node", text, "", ""},
    {"plane", integer, "", "of the rack; -1: leads to no plane"},
    {"capacity_bytes_per_s", real, "B/s", "one direction, after faults; 0: dead"},
    {"latency_ns", integer, "ns", "one way"},
};
inline constexpr Column kLinkUse[] = {
    {"step", integer, "", ""},
    {"layer", integer, "", "-1: all layers of the step"},
    {"direction", text, "", "dispatch or combine"},
    {"link_id", integer, "", ""},
    {"bytes", integer, "B", ""},
    {"busy_ns", integer, "ns", "time during which the link carried something"},
};
inline constexpr Column kLinkSample[] = {
    {"step", integer, "", ""},
    {"link_id", integer, "", ""},
    {"t_ns", integer, "ns", "since the begin of the run"},
    {"bytes_per_s", real, "B/s", "from here until the next sample of the link"},
};
}  // namespace columns

inline constexpr Table kMetaTable{"meta", "key", "What the run was.", columns::kMeta};
inline constexpr Table kRankTable{"rank", "rank", "One row per rank.", columns::kRank};
inline constexpr Table kStringTable{"string", "id", "Interned names.", columns::kString};
inline constexpr Table kPlanTable{"plan", "plan_id", "One per kind of step.", columns::kPlan};
inline constexpr Table kStepTable{
    "step", "step", "Finished steps; everything of a step is written in one transaction.",
    columns::kStep};
inline constexpr Table kTaskTable{"task", "plan_id, task_id", "The tasks of every plan.",
                                  columns::kTask};
inline constexpr Table kLaneTable{"lane", "lane_id", "Rows of the timeline.", columns::kLane};
inline constexpr Table kSpanTable{"span", "span_id", "Intervals on lanes.", columns::kSpan};
inline constexpr Table kSpanRangeTable{"span_range", "first_span",
                                       "Stretches of `span` and their time: an index of it.",
                                       columns::kSpanRange, 3};
inline constexpr Table kSpanBlockTable{
    "span_block", "",
    "The spans once more, as compressed columns. A run adds blocks now and then, for whole steps.",
    columns::kSpanBlock, 3};
inline constexpr Table kLaneSummaryTable{"lane_summary", "lane_id, category, layer",
                                         "Time per lane over all steps; filled when the run ends.",
                                         columns::kLaneSummary};
inline constexpr Table kStepCostTable{"step_cost", "step, kind, layer, stage",
                                      "Time per kind, layer and stage of every step.",
                                      columns::kStepCost};
inline constexpr Table kTrafficTable{"traffic", "step, layer, direction",
                                     "The matrix of every all-to-all.", columns::kTraffic};
inline constexpr Table kTrafficTotalTable{"traffic_total", "direction, src, dst",
                                          "Sums of traffic; filled when the run ends.",
                                          columns::kTrafficTotal};
inline constexpr Table kTransferTable{"transfer", "step, layer, direction, rank",
                                      "Every rank's part in every all-to-all.", columns::kTransfer};
inline constexpr Table kExpertLoadTable{"expert_load", "step, layer",
                                        "Tokens per expert and slot of every MoE layer.",
                                        columns::kExpertLoad};
inline constexpr Table kExpertLoadTotalTable{"expert_load_total", "",
                                             "Sums of expert_load; filled when the run ends.",
                                             columns::kExpertLoadTotal};
inline constexpr Table kRoutingTable{
    "routing", "step, layer", "Expert choices, for replay in another run.", columns::kRouting};
inline constexpr Table kMemoryTable{"memory", "rank, what", "Memory taken per rank.",
                                    columns::kMemory};
inline constexpr Table kPlacementTable{"placement", "layer, slot", "Where experts live.",
                                       columns::kPlacement};

inline constexpr Table kLinkTable{
    "link", "link_id", "Links of the simulated machine, one direction each.", columns::kLink, 2};
inline constexpr Table kLinkUseTable{
    "link_use", "step, layer, direction, link_id",
    "What every link carried. Totals per step unless more was asked.", columns::kLinkUse, 2};

inline constexpr Table kLinkSampleTable{"link_sample", "step, link_id, t_ns",
                                        "Throughput of links over time, if asked: its mean while "
                                        "an exchange keeps the link busy, then 0.",
                                        columns::kLinkSample, 2};

inline constexpr std::array kTables{&kMetaTable,
                                    &kRankTable,
                                    &kStringTable,
                                    &kPlanTable,
                                    &kStepTable,
                                    &kTaskTable,
                                    &kLaneTable,
                                    &kSpanTable,
                                    &kSpanRangeTable,
                                    &kSpanBlockTable,
                                    &kLaneSummaryTable,
                                    &kStepCostTable,
                                    &kTrafficTable,
                                    &kTrafficTotalTable,
                                    &kTransferTable,
                                    &kExpertLoadTable,
                                    &kExpertLoadTotalTable,
                                    &kRoutingTable,
                                    &kMemoryTable,
                                    &kPlacementTable,
                                    &kLinkTable,
                                    &kLinkUseTable,
                                    &kLinkSampleTable};

inline constexpr std::array kViews{
    View{"v_layer_cost",
         "Microseconds per rank and step of every kind, layer and stage: mean, waiting in it, and "
         "the slowest rank's.",
         "SELECT phase, kind, layer, stage, count(*) AS steps,\n"
         "  1e-3 * sum(busy_ns + wait_ns) / sum(ranks) AS mean_us,\n"
         "  1e-3 * sum(wait_ns) / sum(ranks) AS wait_us,\n"
         "  1e-3 * avg(max_ns) AS slowest_rank_us\n"
         "FROM step_cost JOIN step USING (step)\n"
         "GROUP BY phase, kind, layer, stage"},
    View{"v_span",
         "Spans with their end and the time of their stretch. Spans of a time are found without "
         "reading the others by `WHERE begin_ns < t1 AND end_ns > t0 AND stretch_begin_ns < t1 AND "
         "stretch_end_ns > t0`.",
         "SELECT span.*, span.begin_ns + duration_ns AS end_ns,\n"
         "  span_range.begin_ns AS stretch_begin_ns, span_range.end_ns AS stretch_end_ns\n"
         "FROM span_range CROSS JOIN span\n"
         "  ON span_id BETWEEN first_span AND first_span + num_spans - 1"},
    View{"v_traffic_matrix",
         "Copies, rows and bytes per pair of ranks over all steps and layers, both directions.",
         "SELECT src, dst, sum(copies) AS copies, sum(rows) AS rows, sum(bytes) AS bytes\n"
         "FROM traffic_total\n"
         "GROUP BY src, dst"},
    View{"v_expert_balance",
         "Per MoE layer: tokens of the busiest rank over the mean of all ranks.",
         "SELECT layer, sum(tokens) AS tokens, max(tokens) AS max_rank_tokens,\n"
         "  CASE WHEN sum(tokens) > 0\n"
         "    THEN 1.0 * max(tokens) * (SELECT count(*) FROM rank) / sum(tokens)\n"
         "    ELSE 1.0 END AS balance\n"
         "FROM (SELECT layer, rank, sum(tokens) AS tokens FROM expert_load_total\n"
         "      WHERE rank IS NOT NULL GROUP BY layer, rank)\n"
         "GROUP BY layer"},
    View{
        "v_link_use",
        "Per link over the whole run: bytes, time busy, share of its capacity used while busy.",
        "SELECT link_id, src_node, dst_node, plane, sum(bytes) AS bytes, sum(busy_ns) AS busy_ns,\n"
        "  CASE WHEN sum(busy_ns) > 0\n"
        "    THEN 1e9 * sum(bytes) / sum(busy_ns) / capacity_bytes_per_s ELSE 0.0 END AS "
        "busy_share\n"
        "FROM link_use JOIN link USING (link_id)\n"
        "WHERE layer = -1\n"
        "GROUP BY link_id"},
};

/// `CREATE TABLE …` of one table; `scope` is empty or "TEMP ".
std::string create_statement(const Table& table, std::string_view scope = {});
std::string create_statement(const View& view, std::string_view scope = {});

/// `INSERT INTO … VALUES (?, …)`, parameters in column order.
std::string insert_statement(const Table& table);

/// The text of README.md in this folder.
std::string schema_readme();

}  // namespace k3::store
