#include "engine/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace k3 {

void check_failed(const char* file, int line, const char* condition, const std::string& message) {
  std::fprintf(stderr, "k3rack: internal error: %s:%d: %s %s\n", file, line, condition,
               message.c_str());
  std::abort();
}

}  // namespace k3
