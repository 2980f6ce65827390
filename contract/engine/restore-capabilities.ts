import type { DownloadFormat } from './downloads.ts';
import type { EngineKind, ItemKind, Workload } from './engine.ts';

/**
 * What of restoring an engine offers. Screens disable the rest with the reason, and the engine refuses
 * it.
 */
export interface RestoreCapabilities {
  readonly workloads: readonly Workload[];
  /** Search over all restore points. */
  readonly search: boolean;
  /** The items of a folder in another order. */
  readonly sorts: boolean;
  /** Items whose versions are listed. */
  readonly versions: readonly ItemKind[];
  /** Which restore points have an item, and whether a mail was read. */
  readonly history: boolean;
  readonly compare: boolean;
  readonly restore: boolean;
  /** The sign-in for a restore makes an application that ends with the session. */
  readonly temporaryApplication: boolean;
  /** Restores are tried first, and undone. */
  readonly dryRun: boolean;
  /** What failed of a restore is restored again. */
  readonly retry: boolean;
  /** What of the items is restored to their original location, and with which options. */
  readonly choices: boolean;
  /** Restores to other organizations. */
  readonly otherOrganizations: boolean;
  /** Items of several places restored or downloaded together. */
  readonly basket: boolean;
  /** Posts are restored one by one. */
  readonly restorePosts: boolean;
  /** Channels and tabs are downloaded. */
  readonly saveChannels: boolean;
  /** The formats of downloads of mails, and of whole mailboxes and folders of them. */
  readonly mailFormats: { readonly items: MailFormats; readonly folders: MailFormats };
  /** Downloads can be sent at once. If not, all are made in the background. */
  readonly downloadsNow: boolean;
}

/** The first is that of a request without a format. */
type MailFormats = readonly [DownloadFormat, ...DownloadFormat[]];

export const RESTORE_CAPABILITIES: Readonly<Record<EngineKind, RestoreCapabilities>> = {
  embedded: {
    workloads: ['outlook', 'onedrive', 'sharepoint', 'teams'],
    search: true,
    sorts: true,
    versions: ['mail', 'event', 'contact', 'task', 'note', 'file', 'row', 'post', 'tab'],
    history: true,
    compare: true,
    restore: true,
    temporaryApplication: true,
    dryRun: true,
    retry: true,
    choices: true,
    otherOrganizations: true,
    basket: true,
    restorePosts: true,
    saveChannels: true,
    mailFormats: { items: ['zip', 'pst', 'mbox', 'msg'], folders: ['zip', 'pst', 'mbox', 'msg'] },
    downloadsNow: true,
  },
  vb365: {
    workloads: ['outlook', 'onedrive', 'sharepoint', 'teams'],
    search: false,
    sorts: false,
    versions: ['file', 'row'],
    history: false,
    compare: false,
    restore: true,
    temporaryApplication: false,
    dryRun: false,
    retry: false,
    choices: false,
    otherOrganizations: false,
    basket: false,
    restorePosts: false,
    saveChannels: false,
    mailFormats: { items: ['msg', 'pst'], folders: ['pst'] },
    downloadsNow: false,
  },
};
