"""Lets python-chess drive `pocketknight xboard` and `pocketknight uci` through games, analysis and options.

Whatever the engine plays or shows must be legal for python-chess. Exits with 1 and a message at the first
disagreement. Usage: engine_games.py PATH_OF_POCKETKNIGHT
"""

import logging
import signal
import sys

import chess
import chess.engine
import chess.variant

GAMES = 2
MOVE_TIME = 0.01
LONGEST = 300
# Everything together takes a few seconds.
DEADLINE = 180


class Disagreement(Exception):
    """The engine and python-chess do not agree."""


def check(condition, message):
    if not condition:
        raise Disagreement(message)


class Warnings(logging.Handler):
    """Keeps what python-chess complains about: output that it did not expect."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        line = record.getMessage()
        # It does without SIGTERM only with a grumble, and asks for a status that it does not read.
        if "Rejecting feature sigterm=0" not in line and "output: 'stat01: " not in line:
            self.lines.append(line)


def start(binary, protocol):
    command = [binary, protocol]
    if protocol == "uci":
        return chess.engine.SimpleEngine.popen_uci(command, timeout=60)
    return chess.engine.SimpleEngine.popen_xboard(command, timeout=60)


def fresh(board):
    """Copy of a board that shares nothing with it.

    `board.root()`, which the XBoard client of python-chess calls, gives a board whose pockets are those saved in the
    history of `board`, and moves made on it change them. So no board may be handed to that client twice.
    """
    copy = chess.variant.CrazyhouseBoard(board.root().fen(), chess960=board.chess960)
    for move in board.move_stack:
        copy.push(move)
    return copy


def play_game(white, black, xboard, number, ponder):
    """One game with moves of a few milliseconds; gives its board."""
    board = chess.variant.CrazyhouseBoard()
    # Games that differ from the first moves on.
    for move in [["e2e4"], ["d2d4", "g8f6"], ["b1c3", "d7d5", "e2e4"]][number % 3]:
        board.push_uci(move)
    while not board.is_game_over() and board.ply() < LONGEST:
        # A clock that never runs down, or a time for each move.
        limit = chess.engine.Limit(white_clock=1.0, black_clock=1.0, white_inc=0.01, black_inc=0.01)
        if number % 2:
            limit = chess.engine.Limit(time=MOVE_TIME)
        engine = white if board.turn == chess.WHITE else black
        result = engine.play(fresh(board), limit, game=number, info=chess.engine.INFO_ALL, ponder=ponder)
        if result.move is None:
            # Only a claimed repetition may end a game that is not over by itself.
            check(board.is_repetition(3), f"no move in {board.fen()}")
            break
        check(board.is_legal(result.move), f"{result.move} in {board.fen()}")
        # With pondering the line may be the first one of the opponent's time already, and over UCI that of an
        # iteration whose move was given up.
        pv = result.info.get("pv") or []
        if engine is xboard and not ponder:
            check(pv and pv[0] == result.move, f"{result.info} for {result.move} in {board.fen()}")
        board.push(result.move)
    return board


def check_games(binary):
    for ponder in [False, True]:
        with start(binary, "xboard") as xboard, start(binary, "uci") as uci:
            for number in range(GAMES):
                white, black = (xboard, uci) if number % 2 == 0 else (uci, xboard)
                board = play_game(white, black, xboard, number, ponder)
                drops = sum(1 for move in board.move_stack if move.drop)
                check(drops > 0, f"a game without drops: {board.fen()}")
                print(
                    f"game {number + 1}, {'' if ponder else 'no '}pondering: {board.result(claim_draw=True)}, "
                    f"{board.ply()} plies, {drops} drops"
                )
            for engine in [xboard, uci]:
                engine.ping()


def check_mate(engine, name):
    """The engine finds a mate that needs a drop, and shows it as a mate."""
    board = chess.variant.CrazyhouseBoard("6k1/5ppp/8/8/8/8/8/4K3[R] w - - 0 1")
    result = engine.play(fresh(board), chess.engine.Limit(depth=3), info=chess.engine.INFO_ALL, game="mate")
    board.push(result.move)
    check(board.is_checkmate(), f"{name}: {result.move} is no mate")
    check(result.info["score"].white() == chess.engine.Mate(1), f"{name}: {result.info}")


def check_analysis(engine, name):
    board = chess.variant.CrazyhouseBoard()
    for san in ["e4", "d5", "exd5", "Qxd5", "Nc3"]:
        board.push_san(san)
    info = engine.analyse(fresh(board), chess.engine.Limit(depth=5), game="analysis")
    check(info["depth"] >= 5 and info["nodes"] > 0 and len(info["pv"]) > 0, f"{name}: {info}")
    line = board.copy()
    for move in info["pv"]:
        line.push(move)
    only = board.parse_san("P@e4")
    info = engine.analyse(fresh(board), chess.engine.Limit(depth=3), root_moves=[only], game="analysis")
    check(info["pv"][0] == only, f"{name}: {info['pv']} instead of {only}")
    # Another position of the same game, then one that is not reached from it.
    board.pop()
    engine.analyse(fresh(board), chess.engine.Limit(time=0.05), game="analysis")
    other = chess.variant.CrazyhouseBoard("r3k2r/8/8/8/8/8/8/R3K2R[QNPqnp] w KQkq - 0 1")
    info = engine.analyse(fresh(other), chess.engine.Limit(depth=3), game="other")
    check(other.is_legal(info["pv"][0]), f"{name}: {info['pv']}")


def check_chess960(engine, name):
    board = chess.variant.CrazyhouseBoard("1k6/pppppppp/8/8/8/8/5PPP/R5KR[] w HA - 0 1", chess960=True)
    castle = board.parse_san("O-O-O")
    info = engine.analyse(fresh(board), chess.engine.Limit(depth=3), root_moves=[castle], game="960")
    check(info["pv"][0] == castle, f"{name}: {info['pv']}")
    board.push(castle)
    engine.play(fresh(board), chess.engine.Limit(time=0.02), game="960")


def check_options(engine, name):
    if name == "uci":
        engine.configure({"Hash": 2, "Threads": 1, "Move Overhead": 10})
        wrong = {"Hash": 0}
    else:
        engine.configure({"memory": 2, "cores": 1, "MoveOverhead": 10, "ClaimRepetition": "never"})
        wrong = {"MoveOverhead": -1}
    try:
        engine.configure(wrong)
    except chess.engine.EngineError:
        pass
    else:
        raise Disagreement(f"{name}: {wrong} was taken")
    engine.ping()


def main():
    binary = sys.argv[1]
    signal.alarm(DEADLINE)
    warnings = Warnings()
    logging.getLogger("chess.engine").addHandler(warnings)
    for name in ["xboard", "uci"]:
        with start(binary, name) as engine:
            check("Pocketknight" in engine.id["name"], engine.id)
            check_options(engine, name)
            check_mate(engine, name)
            check_analysis(engine, name)
            check_chess960(engine, name)
        print(f"{name}: options, mate, analysis and Chess960 agree with python-chess")
    check_games(binary)
    check(not warnings.lines, "\n".join(warnings.lines[:10]))


if __name__ == "__main__":
    try:
        main()
    except Disagreement as error:
        sys.exit(f"disagreement: {error}")
