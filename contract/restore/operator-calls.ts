import * as v from 'valibot';
import { DEVICE_CODE_STATES, deviceCodeOut } from '../backup/suite-schema.ts';
import { call } from '../call.ts';
import type { OrganizationId } from '../ids.ts';
import { storedIdSchema } from '../id-schema.ts';

const part = v.optional(v.pipe(v.string(), v.maxLength(4_000)));

/**
 * The fragments with which `/restore` is opened after the sign-in on Microsoft's page. The address
 * never contains a sentence, because anybody can write an address.
 */
export const OPERATOR_SIGNED_IN = '#signed-in';
export const OPERATOR_REFUSED = '#refused=';
export const OPERATOR_REFUSALS = [
  'off',
  'often',
  'denied',
  'over',
  'failed',
  'unreachable',
  'noOperator',
] as const;
export type OperatorRefusal = (typeof OPERATOR_REFUSALS)[number];

/** How restore operators sign in, and for whom they restore (RES-52). */
export const operatorCalls = {
  startOperatorSignIn: call({
    method: 'GET',
    path: 'o365/operators/start',
    summary:
      "Redirects to Microsoft's sign-in page (code and PKCE), if the portal has an application for it.",
    input: v.strictObject({}),
    output: 'bytes',
    gate: 'public',
    failures: [],
  }),
  finishOperatorSignIn: call({
    method: 'GET',
    path: 'o365/operators/callback',
    summary:
      "Completes the sign-in on Microsoft's page. A restore operator gets a session, the refresh cookie, and is redirected to /restore#signed-in. If refused, it redirects to /restore#refused=… with the reason.",
    // Ignores other parameters that Microsoft adds, as RFC 6749 4.1.2 requires.
    input: v.object({ code: part, state: part, error: part }),
    output: 'bytes',
    gate: 'public',
    failures: [],
  }),
  requestOperatorCode: call({
    method: 'POST',
    path: 'o365/operators/devicecode',
    summary: 'Returns a code with which a person signs in with Microsoft to restore for others.',
    input: v.strictObject({}),
    output: deviceCodeOut,
    gate: 'public',
    failures: ['conflict', 'busy', 'too-many'],
  }),
  checkOperatorCode: call({
    method: 'POST',
    path: 'o365/operators/token',
    summary:
      "Checks once whether somebody signed in with this browser's latest code. A restore operator gets a session then: the refresh cookie.",
    input: v.strictObject({}),
    output: v.object({ state: v.picklist(DEVICE_CODE_STATES) }),
    gate: 'public',
    failures: ['conflict', 'busy', 'forbidden', 'too-many'],
  }),
  getOperatorConsole: call({
    method: 'GET',
    path: 'o365/operators/me',
    summary: 'Returns the organizations in which this user is a restore operator.',
    input: v.strictObject({}),
    output: v.object({
      organizations: v.array(
        v.object({
          id: storedIdSchema<OrganizationId>(),
          name: v.string(),
          /** Something of it. */
          mayRead: v.boolean(),
          mayDownload: v.boolean(),
          /** A restore of something of it waits for the approval of another person. */
          needsSecondPerson: v.boolean(),
        }),
      ),
      /** The user restores everything of its companies, on other pages. */
      isAdministrator: v.boolean(),
    }),
    gate: 'signed-in',
    failures: [],
  }),
} as const;
