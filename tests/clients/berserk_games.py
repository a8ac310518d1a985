"""Plays whole games on `pocketknight sandbox --serve` with a client library and a rules library not written here.

Every state that the server sends is checked against python-chess. Exits with 1 and a message at the first
disagreement. Usage: berserk_games.py PATH_OF_POCKETKNIGHT
"""

import random
import subprocess
import sys

import berserk
import chess
import chess.variant
import requests

OPPONENTS = ["random", "greedy", "engine200"]
ACCOUNT = "sandboxbot1"
CLOCK = {"clock_limit": 180, "clock_increment": 2}

# Every so many plies the position is also compared with the one in the list of running games.
CHECK_FEN_EVERY = 10


class Disagreement(Exception):
    """The server and python-chess do not agree."""


def check(condition, message):
    if not condition:
        raise Disagreement(message)


def start_server(binary):
    """Starts the server; gives its process, its address and the tokens by account."""
    process = subprocess.Popen(
        [binary, "sandbox", "--serve", "--port", "0", "--seed", "7"],
        stdout=subprocess.PIPE,
        text=True,
    )
    base, tokens = None, {}
    for line in process.stdout:
        words = line.split()
        if line.startswith("sandbox server at "):
            base = words[-1]
        elif words and words[-1].startswith("lip_"):
            tokens[words[0]] = words[-1]
        elif tokens:
            return process, base, tokens
    raise Disagreement("the server did not say its address and tokens")


def follow(board, moves):
    """Brings the board to a move list; every move must be legal where it stands."""
    texts = moves.split()
    known = [move.uci() for move in board.move_stack]
    if len(texts) < len(known):
        board.reset()
        known = []
    for text in texts[len(known):]:
        move = board.parse_uci(text)
        if board.is_castling(move):
            rook = chess.square_file(chess.Move.from_uci(text).to_square)
            check(rook in (0, 7), f"castling {text} is not king takes rook")
        if "@" in text:
            check(text[0].isupper(), f"drop {text} is not written with a capital")
        board.push(move)


def check_end(board, state, repeated):
    status, winner = state["status"], state.get("winner")
    if status == "mate":
        check(board.is_checkmate(), "mate without checkmate")
        loser = "white" if board.turn == chess.WHITE else "black"
        check(winner is not None and winner != loser, f"mate won by {winner}")
    elif status == "stalemate":
        check(board.is_stalemate(), "stalemate without stalemate")
    elif status == "draw":
        check(repeated or len(board.move_stack) > 600, "draw without a threefold repetition")
    else:
        raise Disagreement(f"ended by {status}")
    if status != "mate":
        check(winner is None, f"{status} won by {winner}")


def choose(board, rng):
    """A mate in one if there is one, else any legal move."""
    moves = list(board.legal_moves)
    for move in moves:
        if board.gives_check(move):
            board.push(move)
            mates = board.is_checkmate()
            board.pop()
            if mates:
                return move
    return rng.choice(moves)


def play(client, game_id, color, rng):
    board = chess.variant.CrazyhouseBoard()
    repeated = False
    for event in client.bots.stream_game_state(game_id):
        if event["type"] == "gameFull":
            check(event["initialFen"] == "startpos", "another start position")
            check(event[color]["name"] == ACCOUNT, "wrong color")
            state = event["state"]
        elif event["type"] == "gameState":
            state = event
        else:
            continue
        follow(board, state["moves"])
        repeated = board.is_repetition(3)
        if state["status"] != "started":
            check_end(board, state, repeated)
            return board, state["status"]
        check(not board.is_checkmate() and not board.is_stalemate(), "the game goes on after its end")
        if board.turn == (color == "white"):
            if board.ply() % CHECK_FEN_EVERY in (0, 1):
                (game,) = client.games.get_ongoing()
                theirs = chess.variant.CrazyhouseBoard(game["fen"])
                # The counters differ between implementations (python-chess counts pawn drops as quiet moves).
                check(theirs.epd() == board.epd(), f"fen {game['fen']} instead of {board.fen()}")
            client.bots.make_move(game_id, choose(board, rng).uci())
    raise Disagreement("the stream ended before the game")


def check_export(client, game_id, board, status):
    game = client.games.export(game_id)
    check(game["status"] == status, f"exported status {game['status']} instead of {status}")
    again = chess.variant.CrazyhouseBoard()
    for san in game["moves"].split():
        again.push_san(san)
    check(again.epd() == board.epd(), "the exported moves lead elsewhere")
    pgn = client.games.export(game_id, as_pgn=True)
    check('[Variant "Crazyhouse"]' in pgn, "the PGN names no variant")


def next_event(events, kind):
    for event in events:
        if event["type"] == kind:
            return event
    raise Disagreement(f"the event stream ended before a {kind}")


def main(binary):
    process, base, tokens = start_server(binary)
    try:
        client = berserk.Client(berserk.TokenSession(tokens[ACCOUNT]), base_url=base)
        account = client.account.get()
        check(account["username"] == ACCOUNT and account["title"] == "BOT", f"account {account}")
        events = client.bots.stream_incoming_events()
        number = 0
        for opponent in OPPONENTS:
            for color in ["white", "black"]:
                for challenger in [ACCOUNT, opponent]:
                    number += 1
                    rng = random.Random(number)
                    rated = number % 2 == 0
                    if challenger == ACCOUNT:
                        client.challenges.create(
                            opponent, rated=rated, color=color, variant="crazyhouse", **CLOCK
                        )
                    else:
                        other = "black" if color == "white" else "white"
                        form = {"user": ACCOUNT, "opponent": opponent, "color": other,
                                "rated": str(rated).lower()}
                        requests.post(f"{base}/sandbox/challenge", data=form).raise_for_status()
                        challenge = next_event(events, "challenge")["challenge"]
                        while challenge["challenger"]["id"] != opponent:
                            challenge = next_event(events, "challenge")["challenge"]
                        client.bots.accept_challenge(challenge["id"])
                    game = next_event(events, "gameStart")["game"]
                    check(game["color"] == color, f"color {game['color']} instead of {color}")
                    check(game["rated"] == rated, "another mode")
                    board, status = play(client, game["gameId"], color, rng)
                    finish = next_event(events, "gameFinish")["game"]
                    check(finish["gameId"] == game["gameId"], "another game finished")
                    check_export(client, game["gameId"], board, status)
                    print(f"{number:2} {color} against {opponent}, challenge by {challenger}: "
                          f"{board.ply()} plies, {status}")
        print(f"{number} games, all as python-chess has it")
        return 0
    except (Disagreement, berserk.exceptions.ApiError, ValueError) as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    finally:
        process.terminate()
        process.wait(timeout=30)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
