import { useRouter } from '@tanstack/react-router';
import { useActorRef, useSelector } from '@xstate/react';
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import { fromPromise } from 'xstate';
import type { ActorRefFrom } from 'xstate';
import type { Result } from '#contract/result.ts';
import type { makeWizardMachine, WizardDraft, WizardInput } from '#machines/wizard.ts';
import { client } from '#src/app/worker/worker-client.ts';

export type WizardMachine<Data extends object> = ReturnType<typeof makeWizardMachine<Data>>;
export type WizardActor<Data extends object> = ActorRefFrom<WizardMachine<Data>>;

export interface UseWizard<Data extends object> extends WizardInput<Data> {
  /** Made once, outside of components. */
  readonly machine: WizardMachine<Data>;
  /** The name of its draft on this device. */
  readonly draft: string;
  /** An existing entity to edit, once it is known; null: a new one. */
  readonly loaded: Data | null;
  readonly save: (data: Data, editing: boolean) => Promise<Result<unknown>>;
  readonly onDone: () => void;
  /** Returns the address of a step. */
  readonly getPath: (step: string) => string;
}

/**
 * Runs a wizard on a page. The address has its step: going back in the browser goes back in the
 * wizard, and an address opens its step or the first one that fails (WIZ-9): the address of a later
 * step stays until the user continues.
 */
export function useWizard<Data extends object>({
  machine,
  draft,
  step,
  prefill,
  loaded,
  save,
  onDone,
  getPath: getAddress,
}: UseWizard<Data>): WizardActor<Data> {
  const { history } = useRouter();
  const actor = useActorRef(
    machine.provide({
      actors: {
        readDraft: fromPromise(() => readDraft<Data>(draft)),
        saveDraft: fromPromise<Result<unknown>, WizardDraft<Data>>(({ input }) =>
          client().saveDraft(draft, input),
        ),
        deleteDraft: fromPromise<unknown>(() => client().deleteDraft(draft)),
        save: fromPromise<Result<unknown>, { readonly data: Data; readonly editing: boolean }>(
          ({ input }) => save(input.data, input.editing),
        ),
      },
    }),
    { input: { step, ...(prefill && { prefill }) } },
  );
  const current = useSelector(actor, ({ context }) => context.step);
  const laterStep = useSelector(actor, ({ context }) => context.laterStep);
  const isOpen = useSelector(actor, (snapshot) => !snapshot.matches('reading'));
  const isDone = useSelector(actor, ({ status }) => status === 'done');

  // Also after a reset, which would otherwise turn an edit into a new entity.
  const mayLoad = useSelector(
    actor,
    (snapshot) => snapshot.matches('filling') && !snapshot.context.editing,
  );
  useEffect(() => {
    if (loaded !== null && mayLoad) actor.send({ type: 'LOAD', data: loaded });
  }, [actor, loaded, mayLoad]);

  // Before the router renders it: who goes on and back at once ends where it has rendered already.
  const address = useSyncExternalStore(history.subscribe, () => history.location.href);
  // Where the address and the wizard last agreed; null until they first did.
  const agreed = useRef<{ readonly address: string; readonly step: string } | null>(null);
  useEffect(() => {
    if (!isOpen || isDone) return;
    const isAddress = (id: string): boolean =>
      history.location.pathname === getAddress(id).split('?')[0];
    const last = agreed.current;
    if (last === null) {
      agreed.current = { address: laterStep ?? current, step: current };
      if (step !== agreed.current.address) history.replace(getAddress(agreed.current.address));
      return;
    }
    if (isAddress(last.address)) {
      // The router renders an address after it has changed: `step` may still be the previous one.
      if (last.step === current) return;
      if (last.address !== last.step && last.address !== current) {
        history.replace(getAddress(last.step));
        // Otherwise the router would do both at once, and the replaced address would be lost.
        history.flush();
      }
      if (last.address !== current) history.push(getAddress(current));
    } else if (step === null) {
      history.push(getAddress(current));
    } else if (isAddress(step)) {
      // The browser went back or forward.
      if (step !== current) actor.send({ type: 'JUMP', step });
      const reached = actor.getSnapshot().context.step;
      if (reached !== step) history.replace(getAddress(reached));
      agreed.current = { address: reached, step: reached };
      return;
    } else return;
    agreed.current = { address: current, step: current };
    // eslint-disable-next-line react/exhaustive-deps -- `address` says that the history has changed
  }, [actor, history, getAddress, step, current, laterStep, isOpen, isDone, address]);

  const finish = useEffectEvent(onDone);
  useEffect(() => {
    if (isDone) finish();
  }, [isDone]);
  return actor;
}

async function readDraft<Data>(name: string): Promise<WizardDraft<Data> | null> {
  const read = await client().readDraft(name);
  return read.ok && isDraft<Data>(read.value) ? read.value : null;
}

/** An older build may have stored another format. */
const isDraft = <Data>(value: unknown): value is WizardDraft<Data> =>
  typeof value === 'object' &&
  value !== null &&
  'data' in value &&
  typeof value.data === 'object' &&
  'step' in value &&
  typeof value.step === 'string' &&
  'visited' in value &&
  Array.isArray(value.visited);
