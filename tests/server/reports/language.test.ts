import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LanguageTag } from '#contract/i18n/language-tags.ts';
import { tellFactor } from '#server/features/auth/factor-notice.ts';
import { sendCode } from '#server/features/auth/codes.ts';
import { beginAttempt } from '#server/features/auth/attempts.ts';
import { tellChange } from '#server/features/auth/mails.ts';
import { tellOfFactors } from '#server/features/users/invite.ts';
import { readBlob } from '#server/platform/db/blob-store.ts';
import type { Post } from '#server/platform/mail/queue-mail.ts';
import { posted } from '../auth/captured-mail.ts';
import { anyDatabase } from '../db/databases.ts';
import { user } from '../http/fixtures.ts';
import { branded, made, reporter, turning } from './fixtures.ts';
import { anDemo } from './results/fixtures.ts';
import type { Demo } from './results/fixtures.ts';

// The language of what the server writes to people, as it waits in the outbox.

const BERLIN = { timeZone: 'Europe/Berlin', dayBeginsHour: 6 };

/** The language of the user and of the provider, and that of what the user gets. */
const MATRIX: readonly (readonly [string | null, LanguageTag | null, 'English' | 'accented'])[] = [
  [null, null, 'English'],
  [null, 'en', 'English'],
  [null, 'en-XA', 'accented'],
  ['en-XA', null, 'accented'],
  ['en-XA', 'en', 'accented'],
  ['en-XA', 'en-XA', 'accented'],
  ['en', 'en-XA', 'English'],
  // Values from before: one without texts of its own, and English of another country.
  ['de', 'en-XA', 'accented'],
  ['en-GB', 'en-XA', 'English'],
];
const PHONE = '+15550100177';

/** What a text begins with or contains, typed by hand in both languages. */
const TEXTS = {
  account: { English: 'Hello Vera,', accented: '[Ĥéĺĺó Vera,' },
  password: { English: 'Your password at', accented: '[Ýóúŕ þàššŵóŕđ àţ' },
  factors: {
    English: 'An administrator removed the authenticator app',
    accented: '[Àñ àđɱíñíšţŕàţóŕ ŕéɱóṽéđ ţĥé àúţĥéñţíçàţóŕ àþþ',
  },
  sms: { English: 'is your code to sign in to', accented: 'íš ýóúŕ çóđé ţó šíĝñ íñ ţó' },
  report: { English: 'Success rate: ', accented: '[Šúççéšš ŕàţé ẋ' },
} as const;

anyDatabase((_name, open) => {
  let demoData: Demo;
  let turn: ReturnType<typeof turning>;
  beforeAll(async () => {
    demoData = await anDemo(await open(), 31, BERLIN, { jobs: 4, runs: 60, days: 5 });
    turn = turning(demoData);
  });
  afterAll(() => turn.stop());

  const speaks = (id: string, language: string | null): Promise<unknown> =>
    demoData.store.tenant(demoData.tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ language })
        .where('tenant_id', '=', demoData.tenant)
        .where('id', '=', id)
        .execute(),
    );
  /** What was put in the outbox meanwhile. */
  async function sentDuring(work: () => Promise<unknown>): Promise<readonly Post[]> {
    const before = await posted(demoData.ground, demoData.tenant);
    demoData.ground.pass(1_000);
    await work();
    return (await posted(demoData.ground, demoData.tenant)).slice(before.length);
  }

  test('LANG-1: mails and text messages are in the language of the user, else the provider, else English', async () => {
    const { ground: fixture, tenant } = demoData;
    const id = await user(fixture, tenant, {
      username: 'vera',
      name: 'Vera',
      email: 'vera@example.com',
    });
    const { context } = fixture;
    const key = await context.sessionKey();
    for (const [own, portal, expected] of MATRIX) {
      await speaks(id, own);
      await branded(demoData, { language: portal });
      fixture.pass(3_600_001);
      const posts = await sentDuring(() =>
        demoData.store.tenant(tenant, async (tx) => {
          await tellFactor(tx, context, id, 'totp-added');
          await tellChange(tx, context, id, 'vera@example.com', 'password');
          await tellOfFactors(tx, context, id, 'vera@example.com');
          const { attempt } = await beginAttempt(
            tx,
            context,
            { kind: 'sign-in', userId: id, state: {} },
            context.clock.now(),
          );
          await sendCode(tx, context, key, makeContext(), attempt, PHONE);
        }),
      );
      const row = [own, portal];
      expect([row, posts.map(({ kind }) => kind).toSorted()]).toEqual([
        row,
        ['mail', 'mail', 'mail', 'sms'],
      ]);
      const all = posts.map((post) => `${'subject' in post ? post.subject : ''}\n${post.text}`);
      const other = expected === 'English' ? 'accented' : 'English';
      for (const text of ['account', 'password', 'factors', 'sms'] as const)
        expect([
          row,
          text,
          all.some((one) => one.includes(TEXTS[text][expected])),
          all.some((one) => one.includes(TEXTS[text][other])),
        ]).toEqual([row, text, true, false]);
    }
  });

  test('LANG-2: a report goes to each recipient in their language, as an email and as a PDF', async () => {
    const { ground: fixture, tenant } = demoData;
    await branded(demoData, { language: null });
    const rita = await reporter(demoData, 'rita', ['operator']);
    const owner = await reporter(demoData, 'olga', ['operator']);
    await speaks(rita.id, 'en-XA');
    const id = await made(owner, {
      template: 'calendarReportCompanySummary',
      format: 'pdf',
      recipients: ['rita@example.com', 'olga@example.com', 'nobody@example.net'],
    });
    const send = async (): Promise<Readonly<Record<string, readonly [string, string, string]>>> => {
      const posts = await sentDuring(async () => {
        await owner('POST', 'send', { reportSettingId: id });
        await turn.round();
      });
      const found: Record<string, readonly [string, string, string]> = {};
      for (const post of posts) {
        if (!('subject' in post)) continue;
        const file = await demoData.store.tenant(tenant, (tx) =>
          readBlob(tx, fixture.context, post.files?.[0] ?? ''),
        );
        const pdf = Buffer.from(file?.bytes ?? []).toString('latin1');
        const language = (text: string): string =>
          text.includes(TEXTS.report.accented)
            ? 'accented'
            : text.includes(TEXTS.report.English)
              ? 'English'
              : 'neither';
        found[post.to] = [
          language(post.text),
          /<html lang="([\w-]+)">/.exec(post.html ?? '')?.[1] ?? '',
          /\/Lang \(([\w-]+)\)/.exec(pdf)?.[1] ?? '',
        ];
      }
      return found;
    };
    expect(await send()).toEqual({
      'rita@example.com': ['accented', 'en-XA', 'en-XA'],
      'olga@example.com': ['English', 'en', 'en'],
      'nobody@example.net': ['English', 'en', 'en'],
    });
    await branded(demoData, { language: 'en-XA' });
    await speaks(rita.id, 'en');
    expect(await send()).toEqual({
      'rita@example.com': ['English', 'en', 'en'],
      'olga@example.com': ['accented', 'en-XA', 'en-XA'],
      'nobody@example.net': ['accented', 'en-XA', 'en-XA'],
    });
  });

  const makeContext = (): Parameters<typeof sendCode>[3] => ({
    tenant: demoData.tenant,
    command: null,
    signal: null,
    now: demoData.ground.context.clock.now(),
    ip: '192.0.2.1',
    host: demoData.host,
    answer: new Headers(),
    request: new Request(`http://${demoData.host}/`),
  });
});
