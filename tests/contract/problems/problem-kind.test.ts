import { expect, test } from 'vitest';
import { kindOfCause } from '#contract/problems/problem-kind.ts';

test('SUITE-30: a tenant that no longer lets its backup application in is a problem of access', () => {
  for (const message of [
    "The organization couldn't be read. The application does not exist in this tenant. Check its ID and the tenant.",
    "The organization couldn't be read. Microsoft 365 did not accept the sign-in. Renew the access of the organization.",
  ])
    expect(kindOfCause(message)).toBe('access');
  expect(kindOfCause('2 source files could not be read')).toBe('partial');
});
