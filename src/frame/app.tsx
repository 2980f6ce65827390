import { Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useDoorFault } from '../door.ts';
import { useBranding } from '../session.ts';
import { LiveRegion } from './announce.tsx';
import { applyBranding } from './branded.ts';
import { NoWorker } from './no-worker.tsx';

/** What stands round every screen, signed in or not. */
export function App() {
  const fault = useDoorFault();
  const branding = useBranding();
  useEffect(() => applyBranding(branding), [branding]);
  if (fault !== null) return <NoWorker fault={fault} />;
  return (
    <>
      <Outlet />
      <LiveRegion />
    </>
  );
}
