import * as v from 'valibot';
import { OutlookContact, OutlookEvent, OutlookTask } from './entities.ts';
import type { OutlookItem } from './read-item.ts';

/** Reads an event, contact or task from its JSON. Null: it is none of them. */
export function parseOutlookItem(json: unknown): OutlookItem | null {
  if (typeof json !== 'object' || json === null) return null;
  if ('start' in json || 'iCalUId' in json) {
    const event = v.safeParse(OutlookEvent, json);
    return event.success ? { kind: 'event', value: event.output } : null;
  }
  if ('title' in json && 'status' in json) {
    const task = v.safeParse(OutlookTask, json);
    return task.success ? { kind: 'task', value: task.output } : null;
  }
  const contact = v.safeParse(OutlookContact, json);
  return contact.success ? { kind: 'contact', value: contact.output } : null;
}
