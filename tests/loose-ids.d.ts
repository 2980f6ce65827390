export type { IdChecks } from '#contract/ids.ts';

/** Tests write ids as literals. */
declare module '#contract/ids.ts' {
  interface IdChecks {
    readonly isLoose: true;
  }
}
