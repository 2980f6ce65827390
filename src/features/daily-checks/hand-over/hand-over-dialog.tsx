import { useRef, useState } from 'react';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import type { ShiftNow } from '#contract/daily-checks/hand-over.ts';
import { now as clockNow } from '#src/app/clock.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatCount, formatWhen, plural } from '#src/ui/format.ts';
import { tell, tellInfo } from '#src/ui/toasts.ts';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { SectionLink } from '../../shared/section-link.tsx';
import { handOverOf, shiftBegan, unlistedWords } from './latest-hand-over.ts';

export interface HandOverDialogProps {
  readonly rule: DayRule;
  readonly now: Ms;
  /** The list that is handed over, as the address and as the worker has it: `viewQueryOf(list)`. */
  readonly query: string;
  readonly filter: RunsFilter;
  /** Shows all that is open, however old. */
  readonly onAll: () => void;
  readonly onClose: () => void;
}

/**
 * Ends a shift: what is done, what is open, what comes back soon, and a word to whoever is next.
 * Needs no network.
 */
export function HandOverDialog({ rule, now, query, filter, onAll, onClose }: HandOverDialogProps) {
  const shifts = useWatch('shifts', NOTHING);
  const since = shifts === undefined ? null : shiftBegan(shifts, now, rule);
  return since === null ? null : (
    <Form rule={rule} since={since} query={query} filter={filter} onAll={onAll} onClose={onClose} />
  );
}

function Form({
  rule,
  since,
  query,
  filter,
  onAll,
  onClose,
}: Pick<HandOverDialogProps, 'rule' | 'query' | 'filter' | 'onAll' | 'onClose'> & {
  readonly since: Ms;
}) {
  const shift = useWatch('shiftNow', { since, list: filter });
  const status = useWatch('status', NOTHING);
  const [words, setWords] = useState('');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const [id] = useState(() => crypto.randomUUID());
  const field = useRef<HTMLTextAreaElement>(null);
  const send = async (): Promise<void> => {
    if (!shift || busy) return;
    setBusy(true);
    setFault(null);
    const sent = await client()
      .send(
        'endShift',
        handOverOf(
          id,
          since,
          clockNow(),
          shift,
          words,
          query.length > LIMITS.viewChars ? '' : query,
        ),
      )
      .catch(() => null);
    setBusy(false);
    if (sent?.ok) {
      if (status?.is === 'offline')
        tellInfo('Handed over. It will be sent when you’re back online.');
      else if (status?.is === 'server-trouble')
        tellInfo('Handed over. It will be sent when the server responds.');
      else tell('Handed over');
      onClose();
    } else setFault(sent?.failure.message ?? MESSAGES.storage);
  };
  return (
    <Dialog
      title="Hand over"
      onClose={onClose}
      first={field}
      footer={
        <>
          <Button
            variant="primary"
            busy={busy}
            disabled={!shift}
            keycap="Ctrl Enter"
            onClick={() => void send()}
          >
            Hand over
          </Button>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <SectionLink
            href="/monitoring/evidence?show=hand-overs"
            className="ml-auto inline-flex items-center text-accent underline-offset-2 hover:underline pointer-coarse:min-h-11"
          >
            Past hand-overs
          </SectionLink>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-4 px-5 py-4">
        {shift && <Sums shift={shift} since={since} zone={rule.zone} onAll={onAll} />}
        <label className="block">
          <span className="block pb-1">Comment for whoever is next</span>
          <textarea
            ref={field}
            value={words}
            rows={3}
            maxLength={LIMITS.noteChars}
            onChange={(event) => setWords(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
            }}
            className="block w-full resize-y rounded-part border border-control bg-sheet p-2"
          />
          <span className="block pt-1 text-agate text-ink-3">
            The list as it stands on the screen goes with it as a link.
          </span>
        </label>
        {fault !== null && (
          <p role="alert" className="m-0 text-failed">
            {fault}
          </p>
        )}
      </div>
    </Dialog>
  );
}

const SHOWN = 6;

function Sums({
  shift,
  since,
  zone,
  onAll,
}: {
  readonly shift: ShiftNow;
  readonly since: Ms;
  readonly zone: string;
  readonly onAll: () => void;
}) {
  const { cleared, of, open, snoozed, ending, fresh, standing, unlisted } = shift;
  return (
    <>
      <p className="m-0 text-ink-2">Since {formatWhen(since, zone)}.</p>
      <dl className="m-0 grid grid-cols-3 border-t border-b-3 border-double border-t-head-rule border-b-head-rule [border-top-style:solid]">
        <Sum word="Reviewed" figure={cleared} detail={`of ${formatCount(of)}`} />
        <Sum word="To check" figure={fresh + standing} detail={`${formatCount(fresh)} new`} />
        <Sum
          word="Snoozed"
          figure={snoozed}
          detail={
            ending.length === 0
              ? 'none ends within a day'
              : `${plural(ending.length, 'ends', 'end')} within a day`
          }
        />
      </dl>
      {unlisted !== null && unlisted > 0 && (
        <p className="m-0 text-ink-2">
          {unlistedWords(unlisted, fresh + standing)}{' '}
          <button
            type="button"
            onClick={onAll}
            className="text-accent underline underline-offset-2 pointer-coarse:block pointer-coarse:min-h-11"
          >
            Show all that is open
          </button>
        </p>
      )}
      {open.length > 0 && (
        <Lines
          title="To check, by company"
          rest={open.length - SHOWN}
          lines={open.slice(0, SHOWN).map(({ company, name, problems }) => ({
            key: company,
            word: name,
            figure: plural(problems, 'problem'),
          }))}
        />
      )}
      {ending.length > 0 && (
        <Lines
          title="Snoozes that end within a day"
          rest={ending.length - SHOWN}
          lines={ending.slice(0, SHOWN).map(({ run, jobName, companyName, until }) => ({
            key: run,
            word: `${jobName}, ${companyName}`,
            figure: formatWhen(until, zone),
          }))}
        />
      )}
    </>
  );
}

const Sum = ({
  word,
  figure,
  detail,
}: {
  readonly word: string;
  readonly figure: number;
  readonly detail: string;
}) => (
  <div className="py-2">
    <dt className="text-agate text-ink-3">{word}</dt>
    <dd className="m-0">
      <span className="block text-head">{formatCount(figure)}</span>
      <span className="text-agate text-ink-2">{detail}</span>
    </dd>
  </div>
);

interface LinesProps {
  readonly title: string;
  readonly rest: number;
  readonly lines: readonly {
    readonly key: number;
    readonly word: string;
    readonly figure: string;
  }[];
}

const Lines = ({ title, lines, rest }: LinesProps) => (
  <section>
    <h3 className="m-0 border-b border-rule pb-1 text-agate font-normal text-ink-3">{title}</h3>
    <ul className="m-0 list-none p-0">
      {lines.map(({ key, word, figure }) => (
        <li key={key} className="flex gap-3 border-b border-hair py-1">
          <span className="min-w-0 grow truncate" data-tip={word}>
            {word}
          </span>
          <span className="shrink-0 text-ink-2 tabular-nums">{figure}</span>
        </li>
      ))}
    </ul>
    {rest > 0 && <p className="m-0 pt-1 text-agate text-ink-3">and {formatCount(rest)} more</p>}
  </section>
);

const NOTHING = {};
