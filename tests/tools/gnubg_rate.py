#!/usr/bin/env python3
"""Self-play games per core-second of GNU Backgammon's library at 0-ply, to compare with `nardy selfplay --threads 1`.

    python3 tests/tools/gnubg_rate.py [--games 300] [--seed 1]

Money games without a cube, played to the end. Needs `pip install gnubg-nn`. The library finds and makes the best move in one
call, so that Python adds little.
"""

import argparse
import random
import time

import gnubg_nn as gnubg

START = gnubg.board_from_position_id("4HPwATDgc/ABMA")


def play(rng):
    """Plays one game; returns its plies."""
    board, plies = START, 0
    while True:
        dice = rng.randint(1, 6), rng.randint(1, 6)
        while plies == 0 and dice[0] == dice[1]:
            dice = rng.randint(1, 6), rng.randint(1, 6)
        # The second part of the answer is the position after the move with the mover's side first, as the next mover needs it.
        board = gnubg.board_from_position_key(gnubg.best_move(board, dice[0], dice[1], n=0, b=1)[1])
        plies += 1
        if sum(board[0]) == 0:
            return plies


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    start = time.process_time()
    plies = sum(play(rng) for _ in range(args.games))
    seconds = time.process_time() - start
    print(f"{args.games} games, {plies / args.games:.1f} plies a game: {args.games / seconds:.0f} games per core-second")


if __name__ == "__main__":
    main()
