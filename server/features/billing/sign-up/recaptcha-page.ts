import { createHash } from 'node:crypto';
import type { Hono } from 'hono';
import type { AppContext } from '#server/platform/app-context.ts';
import { callerReader } from '#server/platform/http/client-address.ts';
import { tenantReader } from '#server/platform/http/tenant.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';

/** Posts the widget's response to the parent page, as developers.google.com/recaptcha describes. */
const SCRIPT = `'use strict';
const site = location.origin;
window.onAnswer = (response) => { parent.postMessage({ recaptcha: response }, site); };
window.onExpired = () => { parent.postMessage({ recaptcha: null }, site); };`;
const SCRIPT_HASH = `'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`;

/** As published at developers.google.com/recaptcha/docs/faq. */
const POLICY = [
  "default-src 'none'",
  `script-src ${SCRIPT_HASH} https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/`,
  'frame-src https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/',
  'connect-src https://www.google.com/recaptcha/',
  "style-src 'unsafe-inline'",
  'img-src https://www.gstatic.com/recaptcha/ data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

const document = (siteKey: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>reCAPTCHA</title></head>
<body style="margin:0"><div class="g-recaptcha" data-sitekey="${siteKey}" data-callback="onAnswer" data-expired-callback="onExpired"></div><script>${SCRIPT}</script><script src="https://www.google.com/recaptcha/api.js" async defer></script></body>
</html>
`;

/**
 * `/recaptcha`: the frame of the provider's reCAPTCHA at sign-up. Only this page loads Google's script.
 * Returns 404 if the provider has switched it off.
 */
export function recaptchaRoutes(context: AppContext): (app: Hono) => void {
  const loadTenant = tenantReader(context);
  const getCaller = callerReader(context.config.trustedProxies);
  return (app) => {
    app.get('/recaptcha', async ({ req, env }) => {
      const tenant = await loadTenant(getCaller(req.raw, env).host);
      const recaptcha =
        tenant === null
          ? null
          : (await context.store.tenant(tenant, loadBillingSettings, { readOnly: true })).recaptcha;
      if (recaptcha?.isOn !== true || recaptcha.siteKey === null)
        return new Response('Not found\n', {
          status: 404,
          headers: { 'content-type': 'text/plain; charset=utf-8' },
        });
      return new Response(document(recaptcha.siteKey), {
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': POLICY,
          // Site keys are tied to domains: Google may learn which one asks, and nothing else.
          'referrer-policy': 'strict-origin',
          'cache-control': 'no-store',
        },
      });
    });
  };
}
