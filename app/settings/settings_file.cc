#include "app/settings/settings_file.h"

#include <system_error>

#include "app/options/transport_options.h"
#include "transport/tls/tls_files.h"

namespace qvid::app {
namespace {

namespace fs = std::filesystem;

struct SoundFile {
  std::string text{};
  ReadSettings read{};
};

// Empty where there is none, or it was set aside, which the troubles tell.
Result<SoundFile> read_sound(const fs::path& file) {
  auto text = paceline::read_file(file);
  if (!text) return text.error();
  if (!*text) return SoundFile();
  auto read = parse_settings(**text, file.string());
  if (read) return SoundFile{.text = **std::move(text), .read = *std::move(read)};
  const fs::path aside = file.string() + ".broken";
  std::error_code error;
  fs::rename(file, aside, error);
  if (error) {
    return Error{read.error().message + "; it cannot be set aside: " + error.message() +
                 ": mend it, or remove it"};
  }
  SoundFile anew;
  anew.read.troubles.push_back(read.error().message + "; it is set aside as " + aside.string() +
                               ", and begun anew: mend it and move it back, or remove it");
  return anew;
}

}  // namespace

fs::path settings_file() {
  const fs::path folder = settings_folder();
  return folder.empty() ? fs::path() : folder / "settings.toml";
}

ReadSettings load_settings(const fs::path& file) {
  if (file.empty()) return {};
  auto sound = read_sound(file);
  if (!sound) return {.settings = {}, .troubles = {sound.error().message}};
  return std::move(sound->read);
}

std::optional<Error> change_settings(const fs::path& file,
                                     const std::function<void(Settings&)>& change) {
  if (file.empty()) return std::nullopt;
  if (auto error = paceline::make_private_folder(file.parent_path())) return error;
  const auto lock = paceline::FileLock::take(file.string() + ".lock");
  if (!lock) return lock.error();
  const auto sound = read_sound(file);  // who loaded it has told its troubles
  if (!sound) return sound.error();
  const Settings& before = sound->read.settings;
  Settings settings = before;
  change(settings);
  if (settings == before) return std::nullopt;
  const auto changed = changed_text(sound->text, settings);
  if (!changed) return Error{file.string() + ": " + changed.error().message};
  std::error_code ignored;
  const fs::path linked = fs::canonical(file, ignored);  // a link stays one
  return paceline::write_file(linked.empty() ? file : linked, *changed);
}

}  // namespace qvid::app
