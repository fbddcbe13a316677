// Runs a fuzz target without libFuzzer: over each file of the folders given, then over mutations of
// them from a fixed seed for so many seconds: replay [--seconds=N] TARGET FOLDER... So every test
// run exercises every parser. All targets are in this program, each under a name of its own
// (tests/CMakeLists.txt).
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

using Target = int(const std::uint8_t* data, std::size_t size);
#define QVID_FUZZ_TARGET(subject) extern "C" Target fuzz_##subject;
#include "fuzz_targets.inc"
#undef QVID_FUZZ_TARGET

namespace {

using Bytes = std::vector<std::uint8_t>;

struct Named {
  std::string_view name;
  Target* run;
};
#define QVID_FUZZ_TARGET(subject) {#subject, fuzz_##subject},
constexpr Named kTargets[] = {
#include "fuzz_targets.inc"
};
#undef QVID_FUZZ_TARGET

constexpr long kSeconds = 2;
constexpr std::size_t kMaxInput = 4096;

Bytes read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A few changes of the kinds that break parsers: flipped bits, runs cut, doubled, overwritten.
void mutate(Bytes& input, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const auto at = static_cast<std::ptrdiff_t>(below(input.size()));
    const auto run = static_cast<std::ptrdiff_t>(
        below(std::min<std::size_t>(input.size() - static_cast<std::size_t>(at) + 1, 16)));
    switch (below(5)) {
      case 0:
        if (!input.empty())
          input[static_cast<std::size_t>(at)] ^= static_cast<std::uint8_t>(1u << below(8));
        break;
      case 1: input.erase(input.begin() + at, input.begin() + at + run); break;
      case 2: {
        const Bytes copy(input.begin() + at, input.begin() + at + run);
        input.insert(input.begin() + at, copy.begin(), copy.end());
        break;
      }
      case 3: input.insert(input.begin() + at, static_cast<std::uint8_t>(random())); break;
      default:
        for (auto i = at; i < at + run; ++i) {
          input[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(random());
        }
    }
  }
  if (input.size() > kMaxInput) input.resize(kMaxInput);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Bytes> corpus{{}};
  double seconds = kSeconds;
  Target* target = nullptr;
  for (int i = 1; i < argc; ++i) {
    std::sscanf(argv[i], "--seconds=%lf", &seconds);
    for (const Named& named : kTargets) {
      if (named.name == argv[i]) target = named.run;
    }
    if (!std::filesystem::is_directory(argv[i])) continue;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      corpus.push_back(read(entry.path()));
    }
  }
  if (target == nullptr) {
    std::fprintf(stderr, "no such target; there are:\n");
    for (const Named& named : kTargets) std::fprintf(stderr, "  %s\n", named.name.data());
    return 2;
  }
  for (const Bytes& input : corpus) target(input.data(), input.size());
  std::mt19937 random(1);
  long runs = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (; std::chrono::steady_clock::now() < end; ++runs) {
    Bytes input = corpus[random() % corpus.size()];
    mutate(input, random);
    target(input.data(), input.size());
  }
  std::printf("%zu inputs of the corpus, %ld mutations\n", corpus.size() - 1, runs);
  return 0;
}
