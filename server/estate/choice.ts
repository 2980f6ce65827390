import { type Size, SIZES } from './plan.ts';

/** What data hold: an estate that was made, or whatever people made themselves. */
export type Estate = Size | 'none';
export const isEstate = (text: string): text is Estate =>
  text === 'none' || (SIZES as readonly string[]).includes(text);
