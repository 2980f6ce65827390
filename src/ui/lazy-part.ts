import { lazy } from 'react';
import type { LazyExoticComponent } from 'react';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { loadPart } from './chunk-load.ts';
import { tellFailure } from './toasts.ts';

type Component = Awaited<ReturnType<Parameters<typeof lazy>[0]>>['default'];

/**
 * A component in a chunk of its own, for `Suspense`. While it can't load offline, the fallback stays
 * and the rest of the page works.
 */
export const lazyPart = <T extends Component>(load: () => Promise<T>): LazyExoticComponent<T> =>
  lazy(async () => ({ default: await loadPart(load) }));

/** The same for what a user opens, such as a dialog: offline, a message says why it doesn't open. */
export const lazyDialog = <T extends Component>(load: () => Promise<T>): LazyExoticComponent<T> =>
  lazy(async () => ({
    default: await loadPart(load, () => {
      tellFailure(BASE.needsNetwork);
    }),
  }));
