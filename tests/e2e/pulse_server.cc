#include "tests/e2e/pulse_server.h"

#include <filesystem>

namespace e2e {
namespace {

constexpr Milliseconds kPactlPatience{10'000};

bool is_installed(const std::string& program_name) {
  for (const char* folder : {"/usr/bin/", "/usr/local/bin/", "/bin/"}) {
    if (std::filesystem::exists(folder + program_name)) return true;
  }
  return false;
}

}  // namespace

bool PulseServer::available() { return is_installed("pulseaudio") && is_installed("pactl"); }

PulseServer::PulseServer() { start(); }

void PulseServer::start() {
  const std::string socket = (folder_ / "socket").string();
  std::error_code ignored;
  std::filesystem::remove(socket, ignored);
  server_ = std::make_unique<Process>(
      std::vector<std::string>{
          "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
          "--disallow-exit", "--disable-shm=yes", "--realtime=no", "--high-priority=no",
          "--log-target=stderr", "--log-level=info", "-L",
          "module-native-protocol-unix auth-anonymous=1 auth-cookie-enabled=0 socket=" + socket},
      environment());
  ok_ = server_->wait_for_log("Daemon startup complete").has_value();
}

void PulseServer::restart() {
  server_.reset();
  start();
}

std::vector<std::string> PulseServer::environment() const {
  const std::string folder = folder_.path().string();
  return {"HOME=" + folder,
          "XDG_RUNTIME_DIR=" + folder,
          "PULSE_RUNTIME_PATH=" + folder,
          "PULSE_SERVER=unix:" + (folder_ / "socket").string(),
          "DISPLAY=",
          "SDL_AUDIODRIVER=pulseaudio",
          "SDL_AUDIO_INCLUDE_MONITORS=1"};
}

std::string PulseServer::pactl(std::vector<std::string> arguments) {
  server_->wait_for_log("(what it has said is read)", Milliseconds(1));  // its pipe never fills
  arguments.insert(arguments.begin(), "pactl");
  Process process(std::move(arguments), environment());
  return process.wait(kPactlPatience) == 0 ? process.out() : std::string();
}

std::string PulseServer::add_sink(const std::string& name) {
  return pactl({"load-module", "module-null-sink", "sink_name=" + name, "rate=48000", "channels=2",
                "sink_properties=device.description=" + name});
}

std::string PulseServer::add_microphone(const std::string& name, const std::string& sink) {
  return pactl({"load-module", "module-remap-source", "master=" + sink + ".monitor",
                "source_name=" + name, "source_properties=device.description=" + name});
}

void PulseServer::remove(const std::string& module) {
  pactl({"unload-module", module.substr(0, module.find('\n'))});
}

}  // namespace e2e
