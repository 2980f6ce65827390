import type { RunView } from '#contract/runs/query.ts';
import { LIMITS } from '#contract/limits.ts';
import { STATES } from '#src/ui/states.ts';

const cut = (text: string): string =>
  text.length <= LIMITS.subjectChars
    ? text
    : `${text.slice(0, LIMITS.subjectChars - 1).trimEnd()}…`;

/** What a new ticket is called until somebody calls it otherwise. */
export const subjectOf = (
  row: Pick<RunView, 'state' | 'jobName' | 'computer'> | null,
  results: number,
): string =>
  cut(
    row === null
      ? `${results} backups need attention`
      : `${STATES[row.state].word}: ${row.jobName}${row.computer === '' ? '' : ` on ${row.computer}`}`,
  );
export const descriptionOf = (row: Pick<RunView, 'message' | 'companyName'> | null): string =>
  row === null ? '' : [row.companyName, row.message ?? ''].filter((line) => line !== '').join('\n');
