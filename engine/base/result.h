#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace k3 {

/// What kind of failure an Error is; decides the exit code of the program.
enum class Code {
  invalid_input,  ///< the file or request is wrong (exit code 1)
  not_found,      ///< a named file, preset or key does not exist (exit code 1)
  unsupported,    ///< understood, but this build or backend cannot do it (exit code 1)
  does_not_fit,   ///< memory or another limit of the machine is exceeded (exit code 1)
  corrupt,        ///< a file's content contradicts its own format (exit code 1)
  io,             ///< reading or writing failed; message holds the system's reason (exit code 1)
  cancelled,      ///< stopped by the user
  internal,       ///< K3Rack itself failed (exit code 2)
};

/// An expected failure, printed as one line: `where: message`. `where` is `FILE:LINE:COLUMN`, a
/// file or a key path; `message` says what is wrong and, after a semicolon, what would be right.
struct [[nodiscard]] Error {
  Code code = Code::internal;
  std::string message;
  std::string where;

  /// The same error seen from one level higher: `context: message`.
  Error with(const std::string& context) && {
    message = context + ": " + message;
    return std::move(*this);
  }

  /// The same error with its place, where none was known further down.
  Error at(const std::string& place) && {
    where = where.empty() ? place : place + ": " + where;
    return std::move(*this);
  }

  std::string text() const { return where.empty() ? message : where + ": " + message; }
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Code code, std::string message, std::string where = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(where)});
}

}  // namespace k3

#define K3_CONCAT_INNER(a, b) a##b
#define K3_CONCAT(a, b) K3_CONCAT_INNER(a, b)

/// `K3_TRY(auto x, f())`: x takes the value of the Result, or the function returns its Error.
#define K3_TRY(declaration, expression)                                        \
  auto K3_CONCAT(k3_result_, __LINE__) = (expression);                         \
  if (!K3_CONCAT(k3_result_, __LINE__)) {                                      \
    return tl::unexpected(std::move(K3_CONCAT(k3_result_, __LINE__)).error()); \
  }                                                                            \
  declaration = *std::move(K3_CONCAT(k3_result_, __LINE__))

/// The same for a Result<void>.
#define K3_TRY_VOID(expression)                          \
  if (auto k3_result = (expression); !k3_result) {       \
    return tl::unexpected(std::move(k3_result).error()); \
  }                                                      \
  static_assert(true)
