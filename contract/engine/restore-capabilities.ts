import type { EngineKind, Workload } from './engine.ts';

/**
 * What of restoring an engine offers. Screens disable the rest with the reason, and the engine refuses
 * it.
 */
export interface RestoreCapabilities {
  readonly workloads: readonly Workload[];
  /** Search over all restore points. */
  readonly search: boolean;
  /** The items of a folder by part of their names, and in another order. */
  readonly filters: boolean;
  readonly versions: boolean;
  /** Which restore points have an item, and whether a mail was read. */
  readonly history: boolean;
  readonly compare: boolean;
  readonly restore: boolean;
  /** Restores are tried first, and undone. */
  readonly dryRun: boolean;
  /** What of the items is restored to their original location, and with which options. */
  readonly choices: boolean;
  /** Restores to other organizations. */
  readonly otherOrganizations: boolean;
  /** Items of several places restored or downloaded together. */
  readonly basket: boolean;
  readonly download: boolean;
}

export const RESTORE_CAPABILITIES: Readonly<Record<EngineKind, RestoreCapabilities>> = {
  embedded: {
    workloads: ['outlook', 'onedrive', 'sharepoint', 'teams'],
    search: true,
    filters: true,
    versions: true,
    history: true,
    compare: true,
    restore: true,
    dryRun: true,
    choices: true,
    otherOrganizations: true,
    basket: true,
    download: true,
  },
  vb365: {
    workloads: ['outlook', 'onedrive'],
    search: false,
    filters: false,
    versions: false,
    history: false,
    compare: false,
    restore: true,
    dryRun: false,
    choices: false,
    otherOrganizations: false,
    basket: false,
    download: false,
  },
};
