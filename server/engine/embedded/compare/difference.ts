import type { ComparedItem, ComparedProperty, PropertyName } from '#contract/engine/compare.ts';
import type { ItemFlags } from '#contract/engine/stored-item.ts';
import type { ItemChange } from '../types.ts';

/** One side of a comparison. `folderName`: of the folder with the key `folder`. */
export interface ComparedSide extends ItemChange {
  readonly folderName: string;
}

/**
 * Compares an item version with what Microsoft 365 has now (null: it was deleted). `reads`: whether
 * its title and content may be shown. Moving an item changes its version, so versions that differ
 * say nothing alone. `isEdited`: whether its text was changed, if it was read.
 */
export function getDifference(
  backup: ComparedSide,
  production: ComparedSide | null,
  reads: boolean,
  isEdited?: boolean,
): Pick<ComparedItem, 'state' | 'properties' | 'content' | 'productionBytes'> {
  const isSameProperty = (name: PropertyName): boolean =>
    production === null || !differs(name, backup, production);
  const properties = getNames(backup, reads).map((name): ComparedProperty => ({
    name,
    backup: getValue(backup, name),
    production: production === null ? '' : getValue(production, name),
    isSame: isSameProperty(name),
  }));
  if (production === null)
    return { state: 'deleted', properties, content: 'same', productionBytes: null };
  const content =
    isEdited === undefined ? compareContent(backup, production) : isEdited ? 'changed' : 'same';
  const hasChanged =
    content === 'changed' ||
    getNames(backup, true).some((name) => name !== 'folder' && !isSameProperty(name));
  return {
    state: hasChanged ? 'changed' : isSameProperty('folder') ? 'same' : 'moved',
    properties,
    content: reads ? content : 'hidden',
    productionBytes: production.bytes,
  };
}

/**
 * What both sides have of an item. Exchange doesn't say with each list how large a mail is, so that
 * its sizes can't be compared. Subjects and categories are shown to those who may read.
 */
function getNames({ kind }: ComparedSide, reads: boolean): readonly PropertyName[] {
  switch (kind) {
    case 'file':
      return ['name', 'people', 'folder', 'changed', 'size'];
    case 'row':
      return [...(reads ? (['name'] as const) : []), 'people', 'folder', 'changed'];
    case 'post':
      return [...(reads ? (['name'] as const) : []), 'people', 'folder', 'date'];
    case 'mail':
      return [
        ...(reads ? (['name'] as const) : []),
        'people',
        'folder',
        'date',
        'read',
        'flagged',
        'draft',
        'importance',
        ...(reads ? (['categories'] as const) : []),
      ];
    default:
      return [
        ...(reads ? (['name'] as const) : []),
        ...(kind === 'task' ? (['completed'] as const) : (['people'] as const)),
        'folder',
        // That of a contact is when it was created, also by a restore.
        ...(kind === 'contact' ? [] : (['date', 'importance'] as const)),
        ...(reads ? (['categories'] as const) : []),
      ];
  }
}

function getValue(side: ComparedSide, name: PropertyName): string {
  const { flags } = side;
  switch (name) {
    case 'name':
      return side.title;
    case 'people':
      return side.people;
    case 'folder':
      return side.folderName;
    case 'date':
      return String(side.at);
    case 'changed':
      return String(side.changedAt);
    case 'size':
      return String(side.bytes);
    case 'read':
    case 'completed':
      return String(flags.read === true);
    case 'flagged':
      return String(flags.flagged === true);
    case 'draft':
      return String(flags.draft === true);
    case 'importance':
      return flags.importance ?? 'normal';
    case 'categories':
      return [...(flags.categories ?? [])].sort(byText).join(', ');
  }
}
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function differs(name: PropertyName, backup: ComparedSide, production: ComparedSide): boolean {
  const [before, now] = [getValue(backup, name), getValue(production, name)];
  switch (name) {
    case 'folder':
      // What was created again may be in a folder that was created again, under the same name.
      return (
        production.folder !== backup.folder && (production.key === backup.key || before !== now)
      );
    case 'people':
      // The last author of a file or row doesn't count as a difference: a restore changes it too.
      return backup.kind !== 'file' && backup.kind !== 'row' && before !== now;
    case 'date':
      // A task without a due date has that of its creation.
      if (backup.kind === 'task' && compareContent(backup, production) === 'same') return false;
      return getSecond(before) !== getSecond(now);
    case 'changed':
      // So does when a row was saved.
      if (backup.kind === 'row' && compareContent(backup, production) === 'same') return false;
      // Restores don't put back fractions of a second.
      return getSecond(before) !== getSecond(now);
    default:
      return before !== now;
  }
}
const getSecond = (at: string): number => Math.floor(Number(at) / 1_000);

/**
 * Files, events, contacts, tasks, rows and posts have hashes. A mail has none, nor has a post of an
 * older backup, so that its content is unknown until it is read.
 */
function compareContent(
  backup: ComparedSide,
  production: ComparedSide,
): 'same' | 'changed' | 'unknown' {
  if (production.changeKey === backup.changeKey) return 'same';
  const [before, now] = [getHash(backup.flags), getHash(production.flags)];
  if (before !== null && now !== null) return before === now ? 'same' : 'changed';
  const isUnsized = backup.kind === 'mail' || backup.kind === 'post';
  return isUnsized || backup.bytes === production.bytes ? 'unknown' : 'changed';
}

const getHash = ({ hash }: ItemFlags): string | null => hash ?? null;
