#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "profiler/store/schema.h"

struct sqlite3;
struct sqlite3_stmt;

namespace k3::store {

/// What a value in a row is; SQLite types values, not columns.
enum class ValueType : std::uint8_t { null, integer, real, text, blob };

/// A prepared statement: bind (parameters count from 1), then `next` row by row or `run`. Bound
/// text and blobs are not copied: they must live until the statement has run. Views into columns
/// live until the next call of `next`, `run` or `reset`. Columns of another type are converted as
/// SQLite does, never refused.
class Statement {
 public:
  template <std::integral T>
  void bind(int parameter, T value) {
    bind_integer(parameter, static_cast<std::int64_t>(value));
  }

  void bind(int parameter, double value);
  void bind(int parameter, std::string_view value);
  void bind(int parameter, std::span<const std::byte> value);
  void bind(int parameter, std::nullptr_t);
  void bind(int parameter, std::optional<std::int64_t> value);

  /// True: a row is there. False: the end, and the statement is ready for new parameters.
  Result<bool> next();

  /// Runs to the end, ignoring rows, and makes ready for new parameters.
  Result<void> run();

  void reset();

  int num_columns() const;
  std::string_view column_name(int column) const;
  ValueType type(int column) const;

  bool is_null(int column) const { return type(column) == ValueType::null; }

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  std::span<const std::byte> blob(int column) const;

  /// False: running it could change the database.
  bool is_read_only() const;

 private:
  friend class Database;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  void bind_integer(int parameter, std::int64_t value);

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

enum class OpenMode : std::uint8_t {
  create,     ///< new or existing, read and written
  write,      ///< existing, read and written
  read,       ///< existing
  immutable,  ///< existing, on media that cannot change: no locks, any -wal file is ignored
};

/// One connection to an SQLite file; every failure becomes an Error whose `where` is the file. Not
/// thread-safe.
class Database {
 public:
  static Result<Database> open(const std::filesystem::path& path, OpenMode mode);

  /// Exactly one statement. Errors: invalid_input with SQLite's reason
  Result<Statement> prepare(std::string_view sql) const;

  /// A statement that only reads: no writing, no ATTACH, no PRAGMA but those that describe the
  /// schema. Errors: invalid_input for any other
  Result<Statement> prepare_query(std::string_view sql) const;

  /// One or several statements without parameters.
  Result<void> execute(const std::string& sql) const;

  /// The single integer that `sql` yields.
  Result<std::int64_t> integer(std::string_view sql) const;

  /// How long to wait for other connections before giving up; 0 at first.
  void set_patience(int milliseconds) const;

  const std::filesystem::path& path() const { return path_; }

  /// For what this class does not wrap; this folder only.
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };

  Database(sqlite3* handle, std::filesystem::path path) : handle_(handle), path_(std::move(path)) {}

  std::unique_ptr<sqlite3, Close> handle_;
  std::filesystem::path path_;
};

/// Rolls back unless committed.
class Transaction {
 public:
  static Result<Transaction> begin(const Database& database);
  ~Transaction();

  Transaction(Transaction&& other) noexcept : database_(other.database_) {
    other.database_ = nullptr;
  }

  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Transaction& operator=(Transaction&&) = delete;

  Result<void> commit();

 private:
  explicit Transaction(const Database& database) : database_(&database) {}

  const Database* database_;
};

/// True if a value of C++ type T may be stored in a column.
template <class T>
constexpr bool fits_column(ColumnType type) {
  if constexpr (std::same_as<T, std::nullptr_t>) {
    return true;
  } else if constexpr (std::integral<T> || std::same_as<T, std::optional<std::int64_t>>) {
    return type == ColumnType::integer;
  } else if constexpr (std::floating_point<T>) {
    return type == ColumnType::real;
  } else if constexpr (std::convertible_to<T, std::string_view>) {
    return type == ColumnType::text;
  } else {
    return type == ColumnType::blob;
  }
}

/// Adds rows to one table of the schema; number and types of the values are checked when compiling.
template <const Table& kTable>
class Inserter {
 public:
  static Result<Inserter> prepare(const Database& database) {
    K3_TRY(Statement statement, database.prepare(insert_statement(kTable)));
    return Inserter(std::move(statement));
  }

  template <class... Values>
  Result<void> row(const Values&... values) {
    static_assert(sizeof...(Values) == kTable.columns.size());
    static_assert([] {
      std::size_t i = 0;
      return (fits_column<Values>(kTable.columns[i++].type) && ...);
    }());
    int parameter = 0;
    (statement_.bind(++parameter, values), ...);
    return statement_.run();
  }

 private:
  explicit Inserter(Statement statement) : statement_(std::move(statement)) {}

  Statement statement_;
};

/// Calls `visit(statement)` (giving Result<void>) for every row.
template <class Visit>
Result<void> for_each_row(Statement& statement, Visit&& visit) {
  while (true) {
    K3_TRY(const bool more, statement.next());
    if (!more) return {};
    K3_TRY_VOID(visit(std::as_const(statement)));
  }
}

}  // namespace k3::store
