import {
  isAnomaly,
  managedCode,
  sourceCode,
  statusCode,
  typeCode,
} from '#contract/runs/columns.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import type { RunsFilter, RunState } from '#contract/runs/query.ts';
import { JOB_TYPES, SOURCES, STATUSES } from '#contract/runs/vocabulary.ts';
import type { JobType, Source, Status } from '#contract/runs/vocabulary.ts';

/** Returns the status in a kind (columns.ts). */
export const getRunStatus = (kind: number): Status => STATUSES[statusCode(kind)] ?? 'Running';
export const getSource = (kind: number): Source => SOURCES[sourceCode(kind)] ?? 'api';
export const getType = (kind: number): JobType =>
  JOB_TYPES[typeCode(kind)] ?? ('Other' satisfies JobType);
export const isManagedKind = (kind: number): boolean | null =>
  [null, false, true][managedCode(kind)] ?? null;
/** Returns the status, or an anomaly for an unusual success. */
export const getState = (kind: number): RunState => {
  const status = getRunStatus(kind);
  return status === 'Success' && isAnomaly(kind) ? 'Anomaly' : status;
};
/**
 * 0 is worst: the order of a list with the worst first. Depends only on the lowest four bits, and
 * repeats for all higher ones.
 */
export const RANK: Uint8Array = repeated(
  Uint8Array.from({ length: 0x10 }, (_, kind) => RUN_STATES.indexOf(getState(kind))),
  0x1_0000,
);

/** Dimensions with a facet, one bit each: a row's mask says which of them it fails. */
export const DIM = {
  states: 1,
  sources: 2,
  types: 4,
  managed: 8,
  companies: 16,
  review: 32,
  kinds: 64,
  causes: 128,
} as const;

/** Returns the mask of a kind under a filter, for the kinds that occur. */
export function kindMasks(filter: RunsFilter, kinds: readonly number[]): Uint8Array | null {
  if (
    filter.states.length + filter.sources.length + filter.types.length === 0 &&
    filter.managed === null
  )
    return null;
  const masks = new Uint8Array(0x1_0000);
  for (const kind of kinds) {
    masks[kind] =
      fails(filter.states, getState(kind), DIM.states) |
      fails(filter.sources, getSource(kind), DIM.sources) |
      fails(filter.types, getType(kind), DIM.types) |
      (filter.managed !== null && filter.managed !== isManagedKind(kind) ? DIM.managed : 0);
  }
  return masks;
}

const fails = <T>(wanted: readonly T[], value: T, dim: number): number =>
  wanted.length > 0 && !wanted.includes(value) ? dim : 0;

function repeated(pattern: Uint8Array, length: number): Uint8Array {
  const all = new Uint8Array(length);
  all.set(pattern);
  for (let known = pattern.length; known < length; known *= 2) all.copyWithin(known, 0, known);
  return all;
}
