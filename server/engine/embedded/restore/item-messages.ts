import type { StoredItem } from '../types.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import type { TaskItem } from './running-task.ts';

// What a restore says of its items.

export const getCreated = (one: TaskItem): string =>
  withNumber(one.state === 'writing-copy' && !isOlder(one) ? t.keptBoth : t.created, one);

/** Says which name an item gets if another one of the restore has its own, or why it is beside a newer version. */
export const withNumber = (message: string, one: TaskItem): string =>
  one.isNumbered === true
    ? t.numbered({ message, name: one.item.title })
    : isOlder(one)
      ? t.besideNewer({ message })
      : message;

const isOlder = ({ item, versions }: TaskItem): boolean =>
  versions !== undefined && versions.indexOf(item.n) > 0;

/** Says under which other name a file is replaced. */
export const withOtherName = (
  message: string,
  name: string | undefined,
  { title }: StoredItem,
  say: typeof t.hasOtherName,
): string => (name === undefined || name === title ? message : say({ message, name }));
