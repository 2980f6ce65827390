import type { SupportContext, SupportPart } from '#contract/support/calls.ts';
import { SUPPORT_PARTS, SUPPORT_WORDS } from '#contract/support/calls.ts';
import { APP_VERSION } from '#contract/app-version.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { SyncStatus } from '#workers/api.ts';
import { formatUtc } from '#src/ui/format.ts';
import { supportMessages as t } from './messages.en.ts';

export interface Around {
  readonly path: string | null;
  readonly failures: readonly string[];
  readonly status: SyncStatus | undefined;
  readonly agent: string;
}
export interface ContextPart {
  readonly part: SupportPart;
  readonly label: string;
  readonly text: string;
}

/**
 * Messages with a fixed text. Others can contain names of jobs or companies and must not be sent.
 */
const FIXED: ReadonlySet<string> = new Set(
  Object.values(MESSAGES).filter((one) => typeof one === 'string'),
);
const STATES: Readonly<Record<SyncStatus['kind'], string>> = {
  'live': t.syncLive,
  'catching-up': t.syncLoading,
  'offline': t.syncOffline,
  'server-trouble': t.syncTrouble,
  'signed-out': t.syncSignedOut,
  'update-needed': t.syncUpdate,
};

/** SUPPORT-4: returns the context of a request in order; unknown parts are left out. */
export function contextParts({ path, failures, status, agent }: Around): readonly ContextPart[] {
  const texts: Readonly<Record<SupportPart, string | null>> = {
    page: path === null ? null : (path.split(/[?#]/)[0] ?? null),
    errors: failures.filter((one) => FIXED.has(one)).join(' | '),
    sync: status === undefined ? null : syncWords(status),
    version: APP_VERSION,
    browser: agent,
  };
  return SUPPORT_PARTS.flatMap((part) => {
    const text = (texts[part] ?? '').slice(0, LIMITS.supportPartChars);
    return text === '' ? [] : [{ part, label: SUPPORT_WORDS[part], text }];
  });
}

export const getContext = (
  parts: readonly ContextPart[],
  without: ReadonlySet<SupportPart>,
): SupportContext =>
  Object.fromEntries(
    parts.filter(({ part }) => !without.has(part)).map(({ part, text }) => [part, text]),
  );

const syncWords = ({ kind, syncedAt, left, waiting, refused, storage }: SyncStatus): string =>
  t.syncSummary({
    state: STATES[kind],
    when: syncedAt === null ? t.neverSynced : formatUtc(syncedAt),
    left,
    waiting,
    refused,
    storage,
  });
