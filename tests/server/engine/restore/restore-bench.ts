import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import type {
  EngineResult,
  EngineScope,
  RestoreInput,
  EngineTask,
} from '#contract/engine/engine.ts';
import { openExplorer } from '#server/engine/embedded/explorer/explorers.ts';
import { runTask } from '#server/engine/embedded/restore/run-task.ts';
import { requestRestore, requestUndo } from '#server/engine/embedded/restore/tasks.ts';
import { getTask, listResults } from '#server/engine/shared/task-rows.ts';
import type { Clock } from '#server/platform/app-context.ts';
import type { Store } from '#server/platform/db/store.ts';
import { INSERTION_ORDER } from '../../db/insertion-order.ts';
import { aTenant } from '../../db/drafts.ts';
import { POINT_AT, storeHistory } from '../explorer/history.ts';
import { MemoryTarget } from './memory-target.ts';
import { NO_FLAGS } from './no-flags.ts';

export const chance = { bytes: () => new Uint8Array(8), uuid: randomUUID };

export function getValue<T>(result: EngineResult<T>): T {
  if (!result.ok) throw new Error(`${result.error.kind}: ${result.error.message}`);
  return result.value;
}

/** What was backed up: messages in two folders. */
export interface Mail {
  readonly id: string;
  readonly folder: 'Inbox' | 'Projects';
  readonly content: string;
  readonly at: number;
}

/** `earlier`: contents of the first item in the points before, each with another length. */
export async function setUp(store: Store, mails: readonly Mail[], earlier: readonly string[] = []) {
  const tenant = await aTenant(store);
  const target = new MemoryTarget();
  const folders = [
    { key: 'p', parent: null, name: 'Projects' },
    { key: 'i', parent: null, name: 'Inbox' },
  ];
  const items = mails.map(({ id, folder, content, at }) => ({
    key: id,
    folder: folder === 'Inbox' ? 'i' : 'p',
    title: id,
    at,
    bytes: content.length,
  }));
  const before = earlier.map((content) => ({
    folders,
    items: items.slice(0, 1).map((item) => ({ ...item, bytes: content.length })),
  }));
  const { organization } = await storeHistory(store, tenant, [...before, { folders, items }]);
  await store.tenant(tenant, async ({ sql }) => {
    await sql
      .updateTable('folder')
      .set({ well_known: 'inbox' })
      .where('tenant_id', '=', tenant)
      .where('key', '=', 'i')
      .execute();
    for (const { id, content } of mails)
      await sql
        .updateTable('item')
        .set({ parts: JSON.stringify([target.blob(content)]) })
        .where('tenant_id', '=', tenant)
        .where('key', '=', id)
        .execute();
    for (const content of earlier)
      await sql
        .updateTable('item')
        .set({ parts: JSON.stringify([target.blob(content)]), kind: 'file' })
        .where('tenant_id', '=', tenant)
        .where('key', '=', mails[0]?.id ?? '')
        .where('bytes', '=', content.length)
        .execute();
    if (earlier.length > 0) await sql.updateTable('item').set({ kind: 'file' }).execute();
  });
  let now = POINT_AT(10);
  const clock: Clock = { now: () => now, after: () => ({ cancel: () => {} }) };
  const scope: EngineScope = { tenant, organization, user: randomUUID() };
  const moment = () => ({ now, chance });
  const explorer = await store.tenant(tenant, async (tx) =>
    getValue(
      await openExplorer(
        tx,
        scope,
        { workload: 'outlook', job: null, at: now, showDeleted: false },
        moment(),
      ),
    ),
  );
  const input = (more: Partial<RestoreInput> = {}): RestoreInput => ({
    explorer: explorer.id,
    nodes: ['o1'],
    target: { kind: 'original' },
    select: 'both',
    onConflict: 'replace',
    versions: 'last',
    flags: NO_FLAGS,
    dryRun: false,
    reason: null,
    ...more,
  });
  const request = (more: Partial<RestoreInput> = {}) =>
    store.tenant(tenant, async (tx) =>
      requestRestore(tx, scope, input(more), { rights: null, needsApproval: false }, moment()),
    );
  const run = (task: string, signal = new AbortController().signal) =>
    runTask({ store, clock, chance }, target.ports, { tenant, task, signal });
  const loadTask = (task: string): Promise<EngineTask> =>
    store.tenant(tenant, async (tx) => getValue(await getTask(tx, scope, task)));
  const outcomes = (task: string) =>
    store.tenant(tenant, async (tx) =>
      getValue(
        await listResults(tx, scope, { task, outcome: null, cursor: null, limit: 1_000 }),
      ).rows.map(({ name, path, outcome }) => `${path}/${name} ${outcome}`),
    );
  const messages = (task: string) =>
    store.tenant(tenant, async (tx) =>
      getValue(
        await listResults(tx, scope, { task, outcome: null, cursor: null, limit: 1_000 }),
      ).rows.map(({ message }) => message),
    );
  const restored = async (more: Partial<RestoreInput> = {}) => {
    const task = getValue(await request(more));
    expect(await run(task)).toBe(null);
    return task;
  };
  const undo = (task: string) =>
    store.tenant(tenant, async (tx) =>
      requestUndo(tx, scope, { task, target: scope.organization, rights: null }, moment()),
    );
  return {
    tenant,
    target,
    scope,
    session: explorer.id,
    request,
    run,
    taskOf: loadTask,
    outcomes,
    messages,
    restored,
    undo,
    /** The logged ends of restores, and the records of them. */
    ends: () =>
      store.tenant(tenant, async ({ sql }) => ({
        events: await sql
          .selectFrom('event')
          .select(['subject', 'data'])
          .where('tenant_id', '=', tenant)
          .where('type', '=', 'restoretask.ended@1')
          .orderBy('seq')
          .execute(),
        records: await sql
          .selectFrom('audit')
          .select(['user_id', 'detail'])
          .where('tenant_id', '=', tenant)
          .where('what', '=', 'restoretask.ended')
          .orderBy('at')
          .orderBy(INSERTION_ORDER)
          .execute(),
      })),
    advance: (ms: number) => {
      now += ms;
    },
    store,
  };
}

export const mails: fc.Arbitrary<readonly Mail[]> = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    folder: fc.constantFrom('Inbox', 'Projects'),
    content: fc.constantFrom('one', 'two'),
    at: fc.integer({ min: 1, max: 9 }),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 5 },
);
/** What the target has before: the same, another version, or nothing. */
export const present = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'z'),
    folder: fc.constantFrom('Inbox', 'Projects'),
    content: fc.constantFrom('one', 'two', 'three'),
  }),
  { selector: ({ id }) => id, maxLength: 4 },
);
export const how = fc.record({
  select: fc.constantFrom('missing', 'changed', 'both'),
  onConflict: fc.constantFrom('skip', 'replace', 'keep-both'),
});
export const RUNS = Number(process.env['ENGINE_RUNS'] ?? 8);

/** The slow, obvious restore: what the target must have in the end. */
export function expected(
  backup: readonly Mail[],
  before: readonly { id: string; folder: string; content: string }[],
  { select, onConflict }: Pick<RestoreInput, 'select' | 'onConflict'>,
): string[] {
  const after = before.map((one) => ({ ...one }));
  for (const mail of backup) {
    const there = after.filter((one) => one.id === mail.id && one.folder === mail.folder);
    const same = there.some((one) => one.content === mail.content);
    if (there.length === 0) {
      if (select !== 'changed')
        after.push({ id: mail.id, folder: mail.folder, content: mail.content });
    } else if (!same && select !== 'missing') {
      if (onConflict === 'replace' && there[0]) there[0].content = mail.content;
      if (onConflict === 'keep-both')
        after.push({ id: mail.id, folder: mail.folder, content: mail.content });
    }
  }
  return after.map((one) => `${one.folder}/${one.id}=${one.content}`).sort();
}
