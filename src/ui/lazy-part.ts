import { lazy } from 'react';
import type { LazyExoticComponent } from 'react';
import { loadPart } from './chunk-load.ts';

export type AnyComponent = Awaited<ReturnType<Parameters<typeof lazy>[0]>>['default'];

/**
 * A component in a chunk of its own, for `Suspense`. While it can't load offline, the fallback stays
 * and the rest of the page works. `onOffline` is called when that wait begins.
 */
export const lazyPart = <T extends AnyComponent>(
  load: () => Promise<T>,
  onOffline?: () => void,
): LazyExoticComponent<T> => lazy(async () => ({ default: await loadPart(load, onOffline) }));
