// A network namespace of our own, under /run/netns, so that `ip netns exec NAME` finds it.
//
// Names are qvid-lab-PID-N-END: those of dead processes are recognised and removed by the next
// program that opens an emulator. Not copyable; the destructor kills every process inside and
// removes the name.
#pragma once

#include <functional>
#include <string>

#include "lab/emulator/unique_fd.h"

namespace qvid::lab {

class NetNamespace {
 public:
  // With the loopback up. Throws std::system_error where the system does not allow it.
  explicit NetNamespace(std::string name);
  ~NetNamespace();
  NetNamespace(const NetNamespace&) = delete;
  NetNamespace& operator=(const NetNamespace&) = delete;

  const std::string& name() const { return name_; }
  std::string path() const;
  int fd() const { return fd_.get(); }

  // Runs `f` on a thread inside the namespace and waits; sockets and devices that it opens belong
  // to the namespace for good. What `f` throws is thrown here.
  void run(const std::function<void()>& f) const;

  // Sends the signal to every process inside; how many there were.
  int signal_processes(int number) const;

 private:
  std::string name_;
  UniqueFd fd_;
};

// A name that no other of this or another running process has. `end` is "near" or "far".
std::string namespace_name(unsigned number, const std::string& end);

// Removes the namespaces of processes that are no more, with what still runs inside.
void remove_stale_namespaces();

}  // namespace qvid::lab
