import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activeDirectory, tryDirectory } from '#server/features/auth/directory/active-directory.ts';
import { readAccountStatuses } from '#server/features/auth/directory/account-status.ts';
import type { UserDirectory } from '#server/features/auth/directory/directory.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { makeFixture } from '../../http/fixtures.ts';
import { PASSWORD, SERVICE } from './samba.ts';
import { missing, startSlapd } from './slapd.ts';
import type { Slapd } from './slapd.ts';

describe.skipIf(missing !== '')(`OpenLDAP${missing}`, () => {
  let slapd: Slapd | null = null;
  let context: AppContext;
  let directory: UserDirectory;
  let lines: string[];
  const here = (): Slapd => {
    if (!slapd) throw new Error('slapd did not start.');
    return slapd;
  };

  beforeAll(async () => {
    slapd = await startSlapd(['kate', "o'neil(1)"]);
    ({ context, lines } = await makeFixture({ outbound: { allow: ['127.0.0.0/8'], http: false } }));
    directory = activeDirectory(context, slapd.at, SERVICE);
  });
  afterAll(async () => {
    await slapd?.stop();
  });

  test('DIR-1: the right password works by name and by name@domain; a wrong, an empty and an unknown one are wrong', async () => {
    for (const name of ['kate', 'KATE', 'kate@example.test']) {
      expect(await directory.bind(name, PASSWORD)).toEqual({
        kind: 'right',
        dn: 'cn=kate,dc=example,dc=test',
        name: 'kate',
        email: 'kate@example.test',
      });
    }
    for (const [name, password] of [
      ['kate', 'wrong'],
      ['kate', ''],
      ['kate', SERVICE],
      ['nobody', PASSWORD],
      ['', PASSWORD],
      ['kate@elsewhere.test', PASSWORD],
      ['service', SERVICE],
    ] as const) {
      expect(await directory.bind(name, password), `${name} ${password}`).toEqual({
        kind: 'wrong',
      });
    }
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
      'cn=kate,dc=example,dc=test',
      'EXAMPLE\\kate',
      'PLAIN',
      'EXTERNAL',
      'x)(|(cn=kate',
    ]) {
      expect(await directory.bind(name, PASSWORD), `as ${name}`).toEqual({ kind: 'wrong' });
      expect((await directory.unlock(name)).kind, `as ${name}`).toBe('unknown');
    }
  });

  test('DIR-6: an existing account is active, a missing one is deleted, and where no account is visible nothing is reported', async () => {
    const { at } = here();
    expect(
      await readAccountStatuses(context, at, SERVICE)(['kate', 'kate@example.test', 'nobody', '*']),
    ).toEqual(
      new Map([
        ['kate', 'stands'],
        ['kate@example.test', 'stands'],
        ['nobody', 'gone'],
      ]),
    );
    expect([
      await readAccountStatuses(context, { ...at, baseDn: SERVICE }, SERVICE)(['kate']),
      await readAccountStatuses(
        context,
        { ...at, baseDn: `cn=o'neil(1),${at.baseDn}` },
        SERVICE,
      )(['kate', 'nobody']),
      await readAccountStatuses(context, at, 'wrong')(['kate']),
    ]).toEqual([
      null,
      new Map([
        ['kate', 'gone'],
        ['nobody', 'gone'],
      ]),
      null,
    ]);
  });

  test('DIR-4: no password is sent before the certificate is checked, and an unreachable server is reported as such', async () => {
    const { at, plain } = here();
    expect(
      await activeDirectory(context, { ...at, ca: null }, SERVICE).bind('kate', PASSWORD),
    ).toEqual({ kind: 'unreachable' });
    expect(
      await activeDirectory(
        context,
        { ...at, url: at.url.replace('127.0.0.1', 'localhost') },
        SERVICE,
      ).bind('kate', PASSWORD),
    ).toEqual({ kind: 'unreachable' });
    expect(
      await activeDirectory(context, { ...at, url: plain }, SERVICE).bind('kate', PASSWORD),
      'StartTLS',
    ).toMatchObject({ kind: 'right' });
    expect(
      await activeDirectory(context, { ...at, url: plain, ca: null }, SERVICE).bind(
        'kate',
        PASSWORD,
      ),
      'StartTLS',
    ).toEqual({ kind: 'unreachable' });
    const wrong = activeDirectory(context, at, 'wrong');
    expect([await wrong.bind('kate', PASSWORD), await wrong.unlock('kate')]).toEqual([
      { kind: 'unreachable' },
      { kind: 'unreachable' },
    ]);
    expect(await tryDirectory(context, at, SERVICE)).toBe(2);
    await expect(tryDirectory(context, at, 'wrong')).rejects.toThrow('0x31');
    expect(lines.join('\n')).not.toContain('Daybook-9');
  });
});
