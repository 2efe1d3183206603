#include "profiler/store/row_values.h"
#include "profiler/store/schema.h"
#include "profiler/store/session_reader.h"

namespace k3::store {
Result<std::vector<LinkRecord>> SessionReader::links() const {
  std::vector<LinkRecord> out;
  if (user_version_ < kLinkTable.since) return out;
  K3_TRY(Statement query,
         database_.prepare("SELECT src_node, dst_node, plane, capacity_bytes_per_s, latency_ns "
                           "FROM link ORDER BY link_id"));
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    LinkRecord& link = out.emplace_back();
    link.src_node = row.text(0);
    link.dst_node = row.text(1);
    link.plane = integer_as<std::int32_t>(row, 2);
    link.capacity_bytes_per_s = row.real(3);
    link.latency_ns = row.integer(4);
    return {};
  }));
  return out;
}

Result<std::vector<LinkUseRecord>> SessionReader::link_use(int step) const {
  std::vector<LinkUseRecord> out;
  if (user_version_ < kLinkTable.since) return out;
  K3_TRY(const std::int64_t num_links, database_.integer("SELECT count(*) FROM link"));
  K3_TRY(Statement query,
         database_.prepare("SELECT layer, direction, link_id, bytes, busy_ns FROM link_use "
                           "WHERE step = ? ORDER BY layer, direction DESC, link_id"));
  query.bind(1, step);
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    LinkUseRecord& use = out.emplace_back();
    K3_TRY(use.layer, layer_at(row, 0));
    K3_TRY(use.direction, enum_at<Direction>(row, 1));
    K3_TRY(use.link, index_at<std::int32_t>(row, 2, num_links));
    use.bytes = row.integer(3);
    use.busy_ns = row.integer(4);
    return {};
  }));
  return out;
}

Result<std::vector<LinkSampleRecord>> SessionReader::link_samples(int step) const {
  std::vector<LinkSampleRecord> out;
  if (user_version_ < kLinkSampleTable.since) return out;
  K3_TRY(const std::int64_t num_links, database_.integer("SELECT count(*) FROM link"));
  K3_TRY(Statement query,
         database_.prepare("SELECT link_id, t_ns, bytes_per_s FROM link_sample WHERE step = ? "
                           "ORDER BY link_id, t_ns"));
  query.bind(1, step);
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    LinkSampleRecord& sample = out.emplace_back();
    K3_TRY(sample.link, index_at<std::int32_t>(row, 0, num_links));
    sample.t_ns = row.integer(1);
    sample.bytes_per_s = row.real(2);
    return {};
  }));
  return out;
}

}  // namespace k3::store
