import { expect, test } from 'vitest';
import { eachDatabase } from '../db/databases.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aLibrary, cookiesIn, openLibrary, readingsIn } from './content.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const MAIL = Buffer.from(
  [
    'From: "Ann Calloway" <ann@example.com>',
    'To: Bob <bob@example.net>, =?utf-8?q?J=C3=BCrgen?= <jurgen@example.org>',
    'Cc: Team: cora@example.com, dora@example.com;',
    'Subject: =?utf-8?b?w5xiZXJzaWNodA==?=',
    'Date: Mon, 02 Mar 2026 07:30:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="m"',
    '',
    '--m',
    'Content-Type: multipart/related; boundary="r"',
    '',
    '--r',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p onclick="steal()">Numbers <b>below</b><script>steal()</script></p><img src="cid:logo@x"><img src="https://track.example.com/a.gif"><a href="https://example.com/x">Open</a>',
    '--r',
    'Content-Type: image/png',
    'Content-ID: <logo@x>',
    'Content-Disposition: inline; filename="logo.png"',
    'Content-Transfer-Encoding: base64',
    '',
    PIXEL,
    '--r--',
    '--m',
    'Content-Type: application/pdf; name="Q1.pdf"',
    'Content-Disposition: attachment; filename="Q1.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    'AAECAwQF',
    '--m--',
    '',
  ].join('\r\n'),
);
const TEXT = Buffer.from('From: ann@example.com\r\nSubject: Plain\r\n\r\nA <b>tag</b> & more\r\n');

interface Preview {
  readonly url: string;
  readonly subject: string;
  readonly attachments: readonly object[];
}

eachDatabase((kind, open) => {
  test(`DL-7: a preview has the head of the mail, its attachments, and an address of its clean body (${kind})`, async () => {
    const library = await aLibrary(await open());
    const { admin, ours, visit } = library;
    const ids = await library.store(ours, 1, 'mailbox', [
      { path: ['Inbox'], title: 'Rich', content: MAIL },
      { path: ['Inbox'], title: 'Plain', content: TEXT },
    ]);
    const session = await openLibrary(admin, ours);
    const preview = (title: string) => createPreview(admin, session, ids.get(title) ?? '');
    const rich = await preview('Rich');
    expect(rich.status).toBe(200);
    const { url, ...head } = rich.body.data;
    expect(head).toEqual({
      subject: 'Übersicht',
      from: { name: 'Ann Calloway', address: 'ann@example.com' },
      to: [
        { name: 'Bob', address: 'bob@example.net' },
        { name: 'Jürgen', address: 'jurgen@example.org' },
      ],
      cc: [
        { name: '', address: 'cora@example.com' },
        { name: '', address: 'dora@example.com' },
      ],
      sentAt: Date.parse('2026-03-02T07:30:00Z'),
      attachments: [{ name: 'Q1.pdf', bytes: 6, type: 'application/pdf' }],
      heldPictures: 1,
    });
    const [cookie = ''] = rich.headers.getSetCookie();
    expect(cookie).toContain(`Path=${url};`);
    expect(cookie).toMatch(/HttpOnly; Secure; SameSite=Strict$/);
    const shown = await visit(`${url}?theme=dark`, cookiesIn(rich));
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('<p>Numbers <b>below</b></p>');
    expect(shown.text).toContain(`<img src="data:image/png;base64,${PIXEL}"`);
    expect(shown.text).toContain('<span class="link" title="https://example.com/x">Open</span>');
    expect(shown.text).not.toMatch(/steal|track\.example|href|<script/);
    expect(shown.text).toContain('data-theme="dark"');
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'content-security-policy':
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox",
    });
    expect((await visit(url, cookiesIn(rich))).status, 'it opens once').toBe(404);

    const plain = await preview('Plain');
    const text = await visit(plain.body.data.url, cookiesIn(plain));
    expect(text.text).toContain('<pre>A &lt;b&gt;tag&lt;/b&gt; &amp; more');
    // Another server of the same database reads the mail again.
    const elsewhere = await preview('Plain');
    library.ground.context.mailPreviews.bodies.clear();
    expect((await visit(elsewhere.body.data.url, cookiesIn(elsewhere))).text).toContain('<pre>A ');
  });

  test(`G65, G63: a preview opens for the browser and session that asked only, within a minute, and each reading is recorded (${kind})`, async () => {
    const library = await aLibrary(await open());
    const { ground: fixture, office, admin, ours, theirs, visit } = library;
    const ids = await library.store(ours, 11, 'mailbox', [
      { path: ['Inbox'], title: 'Plain', content: TEXT },
    ]);
    await library.store(theirs, 12, 'mailbox', [
      { path: ['Inbox'], title: 'Canary', content: TEXT },
    ]);
    const id = ids.get('Plain') ?? '';
    const session = await openLibrary(admin, ours);
    const before = await readingsIn(library);
    const made = await createPreview(admin, session, id);
    const other = await createPreview(admin, session, id);
    const { url } = made.body.data;
    expect((await readingsIn(library)).slice(before.length)).toEqual([
      expect.objectContaining({ read: 'content', session, node: id, as: 'mime' }),
      expect.objectContaining({ read: 'content', session, node: id, as: 'mime' }),
    ]);
    expect((await visit(url)).status).toBe(404);
    expect((await visit(url, cookiesIn(other))).status).toBe(404);
    expect((await visit(url, ['__Secure-daybook-preview=x'])).status).toBe(404);
    expect((await visit('/preview/x', cookiesIn(made))).status).toBe(404);
    expect((await visit(url, cookiesIn(made))).status).toBe(200);
    expect((await readingsIn(library)).slice(before.length + 2)).toEqual([
      expect.objectContaining({ read: 'preview', session, node: id }),
    ]);

    fixture.pass(61_000);
    expect((await visit(other.body.data.url, cookiesIn(other))).status, 'a minute').toBe(404);

    const cora = await office.as('cora', ['o365_admin'], [1]);
    const own = await openLibrary(cora, ours);
    expect((await createPreview(cora, session, id)).status, 'the session of another user').toBe(
      404,
    );
    expect((await createPreview(cora, own, 'i12.1')).status, 'another organization').toBe(404);
    for (const node of ['o11', 'f11.1', 'i11.99', 'x'])
      expect([node, (await createPreview(cora, own, node)).status]).toEqual([node, 404]);
    const ended = await createPreview(cora, own, id);
    expect(ended.status).toBe(200);
    await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .updateTable('session')
        .set({ ended_at: fixture.context.clock.now() })
        .where('tenant_id', '=', tenant)
        .execute(),
    );
    fixture.context.knownSessions.forget(office.tenant);
    expect((await visit(ended.body.data.url, cookiesIn(ended))).status, 'it ended').toBe(404);
  });
});

const createPreview = (who: Asker, session: string, item: string) =>
  who<Preview>(
    'POST',
    `o365/restore/restoresessions/${session}/mailboxes/${item.replace(/^i(\d+)\..*$/, 'o$1')}/items/${item}/preview`,
    {},
  );
