#!/usr/bin/env bash
# Lets XBoard play a crazyhouse match between Pocketknight and Sjeng, and looks for errors in what they said.
# Needs xboard, sjeng and xvfb of Debian (apt-get install xboard sjeng xvfb); no screen.
# Usage: tests/clients/xboard_match.sh PATH_OF_POCKETKNIGHT [GAMES [CLOCK [INCREMENT]]]
# CLOCK is MINUTES or MINUTES:SECONDS, INCREMENT is in seconds. Set KEEP to a directory to keep log and games there, and
# PONDER to true to let both think on the time of the other.
set -euo pipefail

binary=$(realpath "$1")
games=${2:-4}
clock=${3:-0:20}
increment=${4:-0.1}
export PATH="$PATH:/usr/games"
for tool in xboard sjeng Xvfb; do
    command -v "$tool" >/dev/null || { echo "left out: $tool is missing (Debian: xboard, sjeng, xvfb)" >&2; exit 77; }
done

work=${KEEP:-$(mktemp -d)}
mkdir -p "$work"
display=
cleanup() {
    if [ -n "$display" ]; then kill "$display" 2>/dev/null || true; fi
    if [ -z "${KEEP:-}" ]; then rm -rf "$work"; fi
}
trap cleanup EXIT

# The X server chooses a free display and tells its number.
exec 3<>"$work/display"
Xvfb -displayfd 3 -screen 0 1024x768x24 -nolisten tcp 2>"$work/xvfb.log" &
display=$!
for _ in $(seq 100); do
    [ -s "$work/display" ] && break
    sleep 0.1
done
number=$(head -n 1 "$work/display")

# A home of its own: no settings of the user are read or written. Claims of results are checked by XBoard.
rm -f "$work/match.pgn" "$work/match.debug"
HOME=$work DISPLAY=:$number timeout 1800 xboard \
    -noChessProgram false -variant crazyhouse -matchMode true -matchGames "$games" \
    -fcp "$binary xboard" -scp sjeng -firstDirectory "$work" -secondDirectory "$work" \
    -timeControl "$clock" -timeIncrement "$increment" -movesPerSession 0 \
    -testClaims true -ponderNextMove "${PONDER:-false}" -popupExitMessage false -popupMoveErrors false \
    -saveGameFile "$work/match.pgn" -debugMode true -nameOfDebugFile "$work/match.debug" -ringBellAfterMoves false \
    >"$work/xboard.log" 2>&1 || { echo "xboard ended with $?" >&2; tail "$work/xboard.log" >&2; exit 1; }

grep -E '^\[(White|Black|Result)' "$work/match.pgn" || true
finished=$(grep -c '^\[Result "\(1-0\|0-1\|1/2-1/2\)"\]' "$work/match.pgn" || true)
# Lines of the first engine stand behind "<first: ", those to it behind ">first : ".
if grep -nE '<first *: *(Error|Illegal)|<second *: *Illegal|False|forfeit|Forfeit' "$work/match.debug"; then
    echo "errors were told" >&2
    exit 1
fi
[ "$finished" = "$games" ] || { echo "$finished of $games games were finished" >&2; exit 1; }
echo "xboard: $finished games finished without an error"
