// Reads a JSON list of texts on standard input and prints, for each, [o200k, Claude] as a JSON list of pairs.
import { createRequire } from 'node:module';

const require = createRequire(`${process.cwd()}/`);
const { encode } = require('gpt-tokenizer/encoding/o200k_base');
const { getTokenizer } = require('@anthropic-ai/tokenizer');

let said = '';
for await (const piece of process.stdin) said += piece;
const claude = getTokenizer();
// Special tokens are text here: a block can hold anything that stands in code.
const counts = JSON.parse(said).map((text) => [
  encode(text, { disallowedSpecial: new Set() }).length,
  claude.encode(text.normalize('NFKC'), 'all').length,
]);
claude.free();
console.log(JSON.stringify(counts));
