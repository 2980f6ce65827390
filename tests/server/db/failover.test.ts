import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { openStore } from '#server/platform/db/open.ts';
import { isSound, verify } from '#server/platform/events/verify.ts';
import { binaries, unprivileged } from './binaries.ts';
import { QUIET } from './databases.ts';
import { aTenant, byClock, jobDraft, runDraft } from './drafts.ts';

const bin = binaries();
const missing =
  bin === null || !existsSync(join(bin, 'pg_basebackup')) ? ' (skipped: no pg_basebackup)' : '';
/** `PROOF=5` loses five primaries. */
const FAILOVERS = Number(process.env['PROOF'] ?? 1);

const folder = mkdtempSync(join(tmpdir(), 'daybook-failover-'));
const running = new Set<ChildProcess>();
afterAll(async () => {
  await Promise.all([...running].map((server) => end(server, 'SIGQUIT')));
  rmSync(folder, { recursive: true, force: true });
});

const as = { cwd: folder, ...unprivileged() };
const run = (program: string, args: readonly string[]): void =>
  void execFileSync(join(bin ?? '', program), args, { ...as, stdio: 'pipe' });
const getUrl = (port: number): string =>
  `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}&port=${port}`;

async function query(port: number, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client(getUrl(port));
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function start(data: string, port: number): Promise<ChildProcess> {
  const settings = [
    'fsync=off',
    'listen_addresses=',
    `unix_socket_directories=${folder}`,
    `port=${port}`,
  ];
  const server = spawn(
    join(bin ?? '', 'postgres'),
    ['-D', data, ...settings.flatMap((one) => ['-c', one])],
    { ...as, stdio: 'ignore' },
  );
  running.add(server);
  await expect.poll(() => query(port, 'select 1').catch(() => null)).not.toBeNull();
  return server;
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  running.delete(server);
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('close', resolve));
  server.kill(signal);
  await ended;
}

test.skipIf(missing !== '')(
  `G24: if the primary of PostgreSQL is killed and its synchronous standby promoted, nothing that was acknowledged is lost, and writing continues${missing}`,
  async () => {
    for (let round = 0; round < FAILOVERS; round += 1) {
      const [first, second] = [5_500 + 2 * round, 5_501 + 2 * round];
      const [primaryData, standbyData] = [first, second].map((port) => join(folder, String(port)));
      mkdirSync(primaryData ?? '', { mode: 0o700 });
      for (const path of [folder, primaryData ?? ''])
        if ('uid' in as && as.uid !== undefined) chownSync(path, as.uid, as.gid ?? 0);
      const data = primaryData ?? '';
      run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C']);
      const primary = await start(data, first);
      run('pg_basebackup', [
        `--host=${folder}`,
        `--port=${first}`,
        '--username=postgres',
        `--pgdata=${standbyData}`,
        '--write-recovery-conf',
        '--wal-method=stream',
        '--checkpoint=fast',
      ]);
      const standby = await start(standbyData ?? '', second);
      await query(first, `alter system set synchronous_standby_names = '*'`);
      await query(first, 'select pg_reload_conf()');
      await expect
        .poll(() => query(first, 'select sync_state from pg_stat_replication'))
        .toEqual([{ sync_state: 'sync' }]);

      const before = await openStore({ ...QUIET, dataDir: '', databaseUrl: getUrl(first) });
      const tenant = await aTenant(before);
      await before.tenant(tenant, (tx) => tx.append([jobDraft(1)], byClock));
      const acknowledged: number[] = [];
      const primaryState = { isDown: false };
      const write = async (): Promise<void> => {
        while (!primaryState.isDown) {
          const n = await before
            .tenant(tenant, async (tx) => {
              const run = await tx.take('run', 1);
              const [logged] = await tx.append([runDraft({ n: run })], byClock);
              return logged?.seq ?? 0;
            })
            .catch(() => null);
          if (n === null) return;
          acknowledged.push(n);
        }
      };
      const writers = Promise.all([write(), write(), write(), write()]);
      await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
      await end(primary, 'SIGKILL');
      primaryState.isDown = true;
      await writers;
      await query(second, 'select pg_promote()');
      await before.close();

      const after = await openStore({ ...QUIET, dataDir: '', databaseUrl: getUrl(second) });
      const found = await after.tenant(tenant, (tx) => tx.eventsAfter(0, 100_000));
      const seqs = new Set(found.map(({ seq }) => seq));
      expect(acknowledged.filter((seq) => !seqs.has(seq))).toEqual([]);
      expect([...seqs]).toEqual(found.map((_, index) => index + 1));
      expect((await verify(after)).filter((one) => !isSound(one))).toEqual([]);
      await after.tenant(tenant, (tx) => tx.append([jobDraft(2)], byClock));
      expect(await after.tenant(tenant, (tx) => tx.head())).toMatchObject({
        seq: found.length + 1,
      });
      await after.close();
      await end(standby, 'SIGQUIT');
    }
  },
);
