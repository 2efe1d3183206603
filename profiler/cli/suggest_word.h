#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/text/suggest.h"

namespace k3::cli {

/// "did you mean `y`?", or the list of what there is.
inline std::string suggest_word(std::string_view word, const std::vector<std::string>& known) {
  return suggestion(word, std::vector<std::string_view>(known.begin(), known.end()));
}

}  // namespace k3::cli
