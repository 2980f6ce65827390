import type { ItemKind } from '#contract/engine/engine.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { Bytes } from '#contract/ids.ts';

/** How the text of a content is read. Threads get the place in this list. */
export const TEXT_FORMATS = [
  'mail',
  'html',
  'plain',
  'office',
  'binary-office',
  'open-document',
  'pdf',
  'outlook',
  'post',
  'row',
] as const;
/** Added to the place of a format: the text is for people, not for its words. */
export const FOR_READING = 0x80;
export type TextFormat = (typeof TEXT_FORMATS)[number];

/** Larger contents aren't read for their words, nor shown. */
export const MAX_CONTENT_BYTES: Bytes = 32 << 20;

const OF_EXTENSION: Readonly<Record<string, TextFormat>> = {
  ...Object.fromEntries(
    ['docx', 'docm', 'dotx', 'xlsx', 'xlsm', 'xltx', 'pptx', 'pptm', 'ppsx'].map((name) => [
      name,
      'office' as const,
    ]),
  ),
  ...Object.fromEntries(
    ['doc', 'dot', 'xls', 'xlt', 'ppt', 'pps', 'pot'].map((name) => [
      name,
      'binary-office' as const,
    ]),
  ),
  ...Object.fromEntries(
    ['odt', 'ott', 'ods', 'ots', 'odp', 'otp', 'odg'].map((name) => [
      name,
      'open-document' as const,
    ]),
  ),
  pdf: 'pdf',
  ...Object.fromEntries(
    ['txt', 'md', 'csv', 'tsv', 'log', 'json', 'xml', 'yaml', 'yml', 'ini', 'ics', 'vcf'].map(
      (name) => [name, 'plain' as const],
    ),
  ),
  htm: 'html',
  html: 'html',
  eml: 'mail',
};

/** By the name of a file; null: it has no text, or one that can't be read. */
export const getFileFormat = (name: string): TextFormat | null => {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? null : (OF_EXTENSION[name.slice(dot + 1).toLowerCase()] ?? null);
};

interface TextPart {
  readonly part: StoredPart;
  readonly format: TextFormat;
}

/** Returns the part of an item that has its text; null: none has. */
export function findTextPart({
  kind,
  title,
  parts,
}: {
  readonly kind: ItemKind;
  readonly title: string;
  readonly parts: readonly StoredPart[];
}): TextPart | null {
  const [role, format] = getPlace(kind, title);
  const part = parts.find(({ as }) => as === role);
  return format === null || part === undefined || part.bytes > MAX_CONTENT_BYTES
    ? null
    : { part, format };
}

function getPlace(kind: ItemKind, title: string): readonly [StoredPart['as'], TextFormat | null] {
  switch (kind) {
    case 'mail':
      return ['mime', 'mail'];
    case 'event':
    case 'contact':
    case 'task':
      return ['json', 'outlook'];
    case 'post':
      return ['json', 'post'];
    case 'row':
      return ['json', 'row'];
    case 'file':
      return ['raw', getFileFormat(title)];
    default:
      return ['json', null];
  }
}
