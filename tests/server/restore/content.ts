import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectKind } from '#contract/engine/engine.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import { uploadRoutes } from '#server/features/backup/import-upload.ts';
import { downloadRoutes } from '#server/features/restore/downloads/routes.ts';
import { previewRoutes } from '#server/features/restore/preview/routes.ts';
import { openStoredRepository } from '#server/engine/embedded/repositories/repositories.ts';
import { writeTo } from '#server/engine/embedded/sessions/content-writer.ts';
import { allHandlers } from '#server/handlers.ts';
import { makeAppContext } from '#server/make-app-context.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Store } from '#server/platform/db/store.ts';
import { type Made, makeAll } from '../backup/fixtures.ts';
import { recordingEngine } from '../backup/recording-engine.ts';
import { saveFiles, getValue } from '../engine/restic/fixtures.ts';
import { storeHistory } from '../engine/explorer/history.ts';
import { type App, getApp, ask, type Answer, type Fixture, makeFixture } from '../http/fixtures.ts';
import { anOffice, type Asker, type Office } from '../sync/fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-content-'));
// Several files of tests share this module in one process.
process.once('exit', () => {
  rmSync(folder, { recursive: true, force: true });
});

/** A file of a mailbox or drive: its folder's path, and its content. */
export interface StoredFile {
  readonly path: readonly string[];
  readonly title: string;
  readonly content: Uint8Array;
  readonly at?: number;
  /** Of a mailbox; a mail if not given. Others than mails are stored as JSON. */
  readonly kind?: 'event' | 'contact' | 'task';
}

export interface ReadAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** Two companies, each with an organization and a real repository. */
export interface Library {
  readonly ground: Fixture;
  readonly office: Office;
  readonly app: App;
  readonly admin: Asker;
  readonly ours: Made;
  readonly theirs: Made;
  /**
   * Backs a mailbox or drive up. `later`: what it has at later points, the same file at the same
   * index. Returns the ids of its files by their titles, if there is one point.
   */
  store(
    of: Made,
    object: number,
    kind: ObjectKind,
    files: readonly StoredFile[],
    ...later: readonly (readonly StoredFile[])[]
  ): Promise<Map<string, string>>;
  /** Writes the same files as a restore point of their repository. Returns its folder. */
  saveSnapshot(of: Made, files: readonly StoredFile[]): Promise<string>;
  /** Reads an address as a browser does that has these cookies. */
  readonly read: (
    path: string,
    request?: {
      readonly cookies?: readonly string[];
      readonly headers?: Readonly<Record<string, string>>;
      readonly method?: string;
      readonly app?: App;
      readonly host?: string;
    },
  ) => Promise<ReadAnswer>;
  /** Another server process on the same database. */
  readonly anotherServer: () => App;
  /** Asks for an address as a browser does that has these cookies. */
  readonly visit: (path: string, cookies?: readonly string[], headers?: object) => Promise<Answer>;
}

export async function aLibrary(store?: Store): Promise<Library> {
  const recording = recordingEngine();
  const plain = await makeFixture({ repositoriesDir: folder }, store);
  const real = plain.context.embeddedEngine;
  const { organizations, jobs } = recording.engine;
  const embeddedEngine: AppContext['embeddedEngine'] = { ...real, organizations, jobs };
  const fixture: Fixture = { ...plain, context: { ...plain.context, embeddedEngine } };
  const { context } = fixture;
  const office = await anOffice(fixture);
  const app = makeServer(context);
  const admin = await office.as('restorer', ['o365_admin']);
  const ours = await makeAll(admin, 1, 'Calloway');
  recording.directory = randomUUID();
  const theirs = await makeAll(admin, 2, 'Drummond');

  const save = async (repository: string, files: readonly StoredFile[]) => {
    const opened = getValue(await openStoredRepository(context, office.tenant, repository));
    const writer = writeTo(opened);
    const parts: StoredPart[] = [];
    for (const { content } of files)
      parts.push(getValue(await writer.save({ as: 'mime', content: new Uint8Array(content) })));
    getValue(await writer.flush());
    await opened.close();
    return parts;
  };

  return {
    ground: fixture,
    office,
    app,
    admin,
    ours,
    theirs,
    async store(of, object, kind, files, ...later) {
      const isDrive = kind === 'drive';
      const all = [files, ...later];
      const parts = await save(of.repository, all.flat());
      let used = 0;
      const folders = new Map<string, { key: string; parent: string | null; name: string }>();
      for (const { path } of all.flat())
        for (let depth = 1; depth <= path.length; depth += 1) {
          const key = path.slice(0, depth).join('\u0001');
          const parent = depth === 1 ? null : path.slice(0, depth - 1).join('\u0001');
          folders.set(key, { key, parent, name: path[depth - 1] ?? '' });
        }
      await storeHistory(
        context.store,
        office.tenant,
        all.map((copy) => ({
          folders: [...folders.values()],
          items: copy.map(({ path, title, content, at, kind: item = 'mail' as const }, n) => {
            const part = parts[used];
            used += 1;
            const as = isDrive ? 'raw' : item === 'mail' ? 'mime' : 'json';
            return {
              key: `${object}-${n}`,
              folder: path.join('\u0001'),
              title,
              at: at ?? 1_700_000_000_000 + n,
              bytes: content.length,
              kind: isDrive ? ('file' as const) : item,
              parts: part === undefined ? [] : [{ ...part, as }],
            };
          }),
        })),
        object,
        { ...of, kind },
      );
      return new Map(files.map(({ title }, n) => [title, `i${object}.${n + 1}`]));
    },
    async saveSnapshot(of, files) {
      const opened = getValue(await openStoredRepository(context, office.tenant, of.repository));
      await saveFiles(
        opened,
        Object.fromEntries(
          files.map(({ path, title, content }) => [[...path, title].join('/'), content]),
        ),
      );
      await opened.close();
      return join(folder, of.repository);
    },
    async read(path, { cookies = [], headers = {}, method = 'GET', app: at = app, host } = {}) {
      const answer = await at.request(
        path,
        {
          method,
          headers: {
            host: host ?? office.host,
            ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
            ...headers,
          },
        },
        { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
      );
      return {
        status: answer.status,
        headers: answer.headers,
        bytes: Buffer.from(await answer.arrayBuffer()),
      };
    },
    anotherServer: () => {
      const { store: database, clock, chance, log, config } = context;
      return makeServer(makeAppContext({ store: database, clock, chance, log, config }));
    },
    visit: (path, cookies = [], headers = {}) =>
      ask(app, path, {
        host: office.host,
        ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
        headers: { ...headers },
      }),
  };
}

const makeServer = (of: AppContext): App =>
  getApp(of, allHandlers(of), {
    routes(on) {
      previewRoutes(of)(on);
      downloadRoutes(of)(on);
      uploadRoutes(of)(on);
    },
  });

/** The cookies that an answer sets, as a browser sends them back. */
export const cookiesIn = ({ headers }: Pick<Answer, 'headers'>): string[] =>
  headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');

/** Opens a restore session at the newest point. */
export async function openLibrary(
  who: Asker,
  { organization }: Made,
  sessionType: 'Vex' | 'Veod' | 'Vet' = 'Vex',
): Promise<string> {
  const { text, body } = await who<{ id: string }>('POST', 'o365/restore/restoresessions', {
    organizationId: organization,
    datetime: 1_900_000_000_000,
    sessionType,
  });
  if (!body.success) throw new Error(text);
  return body.data.id;
}

/** What was recorded of reading, as it is stored. */
export const readingsIn = async ({ ground: fixture, office }: Library): Promise<object[]> =>
  fixture.context.store.tenant(office.tenant, async ({ sql, tenant }) => {
    const rows = await sql
      .selectFrom('audit')
      .select('detail')
      .where('tenant_id', '=', tenant)
      .where('what', '=', 'backupcontent.read')
      .orderBy('at')
      .execute();
    return rows.map(({ detail }) => detail as object);
  });
