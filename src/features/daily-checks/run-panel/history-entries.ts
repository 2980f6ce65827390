import type { Execution } from '#contract/runs/calls.ts';
import { formatWhen } from '#src/ui/format.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { STATES } from '#src/ui/states.ts';

/**
 * One line of the history: who, what they did, and what they said with it. `who` null: it came by
 * itself.
 */
export interface DeedLine {
  readonly icon: IconName;
  readonly who: string | null;
  readonly did: string;
  readonly said: string | null;
}

/** PANEL-3. */
export function deedLine(
  { who, what, comment, until }: Execution['history'][number],
  state: NonNullable<Execution['problem']>['state'],
  zone: string,
): DeedLine {
  switch (what) {
    case 'Reviewed':
      return { icon: 'check', who, did: 'reviewed it', said: comment };
    case 'Taken back to check':
      return { icon: 'undo', who, did: 'took it back to check', said: comment };
    case 'Snoozed':
      return {
        icon: 'snooze',
        who,
        did:
          until === null ? 'snoozed it' : `snoozed it until ${formatWhen(Date.parse(until), zone)}`,
        said: comment,
      };
    case 'Snooze ended':
      return { icon: 'clock', who, did: 'ended the snooze', said: comment };
    case 'Note':
      return { icon: 'note', who, did: 'noted', said: comment };
    case 'Note taken away':
      return { icon: 'note', who, did: 'took the note away', said: null };
    case 'Ticket':
      return { icon: 'ticket', who, did: `tied it to ticket ${comment ?? ''}`.trim(), said: null };
    case 'Ticket taken away':
      return { icon: 'ticket', who, did: 'took the ticket away', said: null };
    case 'Exception':
      return { icon: 'rules', who, did: 'counts it as OK: known', said: null };
    case 'Exception ended':
      return {
        icon: 'minus',
        who: null,
        did: 'It is no exception any more: no rule matches',
        said: null,
      };
    case 'Rule':
      return { icon: 'rules', who, did: 'acted on it', said: comment };
    case 'Hint helped':
      return { icon: 'hint', who, did: `was helped by the hint “${comment ?? ''}”`, said: null };
    case 'Hint did not help':
      return {
        icon: 'hint',
        who,
        did: `took back that the hint “${comment ?? ''}” helped`,
        said: null,
      };
    case 'Began':
      return { icon: STATES[state].icon, who: null, did: 'It began', said: null };
    case 'Over':
      return { icon: 'success', who: null, did: 'It was over: the job succeeded', said: null };
    case 'Changed':
      return {
        icon: 'minus',
        who: null,
        did: 'It was over: the job did something else',
        said: null,
      };
  }
}
