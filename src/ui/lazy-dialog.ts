import type { LazyExoticComponent } from 'react';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { lazyPart } from './lazy-part.ts';
import type { AnyComponent } from './lazy-part.ts';
import { showFailure } from './toasts.ts';

/**
 * A part of the page that a user opens, such as a dialog. Offline, a message says why it doesn't
 * open.
 */
export const lazyDialog = <T extends AnyComponent>(
  load: () => Promise<T>,
): LazyExoticComponent<T> => lazyPart(load, () => showFailure(BASE.needsNetwork));
