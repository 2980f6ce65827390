import { createHash } from 'node:crypto';
import type { Hono } from 'hono';
import type { Branding } from '#contract/branding/branding.ts';
import { callerReader } from '../../platform/http/client-address.ts';
import { tenantReader } from '../../platform/http/tenant.ts';
import type { AppContext } from '../../platform/app-context.ts';

/**
 * Waits for the portal's message about the user, then loads the widget. The user's data is in
 * HubSpot's variable (`hsConversationsSettings`) and, for other widgets, in `daybookVisitor`.
 */
const BEGIN = `'use strict';
const site = location.origin, say = (chat) => { parent.postMessage({ chat }, site); };
addEventListener('keydown', (event) => { if (event.key === 'Escape') say('close'); });
addEventListener('message', ({ source, origin, data }) => {
  if (source !== parent || origin !== site || typeof data?.token !== 'string' || document.scripts.length > 1) return;
  const { name, email, token } = data;
  window.hsConversationsSettings = { identificationEmail: email, identificationToken: token, inlineEmbedSelector: '#chat', enableWidgetCookieBanner: false };
  window.daybookVisitor = Object.freeze({ name, email, token });
  const script = document.createElement('script');
  script.src = document.documentElement.dataset.script;
  script.onload = () => { say('loaded'); };
  script.onerror = () => { say('blocked'); };
  document.head.append(script);
});
say('ready');`;
const BEGIN_HASH = `'sha256-${createHash('sha256').update(BEGIN).digest('base64')}'`;

/**
 * Returns the policy of the frame: it allows the widget's script, its host and the configured
 * hosts, and nothing of the portal. The sandbox removes its origin, even if the frame is opened
 * directly, so it cannot reach any page, storage or cookie of the portal.
 */
function getPolicy(script: string, hosts: readonly string[]): string {
  const { host, origin } = new URL(script);
  const all = [origin, ...hosts.map((one) => `https://${one}`)].join(' ');
  const sockets = [host, ...hosts].map((one) => `wss://${one}`).join(' ');
  return [
    "default-src 'none'",
    `script-src ${BEGIN_HASH} ${all}`,
    `connect-src ${all} ${sockets}`,
    `frame-src ${all}`,
    `img-src ${all} data: blob:`,
    `media-src ${all} blob:`,
    `font-src ${all} data:`,
    `style-src 'unsafe-inline' ${all}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts allow-forms allow-popups',
  ].join('; ');
}

const document = (script: string): string => `<!doctype html>
<html lang="en" data-script="${script.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Chat</title><style>html, body, #chat { height: 100%; margin: 0 } #chat > iframe { width: 100%; height: 100%; border: 0 }</style></head>
<body><div id="chat"></div><script>${BEGIN}</script></body>
</html>
`;

/**
 * `/chat`: the frame of the provider's chat widget, for the portal at the request's host. Returns
 * 404 if no widget is configured.
 */
export function chatRoutes(context: AppContext): (app: Hono) => void {
  const loadTenant = tenantReader(context);
  const getCaller = callerReader(context.config.trustedProxies);
  return (app) => {
    app.get('/chat', async ({ req, env }) => {
      const tenant = await loadTenant(getCaller(req.raw, env).host);
      const branding: Branding | null =
        tenant === null
          ? null
          : await context.store.tenant(
              tenant,
              async ({ sql }) =>
                (
                  await sql
                    .selectFrom('provider')
                    .select('branding')
                    .where('tenant_id', '=', tenant)
                    .executeTakeFirstOrThrow()
                ).branding,
              { readOnly: true },
            );
      const chat = branding?.features.chat;
      const script = chat?.script ?? null;
      if (script === null)
        return new Response('Not found\n', {
          status: 404,
          headers: { 'content-type': 'text/plain; charset=utf-8' },
        });
      return new Response(document(script), {
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          'content-security-policy': getPolicy(script, chat?.hosts ?? []),
          'x-frame-options': 'SAMEORIGIN',
        },
      });
    });
  };
}
