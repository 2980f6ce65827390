import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { RunN } from '#contract/ids.ts';
import type { DamagedChange } from '#workers/api.ts';
import { useWatch } from '../../worker/worker-client.ts';
import { Button } from '../../../ui/button.tsx';
import { formatCount, formatWhen } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Dismiss } from './dialog-parts.tsx';
import { syncMessages as t } from '../sync.messages.en.ts';

/** List items of the changes that were damaged on this device. They can't be sent again. */
export function DamagedList({ changes }: { readonly changes: readonly DamagedChange[] }) {
  return changes.map(({ id, what, why }) => (
    <li key={id} className="flex items-start gap-3 border-t border-hair py-2">
      <span className="min-w-0 grow">
        <span className="block font-semibold break-words">{what}</span>
        <span className="block break-words text-failed">{why}</span>
      </span>
      <Dismiss id={id} />
    </li>
  ));
}

interface RefusedListProps {
  /** The id of the rejected change, or of its notice. */
  readonly id: string;
  readonly count: number;
  readonly zone: string;
  /** Called after a result is opened. */
  readonly onGo: () => void;
}

/** Collapsible list of the results that were not changed, and why. */
export function RefusedList(props: RefusedListProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="-ml-1 flex min-h-6 items-center gap-1 rounded-part px-1 text-accent hover:underline hover:underline-offset-2 pointer-coarse:min-h-11"
      >
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        {(open ? t.hideResults : t.showResults)({ count: props.count })}
      </button>
      {open && <Reasons {...props} />}
    </>
  );
}

function Reasons({ id, zone, onGo }: RefusedListProps) {
  const [max, setMax] = useState(STEP);
  const refused = useWatch('refused', { id, max });
  const { history } = useRouter();
  if (!refused) return null;
  return (
    <>
      {refused.reasons
        .filter(({ runs }) => runs.length > 0)
        .map(({ why, count, runs }) => (
          <section key={why} className="mt-1 border-l-2 border-rule pl-2.5">
            <p className="m-0 break-words text-failed">
              {why} <span className="text-agate text-ink-3">{formatCount(count)}</span>
            </p>
            <ul className="m-0 list-none p-0">
              {runs.map(({ run, jobName, companyName, startedAt }) => (
                <li key={run} className="border-t border-hair first:border-0">
                  <a
                    href={getAddress(run)}
                    className="flex items-baseline gap-3 py-1 text-accent hover:underline hover:underline-offset-2 pointer-coarse:min-h-11 pointer-coarse:items-center"
                    onClick={(event) => {
                      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
                      event.preventDefault();
                      onGo();
                      history.push(getAddress(run));
                    }}
                  >
                    <span className="min-w-0 grow break-words">
                      {jobName ?? t.resultNumber({ number: run })}
                      {companyName !== null && <span className="text-ink-2">, {companyName}</span>}
                    </span>
                    {startedAt !== null && (
                      <span className="shrink-0 text-agate text-ink-3">
                        {formatWhen(startedAt, zone)}
                      </span>
                    )}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      {refused.count > max && (
        <Button size="sm" variant="quiet" className="mt-1" onClick={() => setMax(max + STEP)}>
          {t.showMore({ count: formatCount(Math.min(STEP, refused.count - max)) })}
        </Button>
      )}
    </>
  );
}

/** The link opens the result whatever its review state and age. */
const getAddress = (run: RunN): string =>
  `/monitoring/daily-checks?review=any&date=last-30&run=${run}`;

const STEP = 50;
