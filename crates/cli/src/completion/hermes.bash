# Completion of hermes for bash. hermes itself knows what may stand where; it is given the line up to the cursor.
# Where it cannot be asked, verbs and flags are known.
_hermes() {
    COMPREPLY=()
    local candidate
    while IFS= read -r candidate; do
        COMPREPLY+=("$candidate")
    done < <("$1" __complete bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null ||
        compgen -S ' ' -W '@WORDS@' -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -o nospace -o nosort -F _hermes hermes
