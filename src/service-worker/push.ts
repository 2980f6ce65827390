/** The displayed notification. `link`: target of a click, on this site. */
export interface PushNotification {
  readonly title: string;
  readonly body: string;
  readonly link: string;
  readonly tag: string;
}

/** The texts of a message that is unreadable. */
export type PushTexts = Readonly<Record<'title' | 'body', string>>;

/**
 * Parses a message of the server, which is in the user's language. An unreadable one must still be
 * shown: browsers revoke the permission after silent pushes.
 */
export function parsePush(text: string | undefined, texts: PushTexts): PushNotification {
  let said: Partial<Record<keyof PushNotification, unknown>> = {};
  try {
    said = (JSON.parse(text ?? '') as typeof said | null) ?? {};
  } catch {
    /* shown with the default texts */
  }
  const { title, body, link, tag } = said;
  return {
    title: typeof title === 'string' && title !== '' ? title : texts.title,
    body: typeof body === 'string' ? body : texts.body,
    tag: typeof tag === 'string' ? tag : 'news',
    link: typeof link === 'string' && isOurs(link) ? link : HOME_LINK,
  };
}

/** Only pages of this portal are opened. */
const isOurs = (link: string): boolean => /^\/monitoring\/[\w-]/.test(link) && !link.includes('\\');
export const HOME_LINK = '/monitoring/daily-checks';

/** The window functions of the browser that a click needs. */
export interface Windows {
  matchAll(options: {
    readonly type: 'window';
    readonly includeUncontrolled: true;
  }): Promise<readonly { readonly url: string; focus(): Promise<unknown> }[]>;
  openWindow(url: string): Promise<unknown>;
}

/**
 * Focuses the window that already shows the link, otherwise opens a new one: navigating an open
 * window could lose typed text.
 */
export async function openWindow(clients: Windows, link: string, origin: string): Promise<void> {
  const address = new URL(link, origin).href;
  const [same] = (await clients.matchAll({ type: 'window', includeUncontrolled: true })).filter(
    ({ url }) => url === address,
  );
  await (same ? same.focus() : clients.openWindow(address));
}
