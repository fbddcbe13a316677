// `qvid-lab directory`: how many nodes the directory of a cluster carries, in virtual time with the
// product's client; --real: the same against a server of NATS, with few nodes.
#pragma once

#include "lab/run.h"

namespace qvid::lab {

Run add_directory(CLI::App& lab, const CommonOptions& common);

}  // namespace qvid::lab
