import type { OutputOf } from '#contract/calls.ts';

export type Version = OutputOf<'listItemVersions'>['rows'][number];

/** When Microsoft 365 got a version of its history; of another, the last restore point that has it. */
export const getVersionMoment = ({ version, at, seen }: Version): number =>
  version === null || at === null ? seen.last : at;
