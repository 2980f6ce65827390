import type { RunView } from '#contract/runs/query.ts';

const PATH = '/monitoring/rules';

export const rulesAddress = (
  open: string | null,
  like: Readonly<Record<string, string>> = {},
): string =>
  open === null ? PATH : `${PATH}?${new URLSearchParams({ rule: open, ...like }).toString()}`;

type Like = Pick<
  RunView,
  'state' | 'jobName' | 'computer' | 'company' | 'template' | 'message' | 'source'
>;

/** Returns the address of a new rule for results like this one. */
export const getRuleAddress = ({
  state,
  jobName,
  computer,
  company,
  template,
  message,
  source,
}: Like): string =>
  rulesAddress('new', {
    name: `${jobName}: known`.slice(0, 200),
    state,
    job: plain(jobName),
    computer: plain(computer),
    company: String(company),
    source,
    text: wordsOfCause(template ?? message ?? ''),
    known: '1',
  });

/** Converts a cause template to a rule's text pattern: a star for each variable part. */
export function wordsOfCause(template: string): string {
  const words = plain(template).replaceAll(/‹[a-z]+›/g, '*');
  return words.length <= MAX_CHARS ? words : `${words.slice(0, MAX_CHARS - 1)}*`;
}

/** Replaces characters with a meaning in patterns by the single-character wildcard. */
const plain = (text: string): string => text.replaceAll(/[|*]/g, '?');
const MAX_CHARS = 200;
