#include "ui/window/motion.h"

namespace qvid::ui {
namespace {

bool motion_reduced = false;

}  // namespace

void reduce_motion(bool on) { motion_reduced = on; }
bool motion_is_reduced() { return motion_reduced; }

}  // namespace qvid::ui
