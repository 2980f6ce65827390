import type { RunView } from '#contract/runs/query.ts';
import { LIMITS } from '#contract/limits.ts';
import { STATES } from '#src/ui/states.ts';
import { ticketFieldMessages as t } from './messages.en.ts';

const cut = (text: string): string =>
  text.length <= LIMITS.subjectChars
    ? text
    : `${text.slice(0, LIMITS.subjectChars - 1).trimEnd()}…`;

/** Returns the suggested subject of a new ticket. */
export const getSubject = (
  row: Pick<RunView, 'state' | 'jobName' | 'computer'> | null,
  results: number,
): string =>
  cut(
    row === null
      ? t.newSubjectMany({ count: results })
      : row.computer === ''
        ? t.newSubject({ state: STATES[row.state].label, job: row.jobName })
        : t.newSubjectComputer({
            state: STATES[row.state].label,
            job: row.jobName,
            computer: row.computer,
          }),
  );
export const getDescription = (row: Pick<RunView, 'message' | 'companyName'> | null): string =>
  row === null ? '' : [row.companyName, row.message ?? ''].filter((line) => line !== '').join('\n');
