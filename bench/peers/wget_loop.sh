#!/bin/sh
# The harvester everybody writes once: wget_loop.sh URL FILE
set -eu
url=$1
out=$2
query='verb=ListRecords&metadataPrefix=oai_dc'
: >"$out"
while [ -n "$query" ]; do
    wget -q -O "$out.page" "$url?$query"
    cat "$out.page" >>"$out"
    token=$(tail -c 500 "$out.page" | sed -n 's:.*<resumptionToken[^>]*>\([^<][^<]*\)</resumptionToken>.*:\1:p')
    query=${token:+"verb=ListRecords&resumptionToken=$token"}
done
sync "$out"
