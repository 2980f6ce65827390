import type { Event, Logged } from '../events.ts';
import type { Rows, Touch } from '../fold.ts';
import { preferenceId } from './preferences.ts';

/** Applies an account event. Returns whether the event was one. */
export function foldAccount(rows: Rows, { event, at }: Logged): boolean {
  if (event.type !== 'user.preferred@1') return false;
  const { id: user, name, value } = event.data;
  const id = preferenceId(user, name);
  rows.preference?.set(id, { id, user, name, value, at });
  return true;
}

export const touchesAccount = (event: Event): Touch[] =>
  event.type === 'user.preferred@1'
    ? [['preference', preferenceId(event.data.id, event.data.name)]]
    : [];
