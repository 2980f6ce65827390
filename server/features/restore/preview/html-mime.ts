/** A page as a mail, which the reader of mails cleans. */
export const toMime = (html: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.from(
      `MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${(
        Buffer.from(html)
          .toString('base64')
          .match(/.{1,76}/g) ?? []
      ).join('\r\n')}\r\n`,
    ),
  );
