#!/bin/sh
# Not a harvester but the limit of one: every address known beforehand, one connection, wire and disk only.
# curl_limit.sh LIST FILE
set -eu
curl --silent --show-error --fail --config "$1" >"$2"
sync "$2"
