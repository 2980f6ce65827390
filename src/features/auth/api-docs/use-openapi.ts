import { BASE } from '#contract/messages/base.messages.en.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { useRequest } from '../../shared/queries/use-query.ts';
import { describe } from './parse-openapi.ts';
import type { CallGroup } from './parse-openapi.ts';

/** Loads the server's OpenAPI description once per visit. It is public and needs no session. */
export interface Described {
  readonly groups: readonly CallGroup[] | null;
  readonly failed: boolean;
  readonly offline: boolean;
  readonly again: () => void;
}

export function useDescription(): Described {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { value, failure, isLoading, again } = useRequest('useDescription', EMPTY, readOnce);
  const groups = value ?? stored;
  return { groups, failed: groups === null && failure !== null && !isLoading, offline, again };
}

async function readOnce(signal: AbortSignal): Promise<Result<readonly CallGroup[]>> {
  stored ??= await read(signal);
  return stored === null ? failed({ kind: 'no-answer', message: BASE.noAnswer }) : ok(stored);
}

async function read(signal: AbortSignal): Promise<readonly CallGroup[] | null> {
  try {
    const answer = await fetch('/api/v1/openapi.json', { signal, credentials: 'omit' });
    const groups = answer.ok ? describe(await answer.json()) : [];
    return groups.length === 0 ? null : groups;
  } catch {
    return null;
  }
}

const EMPTY = {};
let stored: readonly CallGroup[] | null = null;
