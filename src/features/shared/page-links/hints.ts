import type { RunView } from '#contract/runs/query.ts';
import { wordsOfCause } from './rules.ts';

const PATH = '/monitoring/hints';

export const hintsAddress = (
  open: string | null,
  like: Readonly<Record<string, string>> = {},
): string =>
  open === null ? PATH : `${PATH}?${new URLSearchParams({ hint: open, ...like }).toString()}`;

/** Returns the address of a new hint for results like this one. */
export const getHintAddress = ({
  template,
  message,
  source,
  problem,
}: Pick<RunView, 'template' | 'message' | 'source' | 'problem'>): string => {
  const text = wordsOfCause(template ?? message ?? '');
  return hintsAddress('new', {
    name: (message ?? '').slice(0, 200),
    ...(text === '' ? { source, ...(problem && { kind: problem.kind }) } : { text }),
  });
};
