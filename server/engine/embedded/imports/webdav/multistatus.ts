import { Parser } from 'htmlparser2';
import type { Bytes, Ms } from '#contract/ids.ts';

/** A file or folder, as a server lists it. */
export interface WebdavEntry {
  readonly href: string;
  readonly isFolder: boolean;
  readonly bytes: Bytes;
  readonly modifiedAt: Ms | null;
  readonly etag: string;
}

/** What is requested of each entry (RFC 4918, 9.1). */
export const PROPFIND_BODY =
  '<?xml version="1.0" encoding="utf-8"?><d:propfind xmlns:d="DAV:"><d:prop><d:resourcetype/><d:getcontentlength/><d:getlastmodified/><d:getetag/></d:prop></d:propfind>';

/** Reads a `multistatus` (RFC 4918, 14.16). Properties that the server doesn't have are empty. */
export function readMultistatus(xml: string): readonly WebdavEntry[] {
  const entries: WebdavEntry[] = [];
  let texts = new Map<string, string>();
  let isFolder = false;
  let open = '';
  let isMultistatus = false;
  const parser = new Parser(
    {
      onopentagname(name) {
        open = getLocalName(name);
        if (open === 'multistatus') isMultistatus = true;
        if (open === 'response') {
          texts = new Map();
          isFolder = false;
        }
        if (open === 'collection') isFolder = true;
      },
      ontext(text) {
        // The first one counts: a property that is missing may be named again.
        if (open !== '') texts.set(open, (texts.get(open) ?? '') + text);
      },
      onclosetag(name) {
        open = '';
        if (getLocalName(name) !== 'response') return;
        const bytes = Number(texts.get('getcontentlength') ?? 0);
        const modifiedAt = Date.parse(texts.get('getlastmodified') ?? '');
        entries.push({
          href: (texts.get('href') ?? '').trim(),
          isFolder,
          bytes: Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : 0,
          modifiedAt: Number.isNaN(modifiedAt) ? null : modifiedAt,
          etag: (texts.get('getetag') ?? '').trim(),
        });
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  if (!isMultistatus) throw new SyntaxError('no multistatus');
  return entries;
}

/** Prefixes of namespaces are the server's own. */
const getLocalName = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();
