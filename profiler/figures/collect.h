#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "profiler/figures/run_detail.h"
#include "profiler/store/session_reader.h"

namespace k3::figures {

/// What may be asked; every part costs time.
enum class Part : std::uint8_t {
  costs,       ///< kinds, layers
  attention,   ///< attention over steps, spread over ranks
  traffic,     ///< matrices
  load,        ///< tokens of experts and ranks
  comparison,  ///< query::compare
};

struct Question {
  query::Scope scope;
  std::optional<Direction> direction;
  std::vector<Part> parts{Part::costs, Part::attention, Part::traffic, Part::load,
                          Part::comparison};
};

/// Asks one session, or two. `second` null: one. The caller passes the measured one first.
Result<Input> collect(const store::SessionReader& first,
                      const store::SessionReader* second,
                      const Question& question = {});

/// Opens one session, or two, and asks them everything. Of two, the measured one comes first.
Result<Input> collect(const std::filesystem::path& first,
                      const std::optional<std::filesystem::path>& second);

}  // namespace k3::figures
