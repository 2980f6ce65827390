import type { Ms } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import type { Attachment } from '../../../sources/outlook/entities.ts';
import type { ArchivedFile } from '../compose-mime.ts';
import type { ItemProperties } from './item-properties.ts';

/** What of an item Microsoft 365 has no place for, or can't be read. */
export type LeftOut = 'series' | 'zone' | 'attachments';
export interface ReadItem<T> {
  readonly value: T;
  readonly left: readonly LeftOut[];
}

const IMPORTANCE = ['low', 'normal', 'high'] as const;
const SENSITIVITY = ['normal', 'personal', 'private', 'confidential'];

export const getImportance = (properties: ItemProperties): (typeof IMPORTANCE)[number] =>
  IMPORTANCE[properties.int(0x0017) ?? 1] ?? 'normal';
export const getSensitivity = (properties: ItemProperties): string =>
  SENSITIVITY[properties.int(0x0036) ?? 0] ?? 'normal';

export const getStamps = (properties: ItemProperties) => ({
  createdDateTime: toStamp(properties.time(0x3007)),
  lastModifiedDateTime: toStamp(properties.time(0x3008)),
});
const toStamp = (at: Ms | null): string | undefined =>
  at === null ? undefined : new Date(at).toISOString();

/** A time as Graph writes it. */
export const toUtc = (at: Ms) => ({
  dateTime: new Date(at).toISOString().replace('Z', '0000'),
  timeZone: 'UTC',
});

/**
 * Returns midnight in UTC of the date that a time means: it is midnight of a zone that may be unknown,
 * and no zone is more than half a day away.
 */
export const toDate = (at: Ms): Ms => Math.floor((at + DAY_MS / 2) / DAY_MS) * DAY_MS;

export const toAttachment = ({ name, mediaType, contentId, bytes }: ArchivedFile): Attachment => ({
  '@odata.type': '#microsoft.graph.fileAttachment',
  name,
  'contentType': mediaType === '' ? 'application/octet-stream' : mediaType,
  'isInline': contentId !== '',
  ...(contentId !== '' && { contentId }),
  'size': bytes.byteLength,
  'contentBytes': Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
});
