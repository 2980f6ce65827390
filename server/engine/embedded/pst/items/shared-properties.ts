import { DateTime } from 'luxon';
import type { Ms } from '#contract/ids.ts';
import { htmlToText } from '../../formats/html-text.ts';
import { IMPORTANCE, NO_PREFIX, optionalText, UTF8_CODE_PAGE } from '../mail-properties.ts';
import { NAMED } from '../named-properties.ts';
import {
  binary,
  boolean,
  int32,
  type Property,
  strings,
  stringProperty,
  time,
} from '../properties.ts';

type Maybe<T> = T | null | undefined;

/** What events, contacts and tasks have in common. */
export interface SharedFields {
  readonly messageClass: string;
  readonly title: string;
  readonly text: Maybe<{
    readonly contentType?: Maybe<string>;
    readonly content?: Maybe<string>;
  }>;
  readonly categories: Maybe<readonly string[]>;
  readonly importance: Maybe<string>;
  readonly sensitivity: Maybe<string>;
  readonly createdAt: Maybe<string>;
  readonly changedAt: Maybe<string>;
  readonly hasAttachments: boolean;
}

const FLAG_READ = 0x01;
const FLAG_ATTACHMENTS = 0x10;
const SENSITIVITY: Readonly<Record<string, number>> = { personal: 1, private: 2, confidential: 3 };

export function getSharedProperties(fields: SharedFields): Property[] {
  const { title, categories, hasAttachments } = fields;
  const isHtml = fields.text?.contentType?.toLowerCase() === 'html';
  const content = clean(fields.text?.content);
  const plain = isHtml ? htmlToText(content) : content;
  const { importance } = fields;
  const sensitivity = SENSITIVITY[fields.sensitivity ?? ''] ?? 0;
  const createdAt = readStamp(fields.createdAt);
  const changedAt = readStamp(fields.changedAt) ?? createdAt;
  return [
    stringProperty(0x001a, fields.messageClass),
    int32(
      0x0017,
      IMPORTANCE[importance === 'low' || importance === 'high' ? importance : 'normal'],
    ),
    int32(0x0036, sensitivity),
    boolean(NAMED.isPrivate, sensitivity >= 2),
    stringProperty(0x0037, title === '' ? '' : NO_PREFIX + clean(title)),
    stringProperty(0x0070, clean(title)),
    int32(0x0e07, FLAG_READ | (hasAttachments ? FLAG_ATTACHMENTS : 0)),
    int32(0x0e08, 2 * plain.length + (isHtml ? content.length : 0)),
    int32(0x0e17, 0),
    boolean(0x0e1b, hasAttachments),
    ...(createdAt === null ? [] : [time(0x3007, createdAt)]),
    ...(changedAt === null ? [] : [time(0x0e06, changedAt), time(0x3008, changedAt)]),
    ...optionalText(0x1000, plain),
    ...(isHtml && content !== ''
      ? [binary(0x1013, Buffer.from(content)), int32(0x3fde, UTF8_CODE_PAGE)]
      : []),
    ...(categories?.length ? [strings(NAMED.categories, categories.map(clean))] : []),
  ];
}

/** A text of the named property, if there is one. Values of the format end at a zero. */
export const getNamedText = (name: keyof typeof NAMED, content: Maybe<string>): Property[] =>
  getOptionalText(NAMED[name], content);
export const getOptionalText = (id: number, content: Maybe<string>): Property[] =>
  optionalText(id, clean(content));
export const clean = (content: Maybe<string>): string =>
  (content ?? '').replaceAll('\0', '').toWellFormed();

export function readStamp(stamp: Maybe<string>): Ms | null {
  const at = DateTime.fromISO(stamp ?? '', { zone: 'UTC' });
  return at.isValid ? at.toMillis() : null;
}
