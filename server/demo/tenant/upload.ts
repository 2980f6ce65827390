import type { Context, Hono } from 'hono';
import type { Ms } from '#contract/ids.ts';
import { driveItemEntity } from './drive-entities.ts';
import type { DriveRow } from './drive-store.ts';
import {
  type ConflictBehavior,
  type ItemInput,
  resolveConflict,
  saveFile,
} from './drive-writing.ts';
import { GraphError, errorResponse } from './graph-error.ts';
import { digest, isoTime } from './ids.ts';
import type { Tenant } from './store.ts';

const LIFETIME_MS = 6 * 3_600_000;
/** All parts but the last are multiples of this. */
const UNIT = 327_680;
const MAX_PART = 60 * 1024 * 1024;

interface Session {
  readonly drive: DriveRow;
  readonly parentId: string;
  readonly name: string;
  readonly input: ItemInput;
  readonly behavior: ConflictBehavior;
  readonly isDeferred: boolean;
  readonly author: string;
  readonly expiresAt: Ms;
  readonly parts: Uint8Array[];
  received: number;
  total: number | null;
}

export type NewUploadSession = Pick<
  Session,
  'drive' | 'parentId' | 'name' | 'input' | 'behavior' | 'isDeferred' | 'author'
>;

export interface UploadSessions {
  /** Returns the session as Graph does, with the address for the parts. */
  create(input: NewUploadSession): Readonly<Record<string, unknown>>;
}

/** Files in parts: the parts go in order to an address that needs no token. */
export function uploadSessions(tenant: Tenant, app: Hono): UploadSessions {
  const sessions = new Map<string, Session>();
  const path = '/_api/v2.0/uploadSession';
  const state = (session: Session) => ({
    expirationDateTime: isoTime(session.expiresAt),
    nextExpectedRanges: [`${session.received}-`],
  });
  const finish = (c: Context, key: string, session: Session): Response => {
    const bytes = Buffer.concat(session.parts);
    const { item, isNew } = saveFile(tenant, { ...session, bytes });
    sessions.delete(key);
    return c.json(driveItemEntity(tenant, session.drive, item), isNew ? 201 : 200);
  };
  const open = (c: Context): { key: string; session: Session } => {
    if (c.req.header('authorization') !== undefined)
      throw new GraphError(
        401,
        'unauthenticated',
        'Upload URLs must be used without an Authorization header.',
      );
    const key = c.req.query('guid') ?? '';
    const session = sessions.get(key);
    if (!session || session.expiresAt <= tenant.now())
      throw new GraphError(404, 'itemNotFound', 'The upload session was not found.');
    return { key, session };
  };
  app.onError((error, c) => {
    if (!(error instanceof GraphError)) throw error;
    return errorResponse(c, error, tenant.now());
  });
  app.get(path, (c) => c.json(state(open(c).session)));
  app.delete(path, (c) => {
    sessions.delete(open(c).key);
    return c.body(null, 204);
  });
  app.put(path, async (c) => {
    const { key, session } = open(c);
    addPart(
      session,
      c.req.header('content-range') ?? '',
      new Uint8Array(await c.req.arrayBuffer()),
    );
    if (session.received === session.total && !session.isDeferred) return finish(c, key, session);
    return c.json(state(session), 202);
  });
  app.post(path, (c) => {
    const { key, session } = open(c);
    if (session.received !== session.total) throw invalidRange('Parts of the file are missing.');
    return finish(c, key, session);
  });
  return {
    create: (input) => {
      if (input.behavior !== 'rename')
        resolveConflict(tenant, input.parentId, input.name, input.behavior);
      const key = digest(tenant.seed, 'upload', tenant.store.nextSeq())
        .toString('hex')
        .slice(0, 32);
      const session: Session = {
        ...input,
        expiresAt: tenant.now() + LIFETIME_MS,
        parts: [],
        received: 0,
        total: null,
      };
      sessions.set(key, session);
      return {
        uploadUrl: `${tenant.origin(tenant.filesHost)}${path}?guid=${key}&overwrite=${input.behavior}`,
        ...state(session),
      };
    },
  };
}

const invalidRange = (message: string): GraphError => new GraphError(416, 'invalidRange', message);

/** @throws GraphError 400, 416 a part that isn't the next one */
function addPart(session: Session, range: string, bytes: Uint8Array): void {
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range);
  if (!match) throw new GraphError(400, 'invalidRequest', 'Content-Range is required.');
  const [from, to, total] = match.slice(1).map(Number) as [number, number, number];
  if (to - from + 1 !== bytes.length || to >= total)
    throw new GraphError(400, 'invalidRequest', 'Content-Range does not match the part.');
  if (bytes.length > MAX_PART)
    throw new GraphError(400, 'invalidRequest', 'The part is larger than 60 MiB.');
  if (session.total !== null && session.total !== total)
    throw new GraphError(400, 'invalidRequest', 'All parts must declare the same size.');
  if (from < session.received) throw invalidRange('The part was already received.');
  if (from > session.received) throw invalidRange('Parts must be uploaded in order.');
  if (to + 1 < total && bytes.length % UNIT !== 0)
    throw new GraphError(400, 'invalidRequest', 'Parts must be multiples of 320 KiB.');
  session.parts.push(bytes);
  session.received = to + 1;
  session.total = total;
}
