#include "profiler/store/database.h"

#include <algorithm>
#include <array>
#include <system_error>

#include <fmt/core.h>
#include <sqlite3.h>

#include "engine/base/check.h"

namespace k3::store {
namespace {

/// SQLite quotes statements in its messages, line breaks included; an error is one line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

/// What the last failed call on `handle` means for the user.
tl::unexpected<Error> failure(sqlite3* handle, const std::string& where) {
  const int code = sqlite3_errcode(handle) & 0xff;
  const std::string reason = one_line(sqlite3_errmsg(handle));
  switch (code) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_MISMATCH:
      return fail(Code::corrupt, fmt::format("file is damaged ({}); record the run again", reason),
                  where);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail(Code::io, "another program is writing to the file; try again later", where);
    case SQLITE_INTERRUPT:
      return fail(Code::cancelled, "the query was stopped", where);
    case SQLITE_FULL:
      return fail(Code::io, "no space left on the disk", where);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      if (sqlite3_errcode(handle) == SQLITE_READONLY_DBMOVED) {
        return fail(Code::io, "was moved, replaced or deleted while it was written", where);
      }
      return fail(Code::io, fmt::format("cannot be written ({})", reason), where);
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR: {
      const int system = sqlite3_system_errno(handle);
      return fail(Code::io,
                  system == 0
                      ? reason
                      : fmt::format("{} ({})", reason, std::generic_category().message(system)),
                  where);
    }
    default:
      return fail(Code::invalid_input, reason, where);
  }
}

tl::unexpected<Error> failure(sqlite3* handle) {
  const char* file = sqlite3_db_filename(handle, "main");
  return failure(handle, file == nullptr ? "" : file);
}

/// `file:` URI of a path: everything but letters, digits and a few marks as %XX.
std::string uri(const std::filesystem::path& path) {
  // An absolute path needs the empty host, else one that begins with // would name a host.
  std::string out = path.is_absolute() ? "file://" : "file:";
  for (const char c : path.string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    out += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

/// PRAGMAs that describe the database and change nothing.
constexpr std::array<std::string_view, 8> kReadingPragmas{
    "table_info", "table_xinfo",   "table_list", "index_list",
    "index_info", "database_list", "page_count", "page_size"};

int allow_reading(
    void*, int action, const char* name, const char* argument, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return argument != nullptr && std::string_view(argument) == "load_extension" ? SQLITE_DENY
                                                                                   : SQLITE_OK;
    case SQLITE_PRAGMA:
      return std::find(kReadingPragmas.begin(), kReadingPragmas.end(), name) !=
                     kReadingPragmas.end()
                 ? SQLITE_OK
                 : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

// NOTE: a bind fails only on a wrong parameter number or without memory; what was not bound is
// NULL, so the failure would go unseen if it were not checked here.
void Statement::bind_integer(int parameter, std::int64_t value) {
  K3_CHECK(sqlite3_bind_int64(statement_.get(), parameter, value) == SQLITE_OK);
}

void Statement::bind(int parameter, double value) {
  K3_CHECK(sqlite3_bind_double(statement_.get(), parameter, value) == SQLITE_OK);
}

void Statement::bind(int parameter, std::string_view value) {
  // A null pointer would bind NULL instead of the empty text.
  const char* data = value.data() == nullptr ? "" : value.data();
  K3_CHECK(sqlite3_bind_text64(statement_.get(), parameter, data, value.size(), SQLITE_STATIC,
                               SQLITE_UTF8) == SQLITE_OK);
}

void Statement::bind(int parameter, std::span<const std::byte> value) {
  const int code = value.empty() ? sqlite3_bind_zeroblob(statement_.get(), parameter, 0)
                                 : sqlite3_bind_blob64(statement_.get(), parameter, value.data(),
                                                       value.size(), SQLITE_STATIC);
  K3_CHECK(code == SQLITE_OK);
}

void Statement::bind(int parameter, std::nullptr_t) {
  K3_CHECK(sqlite3_bind_null(statement_.get(), parameter) == SQLITE_OK);
}

void Statement::bind(int parameter, std::optional<std::int64_t> value) {
  if (value) {
    bind_integer(parameter, *value);
  } else {
    bind(parameter, nullptr);
  }
}

Result<bool> Statement::next() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement_.get());
    return false;
  }
  auto error = failure(sqlite3_db_handle(statement_.get()));
  sqlite3_reset(statement_.get());
  return error;
}

Result<void> Statement::run() {
  while (true) {
    K3_TRY(const bool more, next());
    if (!more) return {};
  }
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
}

int Statement::num_columns() const {
  return sqlite3_column_count(statement_.get());
}

std::string_view Statement::column_name(int column) const {
  const char* name = sqlite3_column_name(statement_.get(), column);
  return name == nullptr ? std::string_view() : name;
}

ValueType Statement::type(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER:
      return ValueType::integer;
    case SQLITE_FLOAT:
      return ValueType::real;
    case SQLITE_TEXT:
      return ValueType::text;
    case SQLITE_BLOB:
      return ValueType::blob;
    default:
      return ValueType::null;
  }
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string_view Statement::text(int column) const {
  const unsigned char* data = sqlite3_column_text(statement_.get(), column);
  if (data == nullptr) return {};
  return {reinterpret_cast<const char*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::span<const std::byte> Statement::blob(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  if (data == nullptr) return {};
  return {static_cast<const std::byte*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

bool Statement::is_read_only() const {
  return sqlite3_stmt_readonly(statement_.get()) != 0;
}

void Database::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

Result<Database> Database::open(const std::filesystem::path& path, OpenMode mode) {
  std::string name = uri(path);
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  switch (mode) {
    case OpenMode::create:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
      break;
    case OpenMode::write:
      flags |= SQLITE_OPEN_READWRITE;
      break;
    case OpenMode::immutable:
      name += "?immutable=1";
      [[fallthrough]];
    case OpenMode::read:
      flags |= SQLITE_OPEN_READONLY;
      break;
  }
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
  if (handle == nullptr) return fail(Code::internal, "no memory for SQLite", path.string());
  Database database(handle, path);
  if (code != SQLITE_OK) return failure(handle, path.string());
  // NOTE: a session may come from anywhere: its schema must not be able to run functions with side
  // effects, and cells are checked before they are used.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return database;
}

Result<Statement> Database::prepare(std::string_view sql) const {
  sqlite3_stmt* raw = nullptr;
  const char* tail = nullptr;
  const int code =
      sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &raw, &tail);
  Statement statement(raw);
  if (code != SQLITE_OK) return failure(handle_.get(), path_.string());
  if (raw == nullptr)
    return fail(Code::invalid_input, "no SQL statement; write one", path_.string());
  const std::string_view rest = sql.substr(static_cast<std::size_t>(tail - sql.data()));
  if (rest.find_first_not_of("; \t\r\n") != std::string_view::npos) {
    return fail(Code::invalid_input, "more than one SQL statement; give one at a time",
                path_.string());
  }
  return statement;
}

Result<Statement> Database::prepare_query(std::string_view sql) const {
  sqlite3_set_authorizer(handle_.get(), &allow_reading, nullptr);
  Result<Statement> statement = prepare(sql);
  const bool denied = !statement && sqlite3_errcode(handle_.get()) == SQLITE_AUTH;
  sqlite3_set_authorizer(handle_.get(), nullptr, nullptr);
  if (denied || (statement && !statement->is_read_only())) {
    return fail(Code::invalid_input, "this statement does not only read; use SELECT",
                path_.string());
  }
  return statement;
}

Result<void> Database::execute(const std::string& sql) const {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return failure(handle_.get(), path_.string());
  }
  return {};
}

Result<std::int64_t> Database::integer(std::string_view sql) const {
  K3_TRY(Statement statement, prepare(sql));
  K3_TRY(const bool found, statement.next());
  return found ? statement.integer(0) : 0;
}

void Database::set_patience(int milliseconds) const {
  sqlite3_busy_timeout(handle_.get(), milliseconds);
}

Result<Transaction> Transaction::begin(const Database& database) {
  K3_TRY_VOID(database.execute("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  if (database_ == nullptr) return;
  // NOTE: SQLite itself has rolled back after a full disk; the statement fails then, which is fine.
  static_cast<void>(database_->execute("ROLLBACK").has_value());
}

Result<void> Transaction::commit() {
  K3_TRY_VOID(database_->execute("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace k3::store
