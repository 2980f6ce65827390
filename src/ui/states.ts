import type { RunState } from '#contract/runs/query.ts';
import type { IconName } from './icon.tsx';

/**
 * How a state is told: word, icon and the class of its text colour. Only `Failed` is bold; `Missed`
 * has no hue, absence is an outline.
 */
export const STATES: Readonly<
  Record<RunState, { readonly word: string; readonly icon: IconName; readonly text: string }>
> = {
  Failed: { word: 'Failed', icon: 'failed', text: 'text-failed font-semibold' },
  Error: { word: 'Error', icon: 'error', text: 'text-failed' },
  Missed: { word: 'Did not run', icon: 'missed', text: 'text-missed' },
  Anomaly: { word: 'Anomaly', icon: 'anomaly', text: 'text-anomaly' },
  Warning: { word: 'Warning', icon: 'warning', text: 'text-warning' },
  Running: { word: 'Running', icon: 'running', text: 'text-running' },
  Success: { word: 'Success', icon: 'success', text: 'text-success' },
};
