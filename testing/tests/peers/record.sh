#!/bin/sh
# Runs a server over stdio and records the conversation: record.sh FOLDER COMMAND ARGS...
#
# FOLDER/to-server and FOLDER/from-server hold the raw lines, FOLDER/status the server's exit status.
folder=$1
shift
tee "$folder/to-server" | {
    "$@"
    echo $? >"$folder/status"
} | tee "$folder/from-server"
