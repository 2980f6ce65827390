/** The help sheet, in its order. `⌘` is shown as Ctrl where there is no such key. */
export const HELP: readonly {
  readonly keys: readonly string[];
  readonly does: string;
  readonly acts?: true;
}[] = [
  { keys: ['J', 'K'], does: 'Next and previous row' },
  { keys: ['Home', 'End'], does: 'First and last row' },
  { keys: ['PgUp', 'PgDn'], does: 'A page up and down' },
  { keys: ['X', 'Space'], does: 'Select the row', acts: true },
  { keys: ['⇧J', '⇧K'], does: 'Extend the selection', acts: true },
  { keys: ['⌘A'], does: 'Select all that match', acts: true },
  { keys: ['Enter'], does: 'Open the result, or fold a group' },
  { keys: ['←', '→'], does: 'Fold and unfold a group' },
  { keys: ['Esc'], does: 'Back: close, then clear the selection' },
  { keys: ['E'], does: 'Review', acts: true },
  { keys: ['⇧E'], does: 'Review with a comment', acts: true },
  { keys: ['S'], does: 'Snooze', acts: true },
  { keys: ['N'], does: 'Note', acts: true },
  { keys: ['T'], does: 'Tie to a ticket', acts: true },
  { keys: ['U'], does: 'Undo, for 10 seconds', acts: true },
  { keys: ['/'], does: 'Search' },
  { keys: ['F'], does: 'Filters' },
  { keys: ['R'], does: 'Take in new results' },
  { keys: ['C'], does: 'Columns' },
  { keys: ['G D', 'G C', 'G J'], does: 'Dashboard, calendar view, daily checks' },
  { keys: ['⌘K'], does: 'Go to a page, a company or a job' },
  { keys: ['?'], does: 'This sheet' },
];
