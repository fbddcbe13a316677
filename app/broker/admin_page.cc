#include "app/broker/admin_page.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>

#include "pubsub/wire/json_fields.h"

namespace qvid::app {
namespace {

StatusServer::Page json_page(unsigned status, const nlohmann::json& body) {
  return {.status = status, .type = "application/json", .body = qps::dump(body) + "\n"};
}
StatusServer::Page error_page(unsigned status, const std::string& error) {
  return json_page(status, {{"error", error}});
}

// As the message that it would be from a client.
Result<qps::Admin> parse_admin(const std::string& body) {
  auto object = qps::parse_object(body);
  if (!object) return Error{"this is no JSON object"};
  (*object)["type"] = "admin";
  object->erase("token");
  auto message = qps::parse_to_broker(qps::dump(*object));
  if (!message) return message.error();
  return std::get<qps::Admin>(*std::move(message));
}

}  // namespace

StatusServer::Page admin_page(const StatusServer::Request& request, const Administer& administer) {
  if (!request.posts) return error_page(405, R"(only POST, with a body as {"do":"rooms"})");
  if (request.of_browser) return error_page(403, "not for the pages of a browser");
  auto admin = parse_admin(request.body);
  if (!admin) {
    return error_page(400, admin.error().message + R"(; send a request as {"do":"rooms"} or )"
                                                   R"({"do":"kick","room":"den","name":"Bob"})");
  }
  admin->token = request.token;
  const auto answer = administer(*admin);
  if (!answer) return error_page(403, answer.error().message);
  if (!answer->error.empty()) return error_page(409, answer->error);
  return json_page(200, answer->data);
}

}  // namespace qvid::app
