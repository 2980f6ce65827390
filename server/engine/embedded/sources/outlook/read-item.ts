import * as v from 'valibot';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import type { GraphClient } from '../../graph/client.ts';
import { failed, ok } from '../../../result.ts';
import { graphMessages as t } from '../../graph/messages.en.ts';
import { OutlookContact, OutlookEvent, OutlookTask } from './entities.ts';
import type { ItemRef } from './keys.ts';

/** Ids of events and contacts stay the same when they are moved. */
export const PREFER = {
  prefer: 'IdType="ImmutableId", odata.maxpagesize=250',
};
const MAX_PHOTO_BYTES: Bytes = 8 * 1_048_576;

/** An item as Graph has it now, with all that belongs to it. */
export type OutlookItem =
  | { readonly kind: 'event'; readonly value: OutlookEvent }
  | { readonly kind: 'contact'; readonly value: OutlookContact }
  | { readonly kind: 'task'; readonly value: OutlookTask };

export const encode = encodeURIComponent;
export const eventPath = (user: string, id: string): string => `${user}/events/${encode(id)}`;
export const contactPath = (user: string, id: string): string => `${user}/contacts/${encode(id)}`;
export const taskPath = (user: string, list: string, id: string): string =>
  `${user}/todo/lists/${encode(list)}/tasks/${encode(id)}`;

export async function readOutlookItem(
  client: GraphClient,
  user: string,
  ref: ItemRef,
): Promise<EngineResult<OutlookItem>> {
  switch (ref.kind) {
    case 'event':
      return asItem('event', await readEvent(client, user, ref.id));
    case 'contact':
      return asItem('contact', await readContact(client, user, ref.id));
    case 'task':
      return asItem(
        'task',
        await client.get(
          `${taskPath(user, ref.list, ref.id)}?$expand=checklistItems,linkedResources`,
          OutlookTask,
        ),
      );
  }
}

const asItem = <K extends OutlookItem['kind'], T>(kind: K, read: EngineResult<T>) =>
  read.ok ? ok({ kind, value: read.value }) : read;

const Exceptions = v.looseObject({
  exceptionOccurrences: v.optional(v.array(v.unknown()), []),
  cancelledOccurrences: v.optional(v.array(v.string()), []),
});

async function readEvent(
  client: GraphClient,
  user: string,
  id: string,
): Promise<EngineResult<OutlookEvent>> {
  const options = { headers: PREFER };
  const path = eventPath(user, id);
  const event = await client.get(`${path}?$expand=attachments`, OutlookEvent, options);
  if (!event.ok || event.value.type !== 'seriesMaster') return event;
  // What differs from a series is returned only to those who ask for it.
  const more = await client.get(
    `${path}?$select=id,cancelledOccurrences&$expand=exceptionOccurrences`,
    Exceptions,
    options,
  );
  if (!more.ok) return more;
  const { exceptionOccurrences, cancelledOccurrences } = more.value;
  const whole = v.safeParse(OutlookEvent, {
    ...event.value,
    exceptionOccurrences,
    cancelledOccurrences,
  });
  return whole.success ? ok(whole.output) : failed('internal', t.unreadable);
}

async function readContact(
  client: GraphClient,
  user: string,
  id: string,
): Promise<EngineResult<OutlookContact>> {
  const options = { headers: PREFER };
  const path = contactPath(user, id);
  const contact = await client.get(path, OutlookContact, options);
  if (!contact.ok) return contact;
  const photo = await client.bytes(`${path}/photo/$value`, MAX_PHOTO_BYTES, options);
  if (!photo.ok && photo.error.kind !== 'missing') return photo;
  if (!photo.ok) return contact;
  const bytes = Buffer.from(photo.value);
  return ok({
    ...contact.value,
    photo: { contentType: getPictureType(bytes), contentBytes: bytes.toString('base64') },
  });
}

/** By the first bytes: Graph doesn't always name the type. */
function getPictureType(bytes: Buffer): string {
  const head = bytes.subarray(0, 4).toString('hex');
  if (head === '89504e47') return 'image/png';
  return head === '47494638' ? 'image/gif' : 'image/jpeg';
}
