#pragma once

#include <string>

#include "engine/model/model_config.h"
#include "engine/text/file.h"
#include "engine/text/json.h"
#include "tests/support/shared_data.h"

namespace k3::test {

/// A shipped configuration as a tree to change and parse again.
inline Json shipped_config(const std::string& name) {
  const auto path = source_dir() / "data" / "model" / (name + ".json");
  return *Json::parse(*read_text_file(path), name);
}

inline ModelConfig shipped_model(const std::string& name) {
  return *load_model_config(source_dir() / "data" / "model" / (name + ".json"));
}

/// Message of parsing a changed configuration, without the place.
inline std::string config_error(const Json& config) {
  const auto parsed = parse_model_config(config.dump(-1), "c");
  if (parsed) return "no error";
  const std::string text = parsed.error().text();
  // "c:1:COLUMN: rest"; all dumped configurations are one line.
  return text.starts_with("c:1:") ? text.substr(text.find(": ") + 2) : text;
}

}  // namespace k3::test
