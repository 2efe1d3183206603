#include "engine/runtime/kernel_check.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

namespace k3 {
namespace {

struct Operator {
  std::string_view name;
  bool present = false;
};

std::vector<Operator> needed_operators(const ModelConfig& model, const KernelTable& table) {
  std::vector<Operator> needed{{"embed", table.embed != nullptr},
                               {"linear", table.linear != nullptr},
                               {"rms_norm", table.rms_norm != nullptr},
                               {"add", table.add != nullptr},
                               {"situ", table.situ != nullptr},
                               {"attn_res_mix", table.attn_res_mix != nullptr},
                               {"gather_rows", table.gather_rows != nullptr},
                               {"argmax", table.argmax != nullptr}};
  const auto add = [&](std::initializer_list<Operator> more) { needed.insert(needed.end(), more); };
  if (model.count(AttentionKind::kda) > 0) {
    add({{"short_conv", table.short_conv != nullptr},
         {"kda_gate", table.kda_gate != nullptr},
         {"sigmoid", table.sigmoid != nullptr},
         {"kda_recurrence", table.kda_recurrence != nullptr},
         {"kda_output", table.kda_output != nullptr}});
  }
  if (model.count(AttentionKind::mla) > 0) {
    add({{"mla_cache", table.mla_cache != nullptr},
         {"mla_absorbed", table.mla_absorbed != nullptr},
         {"mla_expanded", table.mla_expanded != nullptr},
         {"sigmoid_gate", !model.mla.output_gate || table.sigmoid_gate != nullptr}});
  }
  if (model.count(FfnKind::moe) > 0) {
    add({{"route", table.route != nullptr},
         {"expert_mlp", table.expert_mlp != nullptr},
         {"combine", table.combine != nullptr}});
  }
  return needed;
}

}  // namespace

Result<void> check_kernels(const ModelConfig& model, const Backend& backend) {
  std::string missing;
  for (const Operator& op : needed_operators(model, backend.kernels())) {
    if (op.present) continue;
    if (!missing.empty()) missing += ", ";
    missing += op.name;
  }
  if (missing.empty()) return {};
  return fail(Code::unsupported,
              fmt::format("backend {} lacks operators of this model: {}", backend.name(), missing));
}

}  // namespace k3
