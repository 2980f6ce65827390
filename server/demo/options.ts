import { type DemoSize, SIZES } from './plan.ts';

/** What the data contains: a demo of this size, or `none` for real data. */
export type DemoOption = DemoSize | 'none';
export const isDemoOption = (text: string): text is DemoOption =>
  text === 'none' || (SIZES as readonly string[]).includes(text);
