import type { Logged } from '#contract/events.ts';
import type { Rows } from '#contract/fold.ts';
import type { EventMeta } from '../db/store.ts';
import { type ProjectedChanges, makeProjection, type RowsBefore } from './projection.ts';
import type { ValidEvent } from './validate-events.ts';

/**
 * Events that are ready to be written: validated, and folded once. Until they are written, they are
 * numbered from 0: `seq` in `events` and `changes`.
 */
export interface Folded {
  readonly events: readonly Logged[];
  /** The data of each event as JSON. */
  readonly texts: readonly string[];
  readonly changes: ProjectedChanges;
}

export interface Folding {
  /** The rows after the events so far. */
  readonly rows: Rows;
  readonly folded: Folded;
  /** @throws what the fold throws. The event is then not added. */
  readonly add: (event: ValidEvent, by: EventMeta) => void;
  /** Adds an event that no fold can apply, too (LOG-7). */
  readonly addOrQuarantine: (event: ValidEvent, by: EventMeta) => void;
}

/** Folds new events over `before`, which stays as it is. */
export function makeFolding(before: RowsBefore): Folding {
  const events: Logged[] = [];
  const texts: string[] = [];
  const { rows, changes, fold, foldOrQuarantine } = makeProjection(before);
  const add =
    (by: (logged: Logged) => void) =>
    ({ draft, text }: ValidEvent, { at, actor, subject, commandId }: EventMeta): void => {
      const { event, company, entity } = draft;
      const seq = events.length;
      const logged: Logged = { seq, at, actor, subject, commandId, company, entity, event };
      by(logged);
      events.push(logged);
      texts.push(text);
    };
  return {
    rows,
    folded: { events, texts, changes },
    add: add(fold),
    addOrQuarantine: add(foldOrQuarantine),
  };
}
