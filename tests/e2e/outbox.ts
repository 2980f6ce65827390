import { expect } from '@playwright/test';

/** A message on the outbox page of a server without a gateway. */
export interface Sent {
  readonly kind: 'mail' | 'sms';
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Returns all messages, newest first. `url`: the portal, `http://localhost:<port>`. */
export async function loadOutbox(url: string): Promise<readonly Sent[]> {
  const answer = await fetch(new URL('/outbox', url));
  if (!answer.ok) throw new Error(`the outbox answers ${answer.status}`);
  const page = await answer.text();
  return [...page.matchAll(/<article>([\s\S]*?)<\/article>/g)].map(([, article = '']) => {
    const part = (form: RegExp): string => plain(form.exec(article)?.[1] ?? '');
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
