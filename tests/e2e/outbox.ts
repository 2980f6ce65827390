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

/** Returns the number of codes that were sent to an address or number. */
export const countCodes = async (url: string, to: string): Promise<number> =>
  (await findInMessages(url, to, CODE)).length;

/** Waits for `atLeast` messages with a code and returns the newest code. */
export const codeFor = (url: string, to: string, atLeast = 1): Promise<string> =>
  newest(url, to, CODE, atLeast);

/** Waits for `atLeast` emails with a link and returns the newest link. */
export const linkFor = (url: string, to: string, atLeast = 1): Promise<string> =>
  newest(url, to, /https?:\/\/\S+/, atLeast);

const CODE = /\b\d{6}\b/;

async function findInMessages(url: string, to: string, part: RegExp): Promise<readonly string[]> {
  const messages = (await loadOutbox(url)).filter((message) => message.to === to);
  return messages.flatMap(({ text }) => part.exec(text)?.[0] ?? []);
}

async function newest(url: string, to: string, part: RegExp, atLeast: number): Promise<string> {
  let found: readonly string[] = [];
  await expect
    .poll(async () => {
      found = await findInMessages(url, to, part);
      return found.length;
    })
    .toBeGreaterThanOrEqual(atLeast);
  return found[0] ?? '';
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
