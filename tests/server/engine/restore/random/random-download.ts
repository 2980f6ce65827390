import { dirname, extname } from 'node:path';
import PostalMime from 'postal-mime';
import type { ExplorerId, NodeId } from '#contract/ids.ts';
import { unpack } from '../../../restore/downloading.ts';
import { getValue } from '../../restic/fixtures.ts';
import type { RandomOffice } from './random-office.ts';
import { digest, getNames, type Thing } from './tenant-view.ts';

const HOUR_MS = 3_600_000;

/** What a download of items has, and what it has to have: a line for each, in order. */
export interface ComparedDownload {
  readonly found: readonly string[];
  readonly expected: readonly string[];
}

/**
 * Downloads nodes as a ZIP archive, or a single item as it is, and reads it with other programs: each
 * file by its bytes, each mail by its ID and attachments, and of the others how many there are.
 * `isWhole`: an object was chosen, and each item is in its folder.
 */
export async function compareDownload(
  { engine, scope, context }: RandomOffice,
  { isWhole, ...input }: Chosen,
  wanted: readonly Thing[],
  name: string,
): Promise<ComparedDownload> {
  const place = (folder: string): string => (isWhole ? folder : '');
  const expected = wanted
    .map((one) => `${place(getNames(one.place).join('/') || '.')}: ${describeThing(one)}`)
    .toSorted();
  const prepared = await engine.prepareDownload(scope, {
    ...input,
    format: 'zip',
    maxBytes: null,
    expiresAt: context.clock.now() + HOUR_MS,
  });
  if (!prepared.ok) return { found: [], expected };
  if (prepared.value.kind !== 'prepared') throw new Error('It has no limit.');
  const { id, bytes, fileName } = prepared.value;
  const range = { download: id, from: 0, to: bytes };
  const content = getValue(await engine.readDownload(scope, range));
  const pieces: Uint8Array[] = [];
  for await (const piece of content.stream) pieces.push(piece);
  const all = Buffer.concat(pieces);
  if (all.length !== bytes) throw new Error('It is not as long as it says.');
  const files = fileName === null ? unpack(all, name) : new Map([[fileName, all]]);
  const found = await Promise.all(
    [...files].map(
      async ([path, file]) => `${place(dirname(path))}: ${await describeFile(path, file)}`,
    ),
  );
  return { found: found.toSorted(), expected };
}

interface Chosen {
  readonly explorer: ExplorerId;
  readonly nodes: readonly NodeId[];
  readonly isWhole: boolean;
}

function describeThing({ kind, name, content, messageId }: Thing): string {
  const facts = JSON.parse(content) as readonly unknown[];
  if (kind === 'file') return `file ${String(facts[0])}`;
  if (kind !== 'mail') return EXTENSIONS[kind];
  const attachments = facts.at(-1) as readonly string[];
  const digests = attachments.map((one) => one.split(' ').at(-1) ?? '').toSorted();
  return `mail ${JSON.stringify([name, messageId, digests])}`;
}
const EXTENSIONS = { event: '.ics', task: '.ics', contact: '.vcf', row: '.json' } as const;
const OTHERS: ReadonlySet<string> = new Set(Object.values(EXTENSIONS));

async function describeFile(path: string, bytes: Buffer): Promise<string> {
  const extension = extname(path);
  if (OTHERS.has(extension)) return extension;
  if (extension !== '.eml') return `file ${digest(bytes)}`;
  const mail = await PostalMime.parse(bytes, { forceRfc822Attachments: true });
  const digests = mail.attachments
    .map(({ content }) => digest(Buffer.from(content as ArrayBuffer)))
    .toSorted();
  return `mail ${JSON.stringify([mail.subject ?? '', mail.messageId ?? '', digests])}`;
}
