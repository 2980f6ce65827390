import { crc32 } from 'node:zlib';
import type { MailAttachment, MailContent, MailState } from '../mail/mail-content.ts';
import {
  getAttachmentProperties,
  getMailProperties,
  getRecipientProperties,
} from '../pst/mail-properties.ts';
import { NAMED } from '../pst/named-properties.ts';
import {
  binary,
  getFixedBytes,
  getPropertyTag,
  int32,
  type Property,
  TYPES,
} from '../pst/properties.ts';
import { type Storage, writeCompoundFile } from './compound-file.ts';

// A mail as Outlook stores it in a file of its own ([MS-OXMSG]).

const CLASS_ID = Buffer.from('0b0d020000000000c000000000000046', 'hex');
const READABLE_WRITABLE = 6;
/** PidTagStoreSupportMask: texts are Unicode ([MS-OXMSG] 2.1.1). */
const UNICODE = 0x0004_0000;

export function writeMsgFile(mail: MailContent, state: MailState): Uint8Array<ArrayBuffer> {
  const top = makeMessage('Root Entry', getMailProperties(mail, state), mail, TOP_HEADER_BYTES);
  return writeCompoundFile({ ...top, storages: [getNames(), ...top.storages] }, CLASS_ID);
}

/** Before the properties: of the file itself, and of a message that is attached. */
const TOP_HEADER_BYTES = 32;
const ATTACHED_HEADER_BYTES = 24;
const PART_HEADER_BYTES = 8;

function makeMessage(
  name: string,
  properties: readonly Property[],
  { recipients, attachments }: MailContent,
  headerBytes: number,
): Storage {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32LE(recipients.length, 8);
  header.writeUInt32LE(attachments.length, 12);
  header.writeUInt32LE(recipients.length, 16);
  header.writeUInt32LE(attachments.length, 20);
  return {
    name,
    streams: makeStreams(header, [...properties, int32(0x340d, UNICODE)]),
    storages: [
      ...recipients.map((recipient, n) => ({
        name: `__recip_version1.0_#${toHex(n)}`,
        streams: makeStreams(Buffer.alloc(PART_HEADER_BYTES), [
          int32(0x3000, n),
          ...getRecipientProperties(recipient),
        ]),
        storages: [],
      })),
      ...attachments.map((file, n) => makeAttachment(file, n)),
    ],
  };
}

function makeAttachment(file: MailAttachment, n: number): Storage {
  const about = getAttachmentProperties(file, n);
  const isMessage = file.kind === 'message';
  const content = isMessage
    ? { id: 0x3701, type: TYPES.object, value: Buffer.alloc(0) }
    : binary(0x3701, file.bytes);
  return {
    name: `__attach_version1.0_#${toHex(n)}`,
    streams: makeStreams(Buffer.alloc(PART_HEADER_BYTES), [...about, content]),
    storages: isMessage
      ? [
          makeMessage(
            '__substg1.0_3701000D',
            getMailProperties(file.message, null),
            file.message,
            ATTACHED_HEADER_BYTES,
          ),
        ]
      : [],
  };
}

/** Values of a fixed size are in one stream. Each of the others has its own ([MS-OXMSG] 2.4). */
function makeStreams(header: Buffer, properties: readonly Property[]): Storage['streams'] {
  const entries: Buffer[] = [];
  const streams: { name: string; bytes: Uint8Array }[] = [];
  for (const property of properties) {
    const { type, value } = property;
    const entry = Buffer.alloc(16);
    entry.writeUInt32LE(getPropertyTag(property), 0);
    entry.writeUInt32LE(READABLE_WRITABLE, 4);
    const name = `__substg1.0_${toHex(getPropertyTag(property))}`;
    if (getFixedBytes(type) !== null) entry.set(value, 8);
    else if (type === TYPES.object) {
      entry.writeUInt32LE(0xffff_ffff, 8);
      entry.writeUInt32LE(1, 12);
    } else if (type === TYPES.strings) {
      const texts = splitStrings(value);
      const lengths = Buffer.alloc(4 * texts.length);
      texts.forEach((text, n) => {
        lengths.writeUInt32LE(text.length + 2, 4 * n);
        streams.push({
          name: `${name}-${toHex(n)}`,
          bytes: Buffer.concat([text, Buffer.alloc(2)]),
        });
      });
      streams.push({ name, bytes: lengths });
      entry.writeUInt32LE(lengths.length, 8);
    } else {
      // The size of a text counts the character that ends it, which isn't stored.
      const bytes = stripPrefix(property);
      entry.writeUInt32LE(bytes.length + (type === TYPES.string ? 2 : 0), 8);
      streams.push({ name, bytes });
    }
    entries.push(entry);
  }
  return [
    { name: '__properties_version1.0', bytes: Buffer.concat([header, ...entries]) },
    ...streams,
  ];
}

/** In a PST file a subject begins with the length of its prefix. Here it doesn't. */
const stripPrefix = ({ id, value }: Property): Buffer =>
  id === SUBJECT && value.length >= 4 && value.readUInt16LE(0) === 1 ? value.subarray(4) : value;
const SUBJECT = 0x0037;

function splitStrings(value: Buffer): Buffer[] {
  const count = value.readUInt32LE(0);
  return Array.from({ length: count }, (_, n) => {
    const start = value.readUInt32LE(4 + 4 * n);
    const end = n + 1 < count ? value.readUInt32LE(8 + 4 * n) : value.length;
    return value.subarray(start, end);
  });
}

const toHex = (n: number): string => n.toString(16).toUpperCase().padStart(8, '0');

/** The one named property: categories, `Keywords` of PS_PUBLIC_STRINGS ([MS-OXMSG] 2.2.3). */
function getNames(): Storage {
  const name = Buffer.from('Keywords', 'utf16le');
  const PUBLIC_STRINGS_BY_NAME = (2 << 1) | 1;
  const kind = Buffer.alloc(4);
  kind.writeUInt16LE(PUBLIC_STRINGS_BY_NAME, 0);
  kind.writeUInt16LE(NAMED.categories - 0x8000, 2);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(name.length, 0);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(name), 0);
  const place = 0x1000 + (((crc32(name) ^ PUBLIC_STRINGS_BY_NAME) >>> 0) % 0x1f);
  return {
    name: '__nameid_version1.0',
    streams: [
      { name: '__substg1.0_00020102', bytes: new Uint8Array(0) },
      { name: '__substg1.0_00030102', bytes: Buffer.concat([Buffer.alloc(4), kind]) },
      { name: '__substg1.0_00040102', bytes: Buffer.concat([length, name]) },
      {
        name: `__substg1.0_${place.toString(16).toUpperCase()}0102`,
        bytes: Buffer.concat([checksum, kind]),
      },
    ],
    storages: [],
  };
}
