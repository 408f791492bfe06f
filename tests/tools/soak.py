#!/usr/bin/env python3
"""Lets nardy-bot play itself through its pipe for a long time, as a server would, and watches its memory.

Usage: soak.py BOT [--games N] [--minutes M] [--seed S]

Every game uses referee commands only, long and short nardy in turn. Now and then a question is stopped, and now and then the
bot is ended in the middle of a game and another one goes on from what `save` told. Fails if the bot answers with an error,
ends by itself, or grows: the most memory in the last tenth of a bot's life may not exceed the most in its first half by 1 MiB.
"""
import argparse
import random
import subprocess
import sys
import time


class Bot:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.memory = []

    def send(self, *commands):
        self.process.stdin.write("".join(f"{command}\n" for command in commands))
        self.process.stdin.flush()

    def read_until(self, last, commands):
        lines = []
        while not lines or not lines[-1].startswith(last):
            line = self.process.stdout.readline().rstrip("\n")
            if not line and self.process.poll() is not None:
                sys.exit(f"the bot has gone after {commands}: exit status {self.process.returncode}")
            if line.startswith("error"):
                sys.exit(f"{commands}: {line}")
            lines.append(line)
        return lines

    def ask(self, *commands):
        """Sends commands; returns the reply lines up to the answer to a final `isready`."""
        self.send(*commands, "isready")
        return self.read_until("readyok", commands)[:-1]

    def best(self, *commands):
        """Sends `go` and perhaps more; returns the play. (`isready` would be answered while the bot thinks.)"""
        self.send(*commands)
        return self.read_until("bestmove", commands)[-1].removeprefix("bestmove ")

    def watch(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            self.memory.append(next(int(line.split()[1]) for line in status if line.startswith("VmRSS")))

    def end(self):
        self.send("quit")
        if (code := self.process.wait(10)) != 0:
            sys.exit(f"the bot ended with exit status {code}")
        half, tenth = self.memory[:len(self.memory) // 2], self.memory[-max(1, len(self.memory) // 10):]
        if len(self.memory) >= 20 and max(tenth) > max(half) + 1024:
            sys.exit(f"memory grew from {max(half)} to {max(tenth)} KiB over {len(self.memory)} games")
        return max(self.memory, default=0)


def field(line, name):
    words = line.split()
    return words[words.index(name) + 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot")
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=0, help="spread the games over so many minutes")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng, begun = random.Random(args.seed), time.monotonic()
    bot, lives, plies, stops, restarts, most = Bot(args.bot), 1, 0, 0, 0, 0
    for game in range(args.games):
        time.sleep(max(0.0, begun + game * args.minutes * 60 / args.games - time.monotonic()))
        bot.ask(f"set game.variant {'long' if game % 2 else 'short'}", "match")
        state = bot.ask("newgame")[-1]
        over = False
        while not over:
            if field(state, "dice") == "-":
                state = bot.ask("roll")[-1]
            stop = rng.random() < 0.01
            stops += stop
            best = bot.best("go", "stop") if stop else bot.best("go")
            reply = bot.ask(f"play {best}")
            plies, state = plies + 1, reply[-1]
            over = any(line.startswith("gameover") for line in reply)
            if not over and rng.random() < 0.0002:
                saved = next(line for line in bot.ask("save") if line.startswith("saved ")).removeprefix("saved ")
                most, restarts = max(most, bot.end()), restarts + 1
                bot, lives = Bot(args.bot), lives + 1
                state = bot.ask(f"resume {saved}")[-1]
        bot.watch()
        if (game + 1) % max(1, args.games // 20) == 0:
            seconds = time.monotonic() - begun
            print(f"{game + 1} games, {plies} plies, {seconds:.0f} s, {bot.memory[-1]} KiB", flush=True)
    most = max(most, bot.end())
    print(f"{args.games} games, {plies} plies, {stops} stops, {restarts} restarts: no error; at most {most} KiB resident")


if __name__ == "__main__":
    main()
