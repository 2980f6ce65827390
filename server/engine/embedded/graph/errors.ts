import * as v from 'valibot';
import type { EngineError, EngineErrorKind } from '#contract/engine/engine.ts';
import { graphMessages as t } from './messages.en.ts';

type PlainMessage = {
  [K in keyof typeof t]: (typeof t)[K] extends string ? K : never;
}[keyof typeof t];

/**
 * How the client reacts. `fail`: return the error. `throttle`: Graph asks to wait. `retry`: the
 * request may succeed in a moment. `renew`: get another token first.
 */
type Reaction = 'fail' | 'throttle' | 'retry' | 'renew';
interface Row {
  readonly kind: EngineErrorKind;
  readonly message: PlainMessage;
  readonly reaction?: Reaction;
}

/**
 * Codes of Graph, Exchange and SharePoint, in lower case. Sources: Graph's page on errors, the
 * response codes of Exchange Web Services, which Graph passes on, and driveItem: delta.
 */
const BY_CODE: Readonly<Record<string, Row>> = {
  mailboxnotenabledforrestapi: { kind: 'missing', message: 'noMailbox' },
  mailboxnothostedinexchangeonline: { kind: 'missing', message: 'noMailbox' },
  extensionerror: { kind: 'missing', message: 'noMailbox' },
  errornonexistentmailbox: { kind: 'missing', message: 'noMailbox' },
  errorinvaliduser: { kind: 'missing', message: 'noMailbox' },
  mailboxinactive: { kind: 'missing', message: 'inactive' },
  errorinvalidmailbox: { kind: 'missing', message: 'noMailbox' },
  resourcenotfound: { kind: 'missing', message: 'missing' },
  request_resourcenotfound: { kind: 'missing', message: 'missing' },
  itemnotfound: { kind: 'missing', message: 'missing' },
  erroritemnotfound: { kind: 'missing', message: 'missing' },
  errorfoldernotfound: { kind: 'missing', message: 'missing' },
  errorinvalididmalformed: { kind: 'missing', message: 'missing' },
  noresolvedusers: { kind: 'missing', message: 'notResolved' },
  mysitenotfound: { kind: 'missing', message: 'noDrive' },
  provisioningnotallowed: { kind: 'missing', message: 'noDrive' },

  accessdenied: { kind: 'forbidden', message: 'forbidden' },
  erroraccessdenied: { kind: 'forbidden', message: 'forbidden' },
  authorization_requestdenied: { kind: 'forbidden', message: 'forbidden' },
  accessrestricted: { kind: 'forbidden', message: 'forbidden' },
  insufficient_claims: { kind: 'forbidden', message: 'claims' },
  malwaredetected: { kind: 'forbidden', message: 'malware' },
  virussuspicious: { kind: 'forbidden', message: 'malware' },

  invalidauthenticationtoken: { kind: 'refused', message: 'refused', reaction: 'renew' },
  compacttoken_parsing_failed: { kind: 'refused', message: 'refused', reaction: 'renew' },
  unauthenticated: { kind: 'refused', message: 'refused', reaction: 'renew' },

  activitylimitreached: { kind: 'busy', message: 'throttled', reaction: 'throttle' },
  toomanyrequests: { kind: 'busy', message: 'throttled', reaction: 'throttle' },
  throttledrequest: { kind: 'busy', message: 'throttled', reaction: 'throttle' },
  applicationthrottled: { kind: 'busy', message: 'throttled', reaction: 'throttle' },
  request_throttledtemporarily: { kind: 'busy', message: 'throttled', reaction: 'throttle' },
  mailboxconcurrency: { kind: 'busy', message: 'throttled', reaction: 'throttle' },
  errorserverbusy: { kind: 'busy', message: 'busy', reaction: 'throttle' },
  errortoomanyobjectsopened: { kind: 'busy', message: 'busy', reaction: 'throttle' },
  errorexceededconnectioncount: { kind: 'busy', message: 'busy', reaction: 'throttle' },
  errormailboxstoreunavailable: { kind: 'busy', message: 'busy', reaction: 'throttle' },
  errormailboxmoveinprogress: { kind: 'busy', message: 'moving', reaction: 'throttle' },
  servicenotavailable: { kind: 'busy', message: 'busy', reaction: 'throttle' },
  servicereadonly: { kind: 'busy', message: 'busy', reaction: 'throttle' },
  cannotsnapshottree: { kind: 'busy', message: 'busy', reaction: 'retry' },
  resourcebeingprovisioned: { kind: 'busy', message: 'busy', reaction: 'throttle' },

  syncstatenotfound: { kind: 'ended', message: 'resync' },
  syncstateinvalid: { kind: 'ended', message: 'resync' },
  resyncrequired: { kind: 'ended', message: 'resync' },
  resyncapplydifferences: { kind: 'ended', message: 'resync' },
  resyncuploaddifferences: { kind: 'ended', message: 'resync' },
  resyncchangesapplydifferences: { kind: 'ended', message: 'resync' },
  resyncchangesuploaddifferences: { kind: 'ended', message: 'resync' },
  uploadsessionnotfound: { kind: 'ended', message: 'sessionEnded' },
  uploadsessionfailed: { kind: 'ended', message: 'sessionEnded' },

  quotalimitreached: { kind: 'full', message: 'quota' },
  errorquotaexceeded: { kind: 'full', message: 'quota' },
  insufficientstorage: { kind: 'full', message: 'quota' },
  errormessagesizeexceeded: { kind: 'invalid', message: 'itemTooLarge' },
  erroritemcorrupt: { kind: 'damaged', message: 'corrupt' },
  errorcorruptdata: { kind: 'damaged', message: 'corrupt' },
  errormimecontentconversionfailed: { kind: 'damaged', message: 'corrupt' },
  errorcontentconversionfailed: { kind: 'damaged', message: 'corrupt' },
  maxfilesizeexceeded: { kind: 'invalid', message: 'itemTooLarge' },

  namealreadyexists: { kind: 'conflict', message: 'nameTaken' },
  errorfolderexists: { kind: 'conflict', message: 'nameTaken' },
  resourcemodified: { kind: 'conflict', message: 'conflict' },
  entitytagdoesnotmatch: { kind: 'conflict', message: 'conflict' },
  errorirresolvableconflict: { kind: 'conflict', message: 'conflict' },
  errorstaleobject: { kind: 'conflict', message: 'conflict' },
  resourcelocked: { kind: 'conflict', message: 'locked' },
  lockmismatch: { kind: 'conflict', message: 'locked' },
  notsupported: { kind: 'unsupported', message: 'unsupported' },
};

/** A status whose code says nothing more. */
const BY_STATUS: Readonly<Record<number, Row>> = {
  401: { kind: 'refused', message: 'refused', reaction: 'renew' },
  402: { kind: 'forbidden', message: 'forbidden' },
  403: { kind: 'forbidden', message: 'forbidden' },
  404: { kind: 'missing', message: 'missing' },
  405: { kind: 'unsupported', message: 'unsupported' },
  408: { kind: 'unreachable', message: 'timeout', reaction: 'retry' },
  409: { kind: 'conflict', message: 'conflict' },
  410: { kind: 'ended', message: 'resync' },
  412: { kind: 'conflict', message: 'conflict' },
  413: { kind: 'invalid', message: 'itemTooLarge' },
  423: { kind: 'conflict', message: 'locked' },
  429: { kind: 'busy', message: 'throttled', reaction: 'throttle' },
  501: { kind: 'unsupported', message: 'unsupported' },
  503: { kind: 'busy', message: 'busy', reaction: 'throttle' },
  507: { kind: 'full', message: 'quota' },
  509: { kind: 'busy', message: 'throttled', reaction: 'throttle' },
};
const SERVER_ERROR: Row = { kind: 'internal', message: 'serverError', reaction: 'retry' };
/** Statuses that mean the same whatever the code says. */
const DECISIVE = new Set([429, 503, 509]);
const LAST_STATUS_OF_REQUESTS = 499;

const ErrorBody = v.object({ error: v.looseObject({}) });
const Code = v.pipe(v.string(), v.maxLength(100));
const DEEPEST = 8;

export interface GraphFailure {
  readonly error: EngineError;
  readonly reaction: Reaction;
  readonly code: string | null;
}

/**
 * Returns what a status and the JSON of an error mean. Nothing of the body reaches the message but
 * a code of Graph.
 */
export function readFailure(status: number, body: unknown): GraphFailure {
  const codes = codesIn(body);
  const known = codes.map((code) => BY_CODE[code.toLowerCase()]).find((row) => row !== undefined);
  const byStatus =
    BY_STATUS[status] ?? (status > LAST_STATUS_OF_REQUESTS ? SERVER_ERROR : undefined);
  const row =
    DECISIVE.has(status) && known?.reaction === undefined ? byStatus : (known ?? byStatus);
  const code = codes[0] ?? null;
  return row
    ? { error: { kind: row.kind, message: t[row.message] }, reaction: row.reaction ?? 'fail', code }
    : {
        error: { kind: 'invalid', message: t.invalid({ code: getName(code, status) }) },
        reaction: 'fail',
        code,
      };
}

const getName = (code: string | null, status: number): string =>
  code !== null && /^[\w.]{1,60}$/.test(code) ? code : String(status);

/** Returns the codes of the error and of its inner errors, the most detailed first. */
function codesIn(body: unknown): string[] {
  const read = v.safeParse(ErrorBody, body);
  const codes: string[] = [];
  let at: Record<string, unknown> | null = read.success ? read.output.error : null;
  for (let depth = 0; at !== null && depth < DEEPEST; depth += 1) {
    const code = v.safeParse(Code, at['code']);
    if (code.success) codes.unshift(code.output);
    const inner: unknown = at['innerError'] ?? at['innererror'];
    at = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : null;
  }
  return codes;
}
