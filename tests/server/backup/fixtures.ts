import type { TenantId } from '#contract/ids.ts';
import type { Store } from '#server/platform/db/store.ts';
import { makeFixture, user, type Fixture } from '../http/fixtures.ts';
import { anOffice, type Asker, type Office } from '../sync/fixtures.ts';
import { recordingEngine, type RecordingEngine } from './recording-engine.ts';

/** An office with two companies and backup of Microsoft 365. */
export interface Suite {
  readonly ground: Fixture;
  readonly office: Office;
  readonly recording: RecordingEngine;
}

export async function aSuite(store?: Store): Promise<Suite> {
  const recording = recordingEngine();
  const plain = await makeFixture({}, store);
  const fixture: Fixture = {
    ...plain,
    context: {
      ...plain.context,
      embeddedEngine: { ...plain.context.embeddedEngine, ...recording.engine },
    },
  };
  return { ground: fixture, office: await anOffice(fixture), recording };
}

/** Administrators of every kind, and an operator: `cem` doesn't see company 1. */
export async function addAdministrators(fixture: Fixture, tenant: TenantId): Promise<void> {
  for (const [username, roles, companies] of [
    ['ann', ['admin'], null],
    ['bob', ['admin'], [1]],
    ['cem', ['admin'], [2]],
    ['dee', ['operator'], null],
  ] as const)
    await user(fixture, tenant, {
      username,
      email: `${username}@example.com`,
      roles: [...roles],
      companies: companies && [...companies],
    });
}

export const CODE = '00000000-0000-4000-b000-000000000001';

export const organization = (companyId: number, more: object = {}): object => ({
  companyId,
  type: 'Office365',
  name: 'Calloway tenant',
  authType: 'modern',
  region: 'Worldwide',
  isExchangeOnline: true,
  isSharePointOnline: true,
  isTeamsOnline: false,
  isTeamsChatsOnline: false,
  userCode: CODE,
  newApplicationName: 'Daybook backup',
  ...more,
});

export const repository = (organizationId: string, more: object = {}): object => ({
  organizationId,
  repository: 'Vault',
  password: 'correct horse',
  repeatPassword: 'correct horse',
  passwordDescription: 'The usual animal',
  retentionPolicy: 'Years5',
  ...more,
});

export const POLICY = {
  schedule: { type: 'Daily', dailyType: 'Everyday', dailyTime: '22:00' },
  backupWindow: null,
  retryNumber: 3,
  retryWaitInterval: 10,
} as const;

export const job = (organizationId: string, repositoryId: string, more: object = {}): object => ({
  organizationId,
  repositoryId,
  name: 'Mail',
  backupType: 'EntireOrganization',
  schedulePolicy: POLICY,
  ...more,
});

export interface Made {
  readonly organization: string;
  readonly repository: string;
  readonly job: string;
}

/** Creates an organization of a company with a repository and a job. */
export async function makeAll(who: Asker, company: number, name: string): Promise<Made> {
  const made = async (path: string, body: object): Promise<string> => {
    const { status, text, body: answer } = await who<{ id: string }>('POST', path, body);
    if (status !== 200) throw new Error(text);
    return answer.data.id;
  };
  const organizationId = await made('o365/organizations', organization(company, { name }));
  const repositoryId = await made(
    'o365/repositories',
    repository(organizationId, { repository: `${name} vault` }),
  );
  return {
    organization: organizationId,
    repository: repositoryId,
    job: await made('o365/jobs', job(organizationId, repositoryId, { name: `${name} mail` })),
  };
}

/** Stores objects of an organization's directory, as if it had been read. */
export const storeDirectoryItems = (
  { ground: { context }, office }: Pick<Suite, 'ground' | 'office'>,
  organizationId: string,
  items: Readonly<Partial<Record<'user' | 'group' | 'team' | 'site', readonly string[]>>>,
): Promise<void> =>
  context.store.tenant(office.tenant, async ({ sql, tenant }) => {
    const rows = Object.entries(items).flatMap(([kind, ids]) =>
      ids.map((id) => ({
        tenant_id: tenant,
        organization_id: organizationId,
        kind: kind as 'user',
        id,
        name: id,
        address: '',
        parent_id: null,
        deleted_at: null,
      })),
    );
    for (let from = 0; from < rows.length; from += 1_000)
      await sql
        .insertInto('directory_object')
        .values(rows.slice(from, from + 1_000))
        .execute();
  });
