import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAbility } from '#src/app/session/use-ability.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Icon } from '#src/ui/icon.tsx';
import { Kbd } from '#src/ui/kbd.tsx';
import { stepsOf } from './steps.ts';
import type { StepState } from './steps.ts';

/**
 * An empty portal: what to do first, what happens next, and how the morning goes. In the place of a
 * list without any result.
 */
export function FirstSteps() {
  const keys = useWatch('keys', NOTHING);
  const connects = useAbility('monitoring.sources');
  const acts = useAbility('monitoring.job-actions');
  if (keys === undefined) return null;
  const { source, results } = stepsOf(keys);
  return (
    <section
      aria-label="First steps"
      className="mx-auto grid w-full max-w-[560px] content-center gap-1 overflow-auto px-5 py-8"
    >
      <h2 className="m-0 text-head">First steps</h2>
      <p className="m-0 pb-3 text-ink-2">
        No result has arrived yet. Connect a source in three steps.
      </p>
      <ol className="m-0 list-none border-t-2 border-head-rule p-0">
        <Step n={1} state={source} title="Connect a source">
          {source === 'done' ? (
            <>A key is made. </>
          ) : (
            <>
              Make a key for a company and run one line beside its backup tool: restic, Borg,
              rclone, Kopia, Duplicati, Bacula, or any command.{' '}
            </>
          )}
          {connects ? (
            <Link to="/monitoring/sources" className="text-accent underline underline-offset-2">
              {source === 'done' ? 'See the sources' : 'Connect a source'}
            </Link>
          ) : (
            'An administrator connects the backup tools.'
          )}
        </Step>
        <Step n={2} state={results} title="Results arrive">
          The first run shows here within seconds of its end. A job that stops reporting is shown as
          one that did not run; what is unusual for it is found after seven runs.
        </Step>
        <Step n={3} state="later" title="Clear the list each morning">
          Only problems are listed, the worst first.{' '}
          <span className="hidden pointer-coarse:inline">
            {acts
              ? 'Press the ring beside a result to review it; open it for its log, a note or a snooze.'
              : 'Open one for its log and its history.'}
          </span>
          <span className="pointer-coarse:hidden">
            {acts ? (
              <>
                Go by <Key word="J" /> and <Key word="K" />, review with <Key word="E" />, snooze
                with <Key word="S" />, note with <Key word="N" />. <Key word="?" /> shows all keys.
              </>
            ) : (
              <>
                Go by <Key word="J" /> and <Key word="K" />, open with <Key word="Enter" />.{' '}
                <Key word="?" /> shows all keys.
              </>
            )}
          </span>{' '}
          It works with no network too: changes are sent later, once.
        </Step>
      </ol>
    </section>
  );
}

const NOTHING = {};

const Key = ({ word }: { readonly word: string }) => (
  <>
    <span className="sr-only">{word}</span>
    <Kbd>{word}</Kbd>
  </>
);

const STATES: Readonly<
  Record<StepState, { readonly icon: 'tick' | 'clock' | null; readonly word: string }>
> = {
  done: { icon: 'tick', word: 'done' },
  now: { icon: null, word: 'next' },
  waiting: { icon: 'clock', word: 'waiting' },
  later: { icon: null, word: '' },
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
  const { icon, word } = STATES[state];
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
        {word}
      </span>
    </li>
  );
}
