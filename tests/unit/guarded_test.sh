#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# guarded_test.sh HEADERS GUARDS: each virtual function of a plugin's interface is called through the boundary. One that
# is not would fall back to the interface's own default, in silence, whatever the plugin says.
set -eu
headers=$1
guards=$2
functions=$(
  cd "$headers"
  awk '/^class HALFLING_API/ { name = $3 }
       /^  virtual [^~]*\(/ { sub(/\(.*/, ""); print name "::" $NF }' \
    architecture.hpp backend.hpp dataset.hpp loss_scaler.hpp optimizer.hpp precision.hpp reporter.hpp transform.hpp
)
status=0 count=0
for function in $functions; do
  count=$((count + 1))
  grep -qF "\"$function\"" "$guards"/guarded_*.cpp || { echo "not forwarded: $function" && status=1; }
done
[ "$count" -ge 39 ] || { echo "the interfaces were not read: only $count functions" && exit 1; }
exit $status
