import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getNeededStep } from '#server/features/auth/policy.ts';
import type { Owned, SecondFactorPolicy } from '#server/features/auth/policy.ts';

const ownedArb: fc.Arbitrary<Owned> = fc.record({
  totp: fc.boolean(),
  passkey: fc.boolean(),
  recovery: fc.boolean(),
  phone: fc.constantFrom(null, '+15550100112'),
  phoneProven: fc.boolean(),
  smsAsked: fc.boolean(),
});
const policyArb = fc.constantFrom<SecondFactorPolicy>('own', 'sms', 'strong');

test('FACTOR-1: of all policies and factors, the strongest required one is requested and nothing less signs in', () => {
  fc.assert(
    fc.property(policyArb, ownedArb, fc.boolean(), fc.boolean(), (policy, owned, skips, shown) => {
      const need = getNeededStep(policy, owned, skips, shown);
      const better = owned.totp || owned.passkey;
      const methods = need.step === 'code' ? need.methods : [];
      // Who has something better is always asked for it, first, on every device.
      if (better) expect(methods[0]).toBe(owned.passkey ? 'passkey' : 'totp');
      // A provider that asks for strong factors lets nobody in with a password or a code by SMS:
      // the code comes before setting up something better.
      if (policy === 'strong') {
        const codeFirst = !better && owned.phone !== null && owned.phoneProven && !shown;
        expect([need.step, methods.includes('sms')]).toEqual([
          better || codeFirst ? 'code' : 'enrol',
          codeFirst,
        ]);
      }
      // SMS beside something better only where the user wants it.
      if (better && methods.includes('sms')) expect(owned.smsAsked).toBe(true);
      // Nothing is asked for that the user does not have.
      expect(
        methods.every(
          (one) =>
            ({
              passkey: owned.passkey,
              totp: owned.totp,
              sms: owned.phone !== null,
              recovery: owned.recovery && better,
            })[one],
        ),
      ).toBe(true);
      // In with the password alone: nobody asks for more, or a code was shown on this device and
      // only that would be asked for.
      if (need.step === 'none')
        expect(
          !better && ((policy === 'own' && !owned.smsAsked) || (skips && owned.phone !== null)),
        ).toBe(true);
      if (need.step === 'code') expect(methods.length).toBeGreaterThan(0);
      if (need.step === 'phone') expect(owned.phone).toBeNull();
    }),
    { numRuns: 2_000 },
  );
});
