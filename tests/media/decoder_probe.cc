// A decoder process for tests: an honest one, or one that somebody has taken over. By its argument:
//
//   decoder-process        as the program's own
//   mute                   says nothing, ever
//   early                  answers before it was asked
//   silent, gone, noise, long, chatty, again, other, outside, narrow
//                          what it does when it is asked for the first time
//   rights, heap           confines itself and says what it can do all the same
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/byte_io.h"
#include "media/codec/process/confinement.h"
#include "media/codec/process/decoder_child.h"
#include "media/codec/process/decoder_talk.h"
#include "media/codec/process/shared_pictures.h"

namespace {

using namespace qvid;
using namespace qvid::media;

constexpr int kGone = 7;  // exit code

void say(const std::vector<std::byte>& bytes) {
  send(kDecoderSocket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

std::vector<std::byte> receive(std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (recv(kDecoderSocket, bytes.data(), size, MSG_WAITALL) != static_cast<ssize_t>(size)) _exit(0);
  return bytes;
}

DecodeRequest next_request() { return *parse_request(receive(ByteReader(receive(4)).u32())); }

PictureInStore picture_for(const DecodeRequest& request) {
  return {.number = request.frame.number,
          .layer = 0,
          .layers = 1,
          .failed = {},
          .nominal = {64, 48},
          .shown = {64, 48},
          .planes = {{{0, 64}, {4096, 32}, {8192, 32}}}};
}

std::string what_it_can_do() {
  std::string can;
  const auto note = [&can](const char* what, bool done) {
    if (done) can.append(can.empty() ? "" : ", ").append(what);
  };
  note("open a file", open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0);
  note("open a socket", socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0);
  note("open a pair", [] {
    std::array<int, 2> ends{};
    return socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0;
  }());
  note("fork", [] {
    const pid_t pid = fork();
    if (pid == 0) _exit(0);
    return pid > 0;
  }());
  std::array<char*, 1> none{};
  note("execute", execve("/bin/true", none.data(), none.data()) == 0);
  note("signal its program", kill(getppid(), 0) == 0);
  note("look at its program", ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr) == 0);
  note("write", write(kDecoderPictures, "x", 1) == 1);
  note("change the size of the pictures", ftruncate(kDecoderPictures, 4096) == 0);
  note("make code", mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
  rlimit free{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
  note("raise its limits", setrlimit(RLIMIT_CPU, &free) == 0);
  note("catch signals", std::signal(SIGXCPU, SIG_IGN) != SIG_ERR);
  return can.empty() ? "nothing" : can;
}

// Of pages that are really written to.
std::string how_much_it_gets() {
  const auto most = static_cast<std::size_t>(kMostHeap.value());
  void* const memory = std::malloc(most);
  const bool has = memory != nullptr;
  std::free(memory);
  return has ? "all" : "less";
}

int taken_over(const std::string& how) {
  const auto confined = how == "rights" || how == "heap" ? confine_this_process() : std::nullopt;
  if (how == "mute") receive(1);
  if (how == "early") {
    say(build_answer(NothingDecoded{}));
    receive(1);
  }
  say(build_answer(DecoderReady{confined ? confined->message : ""}));
  const DecodeRequest request = next_request();
  PictureInStore picture = picture_for(request);
  if (how == "gone") _exit(kGone);
  if (how == "silent") receive(1);
  if (how == "noise") say({std::byte{0}, std::byte{3}, std::byte{9}, std::byte{1}, std::byte{2}});
  if (how == "long") say(std::vector<std::byte>(1000, std::byte{0xff}));
  if (how == "chatty") {
    auto twice = build_answer(NothingDecoded{});
    twice.insert(twice.end(), twice.begin(), twice.end());
    say(twice);
  }
  if (how == "again") say(build_answer(DecoderReady{}));
  if (how == "other") picture.number = FrameNumber(picture.number.value() + 1);
  if (how == "outside") picture.planes[2].offset = kPictureRegion - 100;
  if (how == "narrow") picture.planes[0].stride = 63;
  if (how == "rights") say(build_answer(DecodeFailed{what_it_can_do()}));
  if (how == "heap") say(build_answer(DecodeFailed{how_much_it_gets()}));
  if (how == "other" || how == "outside" || how == "narrow") say(build_answer(picture));
  receive(1);  // until it is ended
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc == 2 ? argv[1] : "";
  return how == kDecoderProcessCommand ? run_decoder_process() : taken_over(how);
}
