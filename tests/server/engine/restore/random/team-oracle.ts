import type { ItemOutcome, RestoreInput } from '#contract/engine/engine.ts';
import { expectRestore } from './oracle.ts';
import {
  type Channel,
  describePeople,
  FILES,
  type Message,
  OTHER_FILES,
  type Tab,
  type TeamView,
  type Thread,
} from './team-view.ts';
import { getNames, type Thing, toPlace } from './tenant-view.ts';

// What a restore of a team has to do, by its documented rules (RES-1 to RES-4, RES-47, RES-48).

/** What was chosen of the team at the point. */
export interface WantedOfTeam {
  readonly threads: readonly { readonly name: string; readonly thread: Thread }[];
  readonly files: readonly Thing[];
  readonly tabs: readonly Tab[];
  /** The name of the item with members and settings; null: it was not chosen. */
  readonly settings: string | null;
}
export type TeamTerms = Pick<RestoreInput, 'select' | 'onConflict' | 'flags'>;

export interface ExpectedTeam {
  readonly view: TeamView;
  /** Name and outcome of each item. */
  readonly outcomes: readonly string[];
  /** After an undo: only people can delete posts, but not those of a channel that goes. */
  readonly undone: TeamView;
  readonly leftByUndo: readonly string[];
}

const isSameText = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const NEAR_MS = 50;
const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= NEAR_MS;
const isSameMessage = (a: Message, b: Message): boolean =>
  a.id === b.id || (a.author === b.author && a.text === b.text && isNear(a.at, b.at));
const lacks = (now: Thread, thread: Thread): readonly Message[] =>
  thread.replies.filter((reply) => !now.replies.some((one) => isSameMessage(one, reply)));

/** The post itself, else one that a restore wrote for it. */
function findThread(view: TeamView, thread: Thread): Thread | null {
  const here = view.threads.filter((one) => isSameText(one.channel, thread.channel));
  const own = here.find(
    ({ id, isDeleted }) => id === thread.id && (thread.isDeleted || !isDeleted),
  );
  const written = writeThread(thread);
  const copies = here.filter(
    (one) =>
      one.id !== thread.id &&
      one.author === written.author &&
      // Somebody may have edited it since.
      (one.text === written.text || (one.subject !== '' && one.subject === written.subject)) &&
      isNear(one.at, thread.at),
  );
  const isWhole = (one: Thread): boolean => lacks(one, thread).length === 0;
  if (own !== undefined && isWhole(own) && isEqual(own, thread)) return own;
  return copies.find(isWhole) ?? own ?? copies[0] ?? null;
}
/** What a restore writes of a thread. A first message that was deleted leaves a note. */
const writeThread = (thread: Thread): Thread =>
  thread.isDeleted
    ? { ...thread, id: 'new', isDeleted: false, subject: '', text: 'This message was deleted.' }
    : { ...thread, id: 'new' };
const isEqual = (now: Thread, thread: Thread): boolean =>
  (thread.isDeleted || now.text === thread.text) &&
  thread.replies.every(
    ({ id, text }) => (now.replies.find((one) => one.id === id)?.text ?? text) === text,
  );

const findChannel = (view: TeamView, name: string): Channel | undefined =>
  view.channels.find((one) => isSameText(one.name, name));
const getChannelName = (place: string): string | null => {
  const [name = OTHER_FILES] = getNames(place);
  return name === OTHER_FILES ? null : name;
};

/** A channel that is created again has the folder that it left in the team's site. */
const toView = (place: string, names: readonly string[]): string => {
  const [top, folder, ...below] = getNames(place);
  const name = names.find((one) => isSameText(one, folder ?? ''));
  return top === OTHER_FILES && name !== undefined ? toPlace([name, FILES, ...below]) : place;
};
const addPeople = (
  now: ReadonlyMap<string, boolean>,
  was: ReadonlyMap<string, boolean>,
): ReadonlyMap<string, boolean> => new Map([...now, ...was]);

export function expectTeamRestore(
  before: TeamView,
  point: TeamView,
  chosenOfTeam: WantedOfTeam,
  terms: TeamTerms,
  object: string,
): ExpectedTeam {
  const { select, onConflict } = terms;
  // What was a folder of the site at the point may be a channel's again.
  const present = before.channels.filter(({ membership }) => membership === 'standard');
  const wanted: WantedOfTeam = {
    ...chosenOfTeam,
    files: chosenOfTeam.files.map((one) => ({
      ...one,
      place: toView(
        one.place,
        present.map(({ name }) => name),
      ),
    })),
  };
  const outcomes: string[] = [];
  const leftByUndo: string[] = [];
  const getPoint = (name: string): Channel => {
    const channel = findChannel(point, name) ?? findChannel(before, name);
    if (channel === undefined) throw new Error(`No channel ${name}.`);
    return channel;
  };

  // Those who come back with the restore can have a channel again.
  const { members: wantsMembers = true, settings: wantsSettings = true } = terms.flags.team ?? {};
  const writesSettings = wanted.settings !== null && select !== 'missing' && onConflict !== 'skip';
  const people =
    writesSettings && wantsMembers ? addPeople(before.people, point.people) : before.people;

  /** Whether nothing may be written to a channel: it is others' now, or nobody could own it. */
  const isClosed = (name: string): boolean => {
    const was = getPoint(name);
    const now = findChannel(before, name);
    if (now !== undefined && was.membership !== 'standard') {
      if (now.membership !== was.membership) return true;
      return now.id !== was.id && [...now.people.keys()].some((id) => !was.people.has(id));
    }
    return (
      now === undefined &&
      was.membership !== 'standard' &&
      ![...was.people].some(([id, isOwner]) => isOwner && people.has(id))
    );
  };
  const moveFolders = (view: TeamView, names: readonly string[]): TeamView => ({
    ...view,
    files: view.files.map((one) => ({ ...one, place: toView(one.place, names) })),
    folders: new Set(
      [...view.folders].flatMap((one) => {
        const place = one.slice(object.length + 1);
        const moved = toView(place, names);
        return getNames(moved)[1] === FILES && getNames(moved).length === 2
          ? []
          : [`${object} ${moved}`];
      }),
    ),
  });

  const missing = [
    ...new Set(
      [
        ...wanted.threads.map(({ thread }) => thread.channel),
        ...wanted.tabs.map(({ channel }) => channel),
        ...wanted.files.map(({ place }) => getChannelName(place)),
      ].filter((name) => name !== null),
    ),
  ].filter((name) => findChannel(before, name) === undefined);
  const standard = missing.filter((name) => getPoint(name).membership === 'standard');

  // Files, by their own rules.
  const seen = moveFolders(before, standard);
  const isRefused = ({ place }: Thing): boolean => {
    const channel = getChannelName(place);
    return channel !== null && isClosed(channel);
  };
  const allowed = expectRestore(
    { things: seen.files, folders: seen.folders, addresses: new Map() },
    wanted.files
      .filter((one) => !isRefused(one))
      .map((thing) => ({ thing, object, place: thing.place })),
    [],
    terms,
  );
  const refused = expectRestore(
    { things: seen.files, folders: seen.folders, addresses: new Map() },
    wanted.files.filter(isRefused).map((thing) => ({ thing, object, place: thing.place })),
    [],
    terms,
  );
  outcomes.push(
    ...allowed.outcomes,
    ...refused.outcomes.map((one) => one.replace(/: (restored|merged)$/, ': failed')),
  );

  const created = new Set<string>();
  const note = (name: string): void => {
    if (findChannel(before, name) === undefined) created.add(getPoint(name).name);
  };
  // Who chooses a file wants its channel, also if the file is still there.
  const changed = allowed.view.things.filter(
    (one) =>
      !seen.files.some(
        ({ id, place, name, content }) =>
          id === one.id && place === one.place && name === one.name && content === one.content,
      ),
  );
  const chosen = select === 'changed' ? [] : wanted.files.filter((one) => !isRefused(one));
  for (const { place } of [...changed, ...chosen]) {
    const channel = getChannelName(place);
    if (channel !== null) note(channel);
  }

  // Posts.
  let threads = [...before.threads];
  const posted: Thread[] = [];
  for (const { name, thread } of wanted.threads) {
    const end = (outcome: ItemOutcome): void => void outcomes.push(`${name}: ${outcome}`);
    const found = findThread({ ...before, threads }, thread);
    const isWhole = found !== null && lacks(found, thread).length === 0;
    const goesBeside =
      found !== null &&
      !isEqual(found, thread) &&
      onConflict === 'keep-both' &&
      select !== 'missing';
    if (isWhole && isEqual(found, thread)) end('skipped');
    else if (found !== null && isWhole && select === 'missing') end('skipped');
    else if (found !== null && isWhole && onConflict !== 'keep-both') end('skipped');
    else if (!isWhole && !goesBeside && select === 'changed') end('skipped');
    else if (isClosed(thread.channel)) end('failed');
    else {
      note(thread.channel);
      const result: Thread =
        found !== null && !isWhole && !goesBeside
          ? { ...found, replies: [...found.replies, ...lacks(found, thread)] }
          : writeThread(thread);
      if (found !== null && !isWhole && !goesBeside)
        threads = threads.filter((one) => one !== found);
      threads.push(result);
      posted.push(result);
      if (findChannel(before, thread.channel) !== undefined) leftByUndo.push(`${name}: failed`);
      end('restored');
    }
  }

  // Tabs.
  let tabs = [...before.tabs];
  for (const tab of wanted.tabs) {
    const end = (outcome: ItemOutcome): void => void outcomes.push(`${tab.name}: ${outcome}`);
    const here = tabs.filter((one) => isSameText(one.channel, tab.channel));
    const isSameTab = (one: Tab): boolean =>
      one.name === tab.name && one.app === tab.app && one.configuration === tab.configuration;
    const found =
      here.find(({ id }) => id === tab.id) ??
      here.find(({ name, app }) => name === tab.name && app === tab.app);
    if (found !== undefined && isSameTab(found)) end('skipped');
    else if (found === undefined ? select === 'changed' : select === 'missing') end('skipped');
    else if (found !== undefined && onConflict === 'skip') end('skipped');
    // Only one of them is that of the backup.
    else if (onConflict === 'keep-both' && here.some(isSameTab)) end('skipped');
    else if (isClosed(tab.channel)) end('failed');
    else {
      note(tab.channel);
      const isReplaced = found !== undefined && onConflict === 'replace';
      if (isReplaced) tabs = tabs.filter((one) => one !== found);
      tabs.push({ ...tab, id: isReplaced ? found.id : 'new' });
      end(isReplaced ? 'merged' : 'restored');
    }
  }

  // Channels that were created, with those who had them and are in the team.
  const channels: readonly Channel[] = [
    ...before.channels,
    ...[...created].map((name) => {
      const was = getPoint(name);
      return {
        ...was,
        id: 'new',
        people: new Map([...was.people].filter(([id]) => people.has(id))),
      };
    }),
  ];

  // Members and settings.
  let after: TeamView = { ...before, channels, threads, tabs };
  if (wanted.settings !== null) {
    const target: TeamView = {
      ...after,
      settings: wantsSettings ? point.settings : after.settings,
      people: wantsMembers ? addPeople(after.people, point.people) : after.people,
      channels: after.channels.map((channel) => {
        const was = findChannel(point, channel.name);
        return wantsMembers && was?.membership === 'private'
          ? { ...channel, people: addPeople(channel.people, was.people) }
          : channel;
      }),
    };
    const end = (outcome: ItemOutcome): void =>
      void outcomes.push(`${wanted.settings ?? ''}: ${outcome}`);
    if (!wantsMembers && !wantsSettings) end('skipped');
    else if (describeParts(target) === describeParts(after)) end('skipped');
    else if (!writesSettings) end('skipped');
    else {
      after = target;
      end('merged');
    }
  }
  const folders = new Set([...allowed.view.folders].filter((one) => !isGiven(one, object)));
  const isCreatedStandard = (name: string): boolean =>
    created.has(name) || findChannel(before, name) !== undefined;
  // The folder of a channel that nobody creates stays where it is.
  const backToOther = (place: string): string => {
    const [name = '', part, ...below] = getNames(place);
    return part === FILES && standard.includes(name) && !isCreatedStandard(name)
      ? toPlace([OTHER_FILES, name, ...below])
      : place;
  };
  const view: TeamView = {
    ...after,
    files: allowed.view.things.map((one) => ({ ...one, place: backToOther(one.place) })),
    folders: new Set([
      ...[...folders].map((one) => `${object} ${backToOther(one.slice(object.length + 1))}`),
      ...[...before.folders].filter((one) => {
        const [top, name, ...below] = getNames(one.slice(object.length + 1));
        return (
          top === OTHER_FILES &&
          below.length === 0 &&
          standard.some((other) => isSameText(other, name ?? '') && !created.has(other))
        );
      }),
    ]),
  };
  return {
    view,
    outcomes: outcomes.toSorted(),
    undone: {
      ...before,
      threads: [
        ...before.threads.filter((one) => !posted.some(({ id }) => id === one.id)),
        ...posted.filter(({ channel }) => findChannel(before, channel) !== undefined),
      ],
    },
    leftByUndo: leftByUndo.toSorted(),
  };
}

const describeParts = ({ settings, people, channels }: TeamView): string =>
  JSON.stringify([
    settings,
    describePeople(people),
    channels.map((one) => describePeople(one.people)),
  ]);

/** The folders that come with a channel are no folders of their own. */
function isGiven(folder: string, object: string): boolean {
  const names = getNames(folder.slice(object.length + 1));
  const [top] = names;
  return top === OTHER_FILES
    ? names.length === 1
    : names.length === 1 ||
        (names.length === 2 && (names[1] === FILES || names[1] === OTHER_FILES));
}
