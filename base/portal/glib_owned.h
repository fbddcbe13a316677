// Owners of GLib's objects.
#pragma once

#include <gio/gio.h>

#include <memory>

namespace qvid {

struct GlibDeleter {
  void operator()(GError* error) const { g_error_free(error); }
  void operator()(GVariant* value) const { g_variant_unref(value); }
  void operator()(GMainContext* context) const { g_main_context_unref(context); }
  void operator()(GCancellable* cancellable) const { g_object_unref(cancellable); }
  void operator()(GDBusConnection* connection) const { g_object_unref(connection); }
  void operator()(GUnixFDList* files) const { g_object_unref(files); }
  void operator()(char* text) const { g_free(text); }
};
template <class T>
using GlibOwned = std::unique_ptr<T, GlibDeleter>;

// For the functions that leave an error where they are told to.
class GlibError {
 public:
  GlibError() = default;
  ~GlibError() { g_clear_error(&error_); }
  GlibError(const GlibError&) = delete;
  GlibError& operator=(const GlibError&) = delete;
  GError** place() { return &error_; }
  const GError* get() const { return error_; }

 private:
  GError* error_ = nullptr;
};

}  // namespace qvid
