#include "transport/wire/bind_proof.h"

#include <algorithm>
#include <string_view>

#include "base/byte_io.h"
#include "transport/wire/keyed_hash.h"
#include "transport/wire/same_secret.h"

namespace paceline {
namespace {

std::string_view text_of(const BindProof& proof) {
  return {reinterpret_cast<const char*>(proof.data()), proof.size()};
}

}  // namespace

SessionCredentials make_credentials() {
  SessionCredentials made;
  fill_random(made.session);
  fill_random(made.secret);
  return made;
}

BindProof bind_proof(const SessionSecret& secret, const Bind& bind) {
  constexpr std::string_view kWhat = "paceline bind";
  std::vector<std::byte> text;
  qvid::ByteWriter out(text);
  out.bytes(std::as_bytes(std::span(kWhat.data(), kWhat.size())));
  out.bytes(bind.session);
  out.u32(bind.channel);
  out.u32(bind.segment);
  const KeyedHash hash = hmac_sha256(secret, text);
  BindProof proof;
  std::copy_n(hash.begin(), proof.size(), proof.begin());
  return proof;
}

bool proves(const Bind& bind, const SessionSecret& secret) {
  return same_secret(text_of(bind.proof), text_of(bind_proof(secret, bind)));
}

}  // namespace paceline
