// Preferential subscriptions (000 ch. 6): whom of a room's publishers a subscriber wants, in
// words that it may change while it runs.
//
//     criterion = [WHERE condition] [ORDER BY term, ...] [LIMIT seats]
//
// is what follows `SELECT name FROM publishers` in SQLite's language; docs/preferences.md has the
// columns and the functions. Ties are broken by who joined first, then by name, so that the same
// room has the same ranking every time.
//
// The text comes from strangers. What keeps it harmless, each by itself not enough:
//
//     form       split_criterion: one statement, no comment, nothing that multiplies in compiling
//     authorizer reads only the columns of `publishers` and json_each; only the functions listed,
//                whose time and result are linear in what they are given (no LIKE, replace, printf)
//     limits     of texts, expressions, terms, program (query_guard.h); of a row's attributes
//     steps      kMaxSteps instructions of SQLite's virtual machine an evaluation, each over
//                kMaxValue bytes at most; one SQLite always counts the same, so without a clock
//     memory     the table is in memory, and so is what is sorted; no file is ever opened
//
// A refusal is an Error. One that comes from best() may be another publisher's doing (an attribute
// that overflows a sum); the last ranking is then the one to keep.
//
// The worst evaluation known takes a tenth of a second and 40 MB before the steps end it: so
// whoever evaluates for strangers does so at a bounded rate, and gives up a criterion that fails.
//
// Bounds: kMaxPublishers, then upsert refuses; kMaxAttributes a publisher. Thread: one at a time, a
// table with its criteria.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/units.h"
#include "pubsub/criteria/query_guard.h"
#include "pubsub/wire/criterion_text.h"

struct sqlite3;
struct sqlite3_stmt;

namespace qps {

struct DatabaseCloser {
  void operator()(sqlite3* database) const;
};
struct StatementFinalizer {
  void operator()(sqlite3_stmt* statement) const;
};
using Statement = std::unique_ptr<sqlite3_stmt, StatementFinalizer>;

// A criterion that has been found good, compiled for one table. It may outlive the table, for
// nothing.
class Criterion {
 public:
  const std::string& text() const { return text_; }
  // What it asks for itself, at most kMaxSeats; without it, what best() is told counts.
  std::optional<std::size_t> limit() const { return limit_; }

 private:
  friend class PublisherTable;
  Criterion(std::string text, std::optional<std::size_t> limit, Statement statement)
      : text_(std::move(text)), limit_(limit), statement_(std::move(statement)) {}

  std::string text_;
  std::optional<std::size_t> limit_;
  Statement statement_;
};

class PublisherTable {
 public:
  static constexpr std::size_t kMaxPublishers = 1024;
  static constexpr std::size_t kMaxName = 128;         // bytes
  static constexpr std::size_t kMaxAttributes = 1024;  // bytes of JSON
  static constexpr int kMaxAttributesDepth = 16;       // arrays and objects within each other
  // Of dBov as in RFC 6464: 0 is the loudest there is.
  static constexpr double kSilence = -127;

  // Throws std::runtime_error where SQLite cannot be set up.
  PublisherTable();
  ~PublisherTable();
  PublisherTable(PublisherTable&&) noexcept;
  PublisherTable& operator=(PublisherTable&&) noexcept;

  // A publisher is there, or its attributes are now these, all of them. `joined`: since the room
  // began. Of `attributes`, a JSON object, these fill the columns of their names:
  //
  //     speaking, pinned   a boolean, or 0 or 1     else 0
  //     loudness           a number, in dBov        else kSilence; outside of -127..0: the nearest
  //     width, height      a whole number, 0..65535 else 0
  //     fps                a number, 0..1000        else 0
  //
  // Nothing where it went well. Refused, with the table as it was: a name that is empty, too long
  // or has a NUL; attributes that are no object, too long or too deep; one publisher too many.
  std::optional<qvid::Error> upsert(const std::string& name, qvid::Duration joined,
                                    const nlohmann::json& attributes);
  void remove(const std::string& name);
  std::size_t size() const { return names_.size(); }

  qvid::Result<Criterion> compile(std::string_view text);

  // The names that rank highest, best first: as many as the criterion's LIMIT, without one as many
  // as there are `seats`; never more than kMaxSeats. Refused: a criterion of another table, one
  // that takes too many steps here and now, one whose arithmetic fails.
  qvid::Result<std::vector<std::string>> best(const Criterion& criterion, std::size_t seats);
  // Of SQLite's machine, that the last best() took.
  int steps() const { return steps_; }

 private:
  struct Query;

  qvid::Error compile_error(int code, std::string_view text, const Query& query) const;
  qvid::Error run_error(int code) const;

  std::unique_ptr<QueryGuard> guard_;  // its address is SQLite's
  std::unique_ptr<sqlite3, DatabaseCloser> database_;
  Statement upsert_;
  Statement remove_;
  int steps_ = 0;
  std::unordered_set<std::string> names_;
};

}  // namespace qps
