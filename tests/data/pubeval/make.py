#!/usr/bin/env python3
"""Writes choices.txt: what GNU Backgammon's built-in pubeval plays (see README.md)."""
import random

import gnubg_nn as gnn

LINES = 1500
START = gnn.board_from_position_id("4HPwATDgc/ABMA")


def step(opp, own, start, end):
    own[start] -= 1
    if end >= 0:
        own[end] += 1
        if end < 24 and opp[23 - end] == 1:
            opp[23 - end] = 0
            opp[24] += 1


def main():
    rng = random.Random(20261130)
    lines = []
    while len(lines) < LINES:
        # A third of the games is played by pubeval alone, the others mix in random plays.
        blind = rng.choice([0.0, 0.3, 1.0])
        board = (list(START[0]), list(START[1]))
        while sum(board[0]) and sum(board[1]):
            a, b = rng.randint(1, 6), rng.randint(1, 6)
            legal = gnn.moves(board, a, b)
            opp, own = list(board[0]), list(board[1])
            if legal:
                hops = gnn.pub_best_move([opp, own], a, b)
                for start, end in zip(hops[0::2], hops[1::2]):
                    step(opp, own, start, end)
                if len(legal) > 1 and rng.random() < 0.15 and len(lines) < LINES:
                    before, after = gnn.position_id(list(board)), gnn.position_id([opp, own])
                    lines.append(f"{before} {a}{b} {after}")
                if rng.random() < blind:
                    chosen = gnn.board_from_position_key(rng.choice(sorted(legal)))
                    opp, own = list(chosen[0]), list(chosen[1])
            board = (own, opp)
    with open("choices.txt", "w") as out:
        out.write("# position, dice, position after pubeval's play seen by the same side (GNU Position IDs)\n")
        out.write("\n".join(lines) + "\n")


main()
