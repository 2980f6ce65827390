import * as v from 'valibot';
import { call } from '../call.ts';
import { SSO_PROVIDERS } from './profile.ts';

const part = v.optional(v.pipe(v.string(), v.maxLength(4_000)));

export const oidcCalls = {
  oidcStart: call({
    method: 'GET',
    path: 'auth/oidc/start',
    says: "Leads to the provider's own sign-in page (OpenID Connect, code and PKCE).",
    takes: v.strictObject({}),
    gives: 'bytes',
    gate: 'public',
    failures: [],
  }),
  oidcCallback: call({
    method: 'GET',
    path: 'auth/oidc/callback',
    says: "Where that page leads back to. Sets the refresh cookie and leads to /login#signed-in; or an attempt's, and leads to /login#step, where a second factor is asked for; or to /login#refused=… with a word for why.",
    // What else an issuer adds is left aside, as RFC 6749 4.1.2 asks.
    takes: v.object({ code: part, state: part, iss: part, error: part }),
    gives: 'bytes',
    gate: 'public',
    failures: [],
  }),
  validateSso: call({
    method: 'POST',
    path: 'auth/validate-sso/{provider}',
    says: 'The address of another system in which this user is signed in. For zerto with the id of the session that was made there.',
    takes: v.strictObject({ provider: v.picklist(SSO_PROVIDERS) }),
    gives: v.object({ url: v.string(), sessionId: v.nullable(v.string()) }),
    gate: 'signed-in',
    failures: ['forbidden', 'conflict', 'busy', 'too-many'],
  }),
} as const;
