/** What is shown of a message. `link`: where a click leads, on this site. */
export interface Shown {
  readonly title: string;
  readonly body: string;
  readonly link: string;
  readonly tag: string;
}

/**
 * A message as the server sends it; one that cannot be read still has to be shown, or the browser
 * takes the right away.
 */
export function shownOf(text: string | undefined): Shown {
  let said: Partial<Record<keyof Shown, unknown>> = {};
  try {
    said = (JSON.parse(text ?? '') as typeof said | null) ?? {};
  } catch {
    /* shown all the same */
  }
  const { title, body, link, tag } = said;
  return {
    title: typeof title === 'string' && title !== '' ? title : 'Backups',
    body: typeof body === 'string' ? body : 'There is news in the portal.',
    tag: typeof tag === 'string' ? tag : 'news',
    link: typeof link === 'string' && isOurs(link) ? link : HOME,
  };
}

/** Nothing but a page of this portal is opened. */
const isOurs = (link: string): boolean => /^\/monitoring\/[\w-]/.test(link) && !link.includes('\\');
const HOME = '/monitoring/daily-checks';

/** What is asked of the browser's windows of this site. */
export interface Windows {
  matchAll(options: {
    readonly type: 'window';
    readonly includeUncontrolled: true;
  }): Promise<readonly { readonly url: string; focus(): Promise<unknown> }[]>;
  openWindow(url: string): Promise<unknown>;
}

/**
 * The window that shows just that comes forward; else another is opened: what somebody types in one
 * that is open is not lost.
 */
export async function openOf(clients: Windows, link: string, origin: string): Promise<void> {
  const address = new URL(link, origin).href;
  const [same] = (await clients.matchAll({ type: 'window', includeUncontrolled: true })).filter(
    ({ url }) => url === address,
  );
  await (same ? same.focus() : clients.openWindow(address));
}
