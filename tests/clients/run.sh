#!/usr/bin/env bash
# Plays games on the sandbox server with PyPI's berserk and python-chess, and lets python-chess drive the engine over
# XBoard's protocol and UCI. Needs Python 3.9 or newer, and the network on the first run. Usage: tests/clients/run.sh [PATH_OF_POCKETKNIGHT]
set -euo pipefail
cd "$(dirname "$0")/../.."

venv=target/clients-venv
if ! cmp -s tests/clients/requirements.txt "$venv/installed.txt"; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r tests/clients/requirements.txt
    cp tests/clients/requirements.txt "$venv/installed.txt"
fi
if [ $# -ge 1 ]; then
    binary=$1
else
    cargo build --quiet
    binary=target/debug/pocketknight
fi
"$venv/bin/python" tests/clients/berserk_games.py "$binary"
exec "$venv/bin/python" tests/clients/engine_games.py "$binary"
