import { createHash } from 'node:crypto';
import type { Ms } from '#contract/ids.ts';
import type { Tenant } from './store.ts';

type Part = string | number;

/** Returns bytes that look random and depend only on the parts. */
export function digest(...parts: readonly Part[]): Buffer {
  return createHash('sha256').update(parts.join('\u0000')).digest();
}

const opaque = (prefix: string, parts: readonly Part[], suffix: string): string =>
  prefix + digest(...parts).toString('base64url') + suffix;

export const folderId = ({ seed }: Tenant, n: number): string =>
  opaque('AQMkAD', [seed, 'folder', n], 'AAAA');

/** The id that changes when a message is moved. */
export const messageId = ({ seed }: Tenant, n: number, moves: number): string =>
  opaque('AAMkAG', [seed, 'message', n, moves], 'AAA=');

/** The id that a message keeps (`Prefer: IdType="ImmutableId"`). */
export const stableId = ({ seed }: Tenant, n: number): string =>
  opaque('AAkALgAA', [seed, 'stable', n], 'AA');

export const attachmentId = ({ seed }: Tenant, n: number): string =>
  opaque('AAMkAGA', [seed, 'attachment', n], 'ABEgAQAA');

/** The ids of calendars, contact folders and task lists, and of what is in them. */
export const outlookId = ({ seed }: Tenant, what: Part, n: number): string =>
  opaque('AAMkADg', [seed, 'outlook', what, n], 'AAA=');

export const conversationId = ({ seed }: Tenant, thread: Part): string =>
  opaque('AAQkAG', [seed, 'thread', thread], 'AQAA=');

/** The key of one state of a message or folder: another after each change. */
export const changeKey = ({ seed }: Tenant, n: number, seq: number): string =>
  `CQAAABYAAAD${digest(seed, 'key', n, seq).subarray(0, 21).toString('base64')}`;

export const driveId = ({ seed }: Tenant, owner: string): string =>
  opaque('b!', [seed, 'drive', owner], digest(seed, owner).toString('base64url').slice(0, 22));

const BASE_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const itemId = ({ seed }: Tenant, n: number): string =>
  `01${[...digest(seed, 'item', n)].map((byte) => BASE_32[byte % 32]).join('')}`;

export const channelId = ({ seed }: Tenant, n: number): string =>
  `19:${digest(seed, 'channel', n).toString('hex').slice(0, 32)}@thread.tacv2`;

/** Returns date and time to the millisecond, as messages have them. */
export const exactTime = (at: Ms): string => new Date(at).toISOString();

/** Returns date and time as the cloud writes them: UTC, to the second. */
export const isoTime = (at: Ms): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** Returns a GUID that depends only on the parts, as lists and columns have them. */
export function guid(...parts: readonly Part[]): string {
  const hex = digest(...parts).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
