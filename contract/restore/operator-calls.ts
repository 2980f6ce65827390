import * as v from 'valibot';
import { DEVICE_CODE_STATES, deviceCodeOut } from '../backup/suite-schema.ts';
import { call } from '../call.ts';
import type { OrganizationId } from '../ids.ts';
import { storedIdSchema } from '../id-schema.ts';

/** How restore operators sign in, and for whom they restore (RES-52). */
export const operatorCalls = {
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
