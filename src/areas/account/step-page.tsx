import { Navigate, useLocation } from '@tanstack/react-router';
import { Suspense, lazy } from 'react';
import { useWatch } from '#src/door.ts';
import { useWayIn } from '#src/way-in.ts';
import { pathOf } from './step-path.ts';
import type { StepPath } from './step-path.ts';

const SmsVerification = lazy(async () => ({ default: (await import('./sms-verification.tsx')).SmsVerification }));
const Phone = lazy(async () => ({ default: (await import('./phone.tsx')).Phone }));
const Verification = lazy(async () => ({ default: (await import('./verification.tsx')).Verification }));
const Enrol = lazy(async () => ({ default: (await import('./enrol.tsx')).Enrol }));
const PAGES = { '/sms-verification': SmsVerification, '/verification': Verification, '/enrol': Enrol } as const satisfies Record<Exclude<StepPath, '/phone'>, unknown>;

/** The pages after the password: each is open while the sign-in asks for just that. Without one, the way leads back to the name and password. */
export function StepPage() {
  const signing = useWatch('signing', NOTHING);
  const { held } = useWayIn();
  const at = useLocation().pathname.replace(/\/+$/, '');
  if (held) return <Suspense><Enrol step={signing?.is === 'step' ? signing.step : null} /></Suspense>;
  if (signing === undefined) return null;
  if (signing.is === 'none') return <Navigate to="/login" replace />;
  const path = pathOf(signing.step, at);
  if (path !== at) return <Navigate to={path} replace />;
  if (path === '/phone') return <Suspense><Phone /></Suspense>;
  const Page = PAGES[path];
  return <Suspense><Page step={signing.step} /></Suspense>;
}

const NOTHING = {};
