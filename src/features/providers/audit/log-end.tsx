import type { OutputOf } from '#contract/calls.ts';
import { formatCount } from '#src/ui/format.ts';
import { adminEventsMessages as t } from './messages.en.ts';

/** Below a page of events: how far the log was searched, or where the archive begins (ARCH-2). */
export function LogEnd({
  page: { events, next, archived },
}: {
  readonly page: Pick<OutputOf<'listAdminEvents'>, 'events' | 'next' | 'archived'>;
}) {
  const text =
    next === null
      ? archived > 0 && t.archived({ number: formatCount(archived) })
      : events.length === 0 && t.nothingSoFar({ number: formatCount(next) });
  return text === false ? null : <p className="m-0 px-5 py-3 text-ink-2">{text}</p>;
}

/** What to do about an empty list. A longer period doesn't help if all older events are archived. */
export const getEmptyHint = (isFiltered: boolean, reachesArchive: boolean): string =>
  isFiltered
    ? reachesArchive
      ? t.noMatchesHintArchived
      : t.noMatchesHint
    : reachesArchive
      ? t.noEventsHintArchived
      : t.noEventsHint;
