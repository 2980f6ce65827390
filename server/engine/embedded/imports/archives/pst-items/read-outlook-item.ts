import { createHash } from 'node:crypto';
import type { PSTMessage } from 'pst-extractor';
import type { OutlookEvent } from '../../../sources/outlook/entities.ts';
import type { OutlookItem } from '../../../sources/outlook/read-item.ts';
import type { PstMessageRef } from '../pst-message.ts';
import type { NameMap } from './item-properties.ts';
import { readContact } from './read-contact.ts';
import { readEvent } from './read-event.ts';
import { readTask } from './read-task.ts';
import type { LeftOut } from './shared-fields.ts';

/** Returns which kind of item a class of messages is; null: none of these. */
export function getItemKind(messageClass: string): OutlookItem['kind'] | null {
  const name = /^IPM\.(APPOINTMENT|CONTACT|TASK)(?:\..*)?$/.exec(messageClass)?.[1];
  return name === undefined ? null : KINDS[name as keyof typeof KINDS];
}
const KINDS = { APPOINTMENT: 'event', CONTACT: 'contact', TASK: 'task' } as const;

export interface ReadOutlookItem {
  readonly item: OutlookItem;
  readonly left: readonly LeftOut[];
}

/** Returns an event, contact or task of a file as Graph would. The same one has the same id. */
export function readPstItem(
  place: PstMessageRef,
  message: PSTMessage,
  names: NameMap,
  kind: OutlookItem['kind'],
): ReadOutlookItem | 'too-large' {
  switch (kind) {
    case 'event': {
      const read = readEvent(place, message, names);
      if (read === 'too-large') return read;
      return { item: { kind, value: withEventId(read.value) }, left: read.left };
    }
    case 'contact': {
      const read = readContact(place, message, names);
      if (read === 'too-large') return read;
      return { item: { kind, value: { ...read.value, id: getId(read.value) } }, left: read.left };
    }
    case 'task': {
      const { value, left } = readTask(place, message, names);
      return { item: { kind, value: { ...value, id: getId(value) } }, left };
    }
  }
}

const getId = (value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 40);

/** What differs from a series is named after it. */
function withEventId(event: OutlookEvent): OutlookEvent {
  const id = getId(event);
  return {
    ...event,
    id,
    exceptionOccurrences: event.exceptionOccurrences?.map((one) => ({
      ...one,
      id: `${id}${one.id}`,
    })),
    cancelledOccurrences: event.cancelledOccurrences?.map((name) =>
      name.replace('OID.', `OID.${id}`),
    ),
  };
}
