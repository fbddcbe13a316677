// Runs a fuzz target without libFuzzer: over each file of the folders given, then over mutations of
// them from a fixed seed for so many seconds: replay [--seconds=N] FOLDER... So every test run
// exercises every parser.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

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
  long seconds = kSeconds;
  for (int i = 1; i < argc; ++i) {
    std::sscanf(argv[i], "--seconds=%ld", &seconds);
    if (!std::filesystem::is_directory(argv[i])) continue;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      corpus.push_back(read(entry.path()));
    }
  }
  for (const Bytes& input : corpus) LLVMFuzzerTestOneInput(input.data(), input.size());
  std::mt19937 random(1);
  long runs = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (; std::chrono::steady_clock::now() < end; ++runs) {
    Bytes input = corpus[random() % corpus.size()];
    mutate(input, random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu inputs of the corpus, %ld mutations\n", corpus.size() - 1, runs);
  return 0;
}
