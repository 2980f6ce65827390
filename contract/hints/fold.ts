import type { EventOf } from '../events.ts';
import type { Rows, Touch } from '../fold.ts';
import { getPerson } from '../runs/fold-rules.ts';
import type { EventsAbout, LoggedAbout } from '../tables.ts';

/** Folds events of hints. Where a hint helped belongs to the problem. */
export function foldHints(rows: Rows, logged: LoggedAbout<'hint'>): void {
  const { event, at } = logged;
  const hint = rows.hint?.get(event.data.id);
  switch (event.type) {
    case 'hint.saved@1':
      rows.hint?.set(event.data.id, {
        ...event.data,
        madeBy: hint?.madeBy ?? getPerson(logged),
        changedAt: at,
        removedAt: null,
      });
      return;
    case 'hint.deleted@1':
      if (hint) rows.hint?.set(hint.id, { ...hint, removedAt: at });
      return;
    default:
      event satisfies never;
  }
}

export const touchesHints = ({ data }: EventOf<EventsAbout<'hint'>>): Touch[] => [
  ['hint', data.id],
];
