import type { EventListed } from '#contract/providers/admin-calls.ts';
import { EntryTable, TableHead } from '#src/ui/entry-table.tsx';
import { formatCount, formatDate, formatTime, formatUtc } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { adminEventsMessages as t } from './messages.en.ts';

export interface EventListProps {
  readonly events: readonly EventListed[];
  readonly zone: string;
  readonly onOpen: (seq: number) => void;
}

/** A row per event: a table on wide screens, cards on a phone. The type opens the data. */
export function EventList({ events, zone, onOpen }: EventListProps) {
  return (
    <EntryTable
      caption={t.eventsNewestFirst}
      heads={
        <>
          <TableHead className="w-28 pl-5">{t.number}</TableHead>
          <TableHead className="w-44">{t.when}</TableHead>
          <TableHead className="w-[22%]">{t.event}</TableHead>
          <TableHead>{t.about}</TableHead>
          <TableHead className="w-[18%]">{t.company}</TableHead>
          <TableHead className="w-[22%] pr-5">{t.who}</TableHead>
        </>
      }
    >
      {events.map((one) => (
        <tr
          key={one.seq}
          className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-b border-hair px-4 py-2 hover:bg-wash tablet:table-row tablet:h-10 tablet:p-0"
        >
          <td className="col-start-2 row-start-1 text-right text-ink-3 tablet:pl-5 tablet:text-left">
            {formatCount(one.seq)}
          </td>
          <td className="col-start-2 row-start-2 text-right whitespace-nowrap text-ink-2 tablet:text-left">
            <time data-tip={formatUtc(one.at)}>
              {formatDate(one.at, zone)} {formatTime(one.at, zone)}
            </time>
          </td>
          <th
            scope="row"
            className="col-start-1 row-start-1 min-w-0 text-left font-normal tablet:pr-3"
          >
            <button
              type="button"
              onClick={() => onOpen(one.seq)}
              aria-haspopup="dialog"
              className="block max-w-full truncate font-semibold text-accent hover:underline pointer-coarse:min-h-11"
              data-tip={one.type}
            >
              {one.type.replace(/@\d+$/, '')}
            </button>
          </th>
          <td
            className="col-start-1 row-start-2 min-w-0 truncate text-ink-2 tablet:pr-3"
            data-tip={one.entity}
          >
            {one.entity}
          </td>
          <td
            className="col-start-1 row-start-3 min-w-0 truncate tablet:pr-3"
            data-tip={one.company ?? undefined}
          >
            {one.company ?? <span className="text-ink-3">–</span>}
          </td>
          <td className="col-span-2 min-w-0 tablet:pr-5">
            <EventActor one={one} />
          </td>
        </tr>
      ))}
    </EntryTable>
  );
}

/** The acting user, and the impersonated one if different. */
export function EventActor({
  one: { actor, subject, isImpersonated },
}: {
  readonly one: EventListed;
}) {
  const word = actor === 'clock' ? t.system : actor;
  return (
    <span
      className="flex min-w-0 items-center gap-1.5"
      data-tip={
        isImpersonated && subject !== null ? t.signedInAs({ actor: word, user: subject }) : word
      }
    >
      {isImpersonated && <Icon name="users" className="shrink-0 text-warning" />}
      <span className="truncate">
        {word}
        {isImpersonated && subject !== null && (
          <span className="text-warning"> {t.asUser({ user: subject })}</span>
        )}
      </span>
    </span>
  );
}
