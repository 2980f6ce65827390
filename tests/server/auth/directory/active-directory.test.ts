import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { systemClock } from '#server/platform/clock.ts';
import { activeDirectory, tryDirectory } from '#server/features/auth/directory/active-directory.ts';
import { readAccountStatuses } from '#server/features/auth/directory/account-status.ts';
import type { UserDirectory } from '#server/features/auth/directory/directory.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { makeFixture } from '../../http/fixtures.ts';
import { missing, PASSWORD, SERVICE, startSamba } from './samba.ts';
import type { Samba } from './samba.ts';

const NEXT = 'Another-8-phrase';
const outbound = { allow: ['127.0.0.0/8'], http: false };

describe.skipIf(missing !== '')(`Active Directory${missing}`, () => {
  let samba: Samba | null = null;
  let context: AppContext;
  let directory: UserDirectory;
  let lines: string[];
  const here = (): Samba => {
    if (!samba) throw new Error('Samba did not start.');
    return samba;
  };

  beforeAll(async () => {
    samba = await startSamba();
    ({ context, lines } = await makeFixture({ outbound }));
    directory = activeDirectory(context, samba.at, SERVICE);
    for (const name of ['kate', 'lock', 'change', 'reset']) await samba.user(name);
    await samba.user('must', '--must-change-at-next-login');
    await samba.user('gone');
    await samba.tool('user', 'disable', 'gone');
    await samba.tool('user', 'create', "o'neil(1)", PASSWORD, '--use-username-as-cn');
  });
  afterAll(async () => {
    await samba?.stop();
  });

  test('DIR-1: the right password works by name and by name@domain; a wrong, an empty and an unknown one are wrong', async () => {
    for (const name of ['kate', 'KATE', 'kate@example.test']) {
      expect(await directory.bind(name, PASSWORD)).toEqual({
        kind: 'right',
        dn: 'CN=kate,CN=Users,DC=example,DC=test',
        name: 'kate',
        email: 'kate@example.test',
      });
    }
    for (const [name, password] of [
      ['kate', 'wrong'],
      ['kate', ''],
      ['nobody', PASSWORD],
      ['', PASSWORD],
      ['kate@elsewhere.test', PASSWORD],
    ] as const) {
      expect(await directory.bind(name, password), `${name} ${password}`).toEqual({
        kind: 'wrong',
      });
    }
  });

  test('DIR-1: a disabled account and one that must change its password are distinguished', async () => {
    expect(await directory.bind('gone', PASSWORD)).toEqual({ kind: 'disabled' });
    expect(await directory.bind('must', PASSWORD)).toEqual({ kind: 'must-change' });
    expect(await directory.bind('must', 'wrong')).toEqual({ kind: 'wrong' });
  });

  test("DIR-6: an account's status is read without its password: disabled, expired or deleted; a locked one and one that must change its password are active", async () => {
    // Samba lets accounts run out by the machine's clock.
    const { at } = here();
    const now = { ...context, clock: systemClock };
    const look = readAccountStatuses(now, at, SERVICE);
    for (const name of ['over', 'later']) await here().user(name);
    await here().tool('user', 'setexpiry', 'over', '--days=-2');
    await here().tool('user', 'setexpiry', 'later', '--days=400');
    expect(
      await look([
        'kate',
        'KATE',
        'kate@example.test',
        'must',
        'gone',
        'over',
        'later',
        'nobody',
        "o'neil(1)",
        '*',
      ]),
    ).toEqual(
      new Map([
        ['kate', 'stands'],
        ['KATE', 'stands'],
        ['kate@example.test', 'stands'],
        ['must', 'stands'],
        ['gone', 'disabled'],
        ['over', 'disabled'],
        ['later', 'stands'],
        ['nobody', 'gone'],
        ["o'neil(1)", 'stands'],
      ]),
    );
    expect(await look(['nobody'])).toEqual(new Map([['nobody', 'gone']]));
    // Where nobody is seen, or nobody can be asked, nothing is said.
    expect(
      await readAccountStatuses(
        context,
        { ...at, baseDn: `CN=Computers,${at.baseDn}` },
        SERVICE,
      )(['kate']),
    ).toBe(null);
    expect(
      await readAccountStatuses(
        context,
        { ...at, baseDn: `OU=Nowhere,${at.baseDn}` },
        SERVICE,
      )(['kate']),
    ).toBe(null);
    expect(await readAccountStatuses(context, at, 'wrong')(['kate'])).toBe(null);
    expect(await directory.bind('over', PASSWORD)).toEqual({ kind: 'disabled' });
  });

  test('DIR-1: after too many wrong passwords the account is locked, for the right one too, until it is unlocked', async () => {
    for (let tries = 0; tries < 3; tries += 1) await directory.bind('lock', 'wrong');
    expect(await directory.bind('lock', PASSWORD)).toEqual({ kind: 'locked' });
    expect(await directory.change('lock', PASSWORD, NEXT)).toMatchObject({ kind: 'refused' });
    expect(await directory.unlock('lock')).toEqual({ kind: 'done' });
    expect(await directory.bind('lock', PASSWORD)).toMatchObject({ kind: 'right' });
    expect(await directory.unlock('nobody')).toEqual({ kind: 'unknown' });
  });

  test("DIR-2: a change needs the old password; a refusal by the policy is shown in the directory's words and keeps the old one", async () => {
    expect(await directory.change('change', 'wrong', NEXT)).toEqual({ kind: 'wrong' });
    const refused = await directory.change('change', PASSWORD, 'short');
    expect(refused).toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/password.*(short|length)/i) as unknown,
    });
    expect(JSON.stringify(refused)).not.toContain('"short"');
    expect(await directory.bind('change', PASSWORD)).toMatchObject({ kind: 'right' });
    expect(await directory.change('change', PASSWORD, NEXT)).toEqual({ kind: 'done' });
    expect(await directory.bind('change', NEXT)).toMatchObject({ kind: 'right' });
    expect(await directory.change('nobody', PASSWORD, NEXT)).toEqual({ kind: 'unknown' });
  });

  test('DIR-2: a user who must change the password can, and is signed in with the new one', async () => {
    expect(await directory.change('must', PASSWORD, NEXT)).toEqual({ kind: 'done' });
    expect(await directory.bind('must', NEXT)).toMatchObject({ kind: 'right' });
  });

  test('DIR-2: a reset needs no old password, and can require another one at the next sign-in', async () => {
    expect(await directory.reset('reset', 'short', false)).toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/password/i) as unknown,
    });
    expect(await directory.reset('reset', NEXT, false)).toEqual({ kind: 'done' });
    expect(await directory.bind('reset', NEXT)).toMatchObject({ kind: 'right' });
    expect(await directory.reset('reset', `${NEXT}-2`, true)).toEqual({ kind: 'done' });
    expect(await directory.bind('reset', `${NEXT}-2`)).toEqual({ kind: 'must-change' });
    expect(await directory.reset('nobody', NEXT, false)).toEqual({ kind: 'unknown' });
  });

  test('DIR-3: a typed name is a value, never part of a query', async () => {
    expect(await directory.bind("o'neil(1)", PASSWORD)).toMatchObject({
      kind: 'right',
      name: "o'neil(1)",
    });
    for (const name of [
      '*',
      'kat*',
      'kate)(objectClass=*',
      'kate\u0000',
      'CN=kate,CN=Users,DC=example,DC=test',
      'EXAMPLE\\kate',
      'PLAIN',
      'EXTERNAL',
      'x)(|(cn=kate',
    ]) {
      expect(await directory.bind(name, PASSWORD), `as ${name}`).toEqual({ kind: 'wrong' });
      expect((await directory.unlock(name)).kind, `as ${name}`).toBe('unknown');
    }
  });

  test('DIR-4: no password is sent before the certificate is checked', async () => {
    const { at, address } = here();
    expect(
      await activeDirectory(context, { ...at, ca: null }, SERVICE).bind('kate', PASSWORD),
    ).toEqual({ kind: 'unreachable' });
    expect(
      await activeDirectory(context, { ...at, url: 'ldaps://localhost' }, SERVICE).bind(
        'kate',
        PASSWORD,
      ),
    ).toEqual({ kind: 'unreachable' });
    expect(
      await activeDirectory(context, { ...at, url: `ldap://${address}` }, SERVICE).bind(
        'kate',
        PASSWORD,
      ),
      'StartTLS',
    ).toMatchObject({ kind: 'right' });
    expect(
      await activeDirectory(context, { ...at, url: `ldap://${address}`, ca: null }, SERVICE).bind(
        'kate',
        PASSWORD,
      ),
      'StartTLS',
    ).toEqual({ kind: 'unreachable' });
  });

  test('DIR-4: a missing directory, or one with a wrong service account, is reported as unreachable', async () => {
    const wrong = activeDirectory(context, here().at, 'wrong');
    expect([await wrong.unlock('kate'), await wrong.change('kate', PASSWORD, NEXT)]).toEqual([
      { kind: 'unreachable' },
      { kind: 'unreachable' },
    ]);
    expect(await tryDirectory(context, here().at, SERVICE)).toBeGreaterThan(1);
    await expect(tryDirectory(context, here().at, 'wrong')).rejects.toThrow(
      'AcceptSecurityContext',
    );
    expect(lines.join('\n')).not.toMatch(/Daybook-9|Another-8/);
  });
});

test('DIR-4: a server without TLS gets no password, and a private address that the operator did not allow gets nothing', async () => {
  const heard: Buffer[] = [];
  let calls = 0;
  const server = createServer((socket) => {
    calls += 1;
    socket.on('data', (bytes) => {
      heard.push(Buffer.from(bytes));
      socket.resetAndDestroy();
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const at = {
    baseDn: 'DC=example,DC=test',
    domain: 'example.test',
    serviceDn: 'CN=service',
    ca: null,
  };
  try {
    const { context: open } = await makeFixture({ outbound });
    for (const scheme of ['ldap', 'ldaps'])
      expect(
        await activeDirectory(open, { ...at, url: `${scheme}://127.0.0.1:${port}` }, SERVICE).bind(
          'kate',
          PASSWORD,
        ),
      ).toEqual({ kind: 'unreachable' });
    expect([calls, Buffer.concat(heard).includes(PASSWORD)]).toEqual([2, false]);
    const { context: closed } = await makeFixture();
    expect(
      await activeDirectory(closed, { ...at, url: `ldaps://127.0.0.1:${port}` }, SERVICE).bind(
        'kate',
        PASSWORD,
      ),
    ).toEqual({ kind: 'unreachable' });
    expect(calls).toBe(2);
  } finally {
    server.close();
  }
});
