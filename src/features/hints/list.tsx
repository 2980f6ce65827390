import type { Ms } from '#contract/ids.ts';
import type { HintOut } from '#contract/hints/calls.ts';
import { formatAge } from '#src/ui/format.ts';
import { Badge } from '#src/ui/badge.tsx';
import { conditionsText } from './labels.ts';
import { hintMessages as t } from './messages.en.ts';

/** Hints by name: conditions, number of matching results, and how often they helped. */
export function HintList({
  hints,
  now,
  onOpen,
}: {
  readonly hints: readonly HintOut[];
  readonly now: Ms;
  readonly onOpen: (id: string) => void;
}) {
  return (
    <ul className="m-0 list-none border-t-2 border-head-rule p-0">
      {hints.map(({ _id: id, name, when, inside, matched, helped }) => (
        <li
          key={id}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 border-b border-hair px-4 py-2 tablet:grid-cols-[minmax(0,1fr)_12rem_11rem] tablet:px-5"
        >
          <button
            type="button"
            data-hint={id}
            className="col-span-full min-w-0 rounded-part py-1 text-left tablet:col-span-1 pointer-coarse:min-h-11"
            onClick={() => onOpen(id)}
          >
            <span className="flex flex-wrap items-center gap-x-2 font-semibold break-words">
              <span className="min-w-0 break-words">{name}</span>
              {inside && <Badge>{t.internal}</Badge>}
            </span>
            <span className="line-clamp-2 break-words text-ink-2">{conditionsText(when)}</span>
          </button>
          <span className="text-agate text-ink-2">{t.matches({ count: matched })}</span>
          <span className="text-agate text-ink-2">
            {t.helped({ count: helped.problems })}
            {helped.last !== null && (
              <span className="block text-ink-3">
                {t.lastHelped({ age: formatAge(helped.last, now) })}
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
