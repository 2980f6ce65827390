import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, expect, test } from 'vitest';
import { KINDS } from '../../bench/takeover-outside.ts';
import { getDataDir, makeTakeoverSite } from '../../bench/takeover-work.ts';
import { freshUrl, missing } from '../db/databases.ts';

const PATIENT = { timeout: 240_000, interval: 50 };
const folder = mkdtempSync(join(tmpdir(), 'daybook-takeover-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts a server, and resolves when it answers. */
async function start(
  number: number,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly origin: string; readonly child: ChildProcess; readText(): string }> {
  const child = spawn(process.execPath, ['--liftoff-only', 'server/main.ts'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DAYBOOK_DATA: getDataDir(folder, number),
      DAYBOOK_ESTATE: 'none',
      PORT: '0',
      ...env,
    },
  });
  children.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += String(chunk);
    });
  await expect.poll(() => text, PATIENT).toMatch(/Daybook is at http:\S+\//);
  const origin = /Daybook is at (http:\S+)\//.exec(text)?.[1] ?? '';
  return { origin, child, readText: () => text };
}

test.skipIf(missing !== '')(
  `JOB-3, JOB-11, OUT-3: a mail, a webhook, a session, a scheduled report and a command of a killed server are done by another one, once${missing}`,
  async () => {
    const url = await freshUrl();
    const site = await makeTakeoverSite(url, folder);
    const reader = new Client(url);
    await reader.connect();
    try {
      const env = { ...site.env, DATABASE_URL: url };
      const [killed, heir] = [await start(0, env), await start(1, env)];
      // It takes nothing of the work while it stands still.
      heir.child.kill('SIGSTOP');
      await site.begin(killed.origin);
      const findOwners = async (): Promise<readonly string[]> =>
        (
          await reader.query<{ owner: string }>(
            'select distinct lease_owner as owner from background_job where lease_owner is not null union select holder from running_command',
          )
        ).rows.map(({ owner }) => owner);
      const before = await findOwners();
      expect(before.length, 'one server does it all').toBe(1);

      heir.child.kill('SIGCONT');
      killed.child.kill('SIGKILL');
      await Promise.all(KINDS.map((kind) => site.waitForTakeover(kind, heir.origin)));
      const after = await findOwners();
      expect(after.length, 'the other server does it all').toBe(1);
      expect(after).not.toEqual(before);
      expect(heir.readText()).toContain('a server is gone, and its background jobs are taken over');

      const done = await site.finish();
      expect(done).toMatchObject({
        mailsArrived: 1,
        mailTries: 2,
        sessions: ['success'],
        restorePoints: 1,
        reports: ['sent'],
        reportMails: 1,
        commandsRunning: 0,
        mailsInBackup: { doubled: 0 },
      });
      expect(done.mailsInBackup.all).toBeGreaterThanOrEqual(6);
      expect(done.deliveries.every((state) => state === 'sent')).toBe(true);
      const [first, ...again] = done.webhookIds;
      expect(again, 'the receiver gets it again, under the same ID').toContain(first);
    } finally {
      await reader.end();
      await site.end();
    }
  },
  900_000,
);
