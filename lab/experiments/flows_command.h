// `qvid-lab flows`: any senders on real sockets over any link, for people who ask "what if".
#pragma once

#include "lab/run.h"

namespace qvid::lab {

Run add_flows(CLI::App& lab, const CommonOptions& common);

}  // namespace qvid::lab
