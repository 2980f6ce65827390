import type { CompoundFile } from './compound-reader.ts';

// Numbers of records, and their layouts, are those of [MS-PPT].
const CURRENT_USER = 0x0ff6;
const USER_EDIT = 0x0ff5;
const PERSIST_DIRECTORY = 0x1772;
const SLIDE_LIST = 0x0ff0;
const SLIDE_PLACE = 0x03f3;
const HEADERS_FOOTERS = 0x0fd9;
const COMMENT = 0x2ee0;
/** Records that later versions added, such as comments. */
const TAG_DATA = 0x138b;
const TEXT_CHARS = 0x0fa0;
const TEXT_BYTES = 0x0fa8;
const STRING = 0x0fba;
const CONTAINER = 0xf;
const ENCRYPTED = 0xf3d1_c4df;
/** Of the lists of slides: 0 of slides, 1 of masters, 2 of notes. */
const MASTERS = 1;
const MAX_DEPTH = 32;
/** Times that a presentation was saved without being written again. */
const MAX_EDITS = 10_000;

interface Atom {
  readonly type: number;
  readonly instance: number;
  readonly isContainer: boolean;
  readonly data: Buffer;
}

/**
 * Yields the texts of the slides and notes of a PowerPoint presentation (97 to 2003), with comments,
 * headers and footers. What its masters say and what earlier versions had are not among them.
 *
 * @throws if it is encrypted, or damaged.
 */
export function* readPowerPointText(file: CompoundFile): Generator<string, void> {
  const user = file.readStream('Current User');
  const stream = file.readStream('PowerPoint Document');
  if (user === null || stream === null || user.readUInt16LE(2) !== CURRENT_USER)
    throw new RangeError('It is no presentation.');
  if (user.readUInt32LE(12) === ENCRYPTED) throw new RangeError('It is encrypted.');
  const { documentId, places } = readPlaces(stream, user.readUInt32LE(16));
  const get = (id: number): Buffer => {
    const at = places.get(id);
    return at === undefined ? Buffer.alloc(0) : readAtom(stream, at).data;
  };
  const slides = new Set<number>();
  for (const { type, instance, data } of listAtoms(get(documentId))) {
    if (type === HEADERS_FOOTERS) yield* readTexts(data, type, 0);
    if (type !== SLIDE_LIST || instance === MASTERS) continue;
    yield* readTexts(data, type, 0);
    for (const atom of listAtoms(data))
      if (atom.type === SLIDE_PLACE) slides.add(atom.data.readUInt32LE(0));
  }
  for (const id of slides) yield* readTexts(get(id), SLIDE_LIST, 0);
}

/** Where the newest version of each part is. */
function readPlaces(
  stream: Buffer,
  lastEdit: number,
): { readonly documentId: number; readonly places: ReadonlyMap<number, number> } {
  const places = new Map<number, number>();
  let documentId: number | null = null;
  const edits = new Set<number>();
  // From the newest one to the first, which has offset 0 before it.
  for (let at = lastEdit; at !== 0 && edits.size < MAX_EDITS && !edits.has(at);) {
    edits.add(at);
    const edit = readAtom(stream, at);
    if (edit.type !== USER_EDIT) throw new RangeError('Its versions are damaged.');
    documentId ??= edit.data.readUInt32LE(16);
    const directory = readAtom(stream, edit.data.readUInt32LE(12));
    if (directory.type !== PERSIST_DIRECTORY) throw new RangeError('Its versions are damaged.');
    addPlaces(places, directory.data);
    at = edit.data.readUInt32LE(8);
  }
  if (documentId === null) throw new RangeError('It has no version.');
  return { documentId, places };
}

/** Runs of parts: the number of the first one with their count, and where each is. */
function addPlaces(places: Map<number, number>, directory: Buffer): void {
  for (let at = 0; at + 4 <= directory.length;) {
    const head = directory.readUInt32LE(at);
    const first = head & 0xf_ffff;
    const count = head >>> 20;
    at += 4;
    for (let n = 0; n < count; n += 1, at += 4)
      if (!places.has(first + n)) places.set(first + n, directory.readUInt32LE(at));
  }
}

function readAtom(stream: Buffer, at: number): Atom {
  const head = stream.readUInt16LE(at);
  return {
    type: stream.readUInt16LE(at + 2),
    instance: head >>> 4,
    isContainer: (head & 0xf) === CONTAINER,
    data: stream.subarray(at + 8, at + 8 + stream.readUInt32LE(at + 4)),
  };
}

function* listAtoms(data: Buffer): Generator<Atom, void> {
  for (let at = 0; at + 8 <= data.length;) {
    const atom = readAtom(data, at);
    yield atom;
    at += 8 + atom.data.length;
  }
}

/** `parent`: the container of the atoms. Only in some are strings texts that people wrote. */
function* readTexts(container: Buffer, parent: number, depth: number): Generator<string, void> {
  if (depth > MAX_DEPTH) return;
  for (const { type, instance, isContainer, data } of listAtoms(container)) {
    if (isContainer || type === TAG_DATA) yield* readTexts(data, type, depth + 1);
    else if (type === TEXT_CHARS) yield data.toString('utf16le');
    else if (type === TEXT_BYTES) yield data.toString('latin1');
    else if (type === STRING && isWritten(parent, instance)) yield data.toString('utf16le');
  }
}

/** Of a comment: the author, the text and, not among them, the author's initials. */
const isWritten = (parent: number, instance: number): boolean =>
  parent === HEADERS_FOOTERS || (parent === COMMENT && instance < 2);
