import type { RunState } from '#contract/runs/query.ts';
import type { IconName } from './icon.tsx';
import { uiMessages as t } from './messages.en.ts';

/**
 * Word, icon and text color class of each state. Only `Failed` is bold. `Missed` has no hue: it is
 * an outline.
 */
export const STATES: Readonly<
  Record<RunState, { readonly label: string; readonly icon: IconName; readonly text: string }>
> = {
  Failed: {
    get label() {
      return t.stateFailed;
    },
    icon: 'failed',
    text: 'text-failed font-semibold',
  },
  Error: {
    get label() {
      return t.stateError;
    },
    icon: 'error',
    text: 'text-failed',
  },
  Missed: {
    get label() {
      return t.stateMissed;
    },
    icon: 'missed',
    text: 'text-missed',
  },
  Anomaly: {
    get label() {
      return t.stateAnomaly;
    },
    icon: 'anomaly',
    text: 'text-anomaly',
  },
  Warning: {
    get label() {
      return t.stateWarning;
    },
    icon: 'warning',
    text: 'text-warning',
  },
  Running: {
    get label() {
      return t.stateRunning;
    },
    icon: 'running',
    text: 'text-running',
  },
  Success: {
    get label() {
      return t.stateSuccess;
    },
    icon: 'success',
    text: 'text-success',
  },
};
