// Shows what a server's identity is loaded or made from, what is said of files that will not do,
// and how fingerprints are read.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "tests/transport/signed_certificate.h"

namespace paceline {
namespace {

TEST(IdentityTest, LoadsACertificateAndItsKey) {
  const qvid::TemporaryFolder folder;
  const Signed root("");
  const Signed leaf("DNS:a.example", &root);
  put(folder / "c", leaf.certificate_pem() + root.certificate_pem());
  put(folder / "k", leaf.key_pem());
  fs::permissions(folder / "k", fs::perms::owner_read | fs::perms::owner_write);
  const auto identity = Identity::load(folder / "c", folder / "k");
  ASSERT_TRUE(identity) << identity.error().message;
  EXPECT_EQ((*identity)->warning(), "");
  EXPECT_FALSE((*identity)->generated());
  const auto fingerprint = parse_fingerprint((*identity)->fingerprint());
  ASSERT_TRUE(fingerprint);
  EXPECT_EQ(*fingerprint, (*identity)->fingerprint());
}

TEST(IdentityTest, SaysWhatIsWrongWithAFile) {
  const qvid::TemporaryFolder folder;
  const Signed one("");
  const Signed other("");
  const auto c = folder / "c.pem";
  const auto k = folder / "k.pem";
  std::string broken = one.certificate_pem();
  broken.replace(broken.find('M'), 4, "AAAA");
  const struct {
    std::string certificate, key;
    const char* expected;
  } cases[] = {
      {"", one.key_pem(), "holds no certificate in PEM form"},
      {one.key_pem(), one.certificate_pem(), "holds no certificate in PEM form"},
      {broken, one.key_pem(), "c.pem cannot be read"},
      {one.certificate_pem(), "rubbish", "holds no private key in PEM form"},
      {one.certificate_pem(), one.certificate_pem(), "holds no private key in PEM form"},
      {one.certificate_pem(), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
       "k.pem cannot be read"},
      {one.certificate_pem(), one.key_pem("secret"), "has a passphrase"},
      {one.certificate_pem(), other.key_pem(), "is not that of"},
      {std::string(2 << 20, 'x'), one.key_pem(), "larger than 1 MiB"},
  };
  for (const auto& wrong : cases) {
    put(c, wrong.certificate);
    put(k, wrong.key);
    const auto identity = Identity::load(c, k);
    ASSERT_FALSE(identity) << wrong.expected;
    EXPECT_NE(identity.error().message.find(wrong.expected), std::string::npos)
        << identity.error().message;
    EXPECT_NE(identity.error().message.find(folder.path().string()), std::string::npos);
  }
  put(c, one.certificate_pem());
  put(k, one.key_pem());
  const struct {
    fs::path certificate, key;
    const char* expected;
  } paths[] = {{folder / "none", k, "there is no certificate file"},
               {c, folder / "none", "there is no key file"},
               {folder.path(), k, "Is a directory"},
               {c / "below", k, "Not a directory"}};
  for (const auto& wrong : paths) {
    const auto identity = Identity::load(wrong.certificate, wrong.key);
    ASSERT_FALSE(identity) << wrong.expected;
    EXPECT_NE(identity.error().message.find(wrong.expected), std::string::npos)
        << identity.error().message;
  }
  if (::geteuid() != 0) {
    fs::permissions(k, fs::perms::none);
    const auto identity = Identity::load(c, k);
    ASSERT_FALSE(identity);
    EXPECT_NE(identity.error().message.find("Permission denied"), std::string::npos);
  }
}

TEST(IdentityTest, WarnsOfAnExpiredCertificateAndOfAKeyThatAllCanRead) {
  const qvid::TemporaryFolder folder;
  const Signed expired("", nullptr, -1);
  put(folder / "c", expired.certificate_pem());
  put(folder / "k", expired.key_pem());
  ::chmod((folder / "k").c_str(), 0644);
  const auto identity = Identity::load(folder / "c", folder / "k");
  ASSERT_TRUE(identity);
  EXPECT_NE((*identity)->warning().find("has expired"), std::string::npos);
  EXPECT_NE((*identity)->warning().find("chmod 600"), std::string::npos);
}

TEST(IdentityTest, GeneratesOnceAndLoadsAfterwards) {
  const qvid::TemporaryFolder folder;
  const auto home = folder / "below" / "identity";
  const auto first = Identity::load_or_generate(home);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE((*first)->generated());
  EXPECT_EQ((*first)->warning(), "");
  const auto second = Identity::load_or_generate(home);
  ASSERT_TRUE(second);
  EXPECT_FALSE((*second)->generated());
  EXPECT_EQ((*first)->fingerprint(), (*second)->fingerprint());
  EXPECT_EQ(mode_of(home), 0700u);
  EXPECT_EQ(mode_of(home / "key.pem"), 0600u);
  EXPECT_EQ(mode_of(home / "certificate.pem"), 0600u);

  // As an interruption leaves it: the key, and rubbish that was never finished.
  fs::remove(home / "certificate.pem");
  put(home / "certificate.pem.tmp", "half");
  const auto third = Identity::load_or_generate(home);
  ASSERT_TRUE(third) << third.error().message;
  EXPECT_EQ((*first)->fingerprint(), (*third)->fingerprint());
  EXPECT_FALSE(fs::exists(home / "certificate.pem.tmp"));

  fs::remove(home / "key.pem");
  const auto without = Identity::load_or_generate(home);
  ASSERT_FALSE(without);
  EXPECT_NE(without.error().message.find("no key"), std::string::npos);

  put(folder / "file", "");
  EXPECT_FALSE(Identity::load_or_generate(folder / "file"));
  EXPECT_FALSE(Identity::load_or_generate(folder / "file" / "below"));
}

TEST(IdentityTest, TwoThatStartAtOnceGetTheSame) {
  for (int round = 0; round < 5; ++round) {
    const qvid::TemporaryFolder folder;
    std::array<std::string, 4> fingerprints;
    std::array<bool, 4> generated{};
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < fingerprints.size(); ++i) {
        threads.emplace_back([&, i] {
          const auto identity = Identity::load_or_generate(folder / "identity");
          if (!identity) return;
          fingerprints[i] = (*identity)->fingerprint();
          generated[i] = (*identity)->generated();
        });
      }
    }
    EXPECT_FALSE(fingerprints[0].empty());
    for (const auto& f : fingerprints) EXPECT_EQ(f, fingerprints[0]);
    EXPECT_EQ(std::count(generated.begin(), generated.end(), true), 1);
  }
}

TEST(FingerprintTest, IsReadInItsFormsAndNoOther) {
  const std::string normal = "sha256:" + std::string(20, '-') + std::string(21, '_') + "xA";
  ASSERT_TRUE(parse_fingerprint(normal)) << parse_fingerprint(normal).error().message;
  EXPECT_EQ(*parse_fingerprint(normal), normal);
  std::string plain = normal + "=";
  std::replace(plain.begin() + 7, plain.end(), '-', '+');
  std::replace(plain.begin() + 7, plain.end(), '_', '/');
  ASSERT_TRUE(parse_fingerprint(plain));
  EXPECT_EQ(*parse_fingerprint(plain), normal);

  const std::string digits = normal.substr(7);
  for (const std::string& bad :
       {std::string(), std::string("sha256:"), digits, "sha1:" + digits, "SHA256:" + digits,
        "sha256:" + digits.substr(1), normal + "A", normal + "==", normal + " ", " " + normal,
        "sha256: " + digits.substr(1), "sha256:\n" + digits.substr(1),
        "sha256:" + std::string(43, '='), "sha256:" + digits.substr(0, 42) + "B",
        "sha256:" + digits.substr(0, 42) + '\0', "sha256:" + digits.substr(0, 42) + "\xff",
        std::string(1 << 20, 'x')}) {
    EXPECT_FALSE(parse_fingerprint(bad)) << bad.substr(0, 80);
  }
}

}  // namespace
}  // namespace paceline
