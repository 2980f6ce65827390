/** How long a backed-up mail takes to be shown, and mails to be restored to their mailbox. */
import type { EngineScope, Node } from '../../contract/engine/engine.ts';
import type { ExplorerId } from '../../contract/ids.ts';
import { readPreviewedMail } from '../../server/features/restore/preview/read-content.ts';
import { allJobs } from '../../server/jobs.ts';
import { makeJobRunner } from '../../server/platform/jobs/runner.ts';
import { getValue, type Place } from './suite-place.ts';

const SHOWN = 100;
const PAGE = { sort: 'date', descending: true, text: null, cursor: null } as const;
/** Of a restore: everything, as it was. */
export const FLAGS = {
  markRestoredAsUnread: false,
  excludeDeletedItems: false,
  excludeDrafts: false,
  excludeInPlaceHoldItems: false,
  excludeLitigationHoldItems: false,
};

/** Returns the milliseconds in which each of the newest mails is read and prepared for a person. */
export async function showMails({ context, scope, office }: Place): Promise<readonly number[]> {
  const { embeddedEngine: engine, mailPreviews } = context;
  const { explorer, node } = await openMailbox({ context, scope }, (await office.call()).person);
  const list = async (parent: string, only: 'folders' | 'items'): Promise<readonly Node[]> =>
    getValue(await engine.listChildren(scope, { ...PAGE, explorer, parent, only, limit: SHOWN }))
      .rows;
  const at = { engine, scope, kind: 'embedded' } as const;
  const shownMs: number[] = [];
  for (const { id: parent } of await list(node, 'folders'))
    for (const { id } of shownMs.length < SHOWN ? await list(parent, 'items') : []) {
      const began = performance.now();
      const read = await readPreviewedMail(mailPreviews, at, { explorer, node: id });
      if (!read.ok) throw new Error(JSON.stringify(read));
      shownMs.push(performance.now() - began);
    }
  if (shownMs.length === 0) throw new Error('The mailbox has no mails.');
  return shownMs;
}

/** Deletes mails in the tenant, and returns the milliseconds in which they are restored. */
export async function restoreMails(
  { context, scope, office }: Place,
  count: number,
): Promise<number> {
  const { embeddedEngine: engine } = context;
  const before = await office.call();
  const lost = await office.call({ remove: { from: 'first', count } });
  if (lost.inbox !== before.inbox - count) throw new Error('Other mails were deleted.');
  const { explorer, node } = await openMailbox({ context, scope }, before.person);
  const runner = makeJobRunner(context, { 'restore-task': allJobs(context)['restore-task'] });
  const began = performance.now();
  const task = getValue(
    await engine.restore(scope, {
      explorer,
      nodes: [node],
      target: { kind: 'original' },
      select: 'missing',
      onConflict: 'skip',
      versions: 'last',
      flags: FLAGS,
      dryRun: false,
      reason: null,
    }),
  );
  for (;;) {
    await runner.tick();
    const { state, result, message, counts } = getValue(await engine.getTask(scope, { task }));
    if (state !== 'done') continue;
    if (result !== 'success') throw new Error(message ?? result ?? '');
    const ms = performance.now() - began;
    const { inbox } = await office.call();
    if (counts.restored !== count || inbox !== before.inbox)
      throw new Error(`Not all mails are back: ${JSON.stringify(counts)}`);
    return ms;
  }
}

async function openMailbox(
  { context, scope }: { readonly context: Place['context']; readonly scope: EngineScope },
  person: string,
): Promise<{ readonly explorer: string; readonly node: string }> {
  const { embeddedEngine: engine } = context;
  const explorer = await openOutlook({ context, scope });
  const { rows } = getValue(
    await engine.listChildren(scope, { ...PAGE, explorer, parent: null, only: 'all', limit: 50 }),
  );
  const node = rows.find(({ name }) => name === person)?.id;
  if (node === undefined) throw new Error(`There is no mailbox of ${person}.`);
  return { explorer, node };
}

/** Opens the mailboxes as the newest restore points have them. */
export async function openOutlook({
  context: { embeddedEngine: engine, clock },
  scope,
}: Pick<Place, 'context' | 'scope'>): Promise<ExplorerId> {
  const input = { workload: 'outlook', job: null, at: clock.now(), showDeleted: false } as const;
  return getValue(await engine.openExplorer(scope, input)).id;
}
