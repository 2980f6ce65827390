import { dailyChecksMessages as t } from './messages.en.ts';
/** Entries of the shortcut help, in order. `⌘` is shown as Ctrl on systems without that key. */
export const HELP: readonly {
  readonly keys: readonly string[];
  readonly does: string;
  readonly requiresActions?: true;
}[] = [
  { keys: ['J', 'K'], does: t.nextAndPreviousRow },
  { keys: ['Home', 'End'], does: t.firstAndLastRow },
  { keys: ['PgUp', 'PgDn'], does: t.pageUpAndDown },
  { keys: ['X', 'Space'], does: t.selectRow, requiresActions: true },
  { keys: ['⇧J', '⇧K'], does: t.extendSelection, requiresActions: true },
  { keys: ['⌘A'], does: t.selectAllMatching, requiresActions: true },
  { keys: ['Enter'], does: t.openResult },
  { keys: ['←', '→'], does: t.collapseAndExpandGroup },
  { keys: [t.escapeKey], does: t.escapeHelp },
  { keys: ['E'], does: t.review, requiresActions: true },
  { keys: ['⇧E'], does: t.reviewWithComment, requiresActions: true },
  { keys: ['S'], does: t.snooze, requiresActions: true },
  { keys: ['N'], does: t.note, requiresActions: true },
  { keys: ['T'], does: t.linkTicket, requiresActions: true },
  { keys: ['U'], does: t.undoHelp, requiresActions: true },
  { keys: ['/'], does: t.search },
  { keys: ['F'], does: t.filters },
  { keys: ['R'], does: t.showNewResults },
  { keys: ['C'], does: t.columns },
  { keys: ['G D', 'G C', 'G J'], does: t.goToPages },
  { keys: ['⌘K'], does: t.goToHelp },
  { keys: ['?'], does: t.thisHelp },
];
