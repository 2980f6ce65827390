import type { RunState } from '#contract/runs/query.ts';
import type { IconName } from './icon.tsx';
import { uiMessages as t } from './messages.en.ts';

/**
 * Word, icon and text color class of each state. Only `Failed` is bold. `Missed` has no hue: it is
 * an outline.
 */
export const STATES: Readonly<
  Record<RunState, { readonly word: string; readonly icon: IconName; readonly text: string }>
> = {
  Failed: {
    get word() {
      return t.stateFailed;
    },
    icon: 'failed',
    text: 'text-failed font-semibold',
  },
  Error: {
    get word() {
      return t.stateError;
    },
    icon: 'error',
    text: 'text-failed',
  },
  Missed: {
    get word() {
      return t.stateMissed;
    },
    icon: 'missed',
    text: 'text-missed',
  },
  Anomaly: {
    get word() {
      return t.stateAnomaly;
    },
    icon: 'anomaly',
    text: 'text-anomaly',
  },
  Warning: {
    get word() {
      return t.stateWarning;
    },
    icon: 'warning',
    text: 'text-warning',
  },
  Running: {
    get word() {
      return t.stateRunning;
    },
    icon: 'running',
    text: 'text-running',
  },
  Success: {
    get word() {
      return t.stateSuccess;
    },
    icon: 'success',
    text: 'text-success',
  },
};
