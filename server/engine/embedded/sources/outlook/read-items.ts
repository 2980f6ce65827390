import * as v from 'valibot';
import type { EngineResult } from '#contract/engine/engine.ts';
import { ok } from '../../../result.ts';
import { readBatch } from '../../graph/batch.ts';
import type { GraphClient } from '../../graph/client.ts';
import type { GraphResult } from '../../graph/request.ts';
import type { ItemChange } from '../../types.ts';
import { OutlookContact, OutlookEvent, OutlookTask } from './entities.ts';
import { completeChange, getContactChange, getEventChange, getTaskChange } from './items.ts';
import { folderKey, itemKey, type ItemRef, parseItemKey } from './keys.ts';
import { contactPath, eventPath, PREFER, readOutlookItem, taskPath } from './read-item.ts';

const Calendar = v.object({ id: v.string() });

/**
 * Returns events, contacts and tasks as they are now, in their order. Null: the mailbox no longer has
 * it. Those whose version is not the known one are read completely, for their hash.
 */
export async function readOutlookItems(
  client: GraphClient,
  user: string,
  items: readonly Pick<ItemChange, 'key' | 'changeKey'>[],
): Promise<EngineResult<readonly (ItemChange | null)[]>> {
  const refs = items.map(({ key }) => parseItemKey(key));
  const paths = refs.map((ref) => (ref === null ? [] : getPaths(user, ref)));
  const answers = await readBatch(
    client,
    paths.flat().map((path) => ({ path, headers: PREFER })),
  );
  const changes: (ItemChange | null)[] = [];
  let at = 0;
  for (const [n, item] of items.entries()) {
    const ref = refs[n] ?? null;
    const own = answers.slice(at, at + (paths[n]?.length ?? 0));
    at += own.length;
    const change = ref === null ? ok(null) : await getCurrent(client, user, ref, own, item);
    if (!change.ok) return change;
    changes.push(change.value);
  }
  return ok(changes);
}

/** An event doesn't name its calendar. */
const getPaths = (user: string, { kind, id, list }: ItemRef): readonly string[] =>
  ({
    event: () => [eventPath(user, id), `${eventPath(user, id)}/calendar?$select=id`],
    contact: () => [contactPath(user, id)],
    task: () => [taskPath(user, list, id)],
  })[kind]();

async function getCurrent(
  client: GraphClient,
  user: string,
  ref: ItemRef,
  [answer, place]: readonly GraphResult<unknown>[],
  known: Pick<ItemChange, 'changeKey'>,
): Promise<EngineResult<ItemChange | null>> {
  for (const part of [answer, place])
    if (part?.ok === false) return isAbsent(part) ? ok(null) : { ok: false, error: part.error };
  const change = parseChange(ref, answer?.ok ? answer.value : null, place?.ok ? place.value : null);
  if (change === null || change.changeKey === known.changeKey) return ok(change);
  const whole = await readOutlookItem(client, user, ref);
  if (!whole.ok) return isAbsent(whole) ? ok(null) : whole;
  return ok({ ...completeChange(change, whole.value), key: change.key });
}

/** Exchange answers an id that it can't find with either. */
const isAbsent = (answer: GraphResult<unknown>): boolean =>
  !answer.ok && (answer.error.kind === 'missing' || answer.error.kind === 'invalid');

function parseChange(ref: ItemRef, value: unknown, place: unknown): ItemChange | null {
  switch (ref.kind) {
    case 'event': {
      const event = v.safeParse(OutlookEvent, value);
      const calendar = v.safeParse(Calendar, place);
      if (!event.success || !calendar.success) return null;
      return getEventChange(event.output, folderKey('calendars', calendar.output.id));
    }
    case 'contact': {
      const contact = v.safeParse(OutlookContact, value);
      if (!contact.success) return null;
      const { parentFolderId } = contact.output;
      return getContactChange(contact.output, folderKey('contacts', parentFolderId ?? ''));
    }
    case 'task': {
      const task = v.safeParse(OutlookTask, value);
      if (!task.success) return null;
      const change = getTaskChange(task.output, ref.list);
      return { ...change, key: itemKey('task', ref.id, ref.list) };
    }
  }
}
