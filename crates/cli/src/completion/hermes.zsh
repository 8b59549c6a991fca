#compdef hermes
# Completion of hermes for zsh. hermes itself knows what may stand where; it is given the words up to the cursor.
# Where it cannot be asked, verbs and flags are known.
_hermes() {
    local -a open open_shown done done_shown
    local line value
    for line in "${(@f)$(command "${words[1]}" __complete zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null ||
        print -l -- @WORDS@)}"; do
        [[ -n $line ]] || continue
        value=${line%%$'\t'*}
        # What goes on after it has no space behind it.
        if [[ $value == *[=/] ]]; then
            open+=("$value")
            open_shown+=("${line/$'\t'/  -- }")
        else
            done+=("$value")
            done_shown+=("${line/$'\t'/  -- }")
        fi
    done
    (( $#open )) && compadd -l -S '' -d open_shown -a open
    (( $#done )) && compadd -l -d done_shown -a done
    (( $#open + $#done ))
}
if [[ ${funcstack[1]} == _hermes ]]; then
    _hermes "$@"
else
    compdef _hermes hermes
fi
