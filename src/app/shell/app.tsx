'use no memo'; // drawn once or seldom: the compiler's memory would cost more code on the first load
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useWorkerFailure } from '../worker/worker-client.ts';
import { useBranding, useMe } from '../session/session.ts';
import { LiveRegion } from './announce.tsx';
import { applyBranding } from './branding/apply-branding.ts';
import { NoWorker } from './worker-unavailable.tsx';

const Tooltip = lazy(async () => ({ default: (await import('../../ui/tooltip.tsx')).Tooltip }));

const MOVES = ['pointermove', 'pointerdown', 'keydown'] as const;

/** What stands round every screen, signed in or not. */
export function App() {
  const fault = useWorkerFailure();
  const branding = useBranding();
  const isIn = useMe() !== null;
  const [hasMoved, setMoved] = useState(false);
  useEffect(() => applyBranding(branding), [branding]);
  // The first load leaves tooltips out: before anybody is in they come with the first move of a
  // pointer or key.
  useEffect(() => {
    const move = (): void => setMoved(true);
    for (const type of MOVES) addEventListener(type, move, { once: true, passive: true });
    return () => {
      for (const type of MOVES) removeEventListener(type, move);
    };
  }, []);
  if (fault !== null) return <NoWorker fault={fault} />;
  return (
    <>
      <Outlet />
      <LiveRegion />
      {(isIn || hasMoved) && (
        <Suspense>
          <Tooltip />
        </Suspense>
      )}
    </>
  );
}
