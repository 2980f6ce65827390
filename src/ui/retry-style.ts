/** A network that has just returned may fail again. */
const RETRY_MS = 3_000;

/**
 * LOAD-2: handles the error of a link to a style sheet. Requests it again after reconnecting, or once
 * with a network: the bundler requests each only once, and its part would have no style.
 */
export function retryStyle({ target }: Event): void {
  if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return;
  const again = document.createElement('link');
  for (const { name, value } of target.attributes) again.setAttribute(name, value);
  const replace = (): void => target.replaceWith(again);
  if (!navigator.onLine) addEventListener('online', replace, { once: true });
  else if (target.dataset['retried'] === undefined) {
    again.dataset['retried'] = '';
    setTimeout(replace, RETRY_MS);
  }
}
