import type { OutputOf } from '#contract/calls.ts';
import type { EngineScope } from '#contract/engine/engine.ts';
import type { Import, ImportInput, ServerTest } from '#contract/engine/imports.ts';
import { LIMITS } from '#contract/limits.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { refusal, runAlone, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import { makeSecret } from '#server/platform/auth/link-secret.ts';
import { makePerMinuteLimit } from '#server/platform/rate-limit/per-minute.ts';
import { getAnswer, scopeFor, serverRefusal } from './engine-calls.ts';
import { findOrganization, findRepositoryWithOwner } from './lookup.ts';
import { uploadPath } from './import-upload.ts';
import type { OrganizationId } from '#contract/ids.ts';

type Names =
  | 'listImports'
  | 'getImport'
  | 'listImportResults'
  | 'createImport'
  | 'createImapImport'
  | 'createWebdavImport'
  | 'testImapServer'
  | 'testWebdavServer'
  | 'startImportUpload'
  | 'stopImport';
type ImportOut = OutputOf<'getImport'>;
const PAGE_ROWS = 50;
/** Tests sign in to other systems, so they are limited by provider. */
const TESTS_PER_MINUTE = 20;

/** IMP-1: imports of the organizations that the caller sees. */
export function importHandlers(context: AppContext): Pick<Handlers, Names> {
  const { imports } = context.embeddedEngine;
  const tests = makePerMinuteLimit(TESTS_PER_MINUTE);

  const withOrganization = async <T>(
    ctx: SessionContext,
    organizationId: OrganizationId,
    work: (scope: EngineScope) => Promise<Result<T>>,
  ): Promise<Result<T>> => {
    const organization = await context.store.tenant(
      ctx.tenant,
      (tx) => findOrganization(tx, ctx.session, organizationId),
      { readOnly: true },
    );
    return organization === null ? failed(NOT_FOUND) : work(scopeFor(ctx, organization.id));
  };

  const create = (
    ctx: SessionContext,
    organizationId: OrganizationId,
    input: ImportInput,
  ): Promise<Result<OutputOf<'createImport'>>> =>
    runAlone(context, ctx, () =>
      withOrganization<OutputOf<'createImport'>>(ctx, organizationId, async (scope) => {
        const found = await context.store.tenant(
          ctx.tenant,
          (tx) => findRepositoryWithOwner(tx, ctx.session, input.repository),
          { readOnly: true },
        );
        if (found?.organization.id !== organizationId) return failed(NOT_FOUND);
        const managed = serverRefusal(found.organization);
        if (managed) return managed;
        const created = getAnswer(await imports.create(scope, input));
        if (!created.ok) return created;
        const id = created.value;
        const answer = await runIdempotently<OutputOf<'createImport'>>(context, ctx, async (tx) => {
          if ((await findOrganization(tx, ctx.session, organizationId)) === null)
            return refusal(NOT_FOUND);
          await audit(tx, context, ctx, {
            what: 'import.requested',
            user: null,
            detail: {
              import: id,
              organization: organizationId,
              repository: input.repository,
              bytes: input.source.kind === 'archive' ? input.source.bytes : 0,
            },
          });
          return { drafts: [], answer: () => ok({ _id: id, id }) };
        });
        if (!answer.ok || answer.value.id !== id) await imports.stop(scope, { id });
        return answer;
      }),
    );

  const testServer = (
    ctx: SessionContext,
    organizationId: OrganizationId,
    test: (scope: EngineScope) => Promise<ServerTest>,
  ): Promise<Result<OutputOf<'testImapServer'>>> =>
    withOrganization<OutputOf<'testImapServer'>>(ctx, organizationId, async (scope) => {
      const refused = tests.check(ctx.tenant, ctx.now);
      if (refused) return failed(refused);
      const answer = await test(scope);
      return ok(
        answer.isOk
          ? { ok: true, message: null, entries: answer.entries, seen: null }
          : { ok: false, message: answer.message, entries: null, seen: answer.seen },
      );
    });

  return {
    listImports: ({ organizationId, cursor = null, limit = PAGE_ROWS }, ctx) =>
      withOrganization(ctx, organizationId, async (scope) => {
        const page = getAnswer(await imports.list(scope, { cursor, limit }));
        if (!page.ok) return page;
        const mailboxes = getAnswer(await imports.listMailboxes(scope));
        if (!mailboxes.ok) return mailboxes;
        return ok({
          ...page.value,
          rows: page.value.rows.map((row) => toOut(organizationId, row)),
          mailboxes: mailboxes.value.map(({ repository: repositoryId, ...mailbox }) => ({
            ...mailbox,
            repositoryId,
          })),
        });
      }),

    getImport: ({ organizationId, id }, ctx) =>
      withOrganization<ImportOut>(ctx, organizationId, async (scope) => {
        const found = getAnswer(await imports.get(scope, { id }));
        return found.ok ? ok(toOut(organizationId, found.value)) : found;
      }),

    listImportResults: ({ organizationId, id, cursor = null, limit = PAGE_ROWS }, ctx) =>
      withOrganization<OutputOf<'listImportResults'>>(ctx, organizationId, async (scope) => {
        const page = getAnswer(await imports.listResults(scope, { id, cursor, limit }));
        return page.ok
          ? ok({ ...page.value, rows: page.value.rows.map((row) => ({ ...row })) })
          : page;
      }),

    createImport: ({ organizationId, repositoryId, name, bytes, mailbox, content = 'mail' }, ctx) =>
      create(ctx, organizationId, {
        repository: repositoryId,
        mailbox,
        source: { kind: 'archive', content, name, bytes },
      }),

    createImapImport: ({ organizationId, repositoryId, mailbox, server }, ctx) =>
      create(ctx, organizationId, {
        repository: repositoryId,
        mailbox,
        source: { kind: 'imap', server: { kind: 'imap', ...server } },
      }),

    createWebdavImport: ({ organizationId, repositoryId, mailbox, server }, ctx) =>
      create(ctx, organizationId, {
        repository: repositoryId,
        mailbox,
        source: { kind: 'webdav', server: { kind: 'webdav', ...server } },
      }),

    testImapServer: ({ organizationId, server }, ctx) =>
      testServer(ctx, organizationId, (scope) =>
        imports.testImapServer(scope, { kind: 'imap', ...server }),
      ),

    testWebdavServer: ({ organizationId, server }, ctx) =>
      testServer(ctx, organizationId, (scope) =>
        imports.testWebdavServer(scope, { kind: 'webdav', ...server }),
      ),

    startImportUpload: ({ organizationId, id }, ctx) =>
      withOrganization<OutputOf<'startImportUpload'>>(ctx, organizationId, async (scope) => {
        const ticket = makeSecret(context.chance);
        const started = getAnswer(
          await imports.startUpload(scope, {
            id,
            session: ctx.session.sessionId,
            ticketHash: ticket.hash,
          }),
        );
        if (!started.ok) return started;
        return ok({
          url: uploadPath(id),
          ticket: ticket.text,
          receivedBytes: started.value.receivedBytes,
          partBytes: LIMITS.importPartBytes,
        });
      }),

    stopImport: ({ organizationId, id }, ctx) =>
      runAlone(context, ctx, () =>
        withOrganization(ctx, organizationId, async (scope) => {
          const stopped = getAnswer(await imports.stop(scope, { id }));
          if (!stopped.ok) return stopped;
          return runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
            await audit(tx, context, ctx, {
              what: 'import.stopped',
              user: null,
              detail: { import: id, organization: organizationId },
            });
            return { drafts: [], answer: () => ok({}) };
          });
        }),
      ),
  };
}

const toOut = (
  organizationId: OrganizationId,
  { repository, account, ...row }: Import,
): ImportOut => ({
  _id: row.id,
  ...row,
  account: account && { ...account },
  organizationId,
  repositoryId: repository,
  counts: { ...row.counts },
  folders: row.folders.map((folder) => ({ ...folder })),
});
