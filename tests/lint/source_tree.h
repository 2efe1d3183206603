#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace k3::lint {

/// One text file of the source tree, as the rules read it.
struct SourceFile {
  std::string path;  ///< relative to the root, with '/': "engine/plan/plan.h"
  std::vector<std::string> lines;

  bool is_header() const { return path.ends_with(".h"); }

  bool is_cpp() const { return is_header() || path.ends_with(".cpp"); }

  bool is_below(const std::string& folder) const { return path.starts_with(folder + "/"); }

  /// The second-level folder the file belongs to: "engine/plan"; empty nearer to the root.
  std::string folder() const;
};

/// `#include "x"` or `#include <x>`.
struct Include {
  std::string target;
  bool quoted = false;
  std::size_t line = 0;  ///< counted from 1
};

/// `A -> B C` lines of a rule file beside the lint tests.
using Arrows = std::map<std::string, std::vector<std::string>>;

/// Every text file of the project (build folders and what git ignores at the root left out),
/// sorted by path.
const std::vector<SourceFile>& source_tree();

std::vector<Include> includes_of(const SourceFile& file);

/// The arrows of `tests/lint/NAME`, in which `#` begins a comment line.
Arrows read_arrows(const std::string& name);

/// True for the folders that follow the layering: engine, kernels, sim, profiler.
bool is_layered(const SourceFile& file);

}  // namespace k3::lint
