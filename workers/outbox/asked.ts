import * as v from 'valibot';
import type { OfflineCall } from '#contract/calls.ts';
import { CALLS } from '#contract/calls.ts';
import type { RunN } from '#contract/ids.ts';
import type { Change } from '#contract/monitoring/change.ts';
import type { Command } from '#workers/seams.ts';

/** What a kept command asks: null where this version cannot read it (then the server says so). */
export interface Asked { readonly runs: readonly RunN[]; readonly change: Change }

export function askedBy({ call, input }: Pick<Command, 'call' | 'input'>): Asked | null {
  switch (call as OfflineCall) {
    case 'changeExecution': {
      const one = v.safeParse(CALLS.changeExecution.takes, input);
      return one.success ? { runs: [one.output.id], change: one.output.change } : null;
    }
    case 'changeExecutions': {
      const many = v.safeParse(CALLS.changeExecutions.takes, input);
      return many.success ? { runs: many.output.ids, change: many.output.change } : null;
    }
    default: return null;
  }
}

/** The command in a few words. */
export function wordsOf(asked: Asked | null): string {
  if (!asked) return 'Change';
  const count = asked.runs.length;
  return `${VERBS[asked.change.is]} ${count === 1 ? 'one result' : `${count} results`}`;
}

const VERBS: Record<Change['is'], string> = {
  'review': 'Review', 'reopen': 'Reopen', 'note': 'Note on', 'snooze': 'Snooze', 'wake': 'Wake', 'ticket': 'Ticket on', 'not-anomaly': 'Call usual',
};
