import type { AppContext } from '../app-context.ts';

const OWN_NAME = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const PASSED_ON = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'cf-connecting-ip',
];

/**
 * Returns whether a request comes from a browser on the server's machine, by a direct connection
 * under its own name. A proxy on the same machine also connects from here, so any sign of one says
 * no, and so do configured trusted proxies, as well as requests that another site makes.
 */
export function isOperator({ config }: AppContext, request: Request, env: unknown): boolean {
  const incoming = (
    env as
      | {
          readonly incoming?: {
            readonly httpVersion?: string;
            readonly socket?: { readonly remoteAddress?: string };
          };
        }
      | undefined
  )?.incoming;
  const site = request.headers.get('sec-fetch-site');
  return (
    config.trustedProxies.length === 0 &&
    LOOPBACK.test(incoming?.socket?.remoteAddress ?? '') &&
    incoming?.httpVersion !== '1.0' &&
    OWN_NAME.test(request.headers.get('host') ?? '') &&
    PASSED_ON.every((name) => !request.headers.has(name)) &&
    (site === null || site === 'none' || site === 'same-origin')
  );
}
