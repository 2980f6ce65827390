import type { GenericSchema } from 'valibot';

/**
 * The names that fields had in the version before. Logs, disks and backups contain them, and the
 * API accepts them in input until the next version. What is renamed already stays as it is.
 */
type Fields = Readonly<Record<string, unknown>>;

const asFields = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

/** Returns a copy with the current name of the field, in its place. */
function renameField(value: unknown, former: string, current: string): unknown {
  const fields = asFields(value);
  if (fields === null || !Object.hasOwn(fields, former) || Object.hasOwn(fields, current))
    return value;
  return Object.fromEntries(
    Object.entries(fields).map(([name, one]) => [name === former ? current : name, one]),
  );
}

/** Returns a copy with the changed field; the value itself if it lacks the field. */
function changeField(value: unknown, name: string, change: (one: unknown) => unknown): unknown {
  const fields = asFields(value);
  if (fields === null || !Object.hasOwn(fields, name)) return value;
  const changed = change(fields[name]);
  return changed === fields[name] ? value : { ...fields, [name]: changed };
}

export const renameKind = (value: unknown): unknown => renameField(value, 'is', 'kind');
export const toFormerKind = (value: unknown): unknown => renameField(value, 'kind', 'is');

/** A change of results (contract/runs/change.ts). */
export const renameChange = (value: unknown): unknown =>
  changeField(renameKind(value), 'kind', (kind) => (kind === 'wake' ? 'unsnooze' : kind));

/** The schedule of a job (contract/runs/events.ts). */
export const renameSchedule = (value: unknown): unknown => renameField(value, 'is', 'type');
const toFormerSchedule = (value: unknown): unknown => renameField(value, 'type', 'is');

/** A range in the conditions of a rule (contract/rules/rules.ts). */
export const renameRange = (value: unknown): unknown =>
  renameField(renameField(value, 'least', 'min'), 'most', 'max');
const toFormerRange = (value: unknown): unknown =>
  renameField(renameField(value, 'min', 'least'), 'max', 'most');

const RANGES = ['duration', 'bytes', 'streak'] as const;
const changeRanges = (when: unknown, change: (range: unknown) => unknown): unknown =>
  RANGES.reduce((fields, name) => changeField(fields, name, change), when);

const changeWord = (list: unknown, from: string, to: string): unknown =>
  Array.isArray(list) && list.includes(from)
    ? list.map((one: unknown) => (one === from ? to : one))
    : list;

interface Renaming {
  rename(data: unknown): unknown;
  toFormer(data: unknown): unknown;
}
const scheduled: Renaming = {
  rename: (data) => changeField(data, 'schedule', renameSchedule),
  toFormer: (data) => changeField(data, 'schedule', toFormerSchedule),
};
const ruled: Renaming = {
  rename: (data) => changeField(data, 'when', (when) => changeRanges(when, renameRange)),
  toFormer: (data) => changeField(data, 'when', (when) => changeRanges(when, toFormerRange)),
};

/** The user whom a device stores (contract/auth/current-user.ts). */
export const renameUser = <T>(user: T): T => renameField(user, 'acting', 'impersonator') as T;

/** The actions in the history of a problem (contract/runs/calls.ts). */
const FORMER_ACTIONS: ReadonlyMap<unknown, string> = new Map([
  ['Taken back to check', 'Review undone'],
  ['Note taken away', 'Note removed'],
  ['Ticket taken away', 'Ticket removed'],
]);
export const renameHistoryAction = (action: unknown): unknown =>
  FORMER_ACTIONS.get(action) ?? action;

/** What the page adds to a support request (contract/support/calls.ts). */
export const renameSupportContext = (context: unknown): unknown =>
  renameField(context, 'faults', 'errors');

/** What a hint has (contract/hints/hints.ts). */
export const renameHint = <T>(hint: T): T => renameField(hint, 'says', 'summary') as T;

/** The events, by their current type, in whose data something had another name. */
export const RENAMED_DATA = {
  'job.found@1': scheduled,
  'job.updated@1': scheduled,
  'rule.created@1': ruled,
  'rule.updated@1': ruled,
  'hint.saved@1': {
    rename: renameHint,
    toFormer: (data) => renameField(data, 'summary', 'says'),
  },
  'problem.ruleApplied@1': {
    rename: (data) =>
      changeField(data, 'did', (did) => changeWord(did, 'ticketed', 'ticketLinked')),
    toFormer: (data) =>
      changeField(data, 'did', (did) => changeWord(did, 'ticketLinked', 'ticketed')),
  },
  'problem.ticketLinked@1': {
    rename: (data) => renameField(data, 'tied', 'linkedTicket'),
    toFormer: (data) => renameField(data, 'linkedTicket', 'tied'),
  },
} as const satisfies Readonly<Record<string, Renaming>>;

/** Returns the row of a device's table as the version of today stores it. */
export function renameRow<T>(table: string, row: T): T {
  switch (table) {
    case 'job':
      return scheduled.rename(row) as T;
    case 'problem':
      return renameField(row, 'tied', 'linkedTicket') as T;
    default:
      return row;
  }
}

/** Returns the row as devices of the version before store it (SYNC-9). */
export function toFormerRow<T>(table: string, row: T): T {
  switch (table) {
    case 'job':
      return scheduled.toFormer(row) as T;
    case 'problem':
      return renameField(row, 'linkedTicket', 'tied') as T;
    default:
      return row;
  }
}

/** Returns the schema, which then also accepts the names of the version before. */
export const withFormerNames = <const S extends GenericSchema>(
  schema: S,
  rename: (input: unknown) => unknown,
): S => ({
  ...schema,
  '~run': (dataset, config) => schema['~run']({ ...dataset, value: rename(dataset.value) }, config),
});
