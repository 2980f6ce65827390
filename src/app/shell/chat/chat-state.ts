import { useSyncExternalStore } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import type { Branding } from '#contract/branding/branding.ts';

/**
 * State of the support chat: `none` not opened yet, `open` over the page, `away` hidden with its
 * conversation.
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
 * Returns whether this user can chat. Not during impersonation, because the messages would be in
 * the other user's name.
 */
export const hasChat = (me: Me | null, branding: Branding | null): boolean =>
  me !== null && me.impersonator === null && (branding?.features.chat?.script ?? null) !== null;
