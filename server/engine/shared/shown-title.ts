import type { ItemKind } from '#contract/engine/engine.ts';
import { explorerMessages as t } from './explorer.messages.en.ts';

/** The title of an item for somebody who `reads` it or not. */
export const getShownTitle = (kind: ItemKind, title: string, reads: boolean): string =>
  reads || kind === 'file' ? title : t.hiddenTitle;
