import { expect, test } from 'vitest';
import { deviceUser } from '#contract/auth/current-user.ts';
import { PLAIN, signedInAs } from '#tests/me.ts';

test('ROW-1, SYNC-6: a device stores no phone number, account or notification of its user', () => {
  const me = {
    id: 'u1',
    username: 'dana',
    name: 'Dana',
    email: 'dana@example.com',
    roles: ['operator' as const],
    companies: [1, 2],
    serviceProviderId: 'p1',
    ...PLAIN,
    sso: ['vac' as const, 'zerto' as const],
  };
  const answer = signedInAs(me);
  expect(answer).toHaveProperty('mobilePhone', '+15550100200');
  expect(deviceUser(answer)).toStrictEqual(me);
  expect(
    deviceUser({
      ...answer,
      sso: { vac: { enabled: false, username: 'x' }, vcd: { enabled: true } },
    }).sso,
  ).toEqual(['vcd']);
});
