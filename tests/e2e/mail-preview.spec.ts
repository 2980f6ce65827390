import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { CSP } from '../../server/platform/http/security-headers.ts';
import { mailPage, PREVIEW_POLICY } from '../../server/features/restore/preview/mail-page.ts';
import { readShownMail } from '../../server/features/restore/preview/read-mail.ts';
import { showFile } from '../../server/features/restore/preview/show-file.ts';
import { HOSTILE_FILES } from '../server/restore/hostile-files.ts';
import { HOSTILE_HTML } from '../server/restore/hostile-mails.ts';

let server: Server;
let pages: string[] = [];
/** What the texts of files say is shown unchanged. */
const asItIs = {
  read: (_format: string, bytes: Uint8Array) =>
    Promise.resolve({
      kind: 'read' as const,
      value: { text: new TextDecoder().decode(bytes), isShortened: false },
    }),
};
let base = '';

test.beforeEach(async () => {
  pages = await Promise.all(
    HOSTILE_HTML.map(async (html) => mailPage((await readShownMail(makeMail(html))).body, null)),
  );
  for (const file of Object.values(HOSTILE_FILES)) {
    const shown = await showFile(asItIs, file);
    if (shown.ok) pages.push(mailPage(shown.value.body, null));
  }
  expect(pages.length).toBeGreaterThan(HOSTILE_HTML.length + 8);
  server = createServer(({ url = '' }, answer) => {
    const n = /^\/preview\/(\d+)$/.exec(url)?.[1];
    const page = n === undefined ? undefined : pages[Number(n)];
    if (page !== undefined)
      answer.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': PREVIEW_POLICY,
      });
    else
      answer.writeHead(url === '/' ? 200 : 404, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': CSP,
      });
    answer.end(page ?? '<!doctype html><title>Portal</title>');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
test.afterEach(async () => {
  await new Promise((resolve) => void server.close(resolve));
});

const makeMail = (html: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.from(
      `Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(html).toString('base64')}\r\n`,
    ),
  );

test('G64, G50: hostile mails and files make no request, run nothing and lead nowhere in a real browser', async ({
  browser,
}) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const requested: string[] = [];
  context.on('request', (request) => requested.push(request.url()));
  const opened: string[] = [];
  context.on('page', (one) => opened.push(one.url()));
  page.on('dialog', (dialog) => {
    opened.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto(base);
  requested.length = 0;
  const wanted = pages.map((_, n) => `${base}/preview/${n}`);
  for (const url of wanted) {
    await page.evaluate(
      (src) =>
        new Promise((resolve) => {
          document.body.replaceChildren();
          const frame = document.createElement('iframe');
          frame.setAttribute('sandbox', '');
          frame.src = src;
          frame.addEventListener('load', resolve);
          document.body.append(frame);
        }),
      url,
    );
    // Whoever reads it clicks.
    await page.mouse.click(60, 40);
  }
  // What the last click led to would come before this.
  await page.evaluate(() => fetch('/'));
  expect(requested).toEqual([...wanted, `${base}/`]);
  expect(opened).toEqual([]);
  expect(page.url()).toBe(`${base}/`);
  await context.close();
});
