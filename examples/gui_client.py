#!/usr/bin/env python3
"""Plays a whole game of long nardy through nardy-bot, knowing no rules: a GUI author's first hour.

Usage: gui_client.py path/to/nardy-bot [seed]

White is "the user": each step is one that the bot offers (what a GUI would light up). Black is the bot.
"""
import random
import subprocess
import sys


class Bot:
    def __init__(self, program, seed):
        self.process = subprocess.Popen([program, "--seed", str(seed)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def ask(self, command):
        """Sends a command and returns its reply lines; `isready` marks their end."""
        self.process.stdin.write(f"{command}\nisready\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline().rstrip("\n")) != "readyok":
            if not line and self.process.poll() is not None:
                raise SystemExit("the bot has gone")
            if line.startswith("error"):
                raise SystemExit(f"{command}: {line}")
            lines.append(line)
        return lines


def fields(line):
    """`state turn white dice 6 5 …` as a dictionary of its single words."""
    words = line.split()
    return dict(zip(words[1::1], words[2::1]))


def user_turn(bot, rng):
    while True:
        head, *moves = bot.ask("moves")
        if fields(head)["complete"] == "yes":
            return bot.ask("play" if fields(head)["made"] != "0" else "play pass")
        bot.ask("step " + rng.choice(moves).split()[1])  # "move 24/18 die 6": the user drags a checker


def main():
    bot, rng = Bot(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else 1), random.Random(1)
    bot.ask("set game.variant long")
    bot.ask("match length 1")
    state = bot.ask("newgame")[-1]
    turns = 0
    while True:
        if fields(state)["dice"] == "-":
            state = bot.ask("roll")[-1]
        if fields(state)["turn"] == "white":
            reply = user_turn(bot, rng)
        else:
            best = bot.ask("go")[-1].removeprefix("bestmove ")
            reply = bot.ask("play " + best)
        turns += 1
        print(reply[0])
        state = reply[-1]
        over = [line for line in reply if line.startswith("gameover")]
        if over:
            print("\n".join(bot.ask("board")[1:] + over + bot.ask("reveal") + bot.ask("dicelog")))
            return print(f"{turns} turns")


if __name__ == "__main__":
    main()
