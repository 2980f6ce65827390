import { expect } from '@playwright/test';
import { nameProvider } from './shared-server.ts';

/** A message on the outbox page of a server without a gateway. */
export interface Sent {
  readonly kind: 'mail' | 'sms';
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/**
 * Returns all messages of a portal, newest first. The page has those of every provider: of portals
 * that share a server, only the provider's own are returned.
 */
export async function loadOutbox(url: string): Promise<readonly Sent[]> {
  const { hostname, port } = new URL(url);
  const answer = await fetch(`http://localhost:${port}/outbox`);
  if (!answer.ok) throw new Error(`the outbox answers ${answer.status}`);
  const page = await answer.text();
  return [...page.matchAll(/<article>([\s\S]*?)<\/article>/g)].flatMap(([, article = '']) => {
    const part = (form: RegExp): string => plain(form.exec(article)?.[1] ?? '');
    const from = part(/<dt>From<\/dt><dd>([\s\S]*?)<\/dd>/);
    if (hostname !== 'localhost' && from !== nameProvider(hostname)) return [];
    return {
      kind: article.includes('<dt>Mail to</dt>') ? ('mail' as const) : ('sms' as const),
      to: part(/<dt>(?:Mail|SMS) to<\/dt><dd>([\s\S]*?)<\/dd>/),
      subject: part(/<h2>([\s\S]*?)<\/h2>/),
      text: part(/<p class="text">([\s\S]*?)<\/p>/),
    };
  });
}

/** Returns the number of messages to an address or number. */
export const sentTo = async (url: string, to: string): Promise<number> =>
  (await loadOutbox(url)).filter((one) => one.to === to).length;

/** Waits for `atLeast` messages and returns the code in the newest. */
export async function codeFor(url: string, to: string, atLeast = 1): Promise<string> {
  return /\b\d{6}\b/.exec(await newest(url, to, atLeast))?.[0] ?? '';
}

/** Waits for `atLeast` emails and returns the link in the newest. */
export async function linkFor(url: string, to: string, atLeast = 1): Promise<string> {
  return /https?:\/\/\S+/.exec(await newest(url, to, atLeast))?.[0] ?? '';
}

async function newest(url: string, to: string, atLeast: number): Promise<string> {
  await expect.poll(() => sentTo(url, to)).toBeGreaterThanOrEqual(atLeast);
  return (await loadOutbox(url)).find((one) => one.to === to)?.text ?? '';
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};
const plain = (html: string): string =>
  html.replace(/<[^>]*>/g, '').replace(/&(?:lt|gt|quot|#39|amp);/g, (one) => ENTITIES[one] ?? one);
