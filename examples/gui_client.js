// Plays a whole game of long nardy through nardy-bot, knowing no rules: a GUI author's first hour.
//
// Usage: node gui_client.js path/to/nardy-bot [seed]
//
// White is "the user": each step is one that the bot offers (what a GUI would light up). Black is the bot.
'use strict';
const { spawn } = require('child_process');
const readline = require('readline');

class Bot {
  constructor(program, seed) {
    this.process = spawn(program, ['--seed', String(seed)], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = readline.createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  // Sends a command and resolves to its reply lines; `isready` marks their end.
  async ask(command) {
    this.process.stdin.write(`${command}\nisready\n`);
    const reply = [];
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done) throw new Error('the bot has gone');
      if (value === 'readyok') return reply;
      if (value.startsWith('error')) throw new Error(`${command}: ${value}`);
      reply.push(value);
    }
  }
}

const word = (line, name) => line.split(' ')[line.split(' ').indexOf(name) + 1];
const last = (lines) => lines[lines.length - 1];

async function userTurn(bot, turn) {
  for (;;) {
    const [head, ...moves] = await bot.ask('moves');
    if (word(head, 'complete') === 'yes') return bot.ask(word(head, 'made') === '0' ? 'play pass' : 'play');
    await bot.ask(`step ${word(moves[turn % moves.length], 'move')}`); // "move 24/18 die 6"
  }
}

async function main() {
  const bot = new Bot(process.argv[2], process.argv[3] || 1);
  await bot.ask('set game.variant long');
  await bot.ask('match length 1');
  let state = last(await bot.ask('newgame'));
  for (let turn = 1; ; turn++) {
    if (word(state, 'dice') === '-') state = last(await bot.ask('roll'));
    const reply = word(state, 'turn') === 'white'
      ? await userTurn(bot, turn)
      : await bot.ask(`play ${last(await bot.ask('go')).slice('bestmove '.length)}`);
    console.log(reply[0]);
    state = last(reply);
    const over = reply.filter((line) => line.startsWith('gameover'));
    if (over.length > 0) {
      const board = (await bot.ask('board')).slice(1);
      console.log([...board, ...over, ...(await bot.ask('reveal')), ...(await bot.ask('dicelog')), `${turn} turns`].join('\n'));
      bot.process.stdin.end('quit\n');
      return;
    }
  }
}

main().catch((error) => { console.error(error.message); process.exit(1); });
