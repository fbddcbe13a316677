#include "media/codec/process/running_decoder.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/byte_io.h"
#include "base/clock.h"
#include "media/codec/process/decoder_child.h"

namespace qvid::media {
namespace {

// Those that it is given must not be where it shall find them.
constexpr int kLeastFile = 10;
constexpr const char* kKilled = "it was killed";

Error start_error(const std::string& what, int error) {
  return {"a decoder process cannot be started: " + what + ": " + std::strerror(error)};
}

struct SpawnSetup {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  SpawnSetup() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSetup() {
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
};

// Without anything of this process's but what is named; 0, or an error of errno.
int spawn_decoder(pid_t& pid, const std::string& program, const std::vector<std::string>& arguments,
                  int socket, int pictures) {
  SpawnSetup setup;
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&setup.files, standard, "/dev/null", O_RDWR, 0);
  }
  posix_spawn_file_actions_adddup2(&setup.files, socket, kDecoderSocket);
  posix_spawn_file_actions_adddup2(&setup.files, pictures, kDecoderPictures);
  posix_spawn_file_actions_addclosefrom_np(&setup.files, kDecoderPictures + 1);
  // What a terminal sends to this program, as at Ctrl-C, is not for it.
  posix_spawnattr_setflags(&setup.attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&setup.attributes, &none);

  std::vector<std::string> words = arguments;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // Tokens may be in the environment; the linker's path is of use to it.
  std::string libraries;
  std::array<char*, 2> environment{};
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
    libraries = std::string("LD_LIBRARY_PATH=") + path;
    environment[0] = libraries.data();
  }
  return posix_spawn(&pid, program.c_str(), &setup.files, &setup.attributes, argv.data(),
                     environment.data());
}

timeval timeval_of(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  const auto rest = std::chrono::duration_cast<std::chrono::microseconds>(duration - seconds);
  return {.tv_sec = seconds.count(), .tv_usec = static_cast<suseconds_t>(rest.count())};
}

}  // namespace

Result<std::unique_ptr<RunningDecoder>> RunningDecoder::start(
    const std::string& program, const std::vector<std::string>& arguments) {
  auto file = make_picture_file();
  if (!file) return file.error();
  auto pictures = PictureRegion::map(file->get(), false);
  if (!pictures) return pictures.error();
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return start_error("socketpair", errno);
  }
  OwnedFile ours(ends[0]);
  const OwnedFile theirs(ends[1]);
  const OwnedFile socket(fcntl(theirs.get(), F_DUPFD_CLOEXEC, kLeastFile));
  const OwnedFile memory(fcntl(file->get(), F_DUPFD_CLOEXEC, kLeastFile));
  if (socket.get() < 0 || memory.get() < 0) return start_error("file descriptors", errno);
  std::unique_ptr<RunningDecoder> running(
      new RunningDecoder(std::move(ours), *std::move(file), *std::move(pictures)));
  pid_t pid = -1;
  const int failed = spawn_decoder(pid, program, arguments, socket.get(), memory.get());
  if (failed != 0) return start_error(program, failed);
  running->pid_ = pid;
  return running;
}

RunningDecoder::~RunningDecoder() { end(); }

std::optional<int> RunningDecoder::end() {
  if (pid_ < 0) return std::nullopt;
  const pid_t pid = std::exchange(pid_, -1);
  kill(pid, SIGKILL);
  int status = 0;
  pid_t waited = -1;
  do {
    waited = waitpid(pid, &status, 0);
  } while (waited < 0 && errno == EINTR);
  if (waited != pid) return std::nullopt;
  return status;
}

Error RunningDecoder::ended(const std::string& why) {
  const auto status = end();
  // What it was killed with here tells nothing.
  if (status && WIFSIGNALED(*status) && WTERMSIG(*status) != SIGKILL) {
    return {"it ended by signal " + std::to_string(WTERMSIG(*status))};
  }
  if (status && WIFEXITED(*status)) {
    return {"it ended with code " + std::to_string(WEXITSTATUS(*status))};
  }
  return {why};
}

void RunningDecoder::allow_cpu(Duration more) const {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0) return;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(more).count() + 1;
  rlimit before{};
  if (prlimit(pid_, RLIMIT_CPU, nullptr, &before) != 0) return;
  // The hard limit stays: it is the user's, and could not be raised again.
  const rlimit next{
      .rlim_cur = std::min(static_cast<rlim_t>(used.tv_sec + seconds), before.rlim_max),
      .rlim_max = before.rlim_max};
  prlimit(pid_, RLIMIT_CPU, &next, nullptr);
}

void RunningDecoder::set_limit(Duration limit) {
  if (std::exchange(limit_, limit) == limit) return;
  const timeval time = timeval_of(limit);
  setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

Result<DecoderReady> RunningDecoder::wait_until_ready(Duration limit) {
  set_limit(limit);
  auto answer = receive(limit);
  if (!answer) return answer.error();
  if (auto* ready = std::get_if<DecoderReady>(&*answer)) return std::move(*ready);
  return ended("it answered before it was ready");
}

Result<DecoderAnswer> RunningDecoder::ask(std::span<const std::byte> request, Duration limit) {
  set_limit(limit);
  if (const auto why = send_all(request, steady_now() + limit)) return ended(why);
  auto answer = receive(limit);
  if (answer && std::holds_alternative<DecoderReady>(*answer)) {
    return ended("it says that it has just begun");
  }
  return answer;
}

// Null, or what is wrong.
const char* RunningDecoder::send_all(std::span<const std::byte> bytes, Timestamp until) {
  constexpr const char* kFull = "it takes nothing any more";
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return kFull;
    if (sent <= 0) return kKilled;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
    if (!bytes.empty() && steady_now() > until) return kFull;
  }
  return nullptr;
}

// One answer, and nothing behind it: it was asked one thing.
Result<DecoderAnswer> RunningDecoder::receive(Duration limit) {
  const Timestamp until = steady_now() + limit;
  std::array<std::byte, 2 + kMostAnswer> bytes{};
  std::size_t have = 0;
  std::size_t whole = 2;
  while (have < whole) {
    const ssize_t got = recv(socket_.get(), bytes.data() + have, bytes.size() - have, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return ended("it does not answer");
    if (got <= 0) return ended(kKilled);
    have += static_cast<std::size_t>(got);
    if (have >= 2) whole = 2 + std::size_t{ByteReader(bytes).u16()};
    if (whole > bytes.size() || have > whole) return ended("it answers more than it was asked");
    if (have < whole && steady_now() > until) return ended("it does not answer");
  }
  auto answer = parse_answer(std::span(bytes).subspan(2, whole - 2), kPictureRegion);
  if (!answer) return ended("it answered with " + answer.error().message);
  return answer;
}

}  // namespace qvid::media
