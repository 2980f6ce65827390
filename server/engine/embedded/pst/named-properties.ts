import type { Bytes } from '#contract/ids.ts';
import { binary, int32, type Property } from './properties.ts';
import { getChecksum } from './space.ts';

// Properties that a file knows by a name: a set, and a number or a text in it ([MS-OXPROPS]).

/** Sets in the order in which a file lists them. Readers take a map without any for a damaged one. */
const SETS = {
  common: '0820060000000000c000000000000046',
  appointment: '0220060000000000c000000000000046',
  task: '0320060000000000c000000000000046',
  address: '0420060000000000c000000000000046',
  meeting: '90dad86e0b451b1098da00aa003f1305',
} as const;
type SetName = keyof typeof SETS;
const SET_NAMES = Object.keys(SETS) as SetName[];

/** The text `Keywords` is in PS_PUBLIC_STRINGS, which no file lists. */
const KEYWORDS = 'Keywords';

/** The place in this list is the id in each file, so it only grows. */
const NAMES = {
  categories: KEYWORDS,
  reminderMinutes: ['common', 0x8501],
  reminderAt: ['common', 0x8502],
  isReminderSet: ['common', 0x8503],
  isPrivate: ['common', 0x8506],
  commonStart: ['common', 0x8516],
  commonEnd: ['common', 0x8517],
  reminderSignalAt: ['common', 0x8560],
  busyStatus: ['appointment', 0x8205],
  location: ['appointment', 0x8208],
  start: ['appointment', 0x820d],
  end: ['appointment', 0x820e],
  durationMinutes: ['appointment', 0x8213],
  isAllDay: ['appointment', 0x8215],
  recurrence: ['appointment', 0x8216],
  meetingState: ['appointment', 0x8217],
  response: ['appointment', 0x8218],
  isRecurring: ['appointment', 0x8223],
  originalStart: ['appointment', 0x8228],
  recurrenceType: ['appointment', 0x8231],
  zoneRules: ['appointment', 0x8233],
  zoneName: ['appointment', 0x8234],
  seriesStart: ['appointment', 0x8235],
  seriesEnd: ['appointment', 0x8236],
  startZone: ['appointment', 0x825e],
  endZone: ['appointment', 0x825f],
  seriesZone: ['appointment', 0x8260],
  objectId: ['meeting', 0x0003],
  seriesObjectId: ['meeting', 0x0023],
  taskStatus: ['task', 0x8101],
  fractionDone: ['task', 0x8102],
  taskStart: ['task', 0x8104],
  taskDue: ['task', 0x8105],
  taskDoneAt: ['task', 0x810f],
  taskRecurrence: ['task', 0x8116],
  isTaskDone: ['task', 0x811c],
  isTaskRecurring: ['task', 0x8126],
  fileAs: ['address', 0x8005],
  hasPhoto: ['address', 0x8015],
  homeAddress: ['address', 0x801a],
  workAddress: ['address', 0x801b],
  otherAddress: ['address', 0x801c],
  webPage: ['address', 0x802b],
  workStreet: ['address', 0x8045],
  workCity: ['address', 0x8046],
  workState: ['address', 0x8047],
  workPostalCode: ['address', 0x8048],
  workCountry: ['address', 0x8049],
  chatAddress: ['address', 0x8062],
  mailingAddress: ['address', 0x8022],
  email1Name: ['address', 0x8080],
  email1Type: ['address', 0x8082],
  email1Address: ['address', 0x8083],
  email1Shown: ['address', 0x8084],
  email2Name: ['address', 0x8090],
  email2Type: ['address', 0x8092],
  email2Address: ['address', 0x8093],
  email2Shown: ['address', 0x8094],
  email3Name: ['address', 0x80a0],
  email3Type: ['address', 0x80a2],
  email3Address: ['address', 0x80a3],
  email3Shown: ['address', 0x80a4],
  yomiGivenName: ['address', 0x802c],
  yomiSurname: ['address', 0x802d],
  yomiCompanyName: ['address', 0x802e],
} as const satisfies Readonly<Record<string, typeof KEYWORDS | readonly [SetName, number]>>;
type Name = keyof typeof NAMES;
/** A property that files know by a name instead of a number. */
export type NamedProperty = Name;
const ORDER = Object.keys(NAMES) as Name[];

const FIRST_ID = 0x8000;
/** The id of each named property in the files that are written here. */
export const NAMED = Object.fromEntries(ORDER.map((name, n) => [name, FIRST_ID + n])) as Readonly<
  Record<Name, number>
>;

const BUCKETS = 251;
/** PS_PUBLIC_STRINGS, and that the name is text ([MS-PST] 2.4.7.1). */
const PUBLIC_STRINGS = (2 << 1) | 1;
/** The first set that a file lists itself. */
const FIRST_SET = 3;

/** [MS-PST] 2.4.7: the properties of the node that maps names to ids. */
export function getNameMap(): Property[] {
  const label = Buffer.from(KEYWORDS, 'utf16le');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(label.length, 0);
  const entries: Buffer[] = [];
  const buckets = new Map<number, Buffer[]>();
  ORDER.forEach((name, n) => {
    const definition = NAMES[name];
    const isText = typeof definition === 'string';
    const set = isText ? PUBLIC_STRINGS : (FIRST_SET + SET_NAMES.indexOf(definition[0])) << 1;
    const key = isText ? getChecksum(label) : definition[1];
    // A text is found by where it is in the list of texts, and in a bucket by its checksum.
    entries.push(makeEntry(isText ? 0 : key, set, n));
    const bucket = ((key ^ set) >>> 0) % BUCKETS;
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), makeEntry(key, set, n)]);
  });
  return [
    int32(0x0001, BUCKETS),
    binary(0x0002, Buffer.from(SET_NAMES.map((name) => SETS[name]).join(''), 'hex')),
    binary(0x0003, Buffer.concat(entries)),
    binary(0x0004, Buffer.concat([length, label])),
    ...[...buckets].map(([bucket, list]) => binary(0x1000 + bucket, Buffer.concat(list))),
  ];
}

const ENTRY_BYTES: Bytes = 8;

function makeEntry(key: number, set: number, n: number): Buffer {
  const entry = Buffer.alloc(ENTRY_BYTES);
  entry.writeUInt32LE(key >>> 0, 0);
  entry.writeUInt16LE(set, 4);
  entry.writeUInt16LE(n, 6);
  return entry;
}

const SET_BYTES: Bytes = 16;
/** Identifies a name that is a text. */
const IS_TEXT = 1;

/**
 * Returns the ids that a file has for names, from the three values of its map ([MS-PST] 2.4.7): the
 * sets, the entries, and the texts. Names that the file doesn't have are missing.
 */
export function readNameMap(
  sets: Uint8Array,
  entries: Uint8Array,
  texts: Uint8Array,
): ReadonlyMap<NamedProperty, number> {
  const [list, labels, guids] = [view(entries), view(texts), view(sets)];
  const ids = new Map<string, number>();
  for (let at = 0; at + ENTRY_BYTES <= list.length; at += ENTRY_BYTES) {
    const key = list.readUInt32LE(at);
    const set = list.readUInt16LE(at + 4);
    const id = FIRST_ID + list.readUInt16LE(at + 6);
    if ((set & IS_TEXT) !== 0) {
      if (key + 4 > labels.length) continue;
      const end = key + 4 + labels.readUInt32LE(key);
      ids.set(labels.subarray(key + 4, end).toString('utf16le'), id);
      continue;
    }
    const from = ((set >> 1) - FIRST_SET) * SET_BYTES;
    if (from < 0) continue;
    ids.set(`${guids.subarray(from, from + SET_BYTES).toString('hex')} ${key}`, id);
  }
  return new Map(
    ORDER.flatMap((name) => {
      const definition: (typeof NAMES)[Name] = NAMES[name];
      const id = ids.get(
        typeof definition === 'string' ? definition : `${SETS[definition[0]]} ${definition[1]}`,
      );
      return id === undefined ? [] : [[name, id] as const];
    }),
  );
}

const view = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
