import { useMachine } from '@xstate/react';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { fromPromise } from 'xstate';
import type { Ms } from '#contract/ids.ts';
import { rejectedCommandMachine } from '#machines/rejected-command.ts';
import { client } from '../../worker/worker-client.ts';
import { Button } from '../../../ui/button.tsx';
import { formatAge, formatWhen } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import { showFailure } from '../../../ui/toasts.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

export function DialogPart({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="border-t border-rule px-5 py-3">
      <h3 className="m-0 pb-1">{title}</h3>
      <ul className="m-0 list-none p-0">{children}</ul>
    </section>
  );
}

interface AgainProps {
  /** The id of the rejected change, or of its notice. */
  readonly id: string;
  /** Label of the button that discards the change. */
  readonly away: string;
  readonly at: Ms;
  readonly zone: string;
  readonly now: Ms;
}

/** Buttons to retry or discard a rejected change, and when it was made. */
export function Again({ id, away, at, zone, now }: AgainProps) {
  const [state, send] = useRepair(id);
  return (
    <div className="mt-1.5 flex items-center gap-2">
      <Button size="sm" busy={state.matches('retrying')} onClick={() => send({ type: 'RETRY' })}>
        {uiMessages.tryAgain}
      </Button>
      <Button
        size="sm"
        variant="quiet"
        busy={state.matches('discarding')}
        onClick={() => send({ type: 'DISCARD' })}
      >
        {away}
      </Button>
      <span className="ml-auto text-agate text-ink-3" data-tip={formatWhen(at, zone)}>
        {formatAge(at, now)}
      </span>
    </div>
  );
}

/** Removes a notice about a change that another one replaced, or a damaged change. */
export function Dismiss({ id }: { readonly id: string }) {
  const [state, send] = useRepair(id);
  return (
    <Button
      size="sm"
      variant="quiet"
      busy={state.matches('discarding')}
      onClick={() => send({ type: 'DISCARD' })}
    >
      {uiMessages.dismiss}
    </Button>
  );
}

function useRepair(id: string) {
  const [state, send] = useMachine(machine, { input: { id } });
  const { failure } = state.context;
  useEffect(() => {
    if (failure !== null) showFailure(failure.message);
  }, [failure]);
  return [state, send] as const;
}

const machine = rejectedCommandMachine.provide({
  actors: { repair: fromPromise(({ input: { id, how } }) => client().mend(id, how)) },
});

export function SyncProblem({ children }: { readonly children: ReactNode }) {
  return (
    <p className="m-0 flex items-start gap-2.5 border-t border-hair bg-warning-wash px-5 py-2">
      <Icon name="warning" className="mt-px text-warning" />
      <span className="min-w-0 break-words">{children}</span>
    </p>
  );
}
