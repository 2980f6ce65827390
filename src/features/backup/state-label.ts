import type { IconName } from '#src/ui/icon.tsx';

/** Icon, word and color class of a state. */
export interface StateLabel {
  readonly label: string;
  readonly icon: IconName;
  readonly text: string;
}
