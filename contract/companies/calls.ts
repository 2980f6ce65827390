import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { anyId, PAGE, getPage, words } from '../paging.ts';
import { ApplicationsSchema, COMPANY_FIELDS } from './company-fields.ts';

const person = v.object({ _id: v.string(), name: v.string(), username: v.string() });

/**
 * `n` is the company's number in all other calls. `users`: users assigned to the company, without
 * those who have access to all companies.
 */
export const CompanySchema = v.object({
  _id: v.string(),
  n: v.number(),
  name: v.string(),
  applications: ApplicationsSchema,
  veeamId: v.nullable(v.string()),
  users: v.array(person),
  notify: v.array(person),
  madeAt: v.number(),
  /** How many jobs report for it, and how many of its keys are in use. */
  jobs: v.number(),
  keys: v.number(),
});
export type CompanyListed = v.InferOutput<typeof CompanySchema>;

/**
 * A company with the counts of what its deletion affects: its results disappear from all lists, its
 * keys are revoked, and its users lose access to it. The log still contains all of it.
 */
export const CompanyInFull = v.object({
  ...CompanySchema.entries,
  counts: v.object({ jobs: v.number(), runs: v.number(), users: v.number(), keys: v.number() }),
});

const fields = v.partial(v.strictObject(COMPANY_FIELDS)).entries;
const COMPANY_SORTS = ['name', '-name', 'madeAt', '-madeAt'] as const;
const QUERY = { search: words, sort: v.optional(v.picklist(COMPANY_SORTS)) };

export const companyCalls = {
  listCompanies: call({
    method: 'GET',
    path: 'companies',
    summary: 'Lists the companies by name.',
    input: v.strictObject({}),
    output: v.array(CompanySchema),
    gate: 'common.companies',
    failures: [],
  }),
  reportCompanies: call({
    method: 'GET',
    path: 'monitoring/reporting/companies',
    summary: 'Lists the companies in pages, with search and sorting.',
    input: v.strictObject({ ...QUERY, ...PAGE }),
    output: getPage(CompanySchema),
    gate: 'common.companies',
    failures: [],
  }),
  getCompany: call({
    method: 'GET',
    path: 'companies/{id}',
    summary: 'Returns a company, and the counts of what its deletion affects.',
    input: v.strictObject({ id: anyId }),
    output: CompanyInFull,
    gate: 'common.companies',
    failures: ['not-found'],
  }),
  createCompany: call({
    method: 'POST',
    path: 'companies',
    summary: 'Creates a company.',
    input: v.strictObject({ ...fields, name: COMPANY_FIELDS.name }),
    output: CompanySchema,
    gate: 'common.companies',
    failures: ['conflict', 'forbidden', 'not-found'],
  }),
  editCompany: call({
    method: 'PUT',
    path: 'companies/{id}',
    summary: 'Changes the fields of a company that are sent.',
    input: v.strictObject({ id: anyId, ...fields }),
    output: CompanySchema,
    gate: 'common.companies',
    failures: ['conflict', 'not-found', 'forbidden'],
  }),
  deleteCompany: call({
    method: 'DELETE',
    path: 'companies/{id}',
    summary:
      'Deletes a company. Its keys are revoked and nobody can see it any more. The log still contains its history.',
    input: v.strictObject({ id: anyId }),
    output: v.object({}),
    gate: 'common.companies',
    failures: ['not-found', 'forbidden', 'reauth_required'],
  }),
  listVacCompanies: call({
    method: 'GET',
    path: 'companies/vac',
    summary:
      'Lists the companies of Veeam Service Provider Console, and the company each is linked to.',
    input: v.strictObject({}),
    output: v.object({
      configured: v.boolean(),
      companies: v.array(
        v.object({ id: v.string(), name: v.string(), companyId: v.nullable(v.string()) }),
      ),
    }),
    gate: 'common.companies',
    failures: ['busy'],
  }),
  /** For users who manage companies, or who choose the recipients of a backup job. */
  listUsersToNotify: call({
    method: 'GET',
    path: 'companies/{veeamId}/users-to-notify',
    summary: 'Lists the users to notify about a company, by its Veeam number or its own ID.',
    input: v.strictObject({ veeamId: v.pipe(v.string(), v.maxLength(LIMITS.nameChars)) }),
    output: v.object({
      users: v.array(v.object({ ...person.entries, email: v.nullable(v.string()) })),
    }),
    gate: 'signed-in',
    failures: ['forbidden', 'not-found'],
  }),
  exportCompanies: call({
    method: 'POST',
    path: 'companies/export',
    summary: 'Exports the companies as a CSV file.',
    input: v.strictObject(QUERY),
    output: 'bytes',
    gate: 'common.companies',
    failures: [],
  }),
} as const;
