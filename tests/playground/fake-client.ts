import type { CallName, OutputOf, InputOf } from '#contract/calls.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import type { LastSync } from '#contract/sync/calls.ts';
import type { Result } from '#contract/result.ts';
import type { WorkerClient, WatchName, Watches, ClientSessionState } from '#workers/api.ts';
import {
  NOW,
  getBranding,
  getCompanies,
  getKeys,
  getMe,
  getOutbox,
  getRefused,
  getStatus,
} from './scene.ts';
import type { Scene } from './scene.ts';

/**
 * A client with nothing behind it: what it says is made up and the same each time. `play` moves the
 * scene on, from a test.
 */
export function makeFakeClient(scene: Scene): {
  readonly client: WorkerClient;
  readonly play: { result(): void; who(kind: Scene['who']): void };
} {
  const branding = getBranding(scene);
  let keys: readonly IngestKeyRow[] = getKeys(scene);
  let outbox = getOutbox(scene);
  let who: ClientSessionState = getWho(scene.who);
  const open = new Set<{
    readonly name: WatchName;
    input: object;
    readonly onChange: (value: never) => void;
  }>();

  function getWho(kind: Scene['who']): ClientSessionState {
    if (kind === 'starting') return { kind };
    if (kind === 'in')
      return { kind, me: getMe(scene), branding, offlineUntil: NOW + 7 * 86_400_000 };
    return { kind: 'out', reason: kind === 'out' ? 'none' : kind, branding, offline: false };
  }

  const values: {
    readonly [N in WatchName]: (input: Watches[N]['input']) => Watches[N]['output'];
  } = {
    who: () => who,
    signing: () => ({ kind: 'none' }),
    status: () => {
      const refused = outbox.entries.filter((entry) => entry.state === 'refused').length;
      return { ...getStatus(scene), refused, waiting: outbox.entries.length - refused };
    },
    runs: () => {
      throw new Error('the client of daily checks answers this one');
    },
    overview: () => null,
    trends: () => null,
    calendar: () => null,
    find: () => ({
      jobs: { count: 0, rows: [] },
      companies: { count: 0, rows: [] },
      computers: { count: 0, rows: [] },
    }),
    companies: () => getCompanies(scene),
    keys: () => keys,
    lastSync: () => LAST_SYNC,
    views: () => [],
    shifts: () => [],
    shiftNow: () => ({
      cleared: 0,
      of: 0,
      snoozed: 0,
      fresh: 0,
      older: 0,
      unlisted: null,
      open: [],
      ending: [],
    }),
    preferences: () => [],
    disabled: () => [],
    organizations: () => [],
    backupJobs: () => [],
    backupRepositories: () => [],
    backupProxies: () => [],
    outbox: () => outbox,
    refused: ({ id, max }) => getRefused(id === 'n2' ? 61 : 1, max),
  };
  const notify = (name: WatchName): void => {
    for (const line of open)
      if (line.name === name) line.onChange(values[name](line.input as never) as never);
  };
  const answer = async <T>(value: () => T): Promise<Result<T>> => {
    await new Promise((resolve) => {
      setTimeout(resolve, 60);
    });
    if (scene.server === 'answers') return ok(value());
    return failed(
      scene.server === 'gone'
        ? { kind: 'needs-network', message: MESSAGES.needsNetwork }
        : { kind: 'server-error', message: MESSAGES.serverError },
    );
  };
  const SECRET = 'dbk_3nJ8xQvR0sWc5TzYhLm2Kf7BdGpUe9AiXoN4qE1uZr6';

  const calls: { readonly [N in CallName]?: (input: InputOf<N>) => OutputOf<N> } = {
    lastSync: () => LAST_SYNC,
    listKeys: () => keys.map(keyOut),
    createKey: ({ name, companyN, tool }) => {
      const row: IngestKeyRow = {
        id: `new${keys.length}`,
        name,
        company: companyN,
        tool,
        managed: null,
        hint: 'uZr6',
        madeAt: NOW,
        rotatedAt: null,
        revokedAt: null,
        firstResultAt: null,
      };
      keys = [...keys, row];
      notify('keys');
      return { key: keyOut(row), secret: SECRET };
    },
    rotateKey: ({ id }) => {
      keys = keys.map((row) => (row.id === id ? { ...row, rotatedAt: NOW } : row));
      notify('keys');
      const row = keys.find((one) => one.id === id);
      if (!row) throw new Error(`no key ${id}`);
      return { key: keyOut(row), secret: SECRET };
    },
    revokeKey: ({ id }) => {
      keys = keys.map((row) => (row.id === id ? { ...row, revokedAt: NOW } : row));
      notify('keys');
      return {};
    },
  };

  const client: WorkerClient = {
    async watch(name, input, onChange) {
      const line = { name, input, onChange };
      await Promise.resolve();
      if (!(scene.keys === 'loading' && name === 'keys')) {
        open.add(line);
        onChange(values[name](input));
      }
      return {
        change(next) {
          line.input = next;
          if (open.has(line)) onChange(values[name](next));
        },
        close() {
          open.delete(line);
        },
      };
    },
    ask: (name, input) =>
      answer(() => {
        const call = calls[name] as ((input: unknown) => never) | undefined;
        if (!call) throw new Error(`the playground has no ${name}`);
        return call(input);
      }),
    async read(name, input) {
      const said = await client.ask(name, input);
      return said.ok ? ok({ value: said.value, at: NOW, live: true }) : said;
    },
    file: () => Promise.resolve(ok({ name: 'List.csv', file: new Blob([]) })),
    send: () => Promise.resolve(ok({ id: 'made-up', sent: true })),
    matching: () => Promise.resolve([]),
    exportRuns: () => Promise.resolve({ done: () => Promise.resolve(null), cancel: () => {} }),
    async signIn() {
      await new Promise((resolve) => {
        setTimeout(resolve, 300);
      });
      switch (scene.signIn) {
        case 'wrong':
          return failed({ kind: 'wrong-credentials', message: MESSAGES.wrongCredentials });
        case 'throttled':
          return failed({ kind: 'too-many', message: MESSAGES.tooManyTries, retryAfterMs: 9_000 });
        case 'gone':
          return failed({ kind: 'needs-network', message: MESSAGES.needsNetwork });
        case 'right':
          who = getWho('in');
          notify('who');
          return ok({ kind: 'in', me: getMe(scene), recoveryCodes: null });
      }
    },
    signInBack: () => Promise.resolve(),
    readDraft: () => Promise.resolve(ok(null)),
    saveDraft: () => Promise.resolve(ok(null)),
    deleteDraft: () => Promise.resolve(ok(null)),
    impersonate: () =>
      Promise.resolve(failed({ kind: 'forbidden', message: MESSAGES.loginAsRefused })),
    stopImpersonation: () =>
      Promise.resolve(failed({ kind: 'conflict', message: MESSAGES.badRequest })),
    async signOut(unsent) {
      await Promise.resolve();
      if (unsent === 'send' && scene.sync === 'offline')
        return failed({ kind: 'needs-network', message: MESSAGES.needsNetwork });
      if (unsent === 'ask' && outbox.entries.length > 0)
        return ok({ out: false, unsent: outbox.entries.length });
      who = getWho('ended');
      notify('who');
      return ok({ out: true, unsent: 0 });
    },
    async mend(id) {
      await Promise.resolve();
      outbox = {
        entries: outbox.entries.filter((entry) => entry.id !== id),
        damaged: outbox.damaged.filter((one) => one.id !== id),
        notices: outbox.notices.filter((notice) => notice.id !== id),
      };
      notify('outbox');
      notify('status');
      return ok(null);
    },
    syncNow: () => Promise.resolve(),
  };
  const play = {
    result(): void {
      keys = keys.map((row) => (row.firstResultAt === null ? { ...row, firstResultAt: NOW } : row));
      notify('keys');
    },
    who(kind: Scene['who']): void {
      who = getWho(kind);
      notify('who');
    },
  };
  return { client, play };
}

const getKeyError = ({ tool }: IngestKeyRow): OutputOf<'listKeys'>[number]['lastError'] =>
  tool === 'rclone'
    ? { at: NOW - 60_000, message: 'The body is no rclone log: line 1 is not JSON.' }
    : null;
const keyOut = (row: IngestKeyRow): OutputOf<'listKeys'>[number] => ({
  id: row.id,
  name: row.name,
  companyN: row.company,
  tool: row.tool,
  hint: row.hint,
  madeAt: row.madeAt,
  rotatedAt: row.rotatedAt,
  revokedAt: row.revokedAt,
  firstResultAt: row.firstResultAt,
  lastHeardAt: row.firstResultAt === null ? null : NOW - 86_400_000 / ((row.madeAt % 7) + 2),
  lastError: getKeyError(row),
  lastFault: getKeyError(row),
  today: {
    bytes: 12_000_000,
    limitBytes: 1_000_000_000,
    refusedAt: row.tool === 'rclone' ? NOW - 60_000 : null,
  },
});

const LAST_SYNC: LastSync = {
  status: 'FAILED',
  at: NOW - 240_000,
  failed: [
    {
      entity: 'Everything on the file server, rclone',
      at: NOW - 60_000,
      message: 'The body is no rclone log: line 1 is not JSON.',
      kind: 'key',
      id: null,
      name: 'Everything on the file server, rclone',
      company: 'Harbor Dental',
    },
  ],
  sources: [
    { source: 'restic', keys: 2, failed: 0, at: NOW - 240_000 },
    { source: 'rclone', keys: 1, failed: 1, at: NOW - 25_200_000 },
  ],
};
