/**
 * Preloaded into a server (`node --import`): counts the statements that it sends to its database,
 * and writes the number to the file `STATEMENTS_FILE` at each signal SIGUSR2.
 */
import { writeFileSync } from 'node:fs';
import { Client } from 'pg';

const file = process.env['STATEMENTS_FILE'];
if (file === undefined) throw new Error('STATEMENTS_FILE is not set.');
let count = 0;
const prototype: Record<'query', unknown> = Client.prototype;
const query = prototype.query as (this: Client, ...input: unknown[]) => unknown;
prototype.query = function (this: Client, ...input: unknown[]) {
  count += 1;
  return query.apply(this, input);
};
process.on('SIGUSR2', () => {
  writeFileSync(file, String(count));
});
