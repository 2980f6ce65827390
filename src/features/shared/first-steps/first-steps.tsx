import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAbility } from '#src/app/session/use-ability.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Icon } from '#src/ui/icon.tsx';
import { Kbd } from '#src/ui/kbd.tsx';
import { getSteps } from './steps.ts';
import type { StepState } from './steps.ts';
import { firstStepsMessages as t } from './messages.en.ts';
import { richText } from '#src/ui/rich-text.tsx';

/**
 * An empty portal: first steps, what happens next, and how the daily checks work. Shown instead of
 * a list without any result.
 */
export function FirstSteps() {
  const keys = useWatch('keys', EMPTY);
  const connects = useAbility('monitoring.sources');
  const canAct = useAbility('monitoring.job-actions');
  if (keys === undefined) return null;
  const { source, results } = getSteps(keys);
  return (
    <section
      aria-label={t.firstSteps}
      className="mx-auto grid w-full max-w-[560px] content-center gap-1 overflow-auto px-5 py-8"
    >
      <h2 className="m-0 text-head">{t.firstSteps}</h2>
      <p className="m-0 pb-3 text-ink-2">{t.intro}</p>
      <ol className="m-0 list-none border-t-2 border-head-rule p-0">
        <Step n={1} state={source} title={t.connectASource}>
          {source === 'done' ? t.keyCreated : t.createKey}{' '}
          {connects ? (
            <Link to="/monitoring/sources" className="text-accent underline underline-offset-2">
              {source === 'done' ? t.showSources : t.connectASource}
            </Link>
          ) : (
            t.askAdministrator
          )}
        </Step>
        <Step n={2} state={results} title={t.resultsArrive}>
          {t.resultsHint}
        </Step>
        <Step n={3} state="later" title={t.clearEachMorning}>
          {t.onlyProblems}{' '}
          <span className="hidden pointer-coarse:inline">{canAct ? t.reviewHint : t.openHint}</span>
          <span className="pointer-coarse:hidden">
            {canAct
              ? richText(t.keysForImpersonation, {
                  down: <Key name="J" />,
                  up: <Key name="K" />,
                  review: <Key name="E" />,
                  snooze: <Key name="S" />,
                  note: <Key name="N" />,
                  help: <Key name="?" />,
                })
              : richText(t.keysForReading, {
                  down: <Key name="J" />,
                  up: <Key name="K" />,
                  open: <Key name="Enter" />,
                  help: <Key name="?" />,
                })}
          </span>{' '}
          {t.worksOffline}
        </Step>
      </ol>
    </section>
  );
}

const EMPTY = {};

const Key = ({ name }: { readonly name: string }) => (
  <>
    <span className="sr-only">{name}</span>
    <Kbd>{name}</Kbd>
  </>
);

const STATES: Readonly<
  Record<StepState, { readonly icon: 'tick' | 'clock' | null; readonly label: string }>
> = {
  done: { icon: 'tick', label: t.stepDone },
  now: { icon: null, label: t.stepNext },
  waiting: { icon: 'clock', label: t.stepWaiting },
  later: { icon: null, label: '' },
};

function Step({
  n,
  state,
  title,
  children,
}: {
  readonly n: number;
  readonly state: StepState;
  readonly title: string;
  readonly children: ReactNode;
}) {
  const { icon, label } = STATES[state];
  return (
    <li className="grid grid-cols-[24px_minmax(0,1fr)_auto] gap-x-3 border-b border-hair py-3">
      <span
        aria-hidden
        className={`grid size-6 place-items-center rounded-full border font-semibold ${state === 'done' ? 'border-accent text-accent' : state === 'now' || state === 'waiting' ? 'border-accent bg-accent text-on-accent' : 'border-control text-ink-2'}`}
      >
        {state === 'done' ? <Icon name="tick" /> : n}
      </span>
      <div className="min-w-0">
        <h3 className="m-0 leading-6 font-semibold">{title}</h3>
        <p className="m-0 leading-5 text-ink-2">{children}</p>
      </div>
      <span className="inline-flex items-center gap-1.5 self-start pt-[5px] text-agate text-ink-3">
        {icon === 'clock' && <Icon name={icon} />}
        {label}
      </span>
    </li>
  );
}
