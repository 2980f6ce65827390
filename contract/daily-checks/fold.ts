import type { EventOf } from '../events.ts';
import type { Rows, Touch } from '../fold.ts';
import { getPerson } from '../runs/fold-rules.ts';
import type { EventsAbout, LoggedAbout } from '../tables.ts';

/** Folds events of saved views and hand-overs. */
export function foldDailyChecks(rows: Rows, logged: LoggedAbout<'view' | 'shift'>): void {
  const { event, at } = logged;
  switch (event.type) {
    case 'view.saved@1':
      rows.view?.set(event.data.id, { ...event.data, savedAt: at, removedAt: null });
      return;
    case 'view.deleted@1': {
      const view = rows.view?.get(event.data.id);
      if (view) rows.view?.set(view.id, { ...view, removedAt: at });
      return;
    }
    case 'shift.handedOver@1':
      rows.shift?.set(event.data.id, { ...event.data, by: getPerson(logged), receivedAt: at });
      return;
    default:
      event satisfies never;
  }
}

export const touchesDailyChecks = (event: EventOf<EventsAbout<'view' | 'shift'>>): Touch[] => [
  [event.type === 'shift.handedOver@1' ? 'shift' : 'view', event.data.id],
];
