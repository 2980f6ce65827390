import { defineMessages } from '#contract/i18n/messages.ts';

export const firstStepsMessages = defineMessages('firstSteps', {
  firstSteps: 'First steps',
  intro: 'No results yet. Connect a source in three steps.',
  connectASource: 'Connect a source',
  keyCreated: 'Your ingest key is ready.',
  showSources: 'Show sources',
  askAdministrator: 'Ask an administrator to connect the backup tools.',
  resultsArrive: 'Results arrive',
  resultsHint:
    'The first run appears here seconds after it ends. A job that stops reporting is shown as “Did not run”. Anomalies are detected after seven runs.',
  clearEachMorning: 'Clear the list each morning',
  reviewHint:
    'Press the ring beside a result to review it. Open a result for its log, a note or a snooze.',
  openHint: 'Open a result for its log and history.',

  createKey:
    'Create an ingest key for a company and run one line next to its backup tool. It works with restic, Borg, rclone, Kopia, Duplicati, Bacula, or any command.',
  onlyProblems: 'Only problems are listed, the worst first.',
  keysForImpersonation:
    'Move with {down} and {up}, review with {review}, snooze with {snooze}, add a note with {note}. Press {help} for all shortcuts.',
  keysForReading: 'Move with {down} and {up}, open with {open}. Press {help} for all shortcuts.',
  worksOffline: 'Daily checks also work offline: changes are sent when you reconnect.',
  stepDone: 'done',
  stepNext: 'next',
  stepWaiting: 'waiting',
});
