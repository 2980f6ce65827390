import type { Event } from '#contract/events.ts';
import type { RowId } from '#contract/fold.ts';
import type { CauseN, JobN, RunN } from '#contract/ids.ts';
import type { Tables } from '#contract/tables.ts';
import type { EventMeta } from '../../platform/db/store.ts';
import { type Folded, makeFolding } from '../../platform/events/folding.ts';
import type { Lookup } from '../../platform/events/projection.ts';
import { validateEvent } from '../../platform/events/validate-events.ts';

/** The tables that decisions read and change. */
const DECISION_TABLES = ['job', 'stat', 'run', 'problem', 'cause', 'key'] as const;
type DecisionTable = (typeof DECISION_TABLES)[number];
type DecisionRows = { readonly [T in DecisionTable]: Lookup<RowId, Tables[T]> };

/** The numbers of rows, by their names. */
interface Names {
  readonly jobByUid: Lookup<string, JobN>;
  readonly runByUid: Lookup<string, RunN>;
  /** `<job> <start>` of posted runs; missed runs are never included. */
  readonly runByStart: Lookup<string, RunN>;
  readonly causeByName: Lookup<string, CauseN>;
}
const NAMES = ['jobByUid', 'runByUid', 'runByStart', 'causeByName'] as const;
export type NameMaps = { readonly [N in keyof Names]: Map<string, number> };

/** The next free number of each kind. */
export type NextNumbers = Readonly<Record<'job' | 'run' | 'problem' | 'cause', number>>;

/** What a decision reads. No decision changes it. */
export interface DecisionState extends DecisionRows, Names {
  /** The logs of running runs. */
  readonly logged: Lookup<RunN, string>;
  readonly next: NextNumbers;
}

/** Decided events, each folded once, and the state after them. */
export interface DecidedResults {
  readonly folded: Folded;
  /** It reads from the state before what the decision did not change. */
  readonly state: DecisionState;
  /** The names that the decision gave. */
  readonly names: NameMaps;
  /** How many new numbers the events use. */
  readonly taken: NextNumbers;
}

/** A decision in progress. What it reads includes what it has decided so far. */
export interface Deciding extends DecisionRows, Pick<DecisionState, 'logged'> {
  readonly jobByUid: NameTable;
  readonly runByUid: NameTable;
  readonly runByStart: NameTable;
  readonly causeByName: NameTable;
  readonly next: { -readonly [N in keyof NextNumbers]: number };
  /** Adds an event by `by`, or by the author of the decision, and folds it. */
  emit(company: number | null, entity: string, event: Event, by?: EventMeta): void;
  readonly decided: () => DecidedResults;
}

interface NameTable extends Lookup<string, number> {
  set(name: string, n: number): void;
}

/** Begins a decision. It changes nothing of `before`. */
export function makeDeciding(before: DecisionState, author: EventMeta): Deciding {
  const tables = Object.fromEntries(
    DECISION_TABLES.map((name) => [name, before[name]]),
  ) as unknown as DecisionRows;
  const { rows, folded, add } = makeFolding(tables);
  const names = Object.fromEntries(NAMES.map((name) => [name, new Map()])) as unknown as NameMaps;
  const next = { ...before.next };
  const readable = {
    ...(rows as DecisionRows),
    ...(Object.fromEntries(
      NAMES.map((name) => [name, overlay(before[name], names[name])]),
    ) as unknown as Record<keyof Names, NameTable>),
    logged: before.logged,
    next,
  };
  return {
    ...readable,
    emit(company, entity, event, by = author) {
      add(validateEvent({ event, company, entity }), by);
    },
    decided: () => ({
      folded,
      names,
      state: { ...readable, next: { ...next } },
      taken: {
        job: next.job - before.next.job,
        run: next.run - before.next.run,
        problem: next.problem - before.next.problem,
        cause: next.cause - before.next.cause,
      },
    }),
  };
}

const overlay = (before: Lookup<string, number>, own: Map<string, number>): NameTable => ({
  get: (name) => own.get(name) ?? before.get(name),
  set: (name, n) => void own.set(name, n),
});

/** Adds names to maps that later decisions are made from. */
export function addNames(to: NameMaps, names: NameMaps): void {
  for (const kind of NAMES) for (const [name, n] of names[kind]) to[kind].set(name, n);
}
