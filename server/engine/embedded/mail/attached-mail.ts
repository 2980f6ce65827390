import PostalMime from 'postal-mime';

/** The media type of a mail that is attached to another one (RFC 2046). */
export const MESSAGE_TYPE = 'message/rfc822';

/** What systems refuse in names of files, or take as their end. */
const FORBIDDEN = /[\p{Cc}\\/:*?"<>|]+/gu;
const MAX_CHARS = 120;

/**
 * Returns the name of an attached mail that has none, as mail programs save it: its subject with
 * `.eml`. Null: it has no subject, or no head that can be read.
 */
export async function nameAttachedMail(mime: Uint8Array): Promise<string | null> {
  const mail = await PostalMime.parse(getHead(mime), { forceRfc822Attachments: true }).catch(
    () => null,
  );
  const subject = (mail?.subject ?? '')
    .replaceAll(FORBIDDEN, ' ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, MAX_CHARS)
    .trim()
    .toWellFormed();
  return subject === '' ? null : `${subject}.eml`;
}

/** The headers, which end at the first empty line. The rest can be large. */
function getHead(mime: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(mime.buffer, mime.byteOffset, mime.byteLength);
  const ends = ['\r\n\r\n', '\n\n'].map((end) => bytes.indexOf(end)).filter((at) => at >= 0);
  return new Uint8Array(bytes.subarray(0, ends.length === 0 ? bytes.length : Math.min(...ends)));
}
