// The links that have a name. docs/lab.md tells where the numbers come from.
#include <array>

#include "lab/emulator/link_spec.h"

namespace qvid::lab {
namespace {

constexpr std::array<NamedLink, 8> kNamedLinks{{
    {"dsl", "down:rate=16mbit up:rate=1mbit delay=15ms down:queue=150ms up:queue=500ms",
     "ADSL2+: slow upstream with a deep queue"},
    {"lte",
     "down:rate=20mbit down:rate@5s=8mbit down:rate@8s=14mbit down:rate@12s=4mbit "
     "down:rate@14s=12mbit up:rate=8mbit up:rate@6s=3mbit up:rate@9s=6mbit up:rate@12s=2mbit "
     "up:rate@14s=5mbit outage=11.9s+100ms every=20s delay=25ms queue=600ms",
     "a moving phone: the rate changes, one handover each 20 s"},
    {"hotel-wifi",
     "rate=3mbit rate@6s=1mbit rate@9s=3mbit outage=4s+300ms outage=12s+500ms every=15s "
     "delay=20ms queue=1s loss=0.5%",
     "crowded, far from the access point, behind a bloated queue"},
    {"satellite", "down:rate=20mbit up:rate=3mbit delay=300ms queue=400ms loss=0.1%",
     "geostationary"},
    {"office-tcp-only", "rate=20mbit delay=10ms queue=100ms udp=drop",
     "a firewall that lets no UDP through"},
    {"cellular",
     "down:rate=10mbit down:walk=2400kbit up:rate=4mbit up:walk=1mbit delay=25ms queue=600ms",
     "a phone by the model of Sprout: the rate walks at random, and may rest at nothing"},
    {"busy-wifi",
     "rate=25mbit aggregate=12ms delay=5ms queue=250ms outage=3.1s+120ms outage=5.3s+60ms every=7s",
     "an access point among others: packets come in bunches, with spikes"},
    {"policed", "rate=50mbit police=4mbit+60kB delay=20ms queue=100ms",
     "a plan of 4 Mbit/s on a fast line: what is beyond is dropped, nothing waits"},
}};

}  // namespace

std::span<const NamedLink> named_links() { return kNamedLinks; }

}  // namespace qvid::lab
