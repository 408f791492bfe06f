#!/bin/sh
# A UBGI engine that misbehaves as its argument says; it knows nothing of the game.
fault=$1

greet() {
    echo "id name bad engine ($fault)"
    case $fault in
    draft-*) echo readyok ;;
    v02-*) printf 'proto 0.2\nkey game.variant enum short|long short\nubgiok\n' ;;
    *) echo ubgiok ;;
    esac
}

answer() {
    case $fault in
    illegal | v02-illegal) echo 'bestmove 13/12 13/12 13/12' ;;
    illegal-pass) echo 'bestmove pass' ;;
    garbage) echo 'bestmove the one on the left' ;;
    nonsense) echo 'what did you say?' ;;
    empty-answer) echo 'bestmove' ;;
    refusal) echo 'error bad_state I do not feel like it' ;;
    crash)
        echo 'out of cheese' >&2
        exit 3
        ;;
    killed) kill -9 $$ ;;
    closed-pipe)
        exec 1>&-
        exec sleep 20
        ;;
    late)
        sleep 1
        echo 'bestmove 24/23 24/23'
        ;;
    bare-play) echo '8/5 6/5' ;;
    wrong-role) echo 'bestcube nodouble' ;;
    long-line) head -c 200000 /dev/zero | tr '\0' 'x' ;;
    flood) yes 'info depth 1' ;;
    chatter) yes 'still thinking' ;;
    stall) ;;
    esac
}

case $fault in
crash-at-start) exit 7 ;;
silent) exec sleep 20 ;;
esac

while read -r line; do
    case "$fault:$line" in
    uci:ubgi) echo uciok ;;
    not-ready:isready) ;;
    *:ubgi) greet ;;
    *:isready) echo readyok ;;
    draft-sorry:XGID*) echo sorry ;;
    draft-bestmove:XGID*) echo 'bestmove 13/12 13/12 13/12' ;;
    draft-illegal:XGID*) echo '13/12 13/12 13/12' ;;
    draft-garbage:XGID*) echo 'hm' ;;
    *:go*) answer ;;
    *:quit) exit 0 ;;
    esac
done
