#pragma once

#include <string>

#include "engine/model/model_config.h"
#include "engine/text/json.h"

namespace k3 {

/// What `k3rack model CONFIG --json` prints: layers, `parameters`, `bytes`, `cache` and all of
/// model_numbers() under `numbers`.
Json model_report_json(const ModelConfig& model);

/// The same for people: tables with units.
std::string model_report_text(const ModelConfig& model);

}  // namespace k3
