/**
 * Preloaded into a server (`node --import`): its clock is ahead by the milliseconds in the file
 * `CLOCK_FILE` (behind: negative), which is read at the start and at each signal SIGUSR2.
 */
import { readFileSync } from 'node:fs';

const file = process.env['CLOCK_FILE'];
if (file === undefined) throw new Error('CLOCK_FILE is not set.');
const read = (): number => Number(readFileSync(file, 'utf8'));
const now = Date.now.bind(Date);
let aheadMs = read();
Date.now = () => now() + aheadMs;
process.on('SIGUSR2', () => {
  aheadMs = read();
});
