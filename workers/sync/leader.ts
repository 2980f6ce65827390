import type { CommandId, Ms } from '#contract/ids.ts';
import { failed } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import type { SyncStatus } from '#workers/api.ts';
import type { Patch, KnownUser } from '#workers/types.ts';
import type { WorkerContext } from '#workers/context.ts';
import { NO_ANSWER } from '#workers/failures.ts';

/**
 * What the channels and locks of tabs are called. Increase the number with every change of the messages,
 * and `VERSION` of the database too: a tab of an earlier build then closes its database and asks to reload.
 */
export const TABS = 'daybook/2';

/** Messages between the tabs of one user (SYNC-7). */
export type TeamMessage =
  // from the leader
  | {
      readonly kind: 'patch';
      readonly id: number | null;
      readonly patch: Patch | null;
      readonly commands: readonly CommandId[];
      readonly committedAt: Ms | null;
      readonly syncedAt: Ms | null;
      readonly more: boolean;
    }
  | { readonly kind: 'days' }
  | { readonly kind: 'reload' }
  | { readonly kind: 'people'; readonly people: readonly KnownUser[] }
  | { readonly kind: 'status'; readonly status: SyncStatus }
  | { readonly kind: 'token-is'; readonly ask: string; readonly token: Result<string> }
  // to the leader
  | { readonly kind: 'hello' }
  | { readonly kind: 'wake' }
  | { readonly kind: 'token'; readonly ask: string; readonly refused: string | null };

export interface Team {
  readonly leading: boolean;
  publish(message: TeamMessage): void;
  /** Returns the access token of the leader tab. Only the leader renews it. */
  token(refused: string | null): Promise<Result<string>>;
  stop(): void;
}

export interface TeamNeeds {
  readonly lead: () => void;
  readonly hear: (message: TeamMessage) => void;
  readonly tokenFor: (refused: string | null) => Promise<Result<string>>;
}

/**
 * One of the tabs with the same database leads. When it ends, in whatever way, the browser gives
 * the lock to another.
 */
export function joinTeam(
  context: Pick<WorkerContext, 'locks' | 'channel' | 'clock' | 'chance'>,
  name: string,
  needs: TeamNeeds,
): Team {
  const channel = context.channel(`${TABS}/${name}`);
  const quit = new AbortController();
  const request = new Map<
    string,
    { readonly refused: string | null; readonly settle: (token: Result<string>) => void }
  >();
  let leading = false;
  let release: (() => void) | null = null;
  const publish = (message: TeamMessage): void => {
    if (!quit.signal.aborted) channel.post(message);
  };

  channel.listen((raw) => {
    if (quit.signal.aborted) return;
    const message = raw as TeamMessage;
    if (message.kind === 'token-is') request.get(message.ask)?.settle(message.token);
    else if (message.kind !== 'token') needs.hear(message);
    else if (leading)
      void needs
        .tokenFor(message.refused)
        .then((token) => publish({ kind: 'token-is', ask: message.ask, token }));
  });
  // If the browser closes the tab, the lock is lost silently; if it is aborted, it rejects: neither
  // matters here.
  context
    .locks(
      `${TABS}/${name}`,
      quit.signal,
      () =>
        new Promise<void>((resolve) => {
          if (quit.signal.aborted) {
            resolve();
            return;
          }
          release = resolve;
          leading = true;
          for (const { refused, settle } of request.values())
            void needs.tokenFor(refused).then(settle); // nobody else will answer them now
          needs.lead();
        }),
    )
    .catch(() => {});

  return {
    get leading() {
      return leading;
    },
    publish,
    token(refused) {
      if (leading) return needs.tokenFor(refused);
      const ask = context.chance.uuid();
      return new Promise((resolve) => {
        const settle = (token: Result<string>): void => {
          off();
          request.delete(ask);
          resolve(token);
        };
        const off = context.clock.after(TOKEN_WAIT_MS, () => settle(failed(NO_ANSWER)));
        request.set(ask, { refused, settle });
        publish({ kind: 'token', ask, refused });
      });
    },
    stop() {
      quit.abort();
      leading = false;
      release?.();
      channel.close();
    },
  };
}

/** The leader may be refreshing its token. */
const TOKEN_WAIT_MS: Ms = 25_000;
