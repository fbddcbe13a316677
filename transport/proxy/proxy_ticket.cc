#include "transport/proxy/proxy_ticket.h"

#ifdef QVID_GSSAPI
#include <gssapi/gssapi.h>

#include <string_view>

#include "base/text.h"
#include "transport/proxy/http_login.h"
#endif

namespace paceline {

#ifdef QVID_GSSAPI
namespace {

// What GSSAPI gives goes back to it.
struct Buffer {
  gss_buffer_desc text = GSS_C_EMPTY_BUFFER;
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    OM_uint32 ignored = 0;
    gss_release_buffer(&ignored, &text);
  }
  std::string_view view() const { return {static_cast<const char*>(text.value), text.length}; }
};

struct Name {
  gss_name_t name = GSS_C_NO_NAME;
  Name() = default;
  Name(const Name&) = delete;
  Name& operator=(const Name&) = delete;
  ~Name() {
    OM_uint32 ignored = 0;
    gss_release_name(&ignored, &name);
  }
};

struct Context {
  gss_ctx_id_t context = GSS_C_NO_CONTEXT;
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {
    OM_uint32 ignored = 0;
    gss_delete_sec_context(&ignored, &context, GSS_C_NO_BUFFER);
  }
};

// The mechanism's words, which are the ones that say something; else GSSAPI's.
qvid::Error error_of(OM_uint32 major, OM_uint32 minor) {
  OM_uint32 ignored = 0, more = 0;
  Buffer said;
  const bool by_mechanism = minor != 0;
  gss_display_status(&ignored, by_mechanism ? minor : major,
                     by_mechanism ? GSS_C_MECH_CODE : GSS_C_GSS_CODE, GSS_C_NO_OID, &more,
                     &said.text);
  return {qvid::printable(said.view())};
}

}  // namespace

bool can_make_tickets() { return true; }

qvid::Result<std::string> make_ticket(const std::string& host) {
  OM_uint32 minor = 0;
  std::string service = "HTTP@" + host;
  gss_buffer_desc text{.length = service.size(), .value = service.data()};
  Name proxy;
  OM_uint32 major = gss_import_name(&minor, &text, GSS_C_NT_HOSTBASED_SERVICE, &proxy.name);
  if (GSS_ERROR(major)) return error_of(major, minor);
  // SPNEGO, 1.3.6.1.5.5.2 (RFC 4178).
  char spnego[] = "\x2b\x06\x01\x05\x05\x02";
  gss_OID_desc mechanism{.length = sizeof spnego - 1, .elements = spnego};
  Context context;
  Buffer token;
  major = gss_init_sec_context(&minor, GSS_C_NO_CREDENTIAL, &context.context, proxy.name,
                               &mechanism, 0, 0, GSS_C_NO_CHANNEL_BINDINGS, GSS_C_NO_BUFFER,
                               nullptr, &token.text, nullptr, nullptr);
  if (GSS_ERROR(major)) return error_of(major, minor);
  return base64(token.view());
}
#else
bool can_make_tickets() { return false; }

qvid::Result<std::string> make_ticket(const std::string&) {
  return qvid::Error{"this program was built without GSSAPI"};
}
#endif

}  // namespace paceline
