#pragma once

#include <string>

#include <fmt/core.h>

namespace k3 {

/// Reports a broken invariant (a bug in K3Rack, never bad input) and ends the program.
[[noreturn]] void check_failed(const char* file,
                               int line,
                               const char* condition,
                               const std::string& message);

}  // namespace k3

/// Always on; only for O(1) conditions. User input must never trigger it.
#define K3_CHECK(condition, ...)                                                         \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      ::k3::check_failed(__FILE__, __LINE__, #condition, ::fmt::format("" __VA_ARGS__)); \
    }                                                                                    \
  } while (false)

/// As K3_CHECK, in builds without NDEBUG only.
#ifdef NDEBUG
#define K3_DCHECK(condition, ...) \
  do {                            \
  } while (false)
#else
#define K3_DCHECK(condition, ...) K3_CHECK(condition, __VA_ARGS__)
#endif
