import { Icon } from '#src/ui/icon.tsx';
import type { StateLabel } from './state-label.ts';

/** A state is always icon, word and color. */
export const StateText = ({ label: { label, icon, text } }: { readonly label: StateLabel }) => (
  <span className={`inline-flex max-w-full min-w-0 items-center gap-1.5 ${text}`}>
    <Icon name={icon} />
    <span className="min-w-0 break-words">{label}</span>
  </span>
);
