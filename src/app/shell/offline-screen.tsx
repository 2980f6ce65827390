import { Suspense, useEffect } from 'react';
import type { ComponentType } from 'react';
import { lazyPart } from '../../ui/lazy-part.ts';
import { useMe } from '../session/session.ts';
import { announce } from './announce.tsx';
import { Notice } from './notice-page.tsx';
import { Page } from './page.tsx';
import { shellMessages as t } from './shell.messages.en.ts';

/** Returns a screen that waits for the network and then opens the one that `load` loads. */
export function makeOfflineScreen(load: () => Promise<ComponentType>): ComponentType {
  const Screen = lazyPart(load);
  return () => (
    <Suspense fallback={<OfflineScreen />}>
      <Screen />
    </Suspense>
  );
}

function OfflineScreen() {
  const isFramed = useMe() !== null;
  useEffect(() => announce(t.notOnDeviceHint), []);
  const notice = (
    <Notice icon="offline" title={t.notOnDevice} level={isFramed ? 2 : 1}>
      <p className="m-0">{t.notOnDeviceHint}</p>
    </Notice>
  );
  return isFramed ? <Page title={t.pageNotLoaded}>{notice}</Page> : <main>{notice}</main>;
}
