import { expect } from '@playwright/test';

/**
 * What the server of a portal has to send: a page that only its own machine sees, where no gateway
 * is set.
 */
export interface Sent {
  readonly kind: 'mail' | 'sms';
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** All that lies there, the newest first. `url`: of the portal, `http://localhost:<port>`. */
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

/** How many lie there for somebody. */
export const sentTo = async (url: string, to: string): Promise<number> =>
  (await loadOutbox(url)).filter((one) => one.to === to).length;

/** The code of the newest message to a number or an address, once there are at least so many. */
export async function codeFor(url: string, to: string, atLeast = 1): Promise<string> {
  return /\b\d{6}\b/.exec(await newest(url, to, atLeast))?.[0] ?? '';
}

/** The link of the newest mail to an address, once there are at least so many. */
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
