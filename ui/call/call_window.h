// The window of a call of many parties: a tile for each, one's own among them, and the keys and
// clicks that a caller makes.
//
//   open -> { wait -> set_tiles, show_tile -> draw }*     the app's loop, as the player window's
//
// A tile keeps its last picture until it goes or sends no video. Tiles beyond TileBoard::kMost are not
// shown; the bar says how many. A change of layout, a selection and full screen are the window's
// own affair; whom to pin is the app's, which says so in the tiles. A pin, or its end, changes the
// layout too, until the caller chooses one. So are the microphone and all volumes the app's.
//
// Invariant: kTalk and kTalkEnd alternate, kTalk first; a window that has lost the focus is told of
// no key, so talking has ended before.
//
// Thread: the main thread only, except wake().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/picture/video_frame.h"
#include "ui/call/chat_model.h"
#include "ui/call/devices_model.h"
#include "ui/call/grid_layout.h"
#include "ui/call/people_model.h"
#include "ui/call/share_panel.h"
#include "ui/window/aspect.h"
#include "ui/window/notice_board.h"
#include "ui/window/overlay.h"
#include "ui/window/tile_model.h"
#include "ui/window/window_options.h"

namespace qvid::ui {

// What belongs to no tile.
struct CallModel {
  std::string room{};
  std::string recorders{};  // names; empty: nobody records
  bool recording = false;   // it is oneself
  std::size_t members = 0;  // in the room, with a tile or without one
  NoticeBoard notices{};    // "Ann joined"; drawn as they are due, whatever the app does meanwhile
  std::string status{};     // banner across the lower edge, "connection lost; trying again in 2 s"
  bool camera_on = false;
  bool camera_fault = false;  // it is to be on, and gives no picture
  bool sharing = false;
  bool frozen = false;  // what is shared
  Microphone microphone = Microphone::kNone;
  std::string talk_trigger{};  // talks, whatever window has the keyboard; empty: none does
  float volume = 1;            // of all parties together
  ChatModel chat{};
  PeopleModel people{};
  DevicesModel devices{};  // looked at while shows_devices()
  OverlayModel overlay{};  // title, rows and delay; the player's other fields are not looked at
};

enum class CallCommand : std::uint8_t {
  kQuit,  // leave the call
  kCamera,
  kShare,      // stop, or say by offer_shares() what there is to be shared
  kShareThis,  // share(): share it
  kFreeze,     // what is shared, or go on
  kPin,        // pin_target(): pin it, or let it go
  kScreenshot,
  kMute,     // one's own microphone, or unmute it
  kTalk,     // the key to talk went down: heard from now on, muted or not
  kTalkEnd,  // it went up, or the window has lost the focus
  kLouder,   // target(), or all where it is empty; again and again while the key is held
  kSofter,
  kSilence,  // target(), never empty: do not play it here, or play it again
  kSay,      // said(), as it was typed
  kOpen,     // link(): the user has clicked on it
  kHand,     // one's own: raise it, or take it down
  kRecord,   // the call, or stop it
  kDevice,   // device(): use it from now on
  kPerson,   // person(): what is to be done about somebody, or the room
  // Done already; told because an app may ask for other pictures than before.
  kLayout,
  kSelect,  // by key or click
};

class CallWindow {
 public:
  // Error: there is no display, or nothing to draw with.
  static Result<std::unique_ptr<CallWindow>> open(const WindowOptions& options);
  ~CallWindow();
  CallWindow(const CallWindow&) = delete;
  CallWindow& operator=(const CallWindow&) = delete;

  // One turn: returns at input, at wake(), when a notice has had its time, or after `at_most`, with
  // what the app must do; draw() comes next.
  std::vector<CallCommand> wait(Duration at_most);
  // Any thread, as long as the window exists: a new picture or tile is there. Until wait() has seen
  // one, further calls add nothing.
  void wake();

  // Who is in the call, in the order of the tiles. Who is not any more is forgotten with picture
  // and texture. Of tiles of the same key the first counts, and none without a key.
  void set_tiles(std::vector<TileModel> tiles);
  // The picture of a tile from now on, at the aspect of `nominal` whatever its own size. Nothing
  // where there is no such tile, or one without video.
  void show_tile(const std::string& key, const media::VideoFrame& picture,
                 media::PictureSize nominal);
  // Shows what can be shared in the side panel, for the user to choose; `with_sound`: and whether what
  // other programs play goes along, to begin with. Empty: it cannot.
  void offer_shares(std::vector<ShareChoice> choices, std::optional<bool> with_sound = {});
  // Of a source that is offered: what it shows, in a small picture. Nothing where it is not.
  void show_still(const std::string& source, const media::VideoFrame& still);
  // The screens of the desktop, in pixels of it. Empty: SDL knows none.
  static std::vector<Rectangle> screens();
  // When it was given to the screen; empty: nothing was, for nothing has changed since the last
  // time, or the window is minimised.
  std::optional<Timestamp> draw(const CallModel& model);

  // The tile that kPin was asked for last: the one under the mouse, or the one selected, whichever
  // was pointed at last.
  const std::string& pin_target() const;
  // The tile that kLouder, kSofter or kSilence was asked for last, chosen as for a pin. Never one's
  // own. Empty: none, so all are meant.
  const std::string& target() const;
  // Of kSay and kOpen.
  const std::string& said() const;
  const std::string& link() const;
  // Of kShareThis.
  const std::string& share() const;
  std::optional<bool> share_with_sound() const;  // empty: it was not offered
  // Of kDevice.
  const DeviceInput& device() const;
  // Of kPerson; never kWrite, which is the window's own affair, or kHand.
  const PersonInput& person() const;
  // Somebody may be looking at it: it has the keyboard.
  bool attended() const;
  // The chat is to be seen.
  bool shows_chat() const;
  bool shows_devices() const;
  // Empty: none.
  const std::string& selected() const;
  LayoutMode layout() const;
  LayoutMode chosen_layout() const;  // the caller's, while no pin and no share changes it
  void set_layout(LayoutMode mode);  // to begin with
  media::PictureSize size() const;   // in units; none in full screen
  // Where a tile's picture was drawn last, in units of the mouse, and in pixels: what is worth
  // asking for. Empty: nowhere.
  Rectangle place_of(const std::string& key) const;
  // The tiles that were drawn last: who is large, or would be, before the others.
  std::vector<std::string> shown() const;
  media::PictureSize pixels_of(const std::string& key) const;

  // Writes what was drawn last to `path` as PNG; gives the path back.
  Result<std::string> screenshot(const std::string& path);

 private:
  class Impl;
  explicit CallWindow(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace qvid::ui
