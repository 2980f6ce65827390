/** `npm run bench [-- --json] [-- store|ingest …] [-- --runs 100000,500000]`: figures in a table for people, or as JSON for machines. */
import { benchStore } from './store.ts';
import { tableOf } from './figures.ts';
import type { Sheet } from './figures.ts';

const args = process.argv.slice(2);
const json = args.includes('--json');
const at = args.indexOf('--runs');
const runs = (at < 0 ? '100000,500000' : args[at + 1] ?? '').split(',').map(Number);
const parts = args.filter((arg) => ['store', 'ingest'].includes(arg));
const chosen = (part: string): boolean => parts.length === 0 || parts.includes(part);
const say = (text: string): void => { if (!json) console.log(text); };

const sheets: Sheet[] = [];
if (chosen('store')) sheets.push(...await benchStore(runs, say));
if (json) console.log(JSON.stringify(sheets, null, 2));
else for (const sheet of sheets) console.log(tableOf(sheet));
