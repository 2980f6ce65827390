import type { Evidence } from '#contract/daily-checks/operator-calls.ts';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import { EntryTable, TableHead } from '#src/ui/entry-table.tsx';
import { formatUtc, formatWhen } from '#src/ui/format.ts';
import { StateMark } from '#src/ui/state-mark.tsx';
import { TYPE_WORDS } from '#src/features/shared/runs/labels.ts';
import { ACTION_NAMES, getEvidenceState, stateWord } from './labels.ts';
import { evidenceMessages as t } from './messages.en.ts';

/** A row per entry: two lines on wide screens, a card on a phone. */
export function EvidenceList({
  rows,
  zone,
}: {
  readonly rows: readonly Evidence[];
  readonly zone: string;
}) {
  return (
    <EntryTable
      heads={
        <>
          <TableHead className="w-[148px] pl-5 desk:w-40">{t.when}</TableHead>
          <TableHead className="w-[16%] desk:w-[18%]">{t.whoAndAction}</TableHead>
          <TableHead className="w-28 desk:w-32">{t.state}</TableHead>
          <TableHead className="w-[23%] desk:w-[26%]">{t.companyAndJob}</TableHead>
          <TableHead className="pr-5">{t.causeAndComment}</TableHead>
        </>
      }
    >
      {/*
       * Rows have no id: one action can apply to many problems. The list only grows at its end.
       */}
      {rows.map((one, i) => (
        <Line key={`${i} ${one.at}`} one={one} zone={zone} />
      ))}
    </EntryTable>
  );
}

function Line({ one, zone }: { readonly one: Evidence; readonly zone: string }) {
  const state = getEvidenceState(one);
  const job = one.computer === '' ? one.job : t.jobOnComputer(one);
  return (
    <tr className="break-inside-avoid grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-b border-hair px-4 py-2 tablet:table-row tablet:h-11 tablet:p-0">
      <td className="col-start-2 row-start-1 text-right whitespace-nowrap text-ink-2 tablet:pl-5 tablet:text-left tablet:align-top tablet:pt-1.5">
        <time data-tip={formatUtc(one.at)}>{formatWhen(one.at, zone)}</time>
      </td>
      <td className="col-start-1 row-start-1 min-h-10 min-w-0 tablet:py-1.5 tablet:pr-3 tablet:align-top">
        <span className="block truncate font-semibold print:whitespace-normal" data-tip={one.who}>
          {one.who === '' ? t.unknownUser : one.who}
        </span>
        <span className="block text-agate text-ink-2">
          {one.until === null
            ? ACTION_NAMES[one.what]
            : t.actionUntil({
                action: ACTION_NAMES[one.what],
                when: formatWhen(one.until, zone),
              })}
        </span>
      </td>
      <td className="col-start-2 row-start-1 min-w-0 self-end justify-self-end tablet:py-1.5 tablet:pr-3 tablet:align-top">
        {state === null ? (
          <span className="text-ink-2">{stateWord(one) || '–'}</span>
        ) : (
          <StateMark state={state} />
        )}
      </td>
      <td className="col-span-2 min-w-0 tablet:py-1.5 tablet:pr-3 tablet:align-top">
        <span
          className="block truncate font-semibold print:whitespace-normal"
          data-tip={one.company}
        >
          {one.company}
        </span>
        <span
          className="block truncate text-agate print:whitespace-normal text-ink-2"
          data-tip={`${job}, ${SOURCE_NAMES[one.source]}, ${TYPE_WORDS[one.type]}`}
        >
          {job}
        </span>
      </td>
      <td className="col-span-2 min-w-0 tablet:py-1.5 tablet:pr-5 tablet:align-top">
        <span className="block truncate text-ink-2 print:whitespace-normal" data-tip={one.cause}>
          {one.cause === '' ? '–' : one.cause}
        </span>
        {one.comment !== null && (
          <span className="block text-agate break-words whitespace-pre-line text-ink">
            {one.comment}
          </span>
        )}
      </td>
    </tr>
  );
}
