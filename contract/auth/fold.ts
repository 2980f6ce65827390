import type { EventOf } from '../events.ts';
import type { Rows, Touch } from '../fold.ts';
import type { EventsAbout, LoggedAbout } from '../tables.ts';
import { preferenceId } from './preferences.ts';

/** Folds events of users' own preferences. */
export function foldAccount(rows: Rows, { event, at }: LoggedAbout<'preference'>): void {
  const { id: user, name, value } = event.data;
  const id = preferenceId(user, name);
  rows.preference?.set(id, { id, user, name, value, at });
}

export const touchesAccount = ({ data }: EventOf<EventsAbout<'preference'>>): Touch[] => [
  ['preference', preferenceId(data.id, data.name)],
];
