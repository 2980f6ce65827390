import type { ArchiveFile, ArchiveReader } from './archive.ts';
import { readEml } from './eml.ts';
import { readMbox } from './mbox.ts';
import { readPst } from './pst.ts';
import { readZip } from './zip.ts';

/** Returns what reads an archive, by its first bytes and not by its name. Null: nothing does. */
export async function findArchiveReader(file: ArchiveFile): Promise<ArchiveReader | null> {
  const head = (await file.read(0, HEAD_BYTES)).toString('latin1');
  if (head.startsWith('PK\u0003\u0004') || head.startsWith('PK\u0005\u0006')) return readZip;
  if (head.startsWith('!BDN')) return readPst;
  if (/^From \S.*\d\d:\d\d/.test(head)) return readMbox;
  // The first line of a mail is a header (RFC 5322), or a mark that some servers put before it.
  return /^(?:[!-9;-~]+[ \t]*:|From )/.test(head.replace(/^\xef\xbb\xbf/, '')) ? readEml : null;
}
const HEAD_BYTES = 1_024;
