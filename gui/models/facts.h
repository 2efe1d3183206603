#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "gui/models/timeline_focus.h"

namespace k3::gui {

/// One number of the inspector with its unit and where it comes from.
struct Fact {
  std::string what;
  std::string value;
  std::string source;
};

struct FactGroup {
  std::string title;
  std::vector<Fact> facts;
};

/// What stands in the file about a span and is not kept in memory.
struct SpanValues {
  double flops = 0;
  double bytes = 0;
};

Result<SpanValues> span_values(const store::SessionReader& session, std::int64_t span_id);

/// Everything about one span. Without `values`: what is known at once.
FactGroup span_facts(const TimelineFocus& focus,
                     const SpanRef& span,
                     const std::optional<SpanValues>& values);

/// What the plan says about the span's task; no facts: it has none.
FactGroup task_facts(const TimelineFocus& focus, const SpanRef& span);

/// What the selected pair of ranks sent each other; no facts: no pair is selected.
Result<FactGroup> pair_facts(const Runs& runs, const Selection& selection);

/// What the selected layer costs, per kind; no facts: none is selected.
Result<FactGroup> layer_facts(const Runs& runs, const Selection& selection);

/// Lines of "what: value", the first group's title above them.
std::string to_text(const std::vector<FactGroup>& groups);

}  // namespace k3::gui
