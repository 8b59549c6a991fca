# Ends process groups when whoever holds the other end of this pipe is gone.
#   +GROUP  watch it    -GROUP  forget it    !GROUP  end it now
# After the end of the input every group that is still watched is ended.
trap '' HUP INT QUIT TERM PIPE

end() {
    kill -s TERM -- "-$1" || return
    sleep 1
    kill -s KILL -- "-$1"
}

forget() {
    case $watched in
        *" $1 "*) watched="${watched%%" $1 "*} ${watched#*" $1 "}" ;;
    esac
}

watched=' '
while IFS= read -r line; do
    group=${line#?}
    case $line in
        +*) watched="$watched$group " ;;
        -*) forget "$group" ;;
        !*) forget "$group"; end "$group" & ;;
    esac
done
for group in $watched; do end "$group" & done
wait
