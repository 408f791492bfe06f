#!/usr/bin/env python3
"""Measures what nardy-bot costs: size of the program, time to the first answer, time of a 0-ply decision, memory.

Usage: footprint.py BOT [--starts N] [--games N]

The decision is timed as a GUI sees it: from the line `go` sent to the line `bestmove …` received, pipes included.
"""
import argparse
import os
import statistics
import subprocess
import time


class Bot:
    def __init__(self, program):
        self.begun = time.perf_counter()
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, commands, until):
        """Sends commands; returns the lines up to the one that begins with `until`, and the milliseconds that took."""
        begun = time.perf_counter()
        self.process.stdin.write(commands + "\n")
        self.process.stdin.flush()
        lines = []
        while not lines or not lines[-1].startswith(until):
            lines.append(self.process.stdout.readline())
            assert lines[-1], "the bot has gone"
        return lines, 1000 * (time.perf_counter() - begun)

    def quit(self):
        self.process.communicate("quit\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot")
    parser.add_argument("--starts", type=int, default=50)
    parser.add_argument("--games", type=int, default=40)
    args = parser.parse_args()
    print(f"program: {os.path.getsize(args.bot) / 1e6:.1f} MB")
    for variant in ["short", "long"]:
        first = []
        for _ in range(args.starts):
            bot = Bot(args.bot)
            bot.ask(f"set game.variant {variant}\nnewgame\nset game.variant {variant}\nnewgame\nroll\ngo", "bestmove")
            first.append(1000 * (time.perf_counter() - bot.begun))
            bot.quit()
        bot, times = Bot(args.bot), []
        for _ in range(args.games):
            bot.ask(f"set game.variant {variant}\nnewgame\nisready", "readyok")
            over = False
            while not over:
                bot.ask("roll\nisready", "readyok")
                lines, took = bot.ask("go", "bestmove")
                times.append(took)
                lines, _ = bot.ask(f"play {lines[-1].removeprefix('bestmove ').strip()}\nisready", "readyok")
                over = any(line.startswith("gameover") for line in lines)
        with open(f"/proc/{bot.process.pid}/status", encoding="ascii") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
        bot.quit()
        times.sort()
        print(f"{variant}: first answer {statistics.median(first):.1f} ms after start (median of {len(first)}, "
              f"largest {max(first):.1f}); a decision {statistics.median(times):.3f} ms (median of {len(times)}, "
              f"95 % below {times[len(times) * 95 // 100]:.3f}); at most {peak:.1f} MiB resident")


if __name__ == "__main__":
    main()
