// A folder of its own for the keys, reports and logs of programs that a run starts: what they write
// goes there, so that none of them waits for us, and where their configuration is.
//
// It goes with this object; where the lab itself is killed, the next run removes it. Thread: the
// one that started a program must outlive it (lab/emulator/child_process.h).
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "lab/emulator/child_process.h"
#include "lab/emulator/net_namespace.h"

namespace qvid::lab {

// Where a program runs that listens: `where` outlives it; null: the namespace of this thread.
struct ProgramPlace {
  const NetNamespace* where = nullptr;
  std::string host = "127.0.0.1";  // at which it listens
  std::vector<std::string> environment = {};
};

class ProgramFolder {
 public:
  static constexpr Duration kStartTime = Duration(30'000'000'000);
  static constexpr Duration kEndTime = Duration(10'000'000'000);
  static constexpr std::size_t kMostRead = 32 << 20;  // bytes of a file

  // Throws std::runtime_error where there is no place for it.
  ProgramFolder();
  ~ProgramFolder();
  ProgramFolder(const ProgramFolder&) = delete;
  ProgramFolder& operator=(const ProgramFolder&) = delete;

  // Its output goes to NAME.json, its log to NAME.log. `environment` ("NAME=value") is on top of
  // ours. Throws std::runtime_error.
  ChildProcess launch(const std::string& name, std::vector<std::string> command,
                      const NetNamespace& where, std::vector<std::string> environment = {}) const;
  // The same in the namespace of this thread, or in that place.
  ChildProcess launch(const std::string& name, std::vector<std::string> command,
                      std::vector<std::string> environment = {}) const;
  ChildProcess launch(const std::string& name, std::vector<std::string> command,
                      const ProgramPlace& place) const {
    return place.where != nullptr
               ? launch(name, std::move(command), *place.where, place.environment)
               : launch(name, std::move(command), place.environment);
  }
  // Waits until `ready` finds what it looks for in the log of NAME. Throws std::runtime_error where
  // the program ends, kStartTime passes, or `stop` asks for the end.
  std::string await(const std::string& name, ChildProcess& process,
                    const std::function<std::string(const std::string& log)>& ready,
                    const std::stop_token& stop) const;
  // Until that text is in it.
  void await_text(const std::string& name, ChildProcess& process, std::string_view text,
                  const std::stop_token& stop) const;
  // Waits for its end; false where it had to be killed after kEndTime.
  static bool ends(ChildProcess& process);

  std::filesystem::path file(const std::string& name) const { return path_ / name; }
  std::string output_of(const std::string& name) const;
  std::string text_of(const std::string& file) const;
  // The end of the log of NAME, as one line.
  std::string last_words(const std::string& name) const;

 private:
  // `start`: of ChildOptions.
  template <class Start>
  ChildProcess launch_by(const std::string& name, std::vector<std::string> command,
                         std::vector<std::string> environment, Start start) const;

  std::filesystem::path path_;
};

// The program that is run: QVID_PROGRAM, else the one of the build that this one is of. Throws
// std::runtime_error where there is none.
std::string product_program();

}  // namespace qvid::lab
