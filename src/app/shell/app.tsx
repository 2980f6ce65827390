'use no memo'; // rendered rarely: the compiler's memoization would only add code to the first load
import { Outlet } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '#src/ui/lazy-part.ts';
import { useWorkerFailure } from '../worker/worker-client.ts';
import { useBranding, useMe } from '../session/session.ts';
import { LiveRegion } from './announce.tsx';
import { applyBranding } from './branding/apply-branding.ts';
import { NoWorker } from './worker-unavailable.tsx';

const Tooltip = lazyPart(async () => (await import('../../ui/tooltip.tsx')).Tooltip);

const MOVES = ['pointermove', 'pointerdown', 'keydown'] as const;

/** The providers and dialogs around every screen, signed in or not. */
export function App() {
  const error = useWorkerFailure();
  const branding = useBranding();
  const isIn = useMe() !== null;
  const [hasMoved, setMoved] = useState(false);
  useEffect(() => applyBranding(branding), [branding]);
  // The first load does not include tooltips. Before sign-in they are loaded on the first pointer
  // or key event.
  useEffect(() => {
    const move = (): void => setMoved(true);
    for (const type of MOVES) addEventListener(type, move, { once: true, passive: true });
    return () => {
      for (const type of MOVES) removeEventListener(type, move);
    };
  }, []);
  if (error !== null) return <NoWorker error={error} />;
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
