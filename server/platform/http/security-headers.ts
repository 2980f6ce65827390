/** Security headers of every response (E2E-9, G46). */
export const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types daybook',
].join('; ');

const ALWAYS: readonly (readonly [string, string])[] = [
  ['content-security-policy', CSP],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['x-frame-options', 'DENY'],
  [
    'permissions-policy',
    'camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), display-capture=(), browsing-topics=()',
  ],
];

const OWN: ReadonlySet<string> = new Set([
  'content-security-policy',
  'x-frame-options',
  'referrer-policy',
]);

/** `tls`: the request used TLS, so HSTS may be set (a year, with subdomains). */
export function setSecurityHeaders(headers: Headers, tls: boolean): void {
  // A response that sets its own policy runs none of our code, such as an image opened on its own
  // or the frame of a chat.
  for (const [name, value] of ALWAYS)
    if (!OWN.has(name) || !headers.has(name)) headers.set(name, value);
  if (tls) headers.set('strict-transport-security', 'max-age=31536000; includeSubDomains');
}
