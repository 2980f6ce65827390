import type { Execution } from '#contract/runs/calls.ts';
import { formatWhen } from '#src/ui/format.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { STATES } from '#src/ui/states.ts';
import { runPanelMessages as t } from './messages.en.ts';

/**
 * A line of the history: the event and its comment. If a user or a rule did it, `did` is a message
 * that takes `who`.
 */
export interface HistoryLine {
  readonly icon: IconName;
  readonly who: string | null;
  readonly did: string | ((values: { readonly who: string }) => string);
  readonly message: string | null;
}

/** Returns the history line of an event (PANEL-3). */
export function toHistoryLine(
  { who, what, comment, until }: Execution['history'][number],
  state: NonNullable<Execution['problem']>['state'],
  zone: string,
): HistoryLine {
  switch (what) {
    case 'Reviewed':
      return { icon: 'check', who, did: t.historyReviewed, message: comment };
    case 'Review undone':
      return { icon: 'undo', who, did: t.historyReopened, message: comment };
    case 'Snoozed':
      return {
        icon: 'snooze',
        who,
        did:
          until === null
            ? t.historySnoozed
            : (by) => t.historySnoozedUntil({ ...by, time: formatWhen(Date.parse(until), zone) }),
        message: comment,
      };
    case 'Snooze ended':
      return { icon: 'clock', who, did: t.historySnoozeEnded, message: comment };
    case 'Note':
      return { icon: 'note', who, did: t.historyNoted, message: comment };
    case 'Note removed':
      return { icon: 'note', who, did: t.historyNoteDeleted, message: null };
    case 'Ticket':
      return {
        icon: 'ticket',
        who,
        did: (by) => t.historyTicketLinked({ ...by, ticket: comment ?? '' }).trim(),
        message: null,
      };
    case 'Ticket removed':
      return { icon: 'ticket', who, did: t.historyTicketUnlinked, message: null };
    case 'Exception':
      return { icon: 'rules', who, did: t.historyException, message: null };
    case 'Exception ended':
      return {
        icon: 'minus',
        who: null,
        did: t.exceptionEnded,
        message: null,
      };
    case 'Rule':
      return { icon: 'rules', who, did: t.historyRule, message: comment };
    case 'Hint helped':
      return {
        icon: 'hint',
        who,
        did: (by) => t.historyHintHelped({ ...by, hint: comment ?? '' }),
        message: null,
      };
    case 'Hint did not help':
      return {
        icon: 'hint',
        who,
        did: (by) => t.historyHintNotHelpful({ ...by, hint: comment ?? '' }),
        message: null,
      };
    case 'Began':
      return { icon: STATES[state].icon, who: null, did: t.problemStarted, message: null };
    case 'Over':
      return { icon: 'success', who: null, did: t.problemEndedBySuccess, message: null };
    case 'Changed':
      return {
        icon: 'minus',
        who: null,
        did: t.problemEndedByChange,
        message: null,
      };
  }
}
