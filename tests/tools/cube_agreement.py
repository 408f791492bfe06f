#!/usr/bin/env python3
"""Compares the doubling decisions of `nardy-bot gnubg` with GNU Backgammon's own on positions from play.

Usage: cube_agreement.py BOT [--positions N] [--seed S] [--gnubg PROGRAM]

Positions come from games of the bot against itself, at most two a game, money play with a centred cube. Both are asked whether
to double, and whether to take. GNU Backgammon decides by its own 2-ply analysis (`hint`). Prints the agreement, and what each
disagreement costs by GNU Backgammon's cubeful equities, in points of the cube before the double.
"""
import argparse
import random
import re
import socket
import statistics
import subprocess
import sys
import time

PORT = 47_123


def positions(bot, number, seed):
    """XGIDs of positions before the dice, and their boards from the side on roll: 26 counts, ours positive."""
    process = subprocess.Popen([bot], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(*commands, until="readyok"):
        ending = ["isready"] if until == "readyok" else []
        process.stdin.write("".join(f"{c}\n" for c in [*commands, *ending]))
        process.stdin.flush()
        lines = [process.stdout.readline().strip()]
        while not lines[-1].startswith(until):
            if lines[-1].startswith("error") or process.poll() is not None:
                sys.exit(f"{commands}: {lines[-1]}")
            lines.append(process.stdout.readline().strip())
        return lines[:len(lines) - len(ending)]

    def word(line, name):
        return line.split()[line.split().index(name) + 1]

    rng, found, game = random.Random(seed), [], 0
    while len(found) < number:
        ask("set game.variant short", f"match seed {seed * 1000 + game}")
        state, over, game, ids = ask("newgame")[-1], False, game + 1, []
        while not over:
            ids.append(word(state, "id"))
            if word(state, "dice") == "-":
                state = ask("roll")[-1]
            best = ask("go", until="bestmove")[-1].removeprefix("bestmove ")
            reply = ask(f"play {best}")
            state, over = reply[-1], any(line.startswith("gameover") for line in reply)
        # Not the opening, where nobody thinks of doubling.
        found += rng.sample(ids[4:], min(2, len(ids[4:])))
    process.stdin.write("quit\n")
    process.stdin.flush()
    return found[:number]


def board_of(gnu_id):
    """The counts of a GNU Position ID: (side on roll, other side), each points 1 to 24 and the bar in its own numbers."""
    import base64
    bits = "".join(f"{byte:08b}"[::-1] for byte in base64.b64decode(gnu_id + "=="))
    sides, at = [], 0
    for _ in range(2):
        counts = []
        for _ in range(25):
            end = bits.index("0", at)
            counts.append(end - at)
            at = end + 1
        sides.append(counts)
    return sides[1], sides[0]


def xgid(own, other):
    cells = ["-"] * 26
    for point in range(1, 26):
        if own[point - 1]:
            cells[point] = chr(ord("A") + own[point - 1] - 1)
        if other[point - 1]:
            cells[25 - point] = chr(ord("a") + other[point - 1] - 1)
    return "XGID=" + "".join(cells) + ":0:0:1:00:0:0:0:0:10"


def fibs(own, other, doubled):
    """The board as GNU Backgammon sends it to player 1, who is on roll and whose counts are `own`."""
    cells = [0] * 26
    for point in range(1, 26):
        if own[point - 1]:
            cells[point] = own[point - 1]
        if other[point - 1]:
            cells[25 - point] = -other[point - 1]
    off, other_off = 15 - sum(own), 15 - sum(other)
    return ":".join(str(field) for field in ["board", "Gnu", "Bot", 0, 0, 0, *cells, 1, 0, 0, 0, 0, 1, 1, 1, int(doubled), 1, -1, 0, 25,
                                             off, other_off, 0, 0, 0, 0, 0, 1])


class Player:
    def __init__(self, bot):
        self.server = subprocess.Popen([bot, "gnubg", "--listen", f"127.0.0.1:{PORT}", "--no-jacoby"],
                                       stdout=subprocess.DEVNULL)
        for _ in range(100):
            try:
                self.socket = socket.create_connection(("127.0.0.1", PORT))
                return
            except ConnectionRefusedError:
                time.sleep(0.05)
        sys.exit("the bot doesn't listen")

    def ask(self, line):
        self.socket.sendall(line.encode() + b"\n\0")
        answer = self.socket.recv(1000).decode().strip("\n\0 ")
        if answer.startswith("Error"):
            sys.exit(f"{line}: {answer}")
        return answer


def verdicts(program, ids):
    """For each XGID the equities of no double and of double/take, and the text of the verdict."""
    commands = ["set player 0 human", "set player 1 human", "set automatic roll off", "set automatic game off",
                "set automatic bearoff off", "set jacoby off", "new session"]
    for one in ids:
        commands += [f"set xgid {one}", "hint"]
    run = subprocess.run([program, "-t", "-q"], input="\n".join(commands) + "\n", capture_output=True, text=True)
    found = []
    for part in run.stdout.split("Cube analysis")[1:]:
        wait = float(re.search(r"No double\s+([+-][\d.]+)", part)[1])
        take = float(re.search(r"Double, take\s+([+-][\d.]+)", part)[1])
        found.append((wait, take, re.search(r"Proper cube action: (.*)", part)[1].strip()))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gnubg", default="/usr/games/gnubg")
    args = parser.parse_args()
    boards = [board_of(gnu_id) for gnu_id in positions(args.bot, args.positions, args.seed)]
    theirs = verdicts(args.gnubg, [xgid(*board) for board in boards])
    if len(theirs) != len(boards):
        sys.exit(f"{len(boards)} positions, but GNU Backgammon analysed {len(theirs)}")
    bot = Player(args.bot)
    doubles = takes = 0
    costs = []
    for (own, other), (wait, take, verdict) in zip(boards, theirs):
        ours_double = bot.ask(fibs(own, other, False)) == "double"
        # The taker sees the same board from his side, with the doubler still on roll.
        ours_take = bot.ask(take_request(own, other)) == "take"
        after_double = min(take, 1.0)
        should_double, should_take = verdict.startswith("Double"), ", take" in verdict
        doubles += ours_double == should_double
        takes += ours_take == should_take
        costs.append(abs(after_double - wait) if ours_double != should_double else 0.0)
        costs.append(abs(take - 1.0) if ours_take != should_take else 0.0)
        for ours, right, what in [(ours_double, should_double, "double"), (ours_take, should_take, "take")]:
            if ours != right:
                print(f"{xgid(own, other)}  {what}: bot {ours}, gnubg {right}; no double {wait:+.3f}, "
                      f"double/take {take:+.3f} ({verdict})")
    bot.server.terminate()
    number = len(boards)
    print(f"{number} positions, seed {args.seed}: doubling {doubles}/{number} the same, taking {takes}/{number} the same; "
          f"mean cost a decision {statistics.mean(costs):.4f}, largest {max(costs):.3f}")


def take_request(own, other):
    """The doubler (own) is player 0 here, the bot player 1: the board is the bot's, player 0 on roll."""
    line = fibs(other, own, True).split(":")
    line[32] = "-1"
    return ":".join(line)


if __name__ == "__main__":
    main()
