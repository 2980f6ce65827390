export const COMMANDS = [
  'next',
  'previous',
  'extend-next',
  'extend-previous',
  'page-down',
  'page-up',
  'first',
  'last',
  'select',
  'select-all',
  'open',
  'back',
  'review',
  'review-with',
  'snooze',
  'note',
  'ticket',
  'fold',
  'unfold',
  'columns',
  'facets',
  'refresh',
  'help',
] as const;
export type ShortcutCommand = (typeof COMMANDS)[number];

export interface Pressed {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/**
 * Returns the command of a key press in the list. Null if the key belongs to the browser, or to a
 * part with its own keys (U of the toasts, / of the search). Capital letters count as the letter
 * with shift.
 */
export function getCommand(pressed: Pressed): ShortcutCommand | null {
  if (pressed.altKey) return null;
  const key = pressed.key.length === 1 ? pressed.key.toLowerCase() : pressed.key;
  if (pressed.ctrlKey || pressed.metaKey)
    return key === 'a' && !pressed.shiftKey ? 'select-all' : null;
  if (key === '?') return 'help';
  if (pressed.shiftKey) return SHIFTED[key] ?? null;
  return PLAIN[key] ?? null;
}

/**
 * Returns whether a command changes data or the selection for changes. Read-only users do not have
 * these commands.
 */
export const needsActions = (command: ShortcutCommand): boolean => ACTS.has(command);
const ACTS: ReadonlySet<ShortcutCommand> = new Set([
  'review',
  'review-with',
  'snooze',
  'note',
  'ticket',
  'select',
  'select-all',
  'extend-next',
  'extend-previous',
]);

/** Returns whether a command opens a dialog, in which the next keys are typed text. */
export const asks = (command: ShortcutCommand): boolean => ASKING.has(command);
const ASKING: ReadonlySet<ShortcutCommand> = new Set([
  'review-with',
  'snooze',
  'note',
  'ticket',
  'columns',
  'facets',
  'help',
]);

export const MAC = /mac|iphone|ipad/i.test(navigator.userAgent);

const PLAIN: Readonly<Record<string, ShortcutCommand>> = {
  'j': 'next',
  'ArrowDown': 'next',
  'k': 'previous',
  'ArrowUp': 'previous',
  'PageDown': 'page-down',
  'PageUp': 'page-up',
  'Home': 'first',
  'End': 'last',
  'x': 'select',
  ' ': 'select',
  'Enter': 'open',
  'Escape': 'back',
  'e': 'review',
  's': 'snooze',
  'n': 'note',
  't': 'ticket',
  'f': 'facets',
  'ArrowLeft': 'fold',
  'ArrowRight': 'unfold',
  'c': 'columns',
  'r': 'refresh',
};
const SHIFTED: Readonly<Record<string, ShortcutCommand>> = {
  j: 'extend-next',
  ArrowDown: 'extend-next',
  k: 'extend-previous',
  ArrowUp: 'extend-previous',
  e: 'review-with',
};
