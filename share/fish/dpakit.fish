# fish completion for a tool of dpakit, whose name the file has: offers what the bash completion does.

set -g __dpakit_scripts (status dirname)/../../bash-completion/completions

function __dpakit_offer
    set -l words (commandline -opc) (commandline -ct | string unescape)
    set -l tool (string replace -r '.*/' '' -- $words[1])
    # Behind "--name=" fish wants the whole word.
    set -l before (string match -r -- '^.+?=' $words[-1])
    printf "$before%s\n" (bash --norc -c 'source "$1" && shift && _dpakit_offer "$@"' \
        _ $__dpakit_scripts/$tool $words 2>/dev/null)
end

complete -c (string replace -r '.*/' '' -- (status filename) | string replace .fish '') -f -a '(__dpakit_offer)'
