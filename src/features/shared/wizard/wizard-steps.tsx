import { useSelector } from '@xstate/react';
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { getStepViews } from '#machines/wizard.ts';
import type { StepView, WizardDefinition } from '#machines/wizard.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { focusFirstError } from '#src/ui/form-errors.ts';
import { Icon } from '#src/ui/icon.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { WizardActor } from './use-wizard.ts';
import { useOpened } from './wizard-page.tsx';
import { wizardMessages as t } from './messages.en.ts';

export interface WizardStepsProps<Data extends object> {
  readonly actor: WizardActor<Data>;
  readonly definition: WizardDefinition<Data>;
  /** Beside the title of the page. */
  readonly detail: string;
  /** The heading of a step, and what was entered there, in a few words. */
  readonly getLabel: (
    step: string,
    data: Data,
  ) => { readonly title: string; readonly below: string };
  /** The button of the last step. */
  readonly saveLabel: string;
  /** Beside the buttons: what the entries amount to. */
  readonly aside?: ReactNode;
  /** Whether the current step lets the user continue: a device code must be entered first. */
  readonly mayContinue?: boolean;
  /** The fields of the current step. */
  readonly children: ReactNode;
}

/** The steps of a wizard at the left, the current one with its fields, and the way on below. */
export function WizardSteps<Data extends object>({
  actor,
  definition,
  detail,
  getLabel,
  saveLabel,
  aside,
  mayContinue = true,
  children,
}: WizardStepsProps<Data>) {
  const context = useSelector(actor, (snapshot) => snapshot.context);
  const isReading = useSelector(actor, (snapshot) => snapshot.matches('reading'));
  const isSaving = useSelector(
    actor,
    (snapshot) => snapshot.matches('saving') || snapshot.matches('finishing'),
  );
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const form = useRef<HTMLFormElement>(null);
  const { data, step, laterStep, isRestored, failure } = context;
  const views = getStepViews(definition, context);
  const at = views.findIndex(({ isCurrent }) => isCurrent);
  const following = views[at + 1];
  const label = getLabel(step, data);

  const goOn = useEffectEvent((): void => {
    if (isSaving || !mayContinue || (following === undefined && offline)) return;
    actor.send({ type: following === undefined ? 'SAVE' : 'NEXT' });
    focusFirstErrorValue(form.current);
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        goOn();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  useOpened(!isReading, detail);

  if (isReading) return null;
  return (
    <div className="grid h-full min-w-0 grid-rows-[auto_minmax(0,1fr)] desk:grid-cols-[240px_minmax(0,1fr)] desk:grid-rows-1">
      <Rail actor={actor} views={views} getLabel={(id) => getLabel(id, data)} />
      <form
        ref={form}
        noValidate
        aria-label={label.title}
        className="grid min-h-0 min-w-0 grid-rows-[minmax(0,1fr)_auto] bg-sheet"
        onSubmit={(event) => {
          event.preventDefault();
          goOn();
        }}
      >
        <div className="min-h-0 overflow-auto px-4 pt-5 pb-6 tablet:px-8">
          <StepHeading key={step}>{label.title}</StepHeading>
          <div className="grid max-w-[960px] grid-cols-[minmax(0,1fr)] gap-4">
            {laterStep !== null && <Callout tone="running">{t.laterStep}</Callout>}
            {isRestored && (
              <Callout
                tone="running"
                action={
                  <Button size="sm" onClick={() => actor.send({ type: 'RESET' })}>
                    {t.startOver}
                  </Button>
                }
              >
                {t.restored}
              </Callout>
            )}
            {failure !== null && (
              <Callout tone="failed" alert>
                {getFailureText(failure)}
              </Callout>
            )}
            {children}
          </div>
        </div>
        <div className="flex min-h-14 flex-wrap items-center gap-2 border-t border-rule bg-paper px-4 py-2 tablet:px-8">
          {at > 0 && <Button onClick={() => actor.send({ type: 'BACK' })}>{ui.back}</Button>}
          <div className="min-w-0 grow px-2 text-agate text-ink-2 not-empty:basis-40">
            {offline ? t.offline : aside}
          </div>
          <Button
            type="submit"
            variant="primary"
            keycap={IS_MAC ? '⌘↵' : 'Ctrl Enter'}
            busy={isSaving}
            disabled={!mayContinue || (following === undefined && offline)}
            {...(following === undefined && offline && { 'data-tip': MESSAGES.needsNetwork })}
          >
            {following === undefined
              ? saveLabel
              : t.next({ step: getLabel(following.id, data).title })}
          </Button>
        </div>
      </form>
    </div>
  );
}

/**
 * Takes the focus when its step opens, so that screen readers announce it. On a slow device the
 * router hides the page for a moment, and with it the focus: a layout effect runs again after that.
 */
function StepHeading({ children }: { readonly children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []);
  return (
    <h2 ref={heading} tabIndex={-1} className="m-0 mb-4 text-head outline-none">
      {children}
    </h2>
  );
}

/** The steps. Those that were visited are links; on a phone, only the current one is shown. */
function Rail<Data extends object>({
  actor,
  views,
  getLabel,
}: {
  readonly actor: WizardActor<Data>;
  readonly views: readonly StepView[];
  readonly getLabel: (step: string) => { readonly title: string; readonly below: string };
}) {
  const isStored = useSelector(actor, (snapshot) => snapshot.matches({ filling: 'stored' }));
  const isUnstored = useSelector(actor, (snapshot) => snapshot.matches({ filling: 'unstored' }));
  const at = views.findIndex(({ isCurrent }) => isCurrent);
  return (
    <nav
      aria-label={t.steps}
      className="border-b border-hair bg-paper px-4 py-2 desk:overflow-auto desk:border-r desk:border-b-0 desk:py-5"
    >
      <p className="m-0 text-agate text-ink-2 desk:hidden">
        {t.stepOf({ step: at + 1, count: views.length })}
      </p>
      <ol className="m-0 grid list-none p-0 max-desk:hidden">
        {views.map((view, i) => {
          const { title, below } = getLabel(view.id);
          const [issue] = view.issues;
          const isOpen = view.isVisited || i < at;
          return (
            <li
              key={view.id}
              className="border-hair not-first:border-t has-aria-[current=step]:border-transparent"
            >
              <button
                type="button"
                {...(view.isCurrent && { 'aria-current': 'step' as const })}
                {...(!isOpen && !view.isCurrent && { 'aria-disabled': true })}
                className="grid min-h-15 w-full grid-cols-[28px_minmax(0,1fr)] gap-3 rounded-part p-2 text-left aria-disabled:cursor-not-allowed aria-[current=step]:bg-sheet aria-[current=step]:shadow-[inset_0_0_0_1px_var(--rule),inset_3px_0_0_var(--accent)]"
                onClick={() => isOpen && actor.send({ type: 'JUMP', step: view.id })}
              >
                <StepMark view={view} number={i + 1} isOpen={isOpen} />
                <span className="min-w-0">
                  <span
                    className={`block pt-1 leading-5 break-words ${isOpen || view.isCurrent ? 'font-semibold' : 'text-ink-3'}`}
                  >
                    {title}
                  </span>
                  <span
                    className={`block truncate text-agate ${issue ? 'text-failed' : 'text-ink-3'}`}
                  >
                    {issue?.message ?? below}
                  </span>
                </span>
              </button>
            </li>
          );
        })}
      </ol>
      <output
        className={`block text-agate desk:mt-4 desk:border-t desk:border-hair desk:px-2 desk:pt-3 ${isUnstored ? 'text-warning' : 'text-ink-2'}`}
      >
        {isStored ? t.draftStored : isUnstored ? t.draftUnstored : ''}
      </output>
    </nav>
  );
}

function StepMark({
  view: { isCurrent, isVisited, issues },
  number,
  isOpen,
}: {
  readonly view: StepView;
  readonly number: number;
  readonly isOpen: boolean;
}) {
  if (issues.length > 0)
    return (
      <span className="grid size-7 place-items-center text-failed">
        <Icon name="failed" size={20} label={t.stepInError} />
      </span>
    );
  if (isCurrent)
    return (
      <span className="grid size-7 place-items-center rounded-full bg-accent font-semibold text-on-accent">
        {number}
      </span>
    );
  return (
    <span className={`grid size-7 place-items-center ${isVisited ? 'text-accent' : 'text-ink-3'}`}>
      <Icon
        name={isVisited || isOpen ? 'tick' : 'lock'}
        size={isVisited ? 20 : 16}
        label={isOpen ? t.stepDone : t.stepAhead}
      />
    </span>
  );
}

/** Errors appear with the next render. */
const focusFirstErrorValue = (form: HTMLElement | null): void => {
  if (form) focusFirstError(form, 3);
};

const IS_MAC = /mac|iphone|ipad/i.test(navigator.userAgent);
const EMPTY = {};
