// Reads JSON that must be just so. The first thing that is wrong is kept, with the field's path
// ("tables[2].rows[0] is no list"); what is read after it is empty and of no meaning.
#pragma once

#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qvid::lab {

class OutcomeReader {
 public:
  static constexpr std::size_t kMostText = 20'000;  // bytes of one string
  static constexpr std::size_t kMostFileName = 64;

  // All three outlive it.
  OutcomeReader(const nlohmann::json& json, std::string path, std::string& failure)
      : json_(&json), path_(std::move(path)), failure_(&failure) {}

  const nlohmann::json& json() const { return *json_; }
  void fail(const std::string& why) const {
    if (failure_->empty()) *failure_ = path_ + " " + why;
  }

  // It is an object with these fields at most.
  void only(std::initializer_list<std::string_view> names) const;
  // Null where it is missing, which is a failure.
  OutcomeReader field(std::string_view name) const;

  std::string as_text() const;
  double as_number() const;
  template <class T, class Read>
  std::vector<T> as_list(std::size_t most, Read&& read) const {
    std::vector<T> list;
    if (!is_list(most)) return list;
    list.reserve(json_->size());
    for (std::size_t i = 0; i < json_->size() && failure_->empty(); ++i) {
      list.push_back(
          read(OutcomeReader((*json_)[i], path_ + "[" + std::to_string(i) + "]", *failure_)));
    }
    return list;
  }

  std::string text(std::string_view name) const { return field(name).as_text(); }
  double number(std::string_view name) const { return field(name).as_number(); }
  bool flag(std::string_view name) const;
  int whole(std::string_view name, int most) const;  // from 0
  // Lower case letters, digits and hyphens: it leads out of no folder.
  std::string file_name(std::string_view name) const;
  template <class T, class Read>
  std::vector<T> list(std::string_view name, std::size_t most, Read&& read) const {
    return field(name).as_list<T>(most, read);
  }
  std::vector<std::string> texts(std::string_view name, std::size_t most) const {
    return list<std::string>(name, most, [](const OutcomeReader& r) { return r.as_text(); });
  }

 private:
  bool is_list(std::size_t most) const;

  const nlohmann::json* json_;
  std::string path_;
  std::string* failure_;
};

}  // namespace qvid::lab
