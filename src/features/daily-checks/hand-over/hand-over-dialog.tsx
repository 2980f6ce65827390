import { useRef, useState } from 'react';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import type { ShiftNow } from '#contract/daily-checks/hand-over.ts';
import { now as clockNow } from '#src/app/clock.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { formatCount, formatWhen } from '#src/ui/format.ts';
import { showSuccess, showInfo } from '#src/ui/toasts.ts';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { SectionLink } from '../../shared/section-link.tsx';
import { toHandOver, shiftBegan, unlistedWords } from './latest-hand-over.ts';
import { handOverMessages as t } from './messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

export interface HandOverDialogProps {
  readonly rule: DayRule;
  readonly now: Ms;
  /** The list to hand over, as address query and as worker filter: `viewQueryOf(list)`. */
  readonly query: string;
  readonly filter: RunsFilter;
  /** Shows all open results, whatever their age. */
  readonly onAll: () => void;
  readonly onClose: () => void;
}

/**
 * Ends a shift with a summary: done, open and soon unsnoozed results, and a comment for the next
 * person. Works offline.
 */
export function HandOverDialog({ rule, now, query, filter, onAll, onClose }: HandOverDialogProps) {
  const shifts = useWatch('shifts', EMPTY);
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
  const status = useWatch('status', EMPTY);
  const [id] = useState(() => crypto.randomUUID());
  const field = useRef<HTMLTextAreaElement>(null);
  const { form, change, error, busy, save } = useDraftForm({
    initial: { words: '' },
    schema: makeReadingSchema(({ words }: { readonly words: string }) => ({
      value:
        shift === undefined
          ? null
          : toHandOver(
              id,
              since,
              clockNow(),
              shift,
              words,
              query.length > LIMITS.viewChars ? '' : query,
            ),
    })),
    submit: (input) => client().send('endShift', input),
    onSaved: () => {
      if (status?.kind === 'offline') showInfo(t.queuedOffline);
      else if (status?.kind === 'server-trouble') showInfo(t.queuedServerTrouble);
      else showSuccess(t.handedOver);
      onClose();
    },
  });
  const send = async (): Promise<void> => {
    if (shift) await save();
  };
  return (
    <Dialog
      title={t.handOver}
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
            {t.handOver}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {uiMessages.cancel}
          </Button>
          <SectionLink
            href="/monitoring/evidence?show=hand-overs"
            className="ml-auto inline-flex items-center text-accent underline-offset-2 hover:underline pointer-coarse:min-h-11"
          >
            {t.past}
          </SectionLink>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-4 px-5 py-4">
        {shift && <Sums shift={shift} since={since} zone={rule.zone} onAll={onAll} />}
        <label className="block">
          <span className="block pb-1">{t.comment}</span>
          <textarea
            ref={field}
            value={form.words}
            rows={3}
            maxLength={LIMITS.noteChars}
            onChange={({ target }) => change({ words: target.value })}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
            }}
            className="block w-full resize-y rounded-part border border-control bg-sheet p-2"
          />
          <span className="block pt-1 text-agate text-ink-3">{t.commentHint}</span>
        </label>
        {error !== null && (
          <p role="alert" className="m-0 text-failed">
            {error}
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
  const { cleared, of, open, snoozed, ending, fresh, older, unlisted } = shift;
  return (
    <>
      <p className="m-0 text-ink-2">{t.since({ time: formatWhen(since, zone) })}</p>
      <dl className="m-0 grid grid-cols-3 border-t border-b-3 border-double border-t-head-rule border-b-head-rule [border-top-style:solid]">
        <Sum label={t.reviewed} figure={cleared} detail={t.ofTotal({ total: formatCount(of) })} />
        <Sum
          label={t.toCheck}
          figure={fresh + older}
          detail={t.newCount({ count: formatCount(fresh) })}
        />
        <Sum
          label={t.snoozed}
          figure={snoozed}
          detail={ending.length === 0 ? t.noneEnding : t.endingCount({ count: ending.length })}
        />
      </dl>
      {unlisted !== null && unlisted > 0 && (
        <p className="m-0 text-ink-2">
          {unlistedWords(unlisted, fresh + older)}{' '}
          <button
            type="button"
            onClick={onAll}
            className="text-accent underline underline-offset-2 pointer-coarse:block pointer-coarse:min-h-11"
          >
            {t.showAllOpen}
          </button>
        </p>
      )}
      {open.length > 0 && (
        <Lines
          title={t.openByCompany}
          rest={open.length - SHOWN}
          lines={open.slice(0, SHOWN).map(({ company, name, problems }) => ({
            key: company,
            label: name,
            figure: t.problemCount({ count: problems }),
          }))}
        />
      )}
      {ending.length > 0 && (
        <Lines
          title={t.endingSnoozes}
          rest={ending.length - SHOWN}
          lines={ending.slice(0, SHOWN).map(({ run, jobName, companyName, until }) => ({
            key: run,
            label: t.jobOfCompany({ job: jobName, company: companyName }),
            figure: formatWhen(until, zone),
          }))}
        />
      )}
    </>
  );
}

const Sum = ({
  label,
  figure,
  detail,
}: {
  readonly label: string;
  readonly figure: number;
  readonly detail: string;
}) => (
  <div className="py-2">
    <dt className="text-agate text-ink-3">{label}</dt>
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
    readonly label: string;
    readonly figure: string;
  }[];
}

const Lines = ({ title, lines, rest }: LinesProps) => (
  <section>
    <h3 className="m-0 border-b border-rule pb-1 text-agate font-normal text-ink-3">{title}</h3>
    <ul className="m-0 list-none p-0">
      {lines.map(({ key, label, figure }) => (
        <li key={key} className="flex gap-3 border-b border-hair py-1">
          <span className="min-w-0 grow truncate" data-tip={label}>
            {label}
          </span>
          <span className="shrink-0 text-ink-2 tabular-nums">{figure}</span>
        </li>
      ))}
    </ul>
    {rest > 0 && (
      <p className="m-0 pt-1 text-agate text-ink-3">{t.andMore({ count: formatCount(rest) })}</p>
    )}
  </section>
);

const EMPTY = {};
