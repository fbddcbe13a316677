#include "pubsub/criteria/preference.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace qps {

using nlohmann::json;
using qvid::Error;
using qvid::Result;

namespace {

constexpr const char* kSchema = R"(
  PRAGMA temp_store = MEMORY;
  CREATE TABLE publishers(
    name TEXT PRIMARY KEY, joined REAL NOT NULL, speaking INTEGER NOT NULL, loudness REAL NOT NULL,
    pinned INTEGER NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, fps REAL NOT NULL,
    attributes TEXT NOT NULL CHECK(json_valid(attributes))) WITHOUT ROWID)";
constexpr const char* kUpsert =
    "INSERT OR REPLACE INTO publishers VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
constexpr const char* kRemove = "DELETE FROM publishers WHERE name = ?1";

constexpr const char* kColumns =
    "name, joined, speaking, loudness, pinned, width, height, fps, attributes";

constexpr const char* kOneByOne =
    "; publishers are ranked one by one, and count, sum, avg, total, and min and max of one value "
    "are of all of them: write for example loudness > (SELECT avg(loudness) FROM publishers)";

bool nested_deeper_than(const json& value, int depth) {
  if (!value.is_structured()) return false;
  if (depth == 0) return true;
  return std::any_of(value.begin(), value.end(),
                     [depth](const json& inner) { return nested_deeper_than(inner, depth - 1); });
}

const json* attribute(const json& attributes, const char* name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? nullptr : &*found;
}

int flag(const json& attributes, const char* name) {
  const json* value = attribute(attributes, name);
  if (value == nullptr) return 0;
  if (value->is_boolean()) return value->get<bool>() ? 1 : 0;
  return value->is_number() && value->get<double>() == 1 ? 1 : 0;
}

std::optional<double> number(const json& attributes, const char* name) {
  const json* value = attribute(attributes, name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  const auto n = value->get<double>();
  return std::isfinite(n) ? std::optional(n) : std::nullopt;
}

int side(const json& attributes, const char* name) {
  const auto n = number(attributes, name);
  return n && *n >= 0 && *n <= 65535 && *n == std::floor(*n) ? static_cast<int>(*n) : 0;
}

void bind_text(sqlite3_stmt* statement, int at, const std::string& text) {
  sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

// Steps a statement of ours to its end; whether it went well.
bool finish(sqlite3_stmt* statement) {
  const int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  return code == SQLITE_DONE;
}

}  // namespace

void DatabaseCloser::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);  // waits for the statements that are left
}

void StatementFinalizer::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

// What SQLite is given, and where in it a criterion's parts are.
struct PublisherTable::Query {
  struct Part {
    std::string_view text{};
    std::size_t at = 0;
  };
  std::string sql = "SELECT name FROM publishers";
  Part where{};
  Part order{};

  // criterion_text.h says why this is sound.
  explicit Query(const CriterionParts& parts) {
    if (!parts.where.empty()) {
      sql += " WHERE (";
      where = append(parts.where);
      sql += ")";
    }
    sql += " ORDER BY ";
    if (!parts.order.empty()) {
      order = append(parts.order);
      sql += ", ";
    }
    sql += "publishers.joined, publishers.name LIMIT ?1";
  }

  // The place in a criterion of what is at `offset` in the SQL; nothing: it is not in it.
  std::optional<std::size_t> offset_in(std::string_view criterion, int offset) const {
    if (offset < 0) return std::nullopt;
    const auto at = static_cast<std::size_t>(offset);
    for (const Part& part : {where, order}) {
      if (part.text.empty() || at < part.at || at > part.at + part.text.size()) continue;
      return static_cast<std::size_t>(part.text.data() - criterion.data()) + at - part.at;
    }
    return std::nullopt;
  }

  bool ends_part_at(int offset) const {
    return std::cmp_equal(offset, where.at + where.text.size()) ||
           std::cmp_equal(offset, order.at + order.text.size());
  }

 private:
  Part append(std::string_view text) {
    const Part part{.text = text, .at = sql.size()};
    sql += text;
    return part;
  }
};

PublisherTable::PublisherTable() : guard_(std::make_unique<QueryGuard>()) {
  sqlite3* opened = nullptr;
  const int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(":memory:", &opened, flags, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) throw std::runtime_error("SQLite cannot be opened in memory");
  guard_->attach(opened);
  if (sqlite3_exec(opened, kSchema, nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw std::runtime_error(std::string("SQLite cannot make a table: ") + sqlite3_errmsg(opened));
  }
  const auto prepare = [opened](const char* sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v3(opened, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) !=
        SQLITE_OK) {
      throw std::runtime_error(std::string("SQLite cannot compile: ") + sqlite3_errmsg(opened));
    }
    return Statement(statement);
  };
  prepare("SELECT 1 FROM json_each('[]')");  // declared now, which a stranger may not
  upsert_ = prepare(kUpsert);
  remove_ = prepare(kRemove);
  guard_->limit(opened);
}

PublisherTable::~PublisherTable() {
  // A criterion that is left keeps the database, and must not find the guard in it.
  if (database_ == nullptr) return;
  guard_->detach(database_.get());
}

PublisherTable::PublisherTable(PublisherTable&&) noexcept = default;

PublisherTable& PublisherTable::operator=(PublisherTable&& other) noexcept {
  std::swap(guard_, other.guard_);
  std::swap(database_, other.database_);
  std::swap(upsert_, other.upsert_);
  std::swap(remove_, other.remove_);
  std::swap(names_, other.names_);
  return *this;
}

std::optional<Error> PublisherTable::upsert(const std::string& name, qvid::Duration joined,
                                            const json& attributes) {
  if (name.empty() || name.size() > kMaxName || name.find('\0') != std::string::npos) {
    return Error{"a publisher's name has 1 to " + std::to_string(kMaxName) +
                 " bytes, none of them NUL; this one has " + std::to_string(name.size())};
  }
  if (!attributes.is_object()) {
    return Error{"attributes are a JSON object, such as {\"speaking\": true}; these are of type " +
                 std::string(attributes.type_name())};
  }
  if (nested_deeper_than(attributes, kMaxAttributesDepth)) {
    return Error{"attributes may be nested " + std::to_string(kMaxAttributesDepth) +
                 " deep; these are deeper"};
  }
  const std::string text = attributes.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > kMaxAttributes) {
    return Error{"attributes have " + std::to_string(text.size()) + " bytes as JSON; at most " +
                 std::to_string(kMaxAttributes) + " are allowed"};
  }
  if (names_.size() >= kMaxPublishers && !names_.contains(name)) {
    return Error{"a room has at most " + std::to_string(kMaxPublishers) + " publishers"};
  }

  sqlite3_stmt* statement = upsert_.get();
  bind_text(statement, 1, name);
  sqlite3_bind_double(statement, 2, qvid::to_seconds(joined));
  sqlite3_bind_int(statement, 3, flag(attributes, "speaking"));
  sqlite3_bind_double(statement, 4,
                      std::clamp(number(attributes, "loudness").value_or(kSilence), kSilence, 0.0));
  sqlite3_bind_int(statement, 5, flag(attributes, "pinned"));
  sqlite3_bind_int(statement, 6, side(attributes, "width"));
  sqlite3_bind_int(statement, 7, side(attributes, "height"));
  const auto fps = number(attributes, "fps");
  sqlite3_bind_double(statement, 8, fps && *fps >= 0 && *fps <= 1000 ? *fps : 0);
  bind_text(statement, 9, text);
  guard_->trust();
  if (!finish(statement)) {
    return Error{"the attributes cannot be kept: " +
                 shortened(sqlite3_errmsg(database_.get()), 200)};
  }
  names_.insert(name);
  return std::nullopt;
}

void PublisherTable::remove(const std::string& name) {
  if (names_.erase(name) == 0) return;
  bind_text(remove_.get(), 1, name);
  guard_->trust();
  finish(remove_.get());
}

Result<Criterion> PublisherTable::compile(std::string_view text) {
  const auto parts = split_criterion(text);
  if (!parts) return parts.error();
  const Query query(*parts);

  guard_->distrust();
  sqlite3_stmt* compiled = nullptr;
  const int code =
      sqlite3_prepare_v3(database_.get(), query.sql.data(), static_cast<int>(query.sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &compiled, nullptr);
  Statement statement(compiled);
  if (code != SQLITE_OK) {
    guard_->trust();
    return compile_error(code, text, query);
  }
  guard_->trust();
  if (compiled == nullptr || sqlite3_stmt_readonly(compiled) == 0 ||
      sqlite3_column_count(compiled) != 1 || sqlite3_bind_parameter_count(compiled) != 1) {
    return Error{"a criterion only reads the names of publishers"};
  }

  return Criterion{std::string(text), parts->limit, std::move(statement)};
}

Result<std::vector<std::string>> PublisherTable::best(const Criterion& criterion,
                                                      std::size_t seats) {
  steps_ = 0;
  if (sqlite3_db_handle(criterion.statement_.get()) != database_.get()) {
    return Error{"the criterion was compiled for the publishers of another room"};
  }
  sqlite3_stmt* statement = criterion.statement_.get();
  sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);  // or it goes on from the last run
  sqlite3_bind_int64(
      statement, 1,
      static_cast<sqlite3_int64>(std::min(criterion.limit_.value_or(seats), kMaxSeats)));
  // SQLite may compile it anew within sqlite3_step.
  guard_->distrust();
  std::vector<std::string> names;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, 0));
    names.emplace_back(name == nullptr ? "" : name, name == nullptr ? 0 : size);
  }
  guard_->trust();
  steps_ = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
  std::optional<Error> error;
  if (code != SQLITE_DONE) error = run_error(code);
  sqlite3_reset(statement);
  if (error) return *error;
  return names;
}

Error PublisherTable::compile_error(int code, std::string_view text, const Query& query) const {
  std::string where;  // in the text of the stranger, if SQLite tells
  const int offset = sqlite3_error_offset(database_.get());
  if (const auto at = query.offset_in(text, offset)) {
    where = " " + place_in(text, *at);
  }
  if (!guard_->refusal().empty()) return Error{guard_->refusal()};
  if (code == SQLITE_NOMEM) return Error{"the criterion is too complicated; make it shorter"};
  if (code == SQLITE_INTERRUPT) return run_error(code);

  const std::string_view message = sqlite3_errmsg(database_.get());
  const auto after = [&message](std::string_view prefix) -> std::optional<std::string_view> {
    if (!message.starts_with(prefix)) return std::nullopt;
    return message.substr(prefix.size());
  };
  if (auto column = after("no such column: ")) {
    // Later SQLites quote it and ask whether it should be a text.
    column = column->substr(0, column->find(" - "));
    if (column->size() > 2 && column->starts_with('"') && column->ends_with('"')) {
      column = column->substr(1, column->size() - 2);
    }
    return Error{"no such column: " + shortened(*column, 40) + where + "; there are " + kColumns +
                 ", any other attribute x is attributes->>'x', and a text is in single quotes"};
  }
  if (const auto function = after("no such function: ")) return Error{no_such_function(*function)};
  if (const auto table = after("no such table: ")) return Error{no_such_table(*table)};
  if (message.starts_with("misuse of aggregate")) {
    return Error{shortened(message, 120) + where + kOneByOne};
  }
  const bool syntax = message.ends_with("syntax error");
  // What it stumbles over there is ours.
  if (syntax && query.ends_part_at(offset)) return Error{"something is missing" + where};
  std::string sentence = shortened(message, 120) + where;
  if (syntax) {
    sentence += "; a criterion is such as WHERE loudness > -40 ORDER BY loudness DESC LIMIT 3";
  }
  return Error{sentence};
}

Error PublisherTable::run_error(int code) const {
  switch (code) {
    case SQLITE_INTERRUPT:
      return Error{"the criterion takes too long: more than " +
                   std::to_string(QueryGuard::kMaxSteps) + " steps with " +
                   std::to_string(names_.size()) +
                   " publishers; leave out subqueries, or tables of a subquery"};
    case SQLITE_TOOBIG:
      return Error{"the criterion makes a text, or a row to be sorted, of more than " +
                   std::to_string(QueryGuard::kMaxValue) + " bytes; make it shorter"};
    case SQLITE_NOMEM: return Error{"the criterion takes too much memory; make it simpler"};
    default:
      return Error{"the criterion cannot be evaluated: " +
                   shortened(sqlite3_errmsg(database_.get()), 120)};
  }
}

}  // namespace qps
