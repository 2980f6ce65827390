import type { Evidence } from '#contract/monitoring/desk-calls.ts';
import { SOURCE_NAMES } from '#contract/monitoring/words.ts';
import { formatUtc, formatWhen } from '#src/ui/format.ts';
import { StateMark } from '#src/ui/state-mark.tsx';
import { TYPE_WORDS } from '../daily-checks/words.ts';
import { DEED_WORDS, stateOf, stateWord } from './words.ts';

/** One ruled entry a deed: two lines on a wide page, a card on a phone. */
export function EvidenceList({ rows, zone }: { readonly rows: readonly Evidence[]; readonly zone: string }) {
  return (
    <table className="block w-full tablet:table tablet:table-fixed tablet:border-collapse">
      <thead className="sr-only tablet:not-sr-only tablet:table-header-group">
        <tr className="h-9 border-t-2 border-b border-head-rule text-left text-agate text-ink-2">
          <th scope="col" className="w-40 pl-5 font-normal">When</th>
          <th scope="col" className="w-[18%] font-normal">Who and what</th>
          <th scope="col" className="w-32 font-normal">State</th>
          <th scope="col" className="w-[26%] font-normal">Company and job</th>
          <th scope="col" className="pr-5 font-normal">Cause and comment</th>
        </tr>
      </thead>
      <tbody className="block tablet:table-row-group">
        {/* Lines have no name of their own: one deed may be on many problems at once. They only ever grow at the end. */}
        {rows.map((one, i) => <Line key={`${i} ${one.at}`} one={one} zone={zone} />)}
      </tbody>
    </table>
  );
}

function Line({ one, zone }: { readonly one: Evidence; readonly zone: string }) {
  const state = stateOf(one), job = one.computer === '' ? one.job : `${one.job} on ${one.computer}`;
  return (
    <tr className="break-inside-avoid grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-b border-hair px-4 py-2 tablet:table-row tablet:h-11 tablet:p-0">
      <td className="col-start-2 row-start-1 text-right whitespace-nowrap text-ink-2 tablet:pl-5 tablet:text-left tablet:align-top tablet:pt-1.5"><time title={formatUtc(one.at)}>{formatWhen(one.at, zone)}</time></td>
      <td className="col-start-1 row-start-1 min-h-10 min-w-0 tablet:py-1.5 tablet:pr-3 tablet:align-top">
        <span className="block truncate font-semibold print:whitespace-normal" title={one.who}>{one.who === '' ? 'Unknown' : one.who}</span>
        <span className="block text-agate text-ink-2">{DEED_WORDS[one.what]}{one.until === null ? '' : `, until ${formatWhen(one.until, zone)}`}</span>
      </td>
      <td className="col-start-2 row-start-1 min-w-0 self-end justify-self-end tablet:py-1.5 tablet:pr-3 tablet:align-top">{state === null ? <span className="text-ink-2">{stateWord(one) || '–'}</span> : <StateMark state={state} />}</td>
      <td className="col-span-2 min-w-0 tablet:py-1.5 tablet:pr-3 tablet:align-top">
        <span className="block truncate font-semibold print:whitespace-normal" title={one.company}>{one.company}</span>
        <span className="block truncate text-agate print:whitespace-normal text-ink-2" title={`${job}, ${SOURCE_NAMES[one.source]}, ${TYPE_WORDS[one.type]}`}>{job}</span>
      </td>
      <td className="col-span-2 min-w-0 tablet:py-1.5 tablet:pr-5 tablet:align-top">
        <span className="block truncate text-ink-2 print:whitespace-normal" title={one.cause}>{one.cause === '' ? '–' : one.cause}</span>
        {one.comment !== null && <span className="block text-agate break-words whitespace-pre-line text-ink">{one.comment}</span>}
      </td>
    </tr>
  );
}
