import { useLocation, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '#src/ui/lazy-part.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { useWayIn } from '#src/app/session/sign-in-context.ts';
import { getStepPath } from './step-path.ts';
import type { StepPath } from './step-path.ts';

const SmsVerification = lazyPart(
  async () => (await import('./sms-verification.tsx')).SmsVerification,
);
const Phone = lazyPart(async () => (await import('./phone.tsx')).Phone);
const Verification = lazyPart(async () => (await import('./verification.tsx')).Verification);
const Enrol = lazyPart(async () => (await import('./enrol.tsx')).Enrol);
const PAGES = {
  '/sms-verification': SmsVerification,
  '/verification': Verification,
  '/enrol': Enrol,
} as const satisfies Record<Exclude<StepPath, '/phone'>, unknown>;

/**
 * The pages after the password. Each is open while the sign-in requires that step; otherwise it
 * redirects to the sign-in page.
 */
export function StepPage() {
  const router = useRouter();
  const who = useWatch('who', EMPTY);
  const signing = useWatch('signing', EMPTY);
  const { staysOpen } = useWayIn();
  const at = useLocation().pathname.replace(/\/+$/, '');
  const request = signing?.kind === 'step' ? signing.step : null;
  const [last, setLast] = useState(request);
  if (request !== null && request !== last) setLast(request);
  // The page does not change while an answer is pending or while it shows something only once.
  const step = staysOpen ? (request ?? last) : request;
  const path = step === null ? null : getStepPath(step, at);
  // The route guard alone redirects signed-in users.
  const elsewhere =
    staysOpen || who?.kind !== 'out' || signing === undefined
      ? null
      : path === null
        ? '/login'
        : path === at
          ? null
          : path;
  useEffect(() => {
    if (elsewhere !== null) void router.navigate({ to: elsewhere, replace: true });
  }, [router, elsewhere]);

  if (step === null || path === null || path !== at) return null;
  if (path === '/phone')
    return (
      <Suspense>
        <Phone />
      </Suspense>
    );
  const Page = PAGES[path];
  return (
    <Suspense>
      <Page step={step} />
    </Suspense>
  );
}

const EMPTY = {};
