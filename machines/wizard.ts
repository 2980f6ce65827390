import { assign, fromPromise, setup } from 'xstate';
import type { Failure, Issue } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { bug, getFailure, notProvided } from './refusal.ts';

/** One page of a wizard. Its functions are pure. */
export interface WizardStep<Data> {
  /** Unique in its wizard; the end of the page's address. */
  readonly id: string;
  /** The fields that this step shows. An issue about one of them opens it. */
  readonly fields: readonly (keyof Data & string)[];
  /** Returns what is missing or wrong. An issue's path begins with the name of a field of `Data`. */
  readonly check: (data: Data) => readonly Issue[];
  /** Whether the data makes this step unnecessary. Such a step is neither shown nor checked. */
  readonly skip?: (data: Data) => boolean;
  /** Fields of earlier steps. A change of one of them means that this step must be visited again. */
  readonly dependsOn?: readonly (keyof Data & string)[];
}

export interface WizardDefinition<Data> {
  readonly id: string;
  readonly empty: Data;
  readonly steps: readonly WizardStep<Data>[];
  /** Fields that a draft doesn't contain. */
  readonly secrets?: readonly (keyof Data & string)[];
  /** Returns the data with the fields corrected that an edit made meaningless. */
  readonly adjust?: (data: Data, changes: Partial<Data>) => Data;
}

export interface WizardDraft<Data> {
  readonly data: Partial<Data>;
  readonly step: string;
  readonly visited: readonly string[];
}

export interface WizardContext<Data> {
  readonly data: Data;
  readonly step: string;
  readonly visited: readonly string[];
  /** By step, and only of steps in error. */
  readonly errors: Readonly<Record<string, readonly Issue[]>>;
  /** Whether an existing entity is edited. */
  readonly editing: boolean;
  /** Whether the address named a step. */
  readonly hasAddress: boolean;
  /** The later step that the address named, until the step that fails before it was left. */
  readonly laterStep: string | null;
  /** Whether the data comes from a draft. */
  readonly isRestored: boolean;
  /** Why the last attempt to save failed, if no step explains it. */
  readonly failure: Failure | null;
}

export type WizardEvent<Data> =
  | { readonly type: 'NEXT' }
  | { readonly type: 'BACK' }
  | { readonly type: 'JUMP'; readonly step: string }
  /** An address: opens its step, or the first one that fails. */
  | { readonly type: 'OPEN'; readonly step: string }
  | { readonly type: 'EDIT'; readonly changes: Partial<Data> }
  /** An existing entity to edit. A draft of the same entity stays. */
  | { readonly type: 'LOAD'; readonly data: Data }
  | { readonly type: 'RESET' }
  | { readonly type: 'SAVE' };

/** What the page opened. */
export interface WizardInput<Data> {
  /** The step of the address; null: the first one. */
  readonly step: string | null;
  /** Values to begin with, instead of the empty ones. */
  readonly prefill?: Partial<Data>;
}

/** A draft is saved when nothing was typed for this long. */
export const DRAFT_DELAY_MS: Ms = 400;

/**
 * A wizard. Its steps are pure; the page provides the actors that keep its draft and save it.
 *
 *   reading ─▶ filling ─SAVE─▶ saving ─▶ finishing ─▶ done
 *                │  ▲  ▲──────────┘ refused
 *                │  └─── resetting
 *                └─RESET─▶ ┘
 *
 * In `filling`, the draft is `unchanged`, or after a change: changed ─(400 ms)─▶ storing ─▶ stored
 * or unstored.
 */
export function makeWizardMachine<Data extends object>(definition: WizardDefinition<Data>) {
  type Context = WizardContext<Data>;
  const rules = makeRules(definition);
  return setup({
    types: {
      context: {} as Context,
      events: {} as WizardEvent<Data>,
      input: {} as WizardInput<Data>,
    },
    actors: {
      readDraft: fromPromise<WizardDraft<Data> | null>(notProvided),
      saveDraft: fromPromise<Result<unknown>, WizardDraft<Data>>(notProvided),
      deleteDraft: fromPromise<unknown>(notProvided),
      save: fromPromise<Result<unknown>, { readonly data: Data; readonly editing: boolean }>(
        notProvided,
      ),
    },
    delays: { draftDelay: DRAFT_DELAY_MS },
    guards: {
      passesAll: ({ context }) => rules.firstFailing(context.data) === null,
    },
    actions: {
      go: assign(({ context, event }) => rules.go(context, event)),
      showFirstFailing: assign(({ context }) => rules.showFirstFailing(context)),
      failOnBug: assign(() => ({ failure: bug() })),
    },
  }).createMachine({
    id: definition.id,
    context: ({ input }) => rules.begin(input),
    initial: 'reading',
    states: {
      reading: {
        on: { LOAD: { actions: 'go' }, OPEN: { actions: 'go' } },
        invoke: {
          id: 'readDraft',
          src: 'readDraft',
          onDone: {
            target: 'filling',
            actions: assign(({ context, event }) => rules.restore(context, event.output)),
          },
          // Without a draft, the wizard begins as usual.
          onError: 'filling',
        },
      },
      filling: {
        initial: 'unchanged',
        on: {
          NEXT: { target: '.changed', actions: 'go' },
          BACK: { actions: 'go' },
          JUMP: { target: '.changed', actions: 'go' },
          OPEN: { actions: 'go' },
          LOAD: { actions: 'go' },
          EDIT: { target: '.changed', actions: 'go' },
          RESET: { target: 'resetting', actions: 'go' },
          SAVE: [
            { guard: 'passesAll', target: 'saving', actions: assign({ failure: null }) },
            { actions: 'showFirstFailing' },
          ],
        },
        states: {
          /** Nothing was typed, so that there is nothing to keep. */
          unchanged: { on: { NEXT: { actions: 'go' }, JUMP: { actions: 'go' } } },
          changed: { after: { draftDelay: 'storing' } },
          storing: {
            invoke: {
              id: 'saveDraft',
              src: 'saveDraft',
              input: ({ context }) => rules.getDraft(context),
              onDone: [
                { guard: ({ event }) => event.output.ok, target: 'stored' },
                { target: 'unstored' },
              ],
              onError: 'unstored',
            },
          },
          stored: {},
          unstored: {},
        },
      },
      resetting: {
        invoke: { id: 'reset', src: 'deleteDraft', onDone: 'filling', onError: 'filling' },
      },
      saving: {
        invoke: {
          id: 'save',
          src: 'save',
          input: ({ context: { data, editing } }) => ({ data, editing }),
          onDone: [
            { guard: ({ event }) => event.output.ok, target: 'finishing' },
            {
              target: 'filling.changed',
              actions: assign(({ context, event }) =>
                rules.refuse(context, getFailure(event.output)),
              ),
            },
          ],
          onError: { target: 'filling.changed', actions: 'failOnBug' },
        },
      },
      /** A draft that cannot be deleted now is deleted at sign-out. */
      finishing: {
        invoke: { id: 'finish', src: 'deleteDraft', onDone: 'done', onError: 'done' },
      },
      done: { type: 'final' },
    },
  });
}

/** Where a step is for the user: it says how the list of steps shows it. */
export interface StepView {
  readonly id: string;
  readonly isCurrent: boolean;
  readonly isVisited: boolean;
  readonly issues: readonly Issue[];
}

/** Returns the steps that the data needs, in order. */
export const getStepViews = <Data>(
  { steps }: WizardDefinition<Data>,
  { data, step, visited, errors }: WizardContext<Data>,
): readonly StepView[] =>
  steps
    .filter(({ skip }) => skip?.(data) !== true)
    .map(({ id }) => ({
      id,
      isCurrent: id === step,
      isVisited: visited.includes(id),
      issues: errors[id] ?? [],
    }));

/** Returns the message about a field of the current step, or null. */
export const getIssue = (
  { step, errors }: Pick<WizardContext<unknown>, 'step' | 'errors'>,
  path: string,
): string | null => errors[step]?.find((issue) => issue.path === path)?.message ?? null;

interface Rules<Data> {
  readonly begin: (input: WizardInput<Data>) => WizardContext<Data>;
  readonly go: (
    context: WizardContext<Data>,
    event: WizardEvent<Data>,
  ) => Partial<WizardContext<Data>>;
  readonly restore: (
    context: WizardContext<Data>,
    draft: WizardDraft<Data> | null,
  ) => Partial<WizardContext<Data>>;
  readonly getDraft: (context: WizardContext<Data>) => WizardDraft<Data>;
  /** Returns the id of the first step whose check fails. */
  readonly firstFailing: (data: Data) => string | null;
  readonly showFirstFailing: (context: WizardContext<Data>) => Partial<WizardContext<Data>>;
  readonly refuse: (
    context: WizardContext<Data>,
    failure: Failure | null,
  ) => Partial<WizardContext<Data>>;
}

/** Whether a dotted path is one of these fields, or a part of one. */
const isIn = (fields: readonly string[], path: string): boolean =>
  fields.some((field) => path === field || path.startsWith(`${field}.`));

/** The rules WIZ-1 to WIZ-8, as functions of the context. */
function makeRules<Data extends object>({
  empty,
  steps,
  secrets = [],
  adjust = (data) => data,
}: WizardDefinition<Data>): Rules<Data> {
  type Context = WizardContext<Data>;
  type Change = Partial<Context>;

  const shown = (data: Data): readonly WizardStep<Data>[] =>
    steps.filter(({ skip }) => skip?.(data) !== true);
  const getFirst = (data: Data): string => shown(data)[0]?.id ?? '';
  const failing = (among: readonly WizardStep<Data>[], data: Data): WizardStep<Data> | undefined =>
    among.find(({ check }) => check(data).length > 0);

  /** Opens a step that failed, in error. */
  const fail = ({ data, errors }: Context, { id, check }: WizardStep<Data>): Change => ({
    step: id,
    errors: { ...errors, [id]: check(data) },
  });
  const visit = (
    { visited, errors }: Context,
    step: string,
    passed: readonly string[],
  ): Change => ({
    step,
    visited: [...new Set([...visited, ...passed, step])],
    errors: Object.fromEntries(Object.entries(errors).filter(([id]) => !passed.includes(id))),
  });

  function next(context: Context): Change {
    const path = shown(context.data);
    const at = path.findIndex(({ id }) => id === context.step);
    const current = path[at];
    if (!current) return visit(context, getFirst(context.data), []);
    if (failing([current], context.data)) return fail(context, current);
    const following = path[at + 1];
    return following ? visit(context, following.id, [current.id]) : {};
  }

  function back(context: Context): Change {
    const path = shown(context.data);
    const before = path[path.findIndex(({ id }) => id === context.step) - 1];
    return before ? { step: before.id } : {};
  }

  function jump(context: Context, target: string): Change {
    const path = shown(context.data);
    const from = path.findIndex(({ id }) => id === context.step);
    const to = path.findIndex(({ id }) => id === target);
    if (to < 0 || to === from) return {};
    if (to < from) return { step: target };
    const between = path.slice(Math.max(from, 0), to);
    const wrong = failing(between, context.data);
    if (wrong) return fail(context, wrong);
    return context.visited.includes(target)
      ? visit(
          context,
          target,
          between.map(({ id }) => id),
        )
      : {};
  }

  /** Steps before the one of an address need not have been visited, but they must pass. */
  function open(context: Context, target: string): Change {
    const path = shown(context.data);
    const to = path.findIndex(({ id }) => id === target);
    const before = path.slice(0, Math.max(to, 0));
    const wrong = failing(before, context.data);
    const step = wrong?.id ?? (to < 0 ? getFirst(context.data) : target);
    const passed = path.slice(
      0,
      path.findIndex(({ id }) => id === step),
    );
    const isKnown = steps.some(({ id }) => id === target);
    return {
      ...visit(
        context,
        step,
        passed.map(({ id }) => id),
      ),
      laterStep: isKnown && step !== target ? target : null,
    };
  }

  function edit(context: Context, changes: Partial<Data>): Change {
    const data = adjust({ ...context.data, ...changes }, changes);
    const names = (Object.keys(data) as (keyof Data & string)[]).filter(
      (name) => data[name] !== context.data[name],
    );
    const unsure = steps
      .filter(({ dependsOn }) => dependsOn?.some((name) => names.includes(name)) === true)
      .map(({ id }) => id);
    return {
      data,
      failure: null,
      errors: Object.fromEntries(
        Object.entries(context.errors)
          .map(([id, issues]) => [id, issues.filter(({ path }) => !isIn(names, path))] as const)
          .filter(([, issues]) => issues.length > 0),
      ),
      visited: context.visited.filter((id) => !unsure.includes(id) || id === context.step),
    };
  }

  const load = (context: Context, data: Data): Change => {
    const loaded = {
      data: context.isRestored ? context.data : data,
      editing: true,
      errors: {},
      visited: steps.map(({ id }) => id),
    };
    return { ...loaded, ...open({ ...context, ...loaded }, context.laterStep ?? context.step) };
  };

  const cleared = (): Context => ({
    data: empty,
    step: getFirst(empty),
    visited: [getFirst(empty)],
    errors: {},
    editing: false,
    hasAddress: false,
    laterStep: null,
    isRestored: false,
    failure: null,
  });

  function go(context: Context, event: WizardEvent<Data>): Change {
    const change = react(context, event);
    return change.step === undefined || change.step === context.step
      ? change
      : { laterStep: null, ...change };
  }

  function react(context: Context, event: WizardEvent<Data>): Change {
    switch (event.type) {
      case 'NEXT':
        return next(context);
      case 'BACK':
        return back(context);
      case 'JUMP':
        return jump(context, event.step);
      case 'OPEN':
        return open(context, event.step);
      case 'EDIT':
        return edit(context, event.changes);
      case 'LOAD':
        return load(context, event.data);
      case 'RESET':
        return cleared();
      case 'SAVE':
        return {};
    }
  }

  const showFirstFailing = (context: Context): Change => {
    const wrong = failing(shown(context.data), context.data);
    return wrong ? fail(context, wrong) : {};
  };

  return {
    begin: ({ step, prefill }) => {
      const context = { ...cleared(), data: { ...empty, ...prefill } };
      return step === null ? context : { ...context, step, hasAddress: true };
    },
    go,
    restore: (context, draft) => {
      if (draft === null) return open(context, context.step);
      const restored = {
        ...context,
        data: { ...context.data, ...draft.data },
        visited: [...new Set([...context.visited, ...draft.visited])],
        isRestored: true,
      };
      return { ...restored, ...open(restored, context.hasAddress ? context.step : draft.step) };
    },
    getDraft: ({ data, step, visited }) => ({
      data: Object.fromEntries(
        Object.entries(data).filter(([name]) => !(secrets as readonly string[]).includes(name)),
      ) as Partial<Data>,
      step,
      visited,
    }),
    firstFailing: (data) => failing(shown(data), data)?.id ?? null,
    showFirstFailing,
    refuse: (context, failure) => {
      const issues = failure?.kind === 'bad-input' ? failure.issues : [];
      const errors = Object.fromEntries(
        shown(context.data)
          .map(({ id, fields }) => [id, issues.filter(({ path }) => isIn(fields, path))] as const)
          .filter(([, found]) => found.length > 0),
      );
      const wrong = shown(context.data).find(({ id }) => Object.hasOwn(errors, id));
      return wrong ? { step: wrong.id, failure: null, errors } : { failure };
    },
  };
}
