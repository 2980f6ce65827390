import * as v from 'valibot';
import { call } from '../call.ts';
import { SSO_PROVIDERS } from './profile.ts';

const part = v.optional(v.pipe(v.string(), v.maxLength(4_000)));

export const oidcCalls = {
  oidcStart: call({
    method: 'GET',
    path: 'auth/oidc/start',
    summary: "Leads to the provider's own sign-in page (OpenID Connect, code and PKCE).",
    input: v.strictObject({}),
    output: 'bytes',
    gate: 'public',
    failures: [],
  }),
  oidcCallback: call({
    method: 'GET',
    path: 'auth/oidc/callback',
    summary:
      "Where that page leads back to. Sets the refresh cookie and leads to /login#signed-in; or an attempt's, and leads to /login#step, where a second factor is asked for; or to /login#refused=… with a word for why.",
    // What else an issuer adds is left aside, as RFC 6749 4.1.2 asks.
    input: v.object({ code: part, state: part, iss: part, error: part }),
    output: 'bytes',
    gate: 'public',
    failures: [],
  }),
  validateSso: call({
    method: 'POST',
    path: 'auth/validate-sso/{provider}',
    summary:
      'The address of another system in which this user is signed in. For zerto with the id of the session that was made there.',
    input: v.strictObject({ provider: v.picklist(SSO_PROVIDERS) }),
    output: v.object({ url: v.string(), sessionId: v.nullable(v.string()) }),
    gate: 'signed-in',
    failures: ['forbidden', 'conflict', 'busy', 'too-many'],
  }),
} as const;
