import type { IconName } from '#src/ui/icon.tsx';
import type { ContainerNode, ItemNode } from './workload.ts';
import { treeMessages } from './tree/messages.en.ts';

export const containerIcon = ({ kind, holds }: ContainerNode): IconName =>
  (holds === undefined ? KIND_ICONS[kind] : HOLDS_ICONS[holds]) as IconName;
const HOLDS_ICONS = {
  calendars: 'calendar',
  contacts: 'users',
  tasks: 'daily-checks',
  files: 'folder',
  tabs: 'folder',
};
const KIND_ICONS: Readonly<Record<ContainerNode['kind'], string>> = {
  mailbox: 'person',
  archive: 'archive',
  drive: 'cloud',
  folder: 'folder',
  dir: 'folder',
  site: 'companies',
  subsites: 'companies',
  content: 'folder',
  library: 'folder',
  list: 'sheet',
  team: 'users',
  channel: 'folder',
};

/** Mailboxes, drives, sites and teams are backed up on their own. */
export const isObject = ({ kind }: ContainerNode): boolean =>
  kind === 'mailbox' ||
  kind === 'archive' ||
  kind === 'drive' ||
  kind === 'site' ||
  kind === 'team';

/** The mailbox, drive, site or team that the last node of a path belongs to. */
export const getObject = (chain: readonly [ContainerNode, ...ContainerNode[]]): ContainerNode =>
  chain.findLast(isObject) ?? chain[0];

/** The nodes below a site that only sort what is there. */
export const isGroup = ({ kind }: ContainerNode): boolean =>
  kind === 'subsites' || kind === 'content';

/** The archive of a mailbox has the mailbox's name. */
export const containerName = ({ kind, name }: Pick<ContainerNode, 'kind' | 'name'>): string =>
  kind === 'archive' ? treeMessages.archive({ name }) : name;

export const itemIcon = ({ kind }: Pick<ItemNode, 'kind'>): IconName =>
  ({
    mail: 'mail',
    event: 'calendar',
    contact: 'users',
    task: 'daily-checks',
    note: 'note',
    file: 'file',
    row: 'sheet',
    post: 'note',
    tab: 'external',
    settings: 'settings',
  })[kind] as IconName;
