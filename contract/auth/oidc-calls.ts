import * as v from 'valibot';
import { call } from '../call.ts';
import { SSO_PROVIDERS } from './profile.ts';

const part = v.optional(v.pipe(v.string(), v.maxLength(4_000)));

export const oidcCalls = {
  oidcStart: call({
    method: 'GET',
    path: 'auth/oidc/start',
    summary: "Redirects to the provider's own sign-in page (OpenID Connect, code and PKCE).",
    input: v.strictObject({}),
    output: 'bytes',
    gate: 'public',
    failures: [],
  }),
  oidcCallback: call({
    method: 'GET',
    path: 'auth/oidc/callback',
    summary:
      'Completes the OpenID Connect sign-in. Sets the refresh cookie and redirects to /login#signed-in. If a second factor is required, it sets the cookie of the attempt and redirects to /login#step. If refused, it redirects to /login#refused=… with the reason.',
    // Ignores other parameters that an issuer adds, as RFC 6749 4.1.2 requires.
    input: v.object({ code: part, state: part, iss: part, error: part }),
    output: 'bytes',
    gate: 'public',
    failures: [],
  }),
  validateSso: call({
    method: 'POST',
    path: 'auth/validate-sso/{provider}',
    summary:
      'Returns an address at which this user is signed in to another system. For zerto it also returns the ID of the session created there.',
    input: v.strictObject({ provider: v.picklist(SSO_PROVIDERS) }),
    output: v.object({ url: v.string(), sessionId: v.nullable(v.string()) }),
    gate: 'signed-in',
    failures: ['forbidden', 'conflict', 'busy', 'too-many'],
  }),
} as const;
