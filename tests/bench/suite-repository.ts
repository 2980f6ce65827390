/**
 * How fast a backup repository is written and read, beside restic with the same files in the same
 * run: `node tests/bench/suite-repository.ts`. Each is a process of its own, timed from its start to
 * its end. The rate per second of CPU is that of one core, whatever else the machine does.
 */
import { hash } from 'node:crypto';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobTable } from '../../server/engine/embedded/restic/blob-table.ts';
import { getChance } from './data.ts';
import { type Figure, type Sheet, getTable } from './figures.ts';

const FILES = 8;
const FILE_BYTES = 32 << 20;
const MAILS = 5_000;
const MAIL_BYTES = 20_000;
const MAILS_PER_FOLDER = 250;
const INDEXED_BLOBS = 1_000_000;
const MEGA = 1_000_000;

const PASSWORD = { ...process.env, RESTIC_PASSWORD: 'bench' };
const OURS = join(import.meta.dirname, 'back-up-folder.ts');

type Work = 'init' | 'backup' | 'read';
const COMMANDS: Readonly<
  Record<string, (work: Work, repository: string, folder: string) => readonly string[]>
> = {
  daybook: (work, repository, folder) => [process.execPath, OURS, work, repository, folder],
  restic: (work, repository, folder) => [
    'restic',
    '--no-cache',
    '--quiet',
    '-r',
    repository,
    ...{ init: ['init'], backup: ['backup', folder], read: ['dump', 'latest', '/'] }[work],
  ],
};

/** The figures of one process. */
interface Timed {
  readonly ms: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
}

export async function benchSuiteRepository(say: (text: string) => void): Promise<Sheet[]> {
  const place = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  const notes = [`load average ${(loadavg()[0] ?? 0).toFixed(1)} at the start`];
  const names = Object.keys(COMMANDS).filter(
    (name) => name !== 'restic' || spawnSync('restic', ['version']).status === 0,
  );
  if (!names.includes('restic')) notes.push('restic is not installed, left out');
  try {
    const sources = {
      files: makeFiles(join(place, 'files')),
      mails: makeMails(join(place, 'mails')),
    };
    const timed: Record<string, Timed> = {};
    for (const [kind, folder] of Object.entries(sources))
      for (const name of names) {
        say(`  ${kind}: ${name} …`);
        const repository = join(place, `${name}-${kind}`);
        for (const work of ['init', 'backup', 'read'] as const)
          timed[`${name} ${work} ${kind}`] = await time(
            COMMANDS[name]?.(work, repository, folder) ?? [],
          );
      }
    const rows = (
      what: string,
      unit: string,
      of: (name: string) => number | null,
      goal?: string,
    ) => ({
      what,
      unit,
      values: Object.fromEntries(names.map((name) => [name, of(name)])),
      ...(goal === undefined ? {} : { goal }),
    });
    const rate =
      (work: Work, kind: string, amount: number, by: 'ms' | 'cpuMs') =>
      (name: string): number =>
        (amount / (timed[`${name} ${work} ${kind}`]?.[by] ?? Number.NaN)) * 1000;
    const megabytes = (FILES * FILE_BYTES) / MEGA;
    const figures: Figure[] = [
      rows('files written', 'MB/s', rate('backup', 'files', megabytes, 'ms'), '60'),
      rows('files written', 'MB per s of CPU', rate('backup', 'files', megabytes, 'cpuMs'), '60'),
      rows('files read', 'MB/s', rate('read', 'files', megabytes, 'ms')),
      rows('files read', 'MB per s of CPU', rate('read', 'files', megabytes, 'cpuMs')),
      rows('mails written', 'per s', rate('backup', 'mails', MAILS, 'ms')),
      rows('mails written', 'per s of CPU', rate('backup', 'mails', MAILS, 'cpuMs')),
      rows('mails read', 'per s', rate('read', 'mails', MAILS, 'ms')),
      rows('memory while writing files', 'MB', (name) => peak(timed[`${name} backup files`])),
      rows(
        'index of 1,000,000 blobs',
        'MB',
        (name) => (name === 'daybook' ? measureIndex() : null),
        '150',
      ),
    ];
    notes.push(
      `${FILES} files of ${FILE_BYTES >> 20} MiB, every second one of text; ${MAILS} mails of about ${MAIL_BYTES / 1000} kB`,
    );
    return [{ title: 'Repository of the backup engine', columns: names, figures, notes }];
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
const peak = (timed: Timed | undefined): number => (timed?.peakBytes ?? Number.NaN) / MEGA;

/** Runs a command in a shell that prints the CPU time of it, and watches its memory. */
async function time([command = '', ...args]: readonly string[]): Promise<Timed> {
  const start = performance.now();
  const child = spawn(
    'bash',
    ['-c', 'TIMEFORMAT="%U %S"; time "$0" "$@" >/dev/null', command, ...args],
    {
      env: PASSWORD,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
  let peakBytes = 0;
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, peakOfChildren(child.pid ?? 0));
  }, 20);
  const code = await new Promise((resolve) => child.on('close', resolve));
  clearInterval(watch);
  const ms = performance.now() - start;
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}: ${printed}`);
  const [user = 0, system = 0] = (printed.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { ms, cpuMs: (user + system) * 1000, peakBytes };
}

/** The most memory that a child of the process has had; 0 where the system doesn't say. */
function peakOfChildren(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    const peaks = children.map((child) =>
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child}/status`, 'utf8'))?.[1] ?? 0),
    );
    return Math.max(...peaks) * 1024;
  } catch {
    return 0; // it has ended
  }
}

/** Memory of the index, in MB: mails of 20 kB in packs of 16 MiB. */
function measureIndex(): number {
  const before = process.memoryUsage();
  const table = new BlobTable();
  const perPack = 800;
  for (let pack = 0; pack < INDEXED_BLOBS / perPack; pack += 1)
    table.addPack(
      hash('sha256', `pack ${pack}`),
      Array.from({ length: perPack }, (_, at) => ({
        type: 'data',
        id: hash('sha256', `${pack} ${at}`),
        offset: at * MAIL_BYTES,
        length: MAIL_BYTES,
        rawLength: MAIL_BYTES * 2,
      })),
    );
  globalThis.gc?.();
  const after = process.memoryUsage();
  if (!table.has('data', hash('sha256', '0 0'))) throw new Error('The index lost a blob.');
  return (after.arrayBuffers - before.arrayBuffers) / MEGA;
}

function makeFiles(folder: string): string {
  mkdirSync(folder);
  const chance = getChance(1);
  for (let n = 0; n < FILES; n += 1) {
    const bytes = n % 2 === 0 ? makeNoise(FILE_BYTES, chance) : makeText(FILE_BYTES, chance);
    writeFileSync(join(folder, `${n}.bin`), bytes);
  }
  return folder;
}

function makeMails(folder: string): string {
  const chance = getChance(2);
  for (let n = 0; n < MAILS; n += 1) {
    const inside = join(folder, String(Math.floor(n / MAILS_PER_FOLDER)));
    mkdirSync(inside, { recursive: true });
    const bytes = makeText(Math.floor(MAIL_BYTES * (0.5 + chance())), chance);
    writeFileSync(join(inside, `${n}.eml`), bytes);
  }
  return folder;
}

function makeNoise(length: number, chance: () => number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 4) bytes.writeUInt32LE(Math.floor(chance() * 2 ** 32), at);
  return bytes;
}

/** Words of a vocabulary of 5,000: compresses to about 40 %, as prose does. */
function makeText(length: number, chance: () => number): Buffer {
  const bytes = Buffer.alloc(length, ' ');
  for (let at = 0; at < length;)
    at += bytes.write(`${getWord(Math.floor(5_000 * chance() ** 2))} `, at);
  return bytes;
}
const getWord = (n: number): string => hash('sha1', String(n)).slice(0, 2 + (n % 9));

if (import.meta.main)
  for (const sheet of await benchSuiteRepository(console.log)) console.log(getTable(sheet));
