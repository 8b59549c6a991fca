# Completion of hermes for fish. hermes itself knows what may stand where; it is given the words up to the cursor.
# Where it cannot be asked, verbs and flags are known.
function __hermes_complete
    set -l tokens (commandline -opc)
    command $tokens[1] __complete fish -- $tokens[2..-1] (commandline -ct) 2>/dev/null
    or printf '%s\n' @WORDS@
end
complete -c hermes -f -k -a '(__hermes_complete)'
