import type { ItemOutcome, RestoreInput } from '#contract/engine/engine.ts';
import { getNames, isMeeting, type Thing, type TenantView, toFolder } from './tenant-view.ts';

// What a restore has to do, by its documented rules (RES-1 to RES-4, RES-21): slow, and over whole copies.

/** A chosen item, and where it goes. */
export interface Wanted {
  readonly thing: Thing;
  readonly object: string;
  readonly place: string;
}
export type Terms = Pick<RestoreInput, 'select' | 'onConflict' | 'flags'>;

/** A chosen folder in which the restore point had nothing. */
export interface WantedFolder {
  readonly object: string;
  readonly path: readonly string[];
}

export interface Expected {
  readonly view: TenantView;
  /** How many empty folders the target lacks. */
  readonly newFolders: number;
  /** Name and outcome of each item. */
  readonly outcomes: readonly string[];
}

/** The names of a file and its copies beside it. */
export const getCopyName = (name: string, n: number): string => {
  if (n === 0) return name;
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)} ${n}${name.slice(dot)}` : `${name} ${n}`;
};

const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

export function expectRestore(
  before: TenantView,
  wanted: readonly Wanted[],
  empty: readonly WantedFolder[],
  terms: Terms,
): Expected {
  let things = [...before.things];
  const folders = new Set(before.folders);
  const outcomes: string[] = [];
  let count = 0;
  // What is replaced under another name gives that name up. Nobody else's work can change what is found.
  const givesNames = terms.onConflict === 'replace' && terms.select !== 'missing';
  const findFile = ({ thing, object, place }: Wanted): Thing | null => {
    const here = before.things.filter(
      (one) => one.object === object && one.place === place && one.kind === 'file',
    );
    const own = here.find(({ id }) => id === thing.id) ?? null;
    // Who has the name, whose own name another one has, and so on.
    const row = new Set([thing.id]);
    for (let name = thing.name; ;) {
      const named = here.find((one) => isSameName(one.name, name));
      if (named === undefined || row.has(named.id)) return own;
      const item = wanted.find(
        (one) => one.thing.id === named.id && one.object === object && one.place === place,
      );
      // One that isn't restored keeps the name, and all others of the row are replaced where they are.
      if (item === undefined) return here.find((one) => isSameName(one.name, thing.name)) ?? null;
      row.add(named.id);
      ({ name } = item.thing);
    }
  };
  for (const { thing, object, place } of wanted) {
    const here = things.filter(
      (one) => one.object === object && one.place === place && one.kind === thing.kind,
    );
    const found =
      givesNames && thing.kind === 'file' ? findFile({ thing, object, place }) : find(here, thing);
    const end = (outcome: ItemOutcome): void => {
      outcomes.push(`${thing.name}: ${outcome}`);
    };
    const isCopy = (one: Thing): boolean =>
      one.id !== thing.id && thing.core !== '' && one.core === thing.core;
    const isSame = (one: Thing): boolean =>
      (one.name === thing.name && one.content === thing.content) || isCopy(one);
    const isInDeleted = place.startsWith('["Deleted Items"') && thing.kind === 'mail';
    if (terms.flags.excludeDrafts && thing.isDraft) end('skipped');
    else if (terms.flags.excludeDeletedItems && isInDeleted) end('skipped');
    else if (found !== null && isSame(found)) end('skipped');
    else if (found === null ? terms.select === 'changed' : terms.select === 'missing')
      end('skipped');
    else if (found !== null && terms.onConflict === 'skip') end('skipped');
    // ENG-71
    else if (found !== null && isMeeting(before, found, object) && terms.onConflict === 'replace')
      end('failed');
    else {
      const isBeside = found !== null && terms.onConflict === 'keep-both';
      if (isBeside && here.some(isSame)) {
        end('skipped');
        continue;
      }
      const names = here.map(({ name }) => name);
      let name = thing.name;
      if (isBeside && thing.kind === 'file') {
        const hasCopy = (n: number): boolean =>
          here.some(
            (one) =>
              one !== found &&
              isSameName(one.name, getCopyName(thing.name, n)) &&
              one.content === thing.content,
          );
        let n = 0;
        while (names.some((one) => isSameName(one, getCopyName(thing.name, n))) && !hasCopy(n))
          n += 1;
        if (hasCopy(n)) {
          end('skipped');
          continue;
        }
        name = getCopyName(thing.name, n);
      }
      if (found !== null && !isBeside) things = things.filter((one) => one !== found);
      count += 1;
      const isUnread = terms.flags.markRestoredAsUnread;
      things.push({
        ...thing,
        object,
        place,
        name,
        // A file and a row stay the same one.
        id:
          found !== null && !isBeside && (thing.kind === 'file' || thing.kind === 'row')
            ? found.id
            : `new ${count}`,
        isRead: thing.isRead && !isUnread,
        // What replaced another keeps who has access to that.
        shared:
          found !== null && !isBeside
            ? found.shared
            : terms.flags.permissions === true
              ? thing.shared
              : [],
      });
      const path = getNames(place);
      for (let depth = 1; depth <= path.length; depth += 1)
        folders.add(toFolder(object, path.slice(0, depth)));
      end(found !== null && !isBeside ? 'merged' : 'restored');
    }
  }
  // RES-93
  const created = empty.filter(
    ({ object, path }) =>
      terms.select !== 'changed' &&
      !before.folders.has(toFolder(object, path)) &&
      !(terms.flags.excludeDeletedItems && object.startsWith('mailbox') && path[0] === DELETED),
  );
  for (const { object, path } of created)
    for (let depth = 1; depth <= path.length; depth += 1)
      folders.add(toFolder(object, path.slice(0, depth)));
  return {
    view: { ...before, things, folders },
    newFolders: created.length,
    outcomes: outcomes.toSorted(),
  };
}
const DELETED = 'Deleted Items';

/** What the place has of an item: the item itself, else one that stands for it. Equal ones come first. */
function find(here: readonly Thing[], thing: Thing): Thing | null {
  const own = here.find(({ id }) => id === thing.id) ?? null;
  const equal = here.filter(
    ({ name, content }) => name === thing.name && content === thing.content,
  );
  const copies = here.filter((one) => one !== own && one.core === thing.core);
  switch (thing.kind) {
    case 'file': {
      const named = here.find(({ name }) => isSameName(name, thing.name)) ?? null;
      // One that was renamed, unless another file has taken the name.
      return named ?? own;
    }
    case 'mail':
      if (own !== null && equal.includes(own)) return own;
      return (
        copies[0] ?? own ?? here.find(({ messageId }) => messageId === thing.messageId) ?? null
      );
    case 'row':
      return own ?? equal[0] ?? null;
    case 'event':
    case 'contact':
    case 'task':
      // One with the same times, people's details or steps is a copy of it.
      return (own !== null && equal.includes(own) ? own : (copies[0] ?? own)) ?? null;
  }
}
