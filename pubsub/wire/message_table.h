// Control messages, each described once: from a row of a table follow both how a message is written
// as JSON and how it is read. To add one:
//
//   struct Greet {                                     a struct,
//     std::string name;
//     int times = 1;
//   };
//   using ToBroker = std::variant<Join, ..., Greet>;   its place in what may be said,
//
//   const MessageTable kToBroker(                      and a row: {"type":"greet","name":"Ann"}
//       "type", message<Join>(...), ...,
//       message<Greet>("greet",
//                      required("name", &Greet::name, Text{.most = 64}),
//                      optional("times", &Greet::times, Number<int>{1, 10})));
//
//               where it is missing    is written
//   required    an error               always
//   defaulted   the struct's default   always
//   optional    the struct's default   where it is another than the default
//
// Bounds are the kind's (json_fields.h). A member may be a std::optional of what its kind reads.
// Where fields depend on each other, a struct with the two functions of Field stands for them. Unknown fields
// are left aside, unknown types are errors.
//
// Pure. Bound: kMaxControlMessage of a message. Thread: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/result.h"
#include "pubsub/wire/json_fields.h"

namespace qps {

enum class Presence { kRequired, kDefaulted, kOptional };

template <Presence presence, class M, class T, class Kind>
struct Field {
  const char* key;
  T M::*member;
  Kind kind;

  // From the object into the message. The key of what is missing or wrong; nullptr: nothing is.
  const char* read(const nlohmann::json& object, M& message) const {
    const auto it = object.find(key);
    if (it == object.end()) return presence == Presence::kRequired ? key : nullptr;
    auto value = kind.read(*it);
    if (!value) return key;
    message.*member = *std::move(value);
    return nullptr;
  }
  void write(nlohmann::json& object, const M& message) const {
    const T& value = message.*member;
    if constexpr (presence == Presence::kOptional) {
      if (value == M{}.*member) return;
    }
    if constexpr (requires { value.has_value(); }) {
      object[key] = kind.write(*value);
    } else {
      object[key] = kind.write(value);
    }
  }
};

template <class M, class T, class Kind>
constexpr Field<Presence::kRequired, M, T, Kind> required(const char* key, T M::*member,
                                                          Kind kind) {
  return {key, member, kind};
}
template <class M, class T, class Kind>
constexpr Field<Presence::kDefaulted, M, T, Kind> defaulted(const char* key, T M::*member,
                                                            Kind kind) {
  return {key, member, kind};
}
template <class M, class T, class Kind>
constexpr Field<Presence::kOptional, M, T, Kind> optional(const char* key, T M::*member,
                                                          Kind kind) {
  return {key, member, kind};
}

// The fields of M, or some of them.
template <class M, class... Fields>
struct Record {
  std::tuple<Fields...> fields;

  const char* read(const nlohmann::json& object, M& message) const {
    const char* wrong = nullptr;
    std::apply(
        [&](const auto&... field) {
          (void)((wrong = field.read(object, message), wrong == nullptr) && ...);
        },
        fields);
    return wrong;
  }
  void write(nlohmann::json& object, const M& message) const {
    std::apply([&](const auto&... field) { (field.write(object, message), ...); }, fields);
  }
};
template <class M, class... Fields>
constexpr Record<M, Fields...> record(Fields... fields) {
  return {std::tuple<Fields...>(fields...)};
}

// A record as one value within a message.
template <class M, class... Fields>
struct Nested {
  Record<M, Fields...> record;

  std::optional<M> read(const nlohmann::json& value) const {
    M message;
    if (!value.is_object() || record.read(value, message) != nullptr) return std::nullopt;
    return message;
  }
  nlohmann::json write(const M& message) const {
    nlohmann::json object = nlohmann::json::object();
    record.write(object, message);
    return object;
  }
};
template <class M, class... Fields>
Nested(Record<M, Fields...>) -> Nested<M, Fields...>;

// A message's type, and its fields.
template <class M, class... Fields>
struct Row {
  using Message = M;
  const char* type;
  Record<M, Fields...> record;
};
template <class M, class... Fields>
constexpr Row<M, Fields...> message(const char* type, Fields... fields) {
  return {type, {std::tuple<Fields...>(fields...)}};
}

// All that one side may say to the other; `tag` is the key of a message's type.
template <class... Rows>
class MessageTable {
 public:
  using Message = std::variant<typename Rows::Message...>;

  constexpr explicit MessageTable(const char* tag, Rows... rows) : tag_(tag), rows_(rows...) {}

  std::string serialise(const Message& message) const {
    nlohmann::json object = nlohmann::json::object();
    const auto write = [&](const auto& row) {
      using M = typename std::remove_cvref_t<decltype(row)>::Message;
      const M* m = std::get_if<M>(&message);
      if (m == nullptr) return false;
      object[tag_] = row.type;
      row.record.write(object, *m);
      return true;
    };
    std::apply([&](const auto&... row) { (void)(write(row) || ...); }, rows_);
    return dump(object);
  }

  // The error begins with `what` ("no valid request to a broker") and says why.
  qvid::Result<Message> parse(std::string_view text, const std::string& what) const {
    const auto object = parse_object(text);
    if (!object) {
      return qvid::Error{what + ": no JSON object of at most " +
                         std::to_string(kMaxControlMessage) + " bytes"};
    }
    const auto it = object->find(tag_);
    const auto type = it == object->end() ? std::nullopt : Text{}.read(*it);
    if (!type) return qvid::Error{what + ": '" + tag_ + "' is missing or no text"};
    std::optional<Message> message;
    const char* wrong = nullptr;
    const auto read = [&](const auto& row) {
      if (*type != row.type) return false;
      typename std::remove_cvref_t<decltype(row)>::Message m;
      wrong = row.record.read(*object, m);
      message = std::move(m);
      return true;
    };
    std::apply([&](const auto&... row) { (void)(read(row) || ...); }, rows_);
    if (wrong != nullptr) {
      return qvid::Error{what + ": '" + wrong + "' of '" + *type +
                         "' is missing or not as it must be"};
    }
    if (!message) {
      constexpr std::size_t kShownType = 32;  // bytes; those that are known are shorter
      const std::string shown = type->size() <= kShownType ? qvid::printable(*type) : "...";
      return qvid::Error{what + ": unknown type '" + shown + "'"};
    }
    return *std::move(message);
  }

 private:
  const char* tag_;
  std::tuple<Rows...> rows_;
};

}  // namespace qps
