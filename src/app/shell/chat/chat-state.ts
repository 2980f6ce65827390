import { useSyncExternalStore } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import type { Branding } from '#contract/branding/branding.ts';

/**
 * The chat of the provider's support: not asked for yet, over the page, or put away with what was
 * said in it.
 */
type Chat = 'none' | 'open' | 'away';
let chat: Chat = 'none';
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

export const useChat = (): Chat => useSyncExternalStore(subscribe, () => chat);
export function setChat(next: Chat): void {
  chat = next;
  listeners.forEach((listener) => listener());
}

/**
 * Whether there is a widget for this user. Who acts as somebody else does not write in that name.
 */
export const hasChat = (me: Me | null, branding: Branding | null): boolean =>
  me !== null && me.acting === null && (branding?.features.chat?.script ?? null) !== null;
