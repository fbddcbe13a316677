#!/bin/bash
# hardening_test.sh PROGRAM: what compiler and linker have put around an optimised program: position
# independent, relocations read-only from the start, no executable stack, canaries, and the checked
# functions of the C library.
set -u
program=$1
status=0
expect() {  # NAME COMMAND...
  if ! "${@:2}" >/dev/null; then
    echo "$program: $1"
    status=1
  fi
}
headers=$(readelf --wide --file-header --program-headers --dynamic "$program") || exit 1
symbols=$(readelf --wide --dyn-syms "$program") || exit 1
expect 'is no PIE' grep -qE 'Type: +DYN' <<<"$headers"
expect 'has no RELRO' grep -q GNU_RELRO <<<"$headers"
expect 'binds its functions late' grep -qE 'BIND_NOW|FLAGS.* NOW' <<<"$headers"
expect 'has an executable stack' grep -qE 'GNU_STACK.* RW ' <<<"$headers"
expect 'has no stack protector' grep -q __stack_chk_fail <<<"$symbols"
expect 'has none of the checked functions (_FORTIFY_SOURCE)' grep -qE ' __(mem|str|read|f|s|v)[a-z]*_chk' <<<"$symbols"
exit $status
