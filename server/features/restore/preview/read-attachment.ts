import {
  listFiles,
  type MailFile,
  type MailParts,
  parseMail,
  readMimeMail,
  type ReadMail,
  showMail,
} from './read-mail.ts';
import { isMsg, readMsg } from './read-msg.ts';

/** What is attached to a mail. */
export type ReadAttachment =
  | { readonly kind: 'mail'; readonly mail: ReadMail }
  | { readonly kind: 'file'; readonly name: string; readonly content: Uint8Array }
  | { readonly kind: 'missing' };

/**
 * Reads an attachment of a mail. `path`: its place in the list that a preview has, after those of the
 * attached mails that it is in.
 *
 * @throws if it is no mail that the parser understands.
 */
export async function readAttachment(
  bytes: Uint8Array<ArrayBuffer>,
  path: readonly number[],
): Promise<ReadAttachment> {
  let mail: MailParts | null = await parseMail(bytes);
  let file: MailFile | undefined;
  for (const n of path) {
    file = mail === null ? undefined : listFiles(mail.files)[n];
    if (file === undefined) return { kind: 'missing' };
    mail = await openMail(file);
  }
  if (mail !== null) return { kind: 'mail', mail: showMail(mail) };
  if (file === undefined) return { kind: 'missing' };
  return { kind: 'file', name: file.name, content: new Uint8Array(file.bytes) };
}

/** Null: it is no mail, or none that can be read. */
async function openMail({ mail, type, name, bytes }: MailFile): Promise<MailParts | null> {
  if (mail !== undefined) return mail();
  const isMime = type === 'message/rfc822' || /\.eml$/i.test(name);
  const isOutlook = isMsg(bytes) && (type === 'application/vnd.ms-outlook' || /\.msg$/i.test(name));
  try {
    if (isOutlook) return readMsg(new Uint8Array(bytes));
    return isMime ? await readMimeMail(new Uint8Array(bytes)) : null;
  } catch {
    return null;
  }
}
