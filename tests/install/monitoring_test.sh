#!/usr/bin/env bash
# The alerts of packaging/monitoring fire where they shall: with promtool, where Prometheus is
# installed; it is no package that the tests install, since it would start a server.
#   monitoring_test.sh SOURCE_FOLDER
set -euo pipefail
command -v promtool >/dev/null || { echo "promtool is not here (package prometheus)"; exit 77; }
cd "$1/packaging/monitoring"
promtool check rules qvid.rules.yaml
promtool test rules qvid.rules_test.yaml
