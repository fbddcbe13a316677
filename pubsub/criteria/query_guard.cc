#include "pubsub/criteria/query_guard.h"

#include <sqlite3.h>

#include <array>
#include <utility>

#include "pubsub/wire/criterion_text.h"

namespace qps {

namespace {

// Each takes time linear in its arguments, and gives no more than it was given.
constexpr std::string_view kFunctions =
    "->, ->>, abs, acos, asin, atan, atan2, avg, ceil, ceiling, coalesce, cos, count, degrees, "
    "exp, "
    "floor, ifnull, iif, json_array_length, json_extract, json_type, json_valid, length, ln, log, "
    "log10, log2, lower, max, min, mod, nullif, pi, pow, power, radians, round, sign, sin, sqrt, "
    "substr, substring, sum, tan, tanh, total, trunc, typeof, unicode, upper";

constexpr int kSlice = 1000;  // steps between two looks at the count

std::string between_commas(std::string_view list) { return ", " + std::string(list) + ","; }

bool is_offered(std::string_view function) {
  return between_commas(kFunctions).find(between_commas(function)) != std::string::npos;
}

std::string_view view(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

std::string no_such_function(std::string_view name) {
  return "there is no function " + shortened(name, 40) + " in a criterion; there are " +
         std::string(kFunctions);
}

std::string no_such_table(std::string_view name) {
  return "the table " + shortened(name, 40) + " cannot be read; there are publishers and json_each";
}

void QueryGuard::attach(sqlite3* database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  // A name in double quotes is a column, never a text by mistake.
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  sqlite3_set_authorizer(database, &QueryGuard::authorize, this);
  sqlite3_progress_handler(database, kSlice, &QueryGuard::count, this);
}

void QueryGuard::limit(sqlite3* database) {
  constexpr std::array<std::pair<int, int>, 12> kLimits = {{
      {SQLITE_LIMIT_LENGTH, kMaxValue},
      {SQLITE_LIMIT_SQL_LENGTH, static_cast<int>(kMaxCriterion) + 256},  // with what is ours
      {SQLITE_LIMIT_COLUMN, 16},  // also terms of an ORDER BY; publishers has 9
      {SQLITE_LIMIT_EXPR_DEPTH, 64},
      {SQLITE_LIMIT_COMPOUND_SELECT, 4},
      {SQLITE_LIMIT_VDBE_OP, 8192},
      {SQLITE_LIMIT_FUNCTION_ARG, 16},
      {SQLITE_LIMIT_ATTACHED, 0},
      {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 16},
      {SQLITE_LIMIT_VARIABLE_NUMBER, 9},  // of ours
      {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
      {SQLITE_LIMIT_WORKER_THREADS, 0},
  }};
  for (const auto& [id, most] : kLimits) sqlite3_limit(database, id, most);
}

void QueryGuard::detach(sqlite3* database) {
  sqlite3_progress_handler(database, 0, nullptr, nullptr);
  sqlite3_set_authorizer(database, nullptr, nullptr);
}

void QueryGuard::begin(bool strangers) {
  strangers_ = strangers;
  slices_ = 0;
  if (strangers) refusal_.clear();
}

int QueryGuard::count(void* self) {
  return ++static_cast<QueryGuard*>(self)->slices_ >= kMaxSteps / kSlice ? 1 : 0;
}

int QueryGuard::authorize(void* self, int action, const char* first, const char* second,
                          const char* database, const char* /*trigger*/) {
  auto& guard = *static_cast<QueryGuard*>(self);
  if (!guard.strangers_) return SQLITE_OK;
  const auto refuse = [&guard](std::string why) {
    if (guard.refusal_.empty()) guard.refusal_ = std::move(why);
    return SQLITE_DENY;
  };
  switch (action) {
    case SQLITE_SELECT: return SQLITE_OK;
    case SQLITE_READ:
      // Where no column is read, the database is what the text says, which may be nothing.
      if ((database == nullptr || view(database) == "main") &&
          (view(first) == "publishers" || view(first) == "json_each")) {
        return SQLITE_OK;
      }
      return refuse(no_such_table(view(first)));
    case SQLITE_FUNCTION:
      if (is_offered(view(second))) return SQLITE_OK;
      if (view(second) == "like" || view(second) == "glob") {
        return refuse(
            "there is no LIKE and no GLOB in a criterion; compare with =, IN (...) or "
            "substr(name, 1, 3) = 'cam'");
      }
      return refuse(no_such_function(view(second)));
    default:
      // Also what a table-valued function does at its first use, json_each but for ours.
      return refuse("a criterion only reads, and only publishers and json_each");
  }
}

}  // namespace qps
