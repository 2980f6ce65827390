import { type Size, SIZES } from './plan.ts';

/** What data hold: an estate that was made, or whatever people made themselves. */
export type DemoOption = Size | 'none';
export const isDemoOption = (text: string): text is DemoOption =>
  text === 'none' || (SIZES as readonly string[]).includes(text);
