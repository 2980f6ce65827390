import type { ComponentType } from 'react';
import type { PagePath } from '#contract/page-paths.ts';
import { isChunkError, withChunkTimeout } from '../../ui/chunk-load.ts';
import { retryStyle } from '../../ui/retry-style.ts';
import { makeOfflineScreen } from '../shell/offline-screen.tsx';
import { PAGE_SCREENS, SCREENS } from './screens.ts';
import type { ScreenName } from './screens.ts';

/**
 * Resolves with a screen. LOAD-2: offline, one that isn't on this device says so, and opens after
 * reconnecting.
 * @throws with a network, if the screen cannot be loaded
 */
export async function loadScreen(name: ScreenName | PagePath): Promise<ComponentType> {
  const load = { ...SCREENS, ...PAGE_SCREENS }[name];
  try {
    return await withChunkTimeout<ComponentType>(load());
  } catch (error) {
    if (navigator.onLine || !isChunkError(error)) throw error;
    return makeOfflineScreen(load);
  }
}

addEventListener('error', retryStyle, true);
