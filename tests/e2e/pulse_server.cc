#include "tests/e2e/pulse_server.h"

#include <filesystem>
#include <string_view>

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

bool PulseServer::available(Kind kind) {
  if (!is_installed("pactl")) return false;
  if (kind == Kind::kPulseAudio) return is_installed("pulseaudio");
  return is_installed("pipewire-pulse") && WaylandDesktop::available();
}

PulseServer::PulseServer(Kind kind) {
  if (kind == Kind::kPipeWire) {
    desktop_ = std::make_unique<WaylandDesktop>("");
    if (!desktop_->ok()) return;
  }
  start();
}

// It says nothing when it is ready.
void PulseServer::start_on_pipewire() {
  server_ = std::make_unique<Process>(std::vector<std::string>{"pipewire-pulse"},
                                      desktop_->environment());
  for (int i = 0; i < 100 && !ok_; ++i) {
    server_->wait_for_log("(nothing)", Milliseconds(100));
    ok_ = !pactl({"info"}).empty();
  }
}

std::string PulseServer::socket() const {
  if (!desktop_) return (folder_ / "socket").string();
  constexpr std::string_view kFolder = "XDG_RUNTIME_DIR=";
  for (const std::string& variable : desktop_->environment()) {
    if (variable.starts_with(kFolder)) return variable.substr(kFolder.size()) + "/pulse/native";
  }
  return {};
}

void PulseServer::start() {
  if (desktop_) return start_on_pipewire();
  std::error_code ignored;
  std::filesystem::remove(socket(), ignored);
  server_ = std::make_unique<Process>(
      std::vector<std::string>{
          "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
          "--disallow-exit", "--disable-shm=yes", "--realtime=no", "--high-priority=no",
          "--log-target=stderr", "--log-level=info", "-L",
          "module-native-protocol-unix auth-anonymous=1 auth-cookie-enabled=0 socket=" + socket()},
      environment());
  ok_ = server_->wait_for_log("Daemon startup complete").has_value();
}

void PulseServer::restart() {
  server_.reset();
  ok_ = false;
  start();
}

std::vector<std::string> PulseServer::environment() const {
  const std::string folder = folder_.path().string();
  std::vector<std::string> all{"HOME=" + folder, "XDG_RUNTIME_DIR=" + folder,
                               "PULSE_RUNTIME_PATH=" + folder};
  if (desktop_) {
    all = desktop_->environment();
    all.insert(all.end(), {"XDG_SESSION_TYPE=", "PULSE_RUNTIME_PATH="});
  }
  all.insert(all.end(), {"PULSE_SERVER=unix:" + socket(), "DISPLAY=", "SDL_AUDIODRIVER=pulseaudio",
                         "SDL_AUDIO_INCLUDE_MONITORS=1"});
  return all;
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
