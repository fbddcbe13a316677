// A desktop's portal for tests: owns its name on the session's bus, and gives a still picture by
// PipeWire as a compositor does. `portal_probe WHAT`:
//
//   allow    each who asks is shown the picture, 320x240 of one colour, its rows 64 bytes apart
//   window   the same, but the picture is a part of 640x480, as GNOME shows a window
//   empty    the same, but no buffer has a picture
//   short    the same, but the buffers' memory is shorter than it is said to be
//   refuse   the person closes the chooser
//   wait     the chooser stays open
//   without  it knows no screens, and no shortcuts
//   keys...  global shortcuts (tests/e2e/portal_probe_keys.cc)
//
// SIGUSR1: the picture is 200x200 from now on, and of another colour. SIGUSR2: the person has ended it.
// SIGHUP: what is shown is gone, and only PipeWire says so. Another one takes the name from it.
// Thread: main, and PipeWire's, which holds the loop's lock.
#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <glib-unix.h>
#include <pipewire/pipewire.h>
#include <spa/buffer/meta.h>
#include <spa/param/buffers.h>
#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/e2e/portal_probe.h"

namespace e2e {
namespace {

constexpr const char* kInterface = R"(<node>
<interface name="org.freedesktop.portal.ScreenCast">
 <method name="CreateSession"><arg type="a{sv}" direction="in"/><arg type="o" direction="out"/></method>
 <method name="SelectSources"><arg type="o" direction="in"/><arg type="a{sv}" direction="in"/>
  <arg type="o" direction="out"/></method>
 <method name="Start"><arg type="o" direction="in"/><arg type="s" direction="in"/>
  <arg type="a{sv}" direction="in"/><arg type="o" direction="out"/></method>
 <method name="OpenPipeWireRemote"><arg type="o" direction="in"/><arg type="a{sv}" direction="in"/>
  <arg type="h" direction="out"/></method>
 <property name="AvailableSourceTypes" type="u" access="read"/>
 <property name="AvailableCursorModes" type="u" access="read"/>
 <property name="version" type="u" access="read"/>
</interface></node>)";
constexpr int kPadding = 64;   // bytes after each row
constexpr int kRepeats = 8;    // of a picture, 50 ms apart: one may come before who is to have it
constexpr int kPatience = 30;  // s, for PipeWire

struct Probe : ProbeBus {
  pw_thread_loop* pipewire = nullptr;
  pw_stream* stream = nullptr;
  spa_hook hook{};
  std::uint32_t node = SPA_ID_INVALID;
  spa_rectangle stored{320, 240};
  spa_region part{{0, 0}, {320, 240}};                   // of it, the picture
  std::array<std::uint8_t, 4> colour{64, 32, 192, 255};  // B, G, R
  int left = 0;                                          // repeats
};

const spa_pod* format_of(const Probe& probe, spa_pod_builder& b) {
  const spa_fraction changes{0, 1};
  const spa_fraction most{60, 1};
  const spa_fraction least{1, 1};
  return static_cast<const spa_pod*>(spa_pod_builder_add_object(
      &b, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat, SPA_FORMAT_mediaType,
      SPA_POD_Id(SPA_MEDIA_TYPE_video), SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw),
      SPA_FORMAT_VIDEO_format, SPA_POD_Id(SPA_VIDEO_FORMAT_BGRx), SPA_FORMAT_VIDEO_size,
      SPA_POD_Rectangle(&probe.stored), SPA_FORMAT_VIDEO_framerate, SPA_POD_Fraction(&changes),
      SPA_FORMAT_VIDEO_maxFramerate, SPA_POD_CHOICE_RANGE_Fraction(&most, &least, &most)));
}

void on_format(void* self, std::uint32_t id, const spa_pod* format) {
  auto& probe = *static_cast<Probe*>(self);
  if (format == nullptr || id != SPA_PARAM_Format) return;
  std::array<std::uint8_t, 1024> room{};
  spa_pod_builder b{};
  spa_pod_builder_init(&b, room.data(), room.size());
  const int stride = static_cast<int>(probe.stored.width) * 4 + kPadding;
  std::array<const spa_pod*, 2> wanted{};
  wanted[0] = static_cast<const spa_pod*>(spa_pod_builder_add_object(
      &b, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_buffers,
      SPA_POD_CHOICE_RANGE_Int(4, 2, 8), SPA_PARAM_BUFFERS_blocks, SPA_POD_Int(1),
      SPA_PARAM_BUFFERS_size, SPA_POD_Int(stride * static_cast<int>(probe.stored.height)),
      SPA_PARAM_BUFFERS_stride, SPA_POD_Int(stride), SPA_PARAM_BUFFERS_dataType,
      SPA_POD_CHOICE_FLAGS_Int(1 << SPA_DATA_MemFd)));
  wanted[1] = static_cast<const spa_pod*>(
      spa_pod_builder_add_object(&b, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type,
                                 SPA_POD_Id(SPA_META_VideoCrop), SPA_PARAM_META_size,
                                 SPA_POD_Int(static_cast<int>(sizeof(spa_meta_region)))));
  pw_stream_update_params(probe.stream, wanted.data(), probe.what == "window" ? 2 : 1);
  probe.left = kRepeats;
}

// Of one byte: who reads the rest is ended by the system. Only `short` has buffers of its own.
void on_add_buffer(void* self, pw_buffer* buffer) {
  auto& probe = *static_cast<Probe*>(self);
  if (probe.what != "short") return;
  spa_data& data = buffer->buffer->datas[0];
  data.type = SPA_DATA_MemFd;
  data.flags = SPA_DATA_FLAG_READWRITE;
  data.fd = ::memfd_create("short", MFD_CLOEXEC);
  if (::ftruncate(static_cast<int>(data.fd), 1) != 0) std::abort();
  data.maxsize = (probe.stored.width * 4 + kPadding) * probe.stored.height;
}
void on_remove_buffer(void* self, pw_buffer* buffer) {
  if (static_cast<Probe*>(self)->what == "short") {
    ::close(static_cast<int>(buffer->buffer->datas[0].fd));
  }
}

void on_process(void* self) {
  auto& probe = *static_cast<Probe*>(self);
  pw_buffer* const buffer = pw_stream_dequeue_buffer(probe.stream);
  if (buffer == nullptr) return;
  spa_data& data = buffer->buffer->datas[0];
  const std::uint32_t stride = probe.stored.width * 4 + kPadding;
  if (data.data != nullptr && data.maxsize >= stride * probe.stored.height) {
    // White, where the rows or the part are taken wrongly.
    std::memset(data.data, 0xff, data.maxsize);
    const auto left = static_cast<std::uint32_t>(probe.part.position.x);
    const auto top = static_cast<std::uint32_t>(probe.part.position.y);
    for (std::uint32_t y = top; y < top + probe.part.size.height; ++y) {
      auto* row = static_cast<std::uint8_t*>(data.data) + std::size_t{y} * stride;
      for (std::uint32_t x = left; x < left + probe.part.size.width; ++x) {
        std::memcpy(row + std::size_t{x} * 4, &probe.colour, 4);
      }
    }
    data.chunk->offset = 0;
    data.chunk->stride = static_cast<std::int32_t>(stride);
    data.chunk->size = probe.what == "empty" ? 0 : stride * probe.stored.height;
  }
  if (void* const crop =
          spa_buffer_find_meta_data(buffer->buffer, SPA_META_VideoCrop, sizeof(spa_meta_region))) {
    static_cast<spa_meta_region*>(crop)->region = probe.part;
  }
  pw_stream_queue_buffer(probe.stream, buffer);
}

void on_timer(void* self, std::uint64_t) {
  auto& probe = *static_cast<Probe*>(self);
  if (pw_stream_get_state(probe.stream, nullptr) != PW_STREAM_STATE_STREAMING) return;
  if (probe.left > 0 && probe.left-- > 0) pw_stream_trigger_process(probe.stream);
}

const pw_stream_events kEvents = [] {
  pw_stream_events events{};
  events.version = PW_VERSION_STREAM_EVENTS;
  events.state_changed = [](void* self, pw_stream_state, pw_stream_state, const char*) {
    pw_thread_loop_signal(static_cast<Probe*>(self)->pipewire, false);
  };
  events.param_changed = on_format;
  events.add_buffer = on_add_buffer;
  events.remove_buffer = on_remove_buffer;
  events.process = on_process;
  return events;
}();

bool show(Probe& probe) {
  pw_init(nullptr, nullptr);
  probe.pipewire = pw_thread_loop_new("pictures", nullptr);
  pw_loop* const loop = pw_thread_loop_get_loop(probe.pipewire);
  pw_context* const context = pw_context_new(loop, nullptr, 0);
  pw_core* const core = context == nullptr ? nullptr : pw_context_connect(context, nullptr, 0);
  if (core == nullptr) return false;
  if (probe.what == "window") {
    probe.stored = {640, 480};
    probe.part.position = {64, 32};
  }
  probe.stream = pw_stream_new(core, "portal_probe",
                               pw_properties_new(PW_KEY_MEDIA_CLASS, "Video/Source",
                                                 PW_KEY_NODE_NAME, "portal_probe", nullptr));
  pw_stream_add_listener(probe.stream, &probe.hook, &kEvents, &probe);
  std::array<std::uint8_t, 1024> room{};
  spa_pod_builder b{};
  spa_pod_builder_init(&b, room.data(), room.size());
  const spa_pod* format = format_of(probe, b);
  const auto memory =
      probe.what == "short" ? PW_STREAM_FLAG_ALLOC_BUFFERS : PW_STREAM_FLAG_MAP_BUFFERS;
  pw_stream_connect(probe.stream, PW_DIRECTION_OUTPUT, PW_ID_ANY,
                    static_cast<pw_stream_flags>(PW_STREAM_FLAG_DRIVER | memory), &format, 1);
  spa_source* const timer = pw_loop_add_timer(loop, on_timer, &probe);
  timespec every{0, 50'000'000};
  pw_loop_update_timer(loop, timer, &every, &every, false);
  if (pw_thread_loop_start(probe.pipewire) != 0) return false;
  // It has a number from the state "paused" on.
  pw_thread_loop_lock(probe.pipewire);
  do {
    probe.node = pw_stream_get_node_id(probe.stream);
  } while (probe.node == SPA_ID_INVALID &&
           pw_thread_loop_timed_wait(probe.pipewire, kPatience) == 0);
  pw_thread_loop_unlock(probe.pipewire);
  return probe.node != SPA_ID_INVALID;
}

void start(Probe& probe, GVariant* options, GDBusMethodInvocation* call) {
  if (probe.what == "wait") {
    g_dbus_method_invocation_return_value(
        call, g_variant_new("(o)", "/org/freedesktop/portal/desktop/request/1/1"));
    g_dbus_connection_flush_sync(probe.bus, nullptr, nullptr);
    std::fprintf(stderr, "the chooser is open\n");
    return;
  }
  GVariant* const nothing = g_variant_new_array(G_VARIANT_TYPE("{sv}"), nullptr, 0);
  if (probe.what == "refuse") return answer(probe, options, 1, nothing, call);
  g_variant_unref(g_variant_ref_sink(nothing));
  GVariantBuilder streams{};
  g_variant_builder_init(&streams, G_VARIANT_TYPE("a(ua{sv})"));
  g_variant_builder_open(&streams, G_VARIANT_TYPE("(ua{sv})"));
  g_variant_builder_add(&streams, "u", probe.node);
  g_variant_builder_open(&streams, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add(&streams, "{sv}", "source_type", g_variant_new_uint32(2));
  g_variant_builder_close(&streams);
  g_variant_builder_close(&streams);
  GVariantBuilder results{};
  g_variant_builder_init(&results, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add(&results, "{sv}", "streams", g_variant_builder_end(&streams));
  answer(probe, options, 0, g_variant_builder_end(&results), call);
  g_bus_watch_name_on_connection(
      probe.bus, probe.asker.c_str(), G_BUS_NAME_WATCHER_FLAGS_NONE, nullptr,
      [](GDBusConnection*, const char*, gpointer) { std::fprintf(stderr, "who asked has left\n"); },
      nullptr, nullptr);
}

void open_remote(GDBusMethodInvocation* call) {
  const int remote = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s/pipewire-0",
                std::getenv("XDG_RUNTIME_DIR"));
  if (::connect(remote, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ::close(remote);
    return g_dbus_method_invocation_return_error_literal(call, G_DBUS_ERROR, G_DBUS_ERROR_FAILED,
                                                         "PipeWire is not there");
  }
  GUnixFDList* const files = g_unix_fd_list_new_from_array(&remote, 1);
  g_dbus_method_invocation_return_value_with_unix_fd_list(call, g_variant_new("(h)", 0), files);
  g_object_unref(files);
}

void on_call(GDBusConnection*, const char*, const char*, const char*, const char* method,
             GVariant* arguments, GDBusMethodInvocation* call, gpointer self) {
  auto& probe = *static_cast<Probe*>(self);
  if (std::strcmp(method, "OpenPipeWireRemote") == 0) return open_remote(call);
  GVariant* const options =
      g_variant_get_child_value(arguments, g_variant_n_children(arguments) - 1);
  if (std::strcmp(method, "Start") == 0) {
    start(probe, options, call);
  } else {
    GVariantBuilder results{};
    g_variant_builder_init(&results, G_VARIANT_TYPE_VARDICT);
    if (std::strcmp(method, "CreateSession") == 0) {
      probe.session = std::string(kPortalPath) + "/session/one";
      g_variant_builder_add(&results, "{sv}", "session_handle",
                            g_variant_new_string(probe.session.c_str()));
    }
    answer(probe, options, 0, g_variant_builder_end(&results), call);
  }
  g_variant_unref(options);
}

GVariant* on_property(GDBusConnection*, const char*, const char*, const char*, const char* name,
                      GError**, gpointer) {
  return g_variant_new_uint32(std::strcmp(name, "version") == 0 ? 4 : 3);
}

const GDBusInterfaceVTable kMethods = [] {
  GDBusInterfaceVTable table{};
  table.method_call = on_call;
  table.get_property = on_property;
  return table;
}();

gboolean on_resize(gpointer self) {
  auto& probe = *static_cast<Probe*>(self);
  pw_thread_loop_lock(probe.pipewire);
  probe.part.size = {200, 200};
  probe.colour = {32, 192, 64, 255};
  if (probe.what == "window") {
    probe.left = kRepeats;
  } else {
    probe.stored = probe.part.size;
    std::array<std::uint8_t, 1024> room{};
    spa_pod_builder b{};
    spa_pod_builder_init(&b, room.data(), room.size());
    const spa_pod* format = format_of(probe, b);
    pw_stream_update_params(probe.stream, &format, 1);
  }
  pw_thread_loop_unlock(probe.pipewire);
  return G_SOURCE_CONTINUE;
}

gboolean on_close(gpointer self) {
  close_session(*static_cast<Probe*>(self));
  return G_SOURCE_CONTINUE;
}

gboolean on_gone(gpointer self) {
  auto& probe = *static_cast<Probe*>(self);
  pw_thread_loop_lock(probe.pipewire);
  probe.left = 0;
  pw_stream_disconnect(probe.stream);
  pw_thread_loop_unlock(probe.pipewire);
  return G_SOURCE_CONTINUE;
}

// Without PipeWire where no picture is shown.
bool offer_screens(Probe& probe) {
  if (probe.what == "without") return true;
  if (probe.what != "refuse" && probe.what != "wait" && !show(probe)) return false;
  GDBusNodeInfo* const about = g_dbus_node_info_new_for_xml(kInterface, nullptr);
  g_dbus_connection_register_object(probe.bus, kPortalPath, about->interfaces[0], &kMethods, &probe,
                                    nullptr, nullptr);
  g_unix_signal_add(SIGUSR1, on_resize, &probe);
  g_unix_signal_add(SIGUSR2, on_close, &probe);
  g_unix_signal_add(SIGHUP, on_gone, &probe);
  return true;
}

}  // namespace

void answer(ProbeBus& probe, GVariant* options, std::uint32_t code, GVariant* results,
            GDBusMethodInvocation* call) {
  const char* token = "";
  g_variant_lookup(options, "handle_token", "&s", &token);
  std::string sender = g_dbus_method_invocation_get_sender(call) + 1;
  for (char& c : sender) c = c == '.' ? '_' : c;
  const std::string path = std::string(kPortalPath) + "/request/" + sender + "/" + token;
  probe.asker = g_dbus_method_invocation_get_sender(call);
  g_dbus_method_invocation_return_value(call, g_variant_new("(o)", path.c_str()));
  g_dbus_connection_emit_signal(probe.bus, probe.asker.c_str(), path.c_str(),
                                "org.freedesktop.portal.Request", "Response",
                                g_variant_new("(u@a{sv})", code, results), nullptr);
}

void close_session(ProbeBus& probe) {
  g_dbus_connection_emit_signal(probe.bus, probe.asker.c_str(), probe.session.c_str(),
                                "org.freedesktop.portal.Session", "Closed", nullptr, nullptr);
}

}  // namespace e2e

int main(int count, char** arguments) {
  static e2e::Probe probe;
  probe.what = count > 1 ? arguments[1] : "allow";
  probe.bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nullptr, nullptr);
  if (probe.bus == nullptr) return 1;
  if (probe.what.starts_with("keys")) {
    e2e::offer_keys(probe);
  } else if (!e2e::offer_screens(probe)) {
    return 2;
  }
  g_bus_own_name_on_connection(
      probe.bus, "org.freedesktop.portal.Desktop",
      static_cast<GBusNameOwnerFlags>(G_BUS_NAME_OWNER_FLAGS_ALLOW_REPLACEMENT |
                                      G_BUS_NAME_OWNER_FLAGS_REPLACE),
      [](GDBusConnection*, const char*, gpointer) {
        std::fprintf(stderr, "the portal is there\n");
      },
      nullptr, nullptr, nullptr);
  g_main_loop_run(probe.loop);
  return 0;
}
