import type { TicketOut } from '#contract/tickets/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { EntryTable, TableHead } from '#src/ui/entry-table.tsx';
import { formatAge, formatUtc } from '#src/ui/format.ts';
import { stepEntries } from '#src/ui/step-entries.ts';
import { TicketMark } from './mark.tsx';
import { ticketMessages as t } from './messages.en.ts';

export interface TicketListProps {
  readonly rows: readonly TicketOut[];
  readonly open: string | null;
  readonly now: Ms;
  readonly busy: boolean;
  /** The side panel is open, so only the first columns fit. */
  readonly narrow: boolean;
  readonly onOpen: (id: string) => void;
}

/** A row per ticket on wide screens, a card on a phone. */
export function TicketList({ rows, open, now, busy, narrow, onOpen }: TicketListProps) {
  const wide = narrow ? 'hidden' : 'hidden desk:table-cell';
  return (
    <EntryTable
      busy={busy}
      heads={
        <>
          <TableHead className="w-32 pl-5">{t.ticket}</TableHead>
          <TableHead>{t.subject}</TableHead>
          <TableHead className={narrow ? 'w-[24%]' : 'w-[16%]'}>{t.company}</TableHead>
          <TableHead className={narrow ? 'w-40' : 'w-44'}>{t.status}</TableHead>
          <TableHead className={`w-28 ${wide}`}>{t.priority}</TableHead>
          <TableHead className={`w-[13%] ${wide}`}>{t.owner}</TableHead>
          <TableHead className={`w-24 ${wide}`}>{t.problems}</TableHead>
          <TableHead className={`w-28 ${wide}`}>{t.opened}</TableHead>
        </>
      }
    >
      {rows.map((ticket) => {
        const {
          _id: id,
          number,
          subject,
          companyName,
          priority,
          owner,
          problems,
          openProblems,
          madeAt,
        } = ticket;
        const age = formatAge(madeAt, now);
        return (
          <tr
            key={id}
            className={`block cursor-pointer border-b border-hair px-4 py-2 tablet:table-row tablet:h-11 tablet:p-0 ${open === id ? 'bg-accent-wash' : 'hover:bg-wash'}`}
            onClick={(event) => {
              if (!(event.target instanceof Element && event.target.closest('button'))) onOpen(id);
            }}
          >
            <td
              className="hidden truncate pr-3 pl-5 text-ink-2 tablet:table-cell"
              data-tip={number}
            >
              <bdi>{number}</bdi>
            </td>
            <td className="block min-w-0 tablet:table-cell tablet:pr-3">
              <Subject
                id={id}
                number={number}
                subject={subject}
                open={open === id}
                onOpen={() => onOpen(id)}
              />
            </td>
            <td
              className="block min-w-0 truncate text-ink-2 tablet:table-cell tablet:pr-3"
              data-tip={companyName}
            >
              {companyName}
            </td>
            <td className="block min-w-0 tablet:table-cell tablet:pr-3">
              <TicketMark ticket={ticket} />
            </td>
            <td className={`${wide} truncate pr-3 text-ink-2`} data-tip={priority?.name}>
              {priority?.name ?? '–'}
            </td>
            <td className={`${wide} truncate pr-3 text-ink-2`} data-tip={owner?.name}>
              {owner?.name ?? '–'}
            </td>
            <td className={`${wide} pr-3 text-ink-2`}>
              {problems === 0
                ? t.noProblems
                : openProblems === problems
                  ? String(problems)
                  : t.openOf({ open: openProblems, count: problems })}
            </td>
            <td className={`${wide} whitespace-nowrap text-ink-2`}>
              <time data-tip={formatUtc(madeAt)}>{age}</time>
            </td>
            <td className="block text-agate text-ink-3 tablet:hidden">
              {owner === null
                ? t.cardDetail({ count: problems, age })
                : t.cardDetailOwner({ count: problems, owner: owner.name, age })}
            </td>
          </tr>
        );
      })}
    </EntryTable>
  );
}

function Subject({
  id,
  number,
  subject,
  open,
  onOpen,
}: {
  readonly id: string;
  readonly number: string;
  readonly subject: string;
  readonly open: boolean;
  readonly onOpen: () => void;
}) {
  return (
    <button
      type="button"
      data-entry={id}
      aria-expanded={open}
      className="flex w-full min-w-0 items-center rounded-part py-1 text-left pointer-coarse:min-h-11"
      onClick={onOpen}
      onKeyDown={stepEntries}
    >
      <span className="min-w-0 truncate font-semibold" data-tip={subject}>
        <span className="font-normal text-ink-2 tablet:hidden">{number} </span>
        {subject}
      </span>
    </button>
  );
}
