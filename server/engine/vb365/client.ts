import * as v from 'valibot';
import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import {
  type Client,
  type Endpoint,
  makeClient,
  type Send,
  type Signer,
} from '#server/platform/systems/client.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { vb365Messages as t } from './messages.en.ts';
import { tokenSigner } from '#server/platform/systems/tokens.ts';

export type Vb365Version = 'v7' | 'v8';

/**
 * A client of a Veeam Backup for Microsoft 365 server. Paths are relative to the API of its version:
 * 8, or 7 if the server is older. Throws a `SourceError`, and nothing else if the server is the cause.
 */
export interface Vb365Client extends Client {
  findVersion(): Promise<Vb365Version>;
  /**
   * Reads a list page by page, each row once. Version 8 has no totals, so a page that isn't
   * full and names no next one is the last; version 7 gives some lists as a whole.
   */
  readPages<S extends v.GenericSchema>(
    path: string,
    row: S,
    pageRows?: number,
  ): AsyncGenerator<readonly v.InferOutput<S>[]>;
}

const VERSIONS = ['v8', 'v7'] as const satisfies readonly Vb365Version[];
const PAGE_ROWS = 500;
/** The maximum length of a list. */
const MAX_ROWS = 1_000_000;

export function makeVb365Client(
  context: AppContext,
  endpoint: Endpoint,
  timeoutMs?: Ms,
): Vb365Client {
  const client = makeClient(context, endpoint, versionedSigner(context, endpoint), '/', timeoutMs);
  let version: Promise<Vb365Version> | null = null;

  async function probe(): Promise<Vb365Version> {
    for (const one of VERSIONS) {
      try {
        await client.read(`/${one}/ServiceInstance`, v.object({ version: v.string() }));
        return one;
      } catch (error) {
        if (!(error instanceof SourceError) || error.kind !== 'missing') throw error;
      }
    }
    throw new SourceError('failed', t.noVersion({ host: client.host }));
  }

  const findVersion = (): Promise<Vb365Version> =>
    (version ??= probe().catch((error: unknown) => {
      version = null;
      throw error;
    }));

  /** An upgraded server no longer has the version that it had: then it is found again, once. */
  async function versioned<T>(path: string, request: (path: string) => Promise<T>): Promise<T> {
    // An ID of dots would be another place of the server.
    if (/(?:^|\/)\.\.?(?:\/|$)/.test(path.split('?', 1)[0] ?? ''))
      throw new SourceError('missing', t.missing({ host: client.host }));
    const known = await findVersion();
    try {
      return await request(`/${known}/${path}`);
    } catch (error) {
      if (!(error instanceof SourceError) || error.kind !== 'missing') throw error;
      version = null;
      const now = await findVersion();
      if (now === known) throw error;
      return request(`/${now}/${path}`);
    }
  }

  const read: Client['read'] = (path, schema, signal) =>
    versioned(path, (whole) => client.read(whole, schema, signal));

  return {
    host: client.host,
    findVersion,
    read,
    open: (command, longestPauseMs) =>
      versioned(command.path, (path) => client.open({ ...command, path }, longestPauseMs)),
    command: (command, schema) =>
      versioned(command.path, (path) => client.command({ ...command, path }, schema)),

    async *readPages(path, row, pageRows = PAGE_ROWS) {
      const body = v.union([
        v.pipe(
          v.array(row),
          v.transform((results) => ({ results, limit: undefined, _links: undefined })),
        ),
        v.object({
          results: v.array(row),
          limit: v.optional(v.number()),
          _links: v.optional(v.nullable(v.object({ next: v.optional(v.unknown()) }))),
        }),
      ]);
      const seen = new Set<string>();
      for (let offset = 0; offset < MAX_ROWS;) {
        // Version 7 refuses paging of the lists that it gives as a whole.
        const isWhole = (await findVersion()) === 'v7' && !PAGED_IN_V7.test(path);
        const query = `limit=${pageRows}&offset=${offset}`;
        const {
          results: rows,
          limit = pageRows,
          _links: links,
        } = await read(isWhole ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`, body);
        const fresh = rows.filter((one) => isFirst(one, seen));
        if (fresh.length > 0) yield fresh;
        const isMore = rows.length >= limit || links?.next != null;
        if (isWhole || rows.length === 0 || !isMore) return;
        offset += rows.length;
      }
    },
  };
}

/**
 * Returns a client for one read, such as a search: no request begins after the signal, and the one that
 * runs is closed. It isn't for commands that change something.
 */
export const withSignal = (client: Vb365Client, signal: AbortSignal | undefined): Vb365Client =>
  signal === undefined
    ? client
    : {
        ...client,
        read: (path, schema) => client.read(path, schema, signal),
        command: (command, schema) => client.command({ ...command, signal }, schema),
        open: (command, longestPauseMs) => client.open({ ...command, signal }, longestPauseMs),
      };

const PAGED_IN_V7 =
  /^(?:JobSessions|LicensedUsers|RestorePoints|RestoreSessions)\b|^Organizations\/[^/]+\/(?:usedRepositories|Users|Groups|Teams|Sites)\b/i;

/** Rows move between pages if the list changes while it is read. */
function isFirst(row: unknown, seen: Set<string>): boolean {
  const { id } = row as { readonly id?: unknown };
  if (typeof id !== 'string') return true;
  if (seen.has(id)) return false;
  seen.add(id);
  return true;
}

/**
 * Signs in at the version that the server has. The server sets no cookie beside the token if it is
 * asked not to.
 */
const versionedSigner =
  (context: AppContext, { address, credentials }: Endpoint) =>
  (send: Send): Signer => {
    const { host } = new URL(address);
    const withoutCookie = { disable_antiforgery_token: 'true' };
    const signers = VERSIONS.map((version) =>
      tokenSigner(context, host, {
        path: `/${version}/token`,
        begin: {
          grant_type: 'password',
          username: credentials.kind === 'key' ? '' : credentials.name,
          password: credentials.secret,
          ...withoutCookie,
        },
        renew: (token) => ({
          grant_type: 'refresh_token',
          refresh_token: token,
          ...withoutCookie,
        }),
      })(send),
    );
    let used: Signer | null = null;
    return {
      async headers() {
        for (const signer of used === null ? signers : [used, ...signers]) {
          try {
            const headers = await signer.headers();
            used = signer;
            return headers;
          } catch (error) {
            if (!(error instanceof SourceError) || error.kind !== 'missing') throw error;
          }
        }
        throw new SourceError('missing', t.missing({ host }));
      },
      refused: () => used?.refused() ?? false,
    };
  };
