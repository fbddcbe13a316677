// What SQLite does with text of strangers, and how much of it: an authorizer for compiling, a count
// of steps for running, limits for both. One a database; it outlives what is compiled for it, and
// its address stays. Thread: the database's.
#pragma once

#include <string>
#include <string_view>

struct sqlite3;

namespace qps {

class QueryGuard {
 public:
  static constexpr int kMaxSteps =
      50'000;  // of SQLite's virtual machine, since trust() or distrust()
  static constexpr int kMaxValue = 2048;  // bytes of any text, or row, while evaluating

  QueryGuard() = default;
  QueryGuard(const QueryGuard&) = delete;
  QueryGuard& operator=(const QueryGuard&) = delete;

  // Before any statement is compiled, as these make SQLite compile again what was.
  void attach(sqlite3* database);
  // When what is ours has been compiled: it knows no such limits.
  void limit(sqlite3* database);
  void detach(sqlite3* database);

  // From now on SQLite works for us, or for a stranger; the steps count from 0.
  void trust() { begin(false); }
  void distrust() { begin(true); }

  // Why the authorizer said no since distrust(); empty: it did not.
  const std::string& refusal() const { return refusal_; }

 private:
  static int authorize(void* self, int action, const char* first, const char* second,
                       const char* database, const char* trigger);
  static int count(void* self);
  void begin(bool strangers);

  bool strangers_ = false;
  std::string refusal_;
  int slices_ = 0;
};

std::string no_such_function(std::string_view name);
std::string no_such_table(std::string_view name);

}  // namespace qps
